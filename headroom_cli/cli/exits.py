"""Exit codes, the same for every command."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

OK = 0
FINDINGS = 1
USAGE = 2
NOTHING_READ = 3
INTERNAL_ERROR = 4
INTERRUPTED = 130
PIPE_CLOSED = 141


class Ending(Exception):  # noqa: N818 - not always an error
    """Ends the command with an exit code and, on standard error, one line that says what to do."""

    def __init__(self, code: int, message: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def ending_of(error: KeyboardInterrupt | OSError) -> Ending | None:
    """What stopped a command from outside, as its end; None: nothing that the documentation promises a code for."""
    if isinstance(error, KeyboardInterrupt):
        return Ending(INTERRUPTED)
    if isinstance(error, BrokenPipeError):
        return Ending(PIPE_CLOSED)
    if error.errno == errno.ENOSPC:
        return Ending(INTERNAL_ERROR, "could not write the report: no space left on the device")
    return None


@contextmanager
def writing(target: str | os.PathLike[str]) -> Iterator[None]:
    """End the command where its target can't be written: as wrong usage, but for a full disk or a closed pipe."""
    try:
        yield
    except OSError as error:
        words = f"cannot write {target}: {error.strerror or error}"
        if error.errno == errno.ENOSPC:
            raise Ending(INTERNAL_ERROR, words) from error
        raise ending_of(error) or Ending(USAGE, words) from error


def say(ending: Ending) -> int:
    """Write the one line of an ending to standard error, harmless whatever names stand in it; gives its code."""
    from headroom_cli.report.words import plain

    if ending.message:
        with suppress(OSError):  # nobody reads it
            print(f"headroom: {plain(ending.message, 2000)}", file=sys.stderr, flush=True)
    return ending.code


def leave(code: int) -> NoReturn:
    """End the process; what a closed pipe or a full disk left unwritten is dropped without a further complaint.

    At once: to take the interpreter and all that it holds apart would take a quarter of a second.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code)
