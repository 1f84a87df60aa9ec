"""Repairs of HR2xx: ids, names and arguments."""

from __future__ import annotations

from collections.abc import Sequence

from headroom_cli.lint.base import Finding
from headroom_cli.lint.history import Block
from headroom_cli.repair import verbs
from headroom_cli.repair.work import CannotRepair, Fixer, Work


def duplicate_call_id(work: Work, finding: Finding) -> str | None:
    """HR201: a copy without a result of its own goes; another call gets an id of its own, with its result."""
    target = finding.target
    if not isinstance(target, Block) or target.id is None:
        raise CannotRepair("the call is not known")
    calls = [block for block in work.calls_by_id.get(target.id, ()) if block.kind == "call"]
    results = work.results_by_call
    if not work.draft.claim(*calls, *(results[id(call)] for call in calls if id(call) in results)):
        return None
    kept, renamed, dropped = calls[0], 0, 0
    for number, call in enumerate(calls[1:], 1):
        result = results.get(id(call))
        if result is None and call.name == kept.name and call.value == kept.value:
            work.take_out(call)
            dropped += 1
            continue
        _rename(work, call, result, verbs.new_id(work, target.id, number))
        renamed += 1
    return "gave the later call an id of its own, and its result" if renamed else "dropped the copy of the call"


def unusable_call_id(work: Work, finding: Finding) -> str | None:
    """HR202, HR203: an id that the provider takes, for the call and its result."""
    target = finding.target
    if not isinstance(target, Block):
        raise CannotRepair("the call is not known")
    call_id = target.id or ""
    same: Sequence[Block] = work.calls_by_id.get(call_id, (target,)) if call_id else (target,)
    calls = [block for block in same if block.kind == "call"]
    if not work.draft.claim(*same):
        return None
    results = work.results_by_call
    done: set[int] = set()
    for number, call in enumerate(calls):
        result = results.get(id(call))
        _rename(work, call, result, made := verbs.new_id(work, call_id or f"{call.name}", number))
        done |= {id(call), id(result)}
    rest = [block for block in same if id(block) not in done]
    if rest:
        made = made if calls else verbs.new_id(work, call_id)
        for block in rest:
            verbs.rename(work, block, made)
    return "gave call and result an id that the provider takes"


def _rename(work: Work, call: Block, result: Block | None, call_id: str) -> None:
    verbs.rename(work, call, call_id)
    if result is not None:
        verbs.rename(work, result, call_id)


FIXES: dict[str, Fixer] = {"HR201": duplicate_call_id, "HR202": unusable_call_id, "HR203": unusable_call_id}
