"""`headroom explain`: what a signal means, how it is measured, and what to do about it."""

from __future__ import annotations

import difflib
from typing import Annotated

import typer

from headroom_cli.cli.exits import USAGE, Ending


def explain(
    name: Annotated[
        str | None, typer.Argument(help="A waste signal, as in `reread`. Without it: all signals.", metavar="SIGNAL")
    ] = None,
) -> None:
    """Print the page of a waste signal, or list the signals."""
    from headroom_cli.waste import pages

    known = pages()
    if name is None:
        for page in known.values():
            print(page.partition("\n")[0].removeprefix("# "))
        return
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known signals: {', '.join(known)}"
        raise Ending(USAGE, f"no signal is called {name!r}; {hint}")
    print(known[name])
