"""Repairs of HR5xx: thinking and reasoning. None is ever written or moved, only dropped."""

from __future__ import annotations

from headroom_cli.lint.base import Finding
from headroom_cli.lint.history import Block, Entry
from headroom_cli.repair.fixes.common import block_of, drop_member, drop_target
from headroom_cli.repair.work import Fixer, Work


def thinking_last(work: Work, finding: Finding) -> str | None:
    """HR501: the thinking that a turn ends in goes; the turn too, if it holds nothing else."""
    blocks = _turn(work, block_of(finding).entry)
    last: list[Block] = []
    for block in reversed(blocks):
        if block.kind != "thinking":
            break
        last.append(block)
    if not work.draft.claim(*last):
        return None
    for block in last:
        work.take_out(block)
    return (
        "dropped the turn, which held only thinking" if len(last) == len(blocks) else "dropped the thinking at its end"
    )


def thinking_off(work: Work, finding: Finding) -> str | None:
    """HR507: the last turn of the assistant loses its thinking."""
    blocks = [block for block in _turn(work, block_of(finding).entry) if block.kind == "thinking"]
    if not work.draft.claim(*blocks):
        return None
    for block in blocks:
        work.take_out(block)
    return "dropped the thinking of the last turn"


def item_id(work: Work, finding: Finding) -> str | None:
    """HR509: items without their reasoning lose the id that the server would look it up by."""
    entries = [e for e in work.history.entries if isinstance(e.raw, dict) and _has_server_id(e)]
    target = finding.entry
    if target is not None and target not in entries:
        entries = [target]
    if not work.draft.claim(*entries):
        return None
    for entry in entries:
        work.draft.drop((*entry.path, "id"))
    return "dropped the id, and kept the item"


def _has_server_id(entry: Entry) -> bool:
    known = {"function_call": "fc_", "custom_tool_call": "ctc_", "web_search_call": "ws_"}.get(
        str(entry.raw.get("type"))
    )
    return known is not None and str(entry.raw.get("id")).startswith(known)


def _turn(work: Work, entry: Entry) -> list[Block]:
    """The blocks of the turn that an entry is part of, as the provider sees turns."""
    run = [entry]
    while (
        work.profile.merges_turns and (before := work.neighbour(run[0], -1)) is not None and before.side == entry.side
    ):
        run.insert(0, before)
    while work.profile.merges_turns and (after := work.neighbour(run[-1], 1)) is not None and after.side == entry.side:
        run.append(after)
    return [block for each in run for block in each.blocks]


FIXES: dict[str, Fixer] = {
    "HR501": thinking_last,
    "HR504": drop_target,
    "HR507": thinking_off,
    "HR508": drop_target,
    "HR509": item_id,
    "HR510": drop_target,
    "HR511": drop_target,
    "HR514": drop_member,
}
