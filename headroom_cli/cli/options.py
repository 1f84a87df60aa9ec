"""Options that several commands have, each with one name, one meaning and one help text."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class UnknownFiles(StrEnum):
    """What a file of no known format means."""

    error = "error"
    skip = "skip"


Unknown = Annotated[
    UnknownFiles | None,
    typer.Option("--unknown-files", help="Files of no known format: an error, or skipped and counted."),
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Processes to use. Default: all cores.", metavar="N")
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Read all files anew, and keep nothing.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no remarks on standard error.")]
NoColor = Annotated[bool, typer.Option("--no-color", help="No colours (or set NO_COLOR).")]
MaxLine = Annotated[
    str | None,
    typer.Option("--max-line", help="Longest line, or document, that is read: 300MB, 1GB.", metavar="SIZE"),
]
ConfigFile = Annotated[Path | None, typer.Option("--config", help="Configuration file to use.", metavar="FILE")]
Debug = Annotated[bool, typer.Option("--debug", help="Show a traceback when something goes wrong.")]
