"""Repairs of HR1xx: calls and results that do not pair."""

from __future__ import annotations

from headroom_cli.lint.base import Finding
from headroom_cli.lint.history import Block, Entry
from headroom_cli.lint.matching import Duplicate
from headroom_cli.repair import shapes, verbs
from headroom_cli.repair.work import CannotRepair, Fixer, Work

FRONTIER = "the history ends with this call: its result may still come"


def unanswered(work: Work, finding: Finding) -> str | None:
    """HR101: an honest error result; never for a call that the history ends with."""
    call = _block(finding, "call")
    if at_frontier(work, call):
        raise CannotRepair(FRONTIER)
    if not work.draft.claim(call):
        return None
    verbs.synthesize(work, call)
    return f'added an error result, "{shapes.NO_RESULT}"'


def at_frontier(work: Work, call: Block) -> bool:
    """Whether nothing but the same turn follows a call."""
    entry: Entry | None = call.entry
    while entry is not None and entry.side == "assistant":
        entry = work.neighbour(entry, 1)
    return entry is None


def orphan(work: Work, finding: Finding) -> str | None:
    """HR102: what the result says is kept as text; a result that says nothing is dropped."""
    result = _block(finding, "result")
    return verbs.neutralize(work, result) if work.draft.claim(result) else None


def displaced(work: Work, finding: Finding) -> str | None:
    """HR103: the result goes to its call, unless the model went on without it: then it is text where it came."""
    for pair in work.check.matching.displaced:
        if finding.target not in (pair.call, pair.result):
            continue
        if not work.draft.claim(pair.call, pair.result):
            return None
        if _went_on(work, pair.call, pair.result):
            verbs.synthesize(work, pair.call)
            verbs.neutralize(work, pair.result)
            return "the model went on without it: turned the late result into text, and added an error result"
        verbs.move(work, pair.call, pair.result)
        return "moved the result to its call"
    raise CannotRepair("its call is not known")


def duplicate(work: Work, finding: Finding) -> str | None:
    """HR104: of several results in one place the first that says something stays; a later one becomes text."""
    found = [pair for pair in work.check.matching.duplicates if finding.target in (pair.call, pair.first, pair.again)]
    if not found:
        raise CannotRepair("the other result is not known")
    call = found[0].call
    copies = [pair for pair in work.check.matching.duplicates if pair.call is call]
    if not work.draft.claim(copies[0].first, *(pair.again for pair in copies)):
        return None
    here = [copies[0].first, *(pair.again for pair in copies if pair.same_place)]
    kept = next((block for block in here if not shapes.is_placeholder(block)), here[0])
    for block in here:
        if block is not kept:
            work.take_out(block)
    for pair in copies:
        if not pair.same_place:
            _drop_or_keep(work, pair, kept)
    return "kept one result of the call" if len(here) > 1 else "turned the second result into text"


def not_first(work: Work, finding: Finding) -> str | None:
    """HR105: the results of a turn come first, in their order; everything else after them."""
    entry = finding.entry
    if entry is None:
        raise CannotRepair("the message is not known")
    turn = [entry]
    while work.profile.merges_turns and (before := work.neighbour(turn[0], -1)) is not None and before.side == "user":
        turn.insert(0, before)
    while work.profile.merges_turns and (after := work.neighbour(turn[-1], 1)) is not None and after.side == "user":
        turn.append(after)
    blocks = [block for each in turn for block in each.blocks]
    first = next((number for number, block in enumerate(blocks) if block.kind != "result"), len(blocks))
    late = [block for block in blocks[first:] if block.kind == "result"]
    if not late:
        raise CannotRepair("its results stand first already")
    if not work.draft.claim(*turn):
        return None
    raws = [work.draft.get(work.place(block)) for block in late]
    head = blocks[first]
    if head.type == "string":
        work.draft.set(work.place(head), [shapes.text(work.dialect, head.raw)])
        work.draft.before((*work.place(head), 0), *raws)
    else:
        work.draft.before(work.place(head), *raws)
    for block in late:
        work.take_out(block)
    return "moved the results to the front of the turn"


def split(work: Work, finding: Finding) -> str | None:
    """HR106: results of one turn that stand in several messages come into the first of them."""
    entry = finding.entry
    if entry is None or entry.side != "user":
        raise CannotRepair("the message is not known")
    run = [entry]
    while (before := work.neighbour(run[0], -1)) is not None and before.side == "user":
        run.insert(0, before)
    while (after := work.neighbour(run[-1], 1)) is not None and after.side == "user":
        run.append(after)
    run = run[next((n for n, each in enumerate(run) if each.of_kind("result")), 0) :]
    while len(run) > 1 and not run[-1].of_kind("result"):
        run.pop()
    if len(run) < 2:
        raise CannotRepair("there is nothing to merge it with")
    if not work.draft.claim(*run):
        return None
    verbs.merge(work, run[0], run[1:])
    return "merged the messages with the results of one turn"


def mismatch(work: Work, finding: Finding) -> str | None:
    """HR107: one call and one result that are left over in a run belong together; else the result becomes text."""
    result = _block(finding, "result")
    orphans = {id(orphan.result): orphan for orphan in work.check.matching.orphans}
    known = orphans.get(id(result))
    if known is None:
        raise CannotRepair("it is not known which call it answers")
    waiting = {id(call) for call in (*work.check.matching.unanswered, *work.check.matching.pending)}
    calls = [call for call in known.calls if id(call) in waiting]
    alone = [orphan for orphan in orphans.values() if orphan.calls and calls and orphan.calls[0] in known.calls]
    if len(calls) == 1 and len(alone) == 1 and calls[0].id is not None:
        if not work.draft.claim(calls[0], result):
            return None
        verbs.rename(work, result, calls[0].id)
        return f"the only open call is {calls[0].id}: the result names it now"
    return verbs.neutralize(work, result) if work.draft.claim(result) else None


def _went_on(work: Work, call: Block, result: Block) -> bool:
    """Whether the model spoke again between a call and its result, after someone else had."""
    spoken = False
    for entry in work.history.entries[call.entry.index + 1 : result.entry.index]:
        if entry.side == "assistant" and spoken and entry.of_kind("text", "call", "thinking", "server_call"):
            return True
        spoken = spoken or entry.side != "assistant"
    return False


def _drop_or_keep(work: Work, pair: Duplicate, kept: Block) -> None:
    if shapes.is_placeholder(pair.again) or pair.again.value == kept.value:
        work.take_out(pair.again)
    else:
        verbs.neutralize(work, pair.again)


def _block(finding: Finding, kind: str) -> Block:
    for target in (finding.target, *(related.target for related in finding.related)):
        if isinstance(target, Block) and target.kind == kind:
            return target
    raise CannotRepair(f"the {kind} is not known")


FIXES: dict[str, Fixer] = {
    "HR101": unanswered,
    "HR102": orphan,
    "HR103": displaced,
    "HR104": duplicate,
    "HR105": not_first,
    "HR106": split,
    "HR107": mismatch,
}
