"""Running one command as a whole process and saying what it took."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent

FINDINGS_OR_NONE = frozenset({0, 1})
"""Exit codes of a command that did its work."""

COMPILED_ONCE = {"PYTHONDONTWRITEBYTECODE": ""}
"""As where the package is installed: modules are compiled at the first run, not at every one."""


class Sample(NamedTuple):
    """One run of one process: wall and CPU time in seconds, peak resident memory in MB (10^6 bytes)."""

    wall: float
    cpu: float
    peak_mb: float


class CommandError(RuntimeError):
    """A measured command ended with an exit code that says it did not do its work."""


def pin() -> int | None:
    """Pin this process, and so those it starts, to one core: the last it may use. None where that can't be done."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core


@contextmanager
def unpinned() -> Iterator[None]:
    """All cores for what is started within; afterwards as before."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def run(command: Sequence[str], environment: Mapping[str, str], accept: frozenset[int] = frozenset({0})) -> Sample:
    """Run a command to its end, its output dropped. Raises CommandError for exit codes outside `accept`."""
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=errors, cwd=ROOT, env={**os.environ, **environment}
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = code = os.waitstatus_to_exitcode(status)
        if code not in accept:
            errors.seek(0)
            last = errors.read()[-2000:].decode(errors="replace").strip()
            raise CommandError(f"{' '.join(command)} ended with {code}\n{last}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Sample(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e6)
