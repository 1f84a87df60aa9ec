"""Repairs of HR2xx: ids, names and arguments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from headroom_cli.lint.base import Finding
from headroom_cli.lint.history import Block
from headroom_cli.lint.shapes.responses import CALLS
from headroom_cli.repair import verbs
from headroom_cli.repair.fixes.common import block_of
from headroom_cli.repair.work import CannotRepair, Fixer, Work

_ARGUMENTS = {"anthropic": ("input",), "bedrock": ("input",), "gemini": ("args",), "openai-responses": ("arguments",)}


def duplicate_call_id(work: Work, finding: Finding) -> str | None:
    """HR201: a copy without a result of its own goes; another call gets an id of its own, with its result."""
    target = finding.target
    if not isinstance(target, Block) or target.id is None:
        raise CannotRepair("the call is not known")
    if work.draft.is_taken(target):
        return None
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
    return "gave the later call an id of its own" if renamed else "dropped the copy of the call"


def unusable_call_id(work: Work, finding: Finding) -> str | None:
    """HR202, HR203: an id that the provider takes, for the call and its result."""
    target = finding.target
    if not isinstance(target, Block):
        raise CannotRepair("the call is not known")
    if work.draft.is_taken(target):
        return None
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


def arguments(work: Work, finding: Finding) -> str | None:
    """HR205, HR206: an object where the provider takes objects, a text of JSON where it takes texts."""
    call = block_of(finding)
    place = (*work.place(call), *_ARGUMENTS.get(work.dialect, ("function", "arguments")))
    if work.dialect == "bedrock" or work.dialect == "gemini":
        place = (*work.place(call), call.type, *_ARGUMENTS[work.dialect])
    if work.dialect == "openai" and call.type == "function_call":
        place = (*work.place(call), "arguments")
    if not work.draft.claim(call):
        return None
    value = call.value
    if work.dialect in ("openai", "openai-responses"):
        if isinstance(value, str) and value.strip():
            raise CannotRepair("what the arguments were meant to be is not known")
        text = "{}" if value in (None, "", []) or isinstance(value, str) else _canonical(value)
        work.draft.set(place, text)
        return "wrote the arguments as JSON text"
    work.draft.set(place, _object(value))
    return "wrote the arguments as an object"


def _object(value: Any) -> dict[str, Any]:
    """The object that arguments mean; a text that is none stays whole, under `_raw`."""
    if value in (None, "", []):
        return {}
    if isinstance(value, str):
        try:
            found = json.loads(value)
        except ValueError:
            return {"_raw": value} if value.strip() else {}
        return found if isinstance(found, dict) else {"_raw": value}
    return value if isinstance(value, dict) else {"_raw": _canonical(value)}


def _canonical(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def duplicate_item(work: Work, finding: Finding) -> str | None:
    """HR207: the same item again goes; another one loses the id."""
    entry = finding.entry
    if entry is None:
        raise CannotRepair("the item is not known")
    first = next((related.target for related in finding.related), None)
    same = first is not None and first.raw == entry.raw
    if not work.draft.claim(entry):
        return None
    if same and not entry.of_kind("call", "result"):
        work.draft.drop(entry.path)
        return "dropped the copy"
    work.draft.drop((*entry.path, "id"))
    return "dropped its id"


def item_id(work: Work, finding: Finding) -> str | None:
    """HR208, HR209: the item loses its id, which no request needs."""
    entry = finding.entry
    if entry is None:
        raise CannotRepair("the item is not known")
    if not work.draft.claim(entry):
        return None
    work.draft.drop((*entry.path, "id"))
    return "dropped its id"


def output_type(work: Work, finding: Finding) -> str | None:
    """HR108: the type of output that the call wants."""
    entry = finding.entry
    call = next((t.target for t in finding.related if isinstance(t.target, Block) and t.target.kind == "call"), None)
    kind = CALLS.get(call.type) if call is not None else None
    if entry is None or kind is None:
        raise CannotRepair("the kind of output that the call wants is not known")
    if not work.draft.claim(entry):
        return None
    work.draft.set((*entry.path, "type"), kind)
    return f"made it a {kind}"


FIXES: dict[str, Fixer] = {
    "HR108": output_type,
    "HR201": duplicate_call_id,
    "HR202": unusable_call_id,
    "HR203": unusable_call_id,
    "HR205": arguments,
    "HR206": arguments,
    "HR207": duplicate_item,
    "HR208": item_id,
    "HR209": item_id,
}
