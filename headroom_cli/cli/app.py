"""The command line: one module per command, what they share, and how a run ends."""

from __future__ import annotations

import errno
import functools
import os
import sys
from collections.abc import Callable
from typing import Annotated, ParamSpec

import typer

from headroom_cli.cli import analyze, config, explain, formats
from headroom_cli.cli.exits import INTERNAL_ERROR, INTERRUPTED, OK, PIPE_CLOSED, USAGE, Ending
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
    try:
        code = app(standalone_mode=False) or OK
    except Ending as ending:
        code = _say(ending.message, ending.code)
    except Exception as error:
        if hasattr(error, "show") and hasattr(error, "exit_code"):  # wrong usage, as Typer words it
            error.show()
            code = USAGE
        elif "--debug" in sys.argv:
            raise
        else:
            code = _say(f"internal error: {type(error).__name__}. Run again with --debug for details.", INTERNAL_ERROR)
    _leave(code)


P = ParamSpec("P")


def _ending(command: Callable[P, None]) -> Callable[P, None]:
    """Turn what ends a command from outside into an `Ending`, before Typer gives it a meaning of its own."""

    @functools.wraps(command)
    def run_command(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except KeyboardInterrupt as stop:
            raise Ending(INTERRUPTED) from stop
        except BrokenPipeError as stop:
            raise Ending(PIPE_CLOSED) from stop
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise Ending(INTERNAL_ERROR, "could not write the report: no space left on the device") from error

    return run_command


def _say(message: str, code: int) -> int:
    if message:
        print(f"headroom: {message}", file=sys.stderr)
    return code


def _leave(code: int) -> None:
    """End the process; what a closed pipe or a full disk left unwritten is dropped without a further complaint."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


for _name, _command in (
    ("analyze", analyze.analyze),
    ("explain", explain.explain),
    ("formats", formats.formats),
    ("config", config.config),
):
    app.command(_name)(_ending(_command))
