"""Repairs of HR6xx and of server tools: what a request no longer declares becomes text, or goes."""

from __future__ import annotations

from collections.abc import Iterable

from headroom_cli.lint.base import Finding
from headroom_cli.lint.history import Block
from headroom_cli.repair import verbs
from headroom_cli.repair.fixes.common import block_of, drop_target
from headroom_cli.repair.work import CannotRepair, Fixer, Work


def undeclared_reference(work: Work, finding: Finding) -> str | None:
    """HR601: a call and its result become text where they stand; a search of the provider's goes with what it found."""
    block = block_of(finding)
    if block.kind == "server_result":
        return server_pair(work, finding)
    if block.kind == "reference":
        return drop_target(work, finding)
    call = block if block.kind == "call" else work.callers.get(id(block))
    if call is None:
        if not work.draft.claim(block):
            return None
        verbs.neutralize(work, block, keep=True)
        return "turned the result into text"
    return _to_text(work, [call])


def no_tools(work: Work, finding: Finding) -> str | None:
    """HR604: all calls and results become text where they stand."""
    return _to_text(work, work.history.of_kind("call"), work.history.of_kind("result"))


def undeclared_calls(work: Work, finding: Finding) -> str | None:
    """HR606: the calls of a tool become text where they stand, with their results."""
    name = block_of(finding).name
    return _to_text(work, [call for call in work.history.of_kind("call") if call.name == name])


def server_pair(work: Work, finding: Finding) -> str | None:
    """HR110, HR111, HR602: a call of the provider's tool goes, with its result."""
    block = block_of(finding)
    pair = [
        each
        for each in (*work.history.of_kind("server_call"), *work.history.of_kind("server_result"))
        if each is block or (each.id is not None and each.id == block.id)
    ]
    if not work.draft.claim(*pair):
        return None
    for each in pair:
        work.take_out(each)
    return "dropped the call and its result" if len(pair) > 1 else f"dropped the {block.type.replace('_', ' ')}"


def _to_text(work: Work, calls: Iterable[Block], results: Iterable[Block] = ()) -> str | None:
    calls = list(calls)
    mine = [work.results_by_call[id(call)] for call in calls if id(call) in work.results_by_call]
    known = {id(block) for block in mine}
    mine += [result for result in results if id(result) not in known]
    if work.dialect == "openai-responses" and not calls:
        raise CannotRepair("the calls are not known")
    if not work.draft.claim(*calls, *mine):
        return None
    names = {id(work.results_by_call[id(call)]): call for call in calls if id(call) in work.results_by_call}
    verbs.neutralize_calls(work, calls)
    for result in mine:
        verbs.neutralize(work, result, call=names.get(id(result)), keep=True)
    return (
        "turned the calls and their results into text" if len(calls) > 1 else "turned the call and its result into text"
    )


FIXES: dict[str, Fixer] = {
    "HR110": server_pair,
    "HR111": server_pair,
    "HR601": undeclared_reference,
    "HR602": server_pair,
    "HR604": no_tools,
    "HR606": undeclared_calls,
}
