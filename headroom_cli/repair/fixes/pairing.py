"""Repairs of HR1xx: calls and results that do not pair."""

from __future__ import annotations

from headroom_cli.lint.base import Finding
from headroom_cli.lint.history import Block
from headroom_cli.repair import shapes, verbs
from headroom_cli.repair.work import CannotRepair, Fixer, Work

FRONTIER = "the history ends with this call: its result may still come"


def unanswered(work: Work, finding: Finding) -> str | None:
    """HR101: an honest error result; never for a call that the history ends with."""
    call = _block(finding, "call")
    if at_frontier(work, call):
        raise CannotRepair(FRONTIER)
    if not work.draft.claim(call, beside=verbs.answers_of(work, call)):
        return None
    verbs.synthesize(work, call)
    return f'added an error result, "{shapes.NO_RESULT}"'


def at_frontier(work: Work, call: Block) -> bool:
    """Whether nothing follows the turn of a call."""
    return work.neighbour(verbs.turn_end(work, call.entry), 1) is None


def orphan(work: Work, finding: Finding) -> str | None:
    """HR102: what the result says is kept as text; a result that says nothing is dropped."""
    result = _block(finding, "result")
    return verbs.neutralize(work, result) if work.draft.claim(result) else None


def displaced(work: Work, finding: Finding) -> str | None:
    """HR103: the result goes to its call; where the model went on without it, it stays as text where it came."""
    call, result = _block(finding, "call"), _block(finding, "result")
    if not work.draft.claim(call, result, beside=verbs.answers_of(work, call)):
        return None
    if (finding.fix is not None and finding.fix.safe) or work.unsafe:
        verbs.move(work, call, result)
        return "moved the result to its call"
    verbs.synthesize(work, call)
    verbs.neutralize(work, result, call=call)
    return "the model had gone on: turned the late result into text, and added an error result"


def duplicate(work: Work, finding: Finding) -> str | None:
    """HR104: what says nothing, or the same again, is dropped; another result of the call becomes text."""
    result = _block(finding, "result")
    if not work.draft.claim(result):
        return None
    if finding.fix is not None and finding.fix.safe:
        work.take_out(result)
        return "dropped the second result"
    verbs.neutralize(work, result, call=_block(finding, "call"))
    return "turned the second result into text"


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
    if any(block.kind == "call" for block in blocks):
        raise CannotRepair("a call stands in the same turn")
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
    if entry is None:
        raise CannotRepair("the message is not known")
    run = [entry]
    while (before := work.neighbour(run[0], -1)) is not None and before.side == "user":
        run.insert(0, before)
    while (after := work.neighbour(run[-1], 1)) is not None and after.side == "user":
        run.append(after)
    run = run[next((n for n, each in enumerate(run) if each.of_kind("result")), 0) :]
    while len(run) > 1 and not run[-1].of_kind("result"):
        run.pop()
    if entry.side != "user" or len(run) < 2:
        return displaced(work, finding)
    if not work.draft.claim(*run):
        return None
    verbs.merge(work, run[0], run[1:])
    return "merged the messages with the results of one turn"


def mismatch(work: Work, finding: Finding) -> str | None:
    """HR107: one call and one result that are left over belong together; else the result becomes text."""
    result = _block(finding, "result")
    if finding.fix is None or finding.fix.kind != "rename":
        return verbs.neutralize(work, result) if work.draft.claim(result) else None
    call = _block(finding, "call")
    if call.id is None:
        raise CannotRepair("the call has no id")
    if not work.draft.claim(call, result):
        return None
    verbs.rename(work, result, call.id)
    return f"the only call that waits is {call.id}: the result names it now"


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
