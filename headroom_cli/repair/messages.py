"""Repair of a list of raw messages: lint, fix, lint again, until no repair is left to make."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from headroom_cli.lint.base import Check, Finding, Rule, Severity
from headroom_cli.lint.engine import judge
from headroom_cli.lint.history import History, JudgedAs
from headroom_cli.lint.models import traits
from headroom_cli.lint.providers import Profile, default_profiles
from headroom_cli.lint.sent import history_of
from headroom_cli.lint.shapes.bedrock import is_stored_row
from headroom_cli.repair.draft import Draft, Misshapen, Origins
from headroom_cli.repair.fixes import NO_FIX, known_fixes
from headroom_cli.repair.work import CannotRepair, Work

MAX_ROUNDS = 40
ERRORS: frozenset[Severity] = frozenset({"error"})
UNKNOWN = "no repair is known"
UNSAFE = "its repair is not safe; --unsafe-fixes makes it"
_ORDER = {"HR2": 0, "HR107": 0, "HR304": 0, "HR103": 1, "HR105": 1, "HR106": 1, "HR104": 1, "HR102": 3, "HR101": 4}
_SAFE_TOO = frozenset({"HR103", "HR104"})
"""Rules with a second repair that is safe: the result stays, as text."""
ROUNDS = "repairs of it undo each other"
MISSHAPEN = "a message of this history is not shaped like one"


@dataclass(frozen=True, slots=True)
class Change:
    """One repair that was made. `message_index` is the place in the original; None where the repair added the message.

    `thinking`: blocks of thinking come after it, and the model refuses them (`may`: for some accounts) where what
    precedes them was changed.
    """

    rule: str
    name: str
    what: str
    safe: bool
    message: str
    message_index: int | None
    call_ids: tuple[str, ...] = ()
    line: int = 0
    thinking: Literal["yes", "may"] | None = None


@dataclass(frozen=True, slots=True)
class Left:
    """A finding that stays, and why."""

    finding: Finding
    why: str


@dataclass(eq=False)
class Repaired:
    """The outcome. `messages` that no repair touched are the objects that were given; `body` likewise.

    `changes` in the order in which they were made, `left` the findings of the asked severities that remain.
    """

    messages: list[Any]
    body: dict[str, Any] | None
    changes: list[Change] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    origins: Origins = field(default_factory=Origins)

    @property
    def changed(self) -> bool:
        """Whether anything was repaired."""
        return bool(self.changes)


def repair(
    messages: Sequence[Any],
    dialect: str,
    *,
    profiles: Sequence[Profile] | None = None,
    body: dict[str, Any] | None = None,
    judged_as: JudgedAs | None = None,
    model: str | None = None,
    unsafe: bool = False,
    severities: Collection[Severity] = ERRORS,
    rules: Sequence[Rule] | None = None,
) -> Repaired:
    """Repair a history for its providers. Only safe repairs unless `unsafe`; of `severities` and `rules` only.

    `body` is what holds the messages; repairs outside of them (tools, system) change a copy of it. Stored rows of
    Bedrock are repaired in their messages, and stay rows.
    """
    if dialect == "bedrock" and body is None and all(map(is_stored_row, messages)):
        rows = {id(row["message"]): row for row in messages}
        outcome = _repair(
            [row["message"] for row in messages], dialect, profiles, body, judged_as, model, unsafe, severities, rules
        )
        outcome.messages = [_in_row(message, rows, outcome.origins) for message in outcome.messages]
        return outcome
    return _repair(messages, dialect, profiles, body, judged_as, model, unsafe, severities, rules)


def _in_row(message: Any, rows: dict[int, dict[str, Any]], origins: Origins) -> Any:
    """A repaired message in the row that it came from, or in a new one."""
    origin = origins.of(message)
    row = rows.get(id(origin))
    if row is None:
        return {"message": message}
    if message is origin:
        return row
    made = origins.copy(row)
    made["message"] = message
    return made


def _repair(
    messages: Sequence[Any],
    dialect: str,
    profiles: Sequence[Profile] | None,
    body: dict[str, Any] | None,
    judged_as: JudgedAs | None,
    model: str | None,
    unsafe: bool,
    severities: Collection[Severity],
    rules: Sequence[Rule] | None,
) -> Repaired:
    outcome = Repaired(list(messages), body)
    origins = outcome.origins
    numbers = {id(message): index for index, message in enumerate(messages)}
    root: Any = list(messages) if body is None else body
    given_up: str | None = None
    for _ in range(MAX_ROUNDS):
        history = _history(root, dialect, judged_as, model)
        found = [f for f in judge(history, profiles, rules) if f.severity in severities]
        draft, outcome.left = Draft(history, root, origins), []
        given = profiles or default_profiles(dialect, history.model)
        works = {profile.name: Work(draft, Check(history, profile), unsafe) for profile in given}
        try:
            for group in _in_order(found):
                for finding in group:
                    _fix(works[finding.provider], finding, outcome, numbers)
                if draft.changed:
                    break  # what comes later is judged anew
            if not draft.changed:
                break
            for work in works.values():
                work.settle_empty()
        except Misshapen:
            given_up = MISSHAPEN
            break
        root = draft.commit()
    else:  # nothing is written that the next run would change again
        given_up = ROUNDS
    if given_up is not None:
        outcome, root = Repaired(list(messages), body), list(messages) if body is None else body
        history = _history(root, dialect, judged_as, model)
        outcome.left = [Left(f, given_up) for f in judge(history, profiles, rules) if f.severity in severities]
    outcome.body = root if isinstance(root, dict) else None
    outcome.messages = list(messages_in(root))
    return outcome


def _in_order(found: list[Finding]) -> list[list[Finding]]:
    """Findings in the order of their repair: what tells calls apart before what moves, and what invents text last."""
    groups: dict[int, list[Finding]] = {}
    for finding in found:
        groups.setdefault(_ORDER.get(finding.rule.code, _ORDER.get(finding.rule.code[:3], 2)), []).append(finding)
    return [groups[number] for number in sorted(groups)]


def _history(root: Any, dialect: str, judged_as: JudgedAs | None, model: str | None) -> History:
    if isinstance(root, dict):
        named = root.get("model", root.get("modelId"))
        known = model or (named if isinstance(named, str) else None)
        return history_of(messages_in(root), dialect, body=root, judged_as=judged_as, model=known)
    return history_of(root, dialect, judged_as=judged_as, model=model)


def messages_in(root: Any) -> list[Any]:
    """The messages of a body; of a list, the list itself."""
    if isinstance(root, list):
        return root
    return next((root[name] for name in ("messages", "contents", "input") if isinstance(root.get(name), list)), [])


def _fix(work: Work, finding: Finding, outcome: Repaired, numbers: dict[int, int]) -> None:
    fixer = known_fixes().get(finding.rule.code)
    if finding.fix is None or fixer is None:
        outcome.left.append(Left(finding, NO_FIX.get(finding.rule.code, UNKNOWN)))
        return
    if not (finding.fix.safe or work.unsafe or finding.rule.code in _SAFE_TOO):
        outcome.left.append(Left(finding, UNSAFE))
        return
    try:
        what = fixer(work, finding)
    except CannotRepair as reason:
        work.draft.release()
        outcome.left.append(Left(finding, str(reason)))
        return
    work.draft.keep()
    if what is None:
        return
    entry = finding.entry
    origin = None if entry is None else numbers.get(id(outcome.origins.of(entry.raw)))
    outcome.changes.append(
        Change(
            finding.rule.code,
            finding.rule.name,
            what,
            finding.fix.safe or not work.unsafe,
            finding.message,
            origin,
            finding.call_ids,
            0 if entry is None else entry.line,
            upstream_of_thinking(work.history, finding),
        )
    )


def upstream_of_thinking(history: History, finding: Finding) -> Literal["yes", "may"] | None:
    """Whether thinking comes after a finding that the model refuses where what precedes it was changed."""
    place = -1 if finding.entry is None else finding.entry.index
    thinking = history.of_kind("thinking")
    if not thinking or thinking[-1].entry.index <= place:
        return None
    return traits(history.model).checks_prefix
