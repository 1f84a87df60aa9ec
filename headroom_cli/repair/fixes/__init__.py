"""Which repair belongs to which rule: one module a family of rules, each with a table `FIXES`."""

from __future__ import annotations

from functools import cache

from headroom_cli.repair.work import Fixer


@cache
def known_fixes() -> dict[str, Fixer]:
    """The repairs by the code of their rule."""
    from headroom_cli.repair.fixes import content, ids, limits, order, pairing, thinking, tools

    families = (pairing, ids, order, content, thinking, tools, limits)
    return {code: fix for family in families for code, fix in family.FIXES.items()}
