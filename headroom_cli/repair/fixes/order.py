"""Repairs of HR3xx: roles and their order."""

from __future__ import annotations

from headroom_cli.lint.base import Finding
from headroom_cli.repair import shapes, verbs
from headroom_cli.repair.work import CannotRepair, Fixer, Work


def same_role(work: Work, finding: Finding) -> str | None:
    """HR301: consecutive messages of one role become one."""
    entry = finding.entry
    if entry is None:
        raise CannotRepair("the message is not known")
    run = [entry]
    while (before := work.neighbour(run[0], -1)) is not None and before.role == entry.role:
        run.insert(0, before)
    while (after := work.neighbour(run[-1], 1)) is not None and after.role == entry.role:
        run.append(after)
    if len(run) < 2 or entry.role in ("tool", "function"):
        raise CannotRepair("its neighbours have other roles")
    if not work.draft.claim(*run):
        return None
    verbs.merge(work, run[0], run[1:])
    return f"merged {len(run)} messages of one role"


def first_not_user(work: Work, finding: Finding) -> str | None:
    """HR302: a user message that says it is empty stands before it."""
    entry = finding.entry or next((e for e in work.history.entries if e.side == "assistant"), None)
    if entry is None or not work.draft.claim(entry):
        return None
    made = shapes.message(work.dialect, "user", [shapes.text(work.dialect, shapes.EMPTY)])
    work.draft.before(entry.path, made)
    return f'added a user message, "{shapes.EMPTY}", before it'


FIXES: dict[str, Fixer] = {"HR301": same_role, "HR302": first_not_user}
