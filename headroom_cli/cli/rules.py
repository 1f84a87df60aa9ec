"""`headroom rules`: what lint checks."""

from __future__ import annotations

from typing import Annotated

import typer


def rules(
    provider: Annotated[
        list[str] | None, typer.Option("--provider", help="Only rules that are checked for these.", metavar="P,…")
    ] = None,
) -> None:
    """List the rules of `headroom lint`: code, name, and what each finds. Rules marked * are off unless selected."""
    from headroom_cli.cli.lint import profiles_named, split_words
    from headroom_cli.lint.engine import known_rules

    names = [profile.name for profile in profiles_named(split_words(provider))]
    known = known_rules().values()
    listed = [rule for rule in known if not names or any(rule.concerns(name) for name in names)]
    width = max((len(rule.name) for rule in listed), default=0)
    for rule in listed:
        print(f"{rule.code}{'*' if rule.off else ' '} {rule.name.ljust(width)}  {rule.summary}")
