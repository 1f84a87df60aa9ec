"""Whether a file is still the one that was read: by size and times, without opening it."""

from __future__ import annotations

import os
from pathlib import Path

Stamp = tuple[int, ...]
"""Size, mtime_ns and ctime_ns of a file, then the same of what is read beside it, if there is such a file."""


def stamp_of(path: str | Path) -> Stamp | None:
    """The stamp of a file; None where it does not exist."""
    try:
        stamp = _times(path)
    except (OSError, ValueError):
        return None
    name = os.path.basename(path)
    if name.startswith("agent-"):  # a subagent's file has its name in a sidecar
        try:
            stamp += _times(Path(path).with_suffix(".meta.json"))
        except (OSError, ValueError):
            return stamp
    return stamp


def _times(path: str | Path) -> Stamp:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns
