"""`headroom explain`: what a rule or a signal means, why it matters, and what to do about it."""

from __future__ import annotations

import difflib
from typing import Annotated

import typer

from headroom_cli.cli.exits import USAGE, Ending


def explain(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A rule (`HR101`, `unanswered-call`) or a waste signal (`reread`). Without it: the signals.",
            metavar="NAME",
        ),
    ] = None,
) -> None:
    """Print the page of a rule or of a waste signal, or list the signals (`headroom rules` lists the rules)."""
    from headroom_cli.lint.engine import known_rules, rule_page

    if name is not None:
        rules = known_rules()
        rule = rules.get(name.upper()) or next((rule for rule in rules.values() if rule.name == name.lower()), None)
        if rule is not None:
            print(rule_page(rule), end="")
            return
    from headroom_cli.waste import pages

    known = pages()
    if name is None:
        for page in known.values():
            print(page.partition("\n")[0].removeprefix("# "))
        return
    if name not in known:
        names = [*known, *rules, *(rule.name for rule in rules.values())]
        near = difflib.get_close_matches(name, names, n=1) or difflib.get_close_matches(name.upper(), rules, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known signals: {', '.join(known)}; `headroom rules` for rules"
        raise Ending(USAGE, f"no rule or signal is called {name!r}; {hint}")
    print(known[name])
