"""Exit codes, the same for every command."""

from __future__ import annotations

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
