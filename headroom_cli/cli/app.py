"""The command line: one module per command, what they share, and how a run ends."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from headroom_cli.cli import analyze, config, explain, formats
from headroom_cli.cli.exits import INTERNAL_ERROR, INTERRUPTED, PIPE_CLOSED, USAGE, Ending
from headroom_cli.version import __version__

app = typer.Typer(
    name="headroom",
    help="Where the tokens of your coding agents went, what they cost, and what was wasted. Offline and read-only.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("analyze")(analyze.analyze)
app.command("explain")(explain.explain)
app.command("formats")(formats.formats)
app.command("config")(config.config)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"headroom {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", help="Print the version and exit.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Options before the command."""


def run() -> None:
    """Run the command line and end the process with the code that the documentation promises."""
    debug = "--debug" in sys.argv
    try:
        app(standalone_mode=True)
    except Ending as ending:
        if ending.message:
            print(f"headroom: {ending.message}", file=sys.stderr)
        code = ending.code
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        code = PIPE_CLOSED
    except Exception as error:
        if debug:
            raise
        print(f"headroom: internal error: {type(error).__name__}. Run again with --debug for details.", file=sys.stderr)
        code = INTERNAL_ERROR
    _leave(code)


def _leave(code: int) -> None:
    """End without a complaint from a pipe that is closed already."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = code or PIPE_CLOSED
    sys.exit(code)


__all__ = ["USAGE", "app", "run"]
