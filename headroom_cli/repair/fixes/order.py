"""Repairs of HR3xx: roles and their order."""

from __future__ import annotations

from headroom_cli.lint.base import Finding
from headroom_cli.lint.history import Entry
from headroom_cli.lint.models import traits
from headroom_cli.repair import shapes, verbs
from headroom_cli.repair.work import CannotRepair, Fixer, Work

_CONTINUE = "Continue"
_SIDES = {"call": "assistant", "server_call": "assistant", "thinking": "assistant", "result": "user"}


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


def system_role(work: Work, finding: Finding) -> str | None:
    """HR303: into the system parameter, or to the user's side, or under the name that the model knows."""
    entry = finding.entry
    if entry is None or finding.fix is None:
        raise CannotRepair("the message is not known")
    if finding.fix.kind == "reorder":
        return _hoist(work, entry)
    if not work.draft.claim(entry):
        return None
    if finding.fix.kind == "set":
        role = "system" if entry.role == "developer" and not traits(work.history.model).refuses_system else "user"
        work.draft.set((*entry.path, "role"), role)
        return f"wrote the role {role}"
    words = "\n".join(block.value for block in entry.of_kind("text") if isinstance(block.value, str))
    reminder = shapes.text(work.dialect, f"<system-reminder>\n{words}\n</system-reminder>")
    work.draft.replace(entry.path, [shapes.message(work.dialect, "user", [reminder])])
    return "said it on the user's side"


def _hoist(work: Work, entry: Entry) -> str | None:
    body = work.history.body
    if not isinstance(work.history.anchor, dict):
        raise CannotRepair("there is no request that could hold a system prompt")
    if not work.draft.claim(entry):
        return None
    content, system = entry.raw.get("content"), body.get("system")
    made = [*_as_blocks(work, content), *_as_blocks(work, system)] if system else content
    work.draft.drop(entry.path)
    work.draft.set(("system",), made)
    return "moved it into the system parameter"


def _as_blocks(work: Work, content: object) -> list[object]:
    if isinstance(content, list):
        return list(content)
    return [shapes.text(work.dialect, content)] if isinstance(content, str) and content else []


def wrong_role(work: Work, finding: Finding) -> str | None:
    """HR304: the message is split, each block on the side that it belongs to."""
    entry = finding.entry
    if entry is None or not isinstance(entry.raw, dict):
        raise CannotRepair("the message is not known")
    if not work.draft.claim(entry):
        return None
    groups: list[tuple[str, list[object]]] = []
    for block in entry.blocks:
        side = _SIDES.get(block.kind) or (groups[-1][0] if groups else entry.side)
        if not groups or groups[-1][0] != side:
            groups.append((side, []))
        raw = shapes.text(work.dialect, block.raw) if block.type == "string" else block.raw
        groups[-1][1].append(raw)
    rest = {key: value for key, value in entry.raw.items() if key not in ("role", "content")}
    made = [{**rest, "role": side, "content": blocks} for side, blocks in groups]
    work.draft.replace(entry.path, made)
    return "split the message by role" if len(made) > 1 else f"gave the message the role {groups[0][0]}"


def assistant_last(work: Work, finding: Finding) -> str | None:
    """HR305: the user says to continue."""
    entry = finding.entry
    if entry is None or not work.draft.claim(entry):
        return None
    words = shapes.text(work.dialect, _CONTINUE)
    work.draft.after(entry.path, shapes.message(work.dialect, "user", [words]))
    return f'added a user message, "{_CONTINUE}", at the end'


def role_order(work: Work, finding: Finding) -> str | None:
    """HR307: two turns of the model become one; a system message moves up to where the provider takes it."""
    entry = finding.entry
    before = work.neighbour(entry, -1) if entry is not None else None
    if entry is None or before is None:
        raise CannotRepair("the message is not known")
    if finding.fix is not None and finding.fix.kind == "merge":
        if not work.draft.claim(before, entry):
            return None
        verbs.merge(work, before, [entry])
        return "merged the two turns of the model"
    if entry.role == "tool":
        return _results_up(work, entry)
    if entry.role != "system":
        raise CannotRepair("where it belongs is not known")
    place = before
    while place.role in ("assistant", "tool") and (above := work.neighbour(place, -1)) is not None:
        if above.role not in ("assistant", "tool"):
            break
        place = above
    if not work.draft.claim(entry):
        return None
    work.draft.drop(entry.path)
    work.draft.before(place.path, entry.raw)
    return "moved it to before the turn of the assistant"


def _results_up(work: Work, entry: Entry) -> str | None:
    """Results that someone spoke before come up to the others of their calls."""
    call = next((work.callers.get(id(block)) for block in entry.blocks), None)
    if call is None:
        raise CannotRepair("its call is not known")
    end = verbs.run_end(work, call.entry)
    pairs = [(each, work.results_by_call.get(id(each))) for each in call.entry.of_kind("call")]
    late = [(each, result) for each, result in pairs if result is not None and result.entry.index > end.index]
    if not work.draft.claim(*(result for _, result in late)):
        return None
    for each, result in late:
        verbs.move(work, each, result)
    return "moved the results up to their calls"


def legacy_functions(work: Work, finding: Finding) -> str | None:
    """HR308: calls and results in the form of today, with ids made from their names and order."""
    calls = [call for call in work.history.of_kind("call") if call.type == "function_call"]
    results = [result for result in work.history.of_kind("result") if result.type == "function"]
    answered = work.results_by_call
    lost = [result for result in results if not any(answered.get(id(call)) is result for call in calls)]
    if lost:
        raise CannotRepair("it is not known which call each result answers")
    if not work.draft.claim(*(call.entry for call in calls), *(result.entry for result in results)):
        return None
    for call in calls:
        made_id = verbs.new_id(work, f"call_{call.name or 'f'}")
        function = {"type": "function", "function": call.raw}
        work.draft.drop((*call.entry.path, "function_call"))
        work.draft.set((*call.entry.path, "tool_calls"), [{"id": made_id, **function}])
        result = answered.get(id(call))
        if result is not None:
            raw = result.entry.raw
            rest = {key: value for key, value in raw.items() if key not in ("role", "name")}
            work.draft.replace(result.entry.path, [{"role": "tool", "tool_call_id": made_id, **rest}])
    return "wrote calls and results in the form of today"


FIXES: dict[str, Fixer] = {
    "HR301": same_role,
    "HR302": first_not_user,
    "HR303": system_role,
    "HR304": wrong_role,
    "HR305": assistant_last,
    "HR307": role_order,
    "HR308": legacy_functions,
}
