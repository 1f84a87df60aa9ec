"""Which repair belongs to which rule: one module a family of rules, each with a table `FIXES`."""

from __future__ import annotations

from functools import cache

from headroom_cli.repair.work import Fixer

NO_FIX = {
    "HR112": "what the stored calls gave is not in this log",
    "HR204": "the program knows the tool by this name",
    "HR309": "who says it is not known",
    "HR406": "what it should be here is not known",
    "HR502": "thinking that is gone cannot be made up",
    "HR503": "what the model thought is not kept",
    "HR506": "what stood there before is not kept",
    "HR512": "reasoning that is gone cannot be made up",
    "HR513": "a signature cannot be made up",
    "HR603": "which tools the model needs is for the program to decide",
    "HR605": "which of the tools is meant is not known",
    "HR701": "which tools the model needs is for the program to decide",
    "HR709": "what the model can do without is for the program to decide",
}
"""Why findings of these rules stay."""


@cache
def known_fixes() -> dict[str, Fixer]:
    """The repairs by the code of their rule."""
    from headroom_cli.repair.fixes import content, ids, limits, order, pairing, thinking, tools

    families = (pairing, ids, order, content, thinking, tools, limits)
    return {code: fix for family in families for code, fix in family.FIXES.items()}
