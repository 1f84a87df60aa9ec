"""The command line: one module per command, what they share, and how a run ends."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Annotated, ParamSpec

import typer

from headroom_cli.cli import analyze, cache, compare, config, explain, export, formats, lint, repair, rules
from headroom_cli.cli.exits import INTERNAL_ERROR, OK, PIPE_CLOSED, USAGE, Ending, ending_of, leave, say
from headroom_cli.version import __version__

app = typer.Typer(
    name="headroom",
    help="Where the tokens of your coding agents went, what was wasted, and what a provider would refuse. Offline.",
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
        code = say(ending)
    except SystemExit:  # Typer's answer to a reader that went away while it wrote help
        code = PIPE_CLOSED
    except Exception as error:
        ending_from_outside = ending_of(error) if isinstance(error, OSError) else None
        if ending_from_outside:
            code = say(ending_from_outside)
        elif hasattr(error, "show") and hasattr(error, "exit_code"):  # wrong usage, as Typer words it
            vars(error)["message"] = getattr(error, "message", "").removeprefix("Value error, ")
            error.show()
            code = USAGE
        elif "--debug" in sys.argv:
            raise
        else:
            message = f"internal error: {type(error).__name__}. Run again with --debug for details."
            code = say(Ending(INTERNAL_ERROR, message))
    leave(code)


P = ParamSpec("P")


def _ending(command: Callable[P, None]) -> Callable[P, None]:
    """Turn what ends a command from outside into an `Ending`, before Typer gives it a meaning of its own."""

    @functools.wraps(command)
    def run_command(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except (KeyboardInterrupt, OSError) as stop:
            ending = ending_of(stop)
            if ending is None:
                raise
            raise ending from stop

    return run_command


for _name, _command in (
    ("analyze", analyze.analyze),
    ("compare", compare.compare),
    ("lint", lint.lint),
    ("repair", repair.repair),
    ("export", export.export),
    ("explain", explain.explain),
    ("rules", rules.rules),
    ("formats", formats.formats),
    ("config", config.config),
    ("cache", cache.cache),
):
    app.command(_name)(_ending(_command))
