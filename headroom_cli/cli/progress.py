"""Progress on standard error: only on a terminal, only when a run takes a while."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headroom_cli.run import Progress
    from headroom_cli.source.discover import Found

_PATIENCE = 0.5
_INTERVAL = 0.1


@contextmanager
def reading_progress(files: Sequence[Found], *, quiet: bool) -> Iterator[Progress | None]:
    """Give a function to call after each file; the line it draws is gone when the run ends."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from headroom_cli.report.words import size

    total = sum(found.size for found in files)
    start = time.monotonic()
    drawn = 0.0

    def progress(done: int, done_bytes: int) -> None:
        nonlocal drawn
        now = time.monotonic()
        if now - start < _PATIENCE or now - drawn < _INTERVAL:
            return
        drawn = now
        left = (now - start) * (total - done_bytes) / done_bytes if done_bytes else 0.0
        sys.stderr.write(
            f"\r\x1b[Kreading {done}/{len(files)} files  {size(done_bytes)}/{size(total)}  {left:.0f} s left"
        )
        sys.stderr.flush()

    try:
        yield progress
    finally:
        if drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
