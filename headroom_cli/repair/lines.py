"""A session file as lines of which few are changed; what the repairs of Claude Code and Codex sessions share."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from headroom_cli.lint.base import Finding, Rule
from headroom_cli.lint.engine import judge_session
from headroom_cli.lint.history import Block
from headroom_cli.lint.providers import Profile
from headroom_cli.lint.sent import sessions
from headroom_cli.logs import read_stream
from headroom_cli.model import Reading
from headroom_cli.repair.draft import Origins
from headroom_cli.repair.messages import ROUNDS, Left, upstream_of_thinking
from headroom_cli.repair.splice import NotJson, Span, rewrite, value_at
from headroom_cli.repair.work import CannotRepair
from headroom_cli.source.records import TRUNCATED
from headroom_cli.source.stream import limits_for

MAX_ROUNDS = 20
TORN = "HR901"
LOST_CALL = "L06"
"""A result whose call was never written: what breaks a session when it is resumed, also where lint only warns."""


@dataclass(frozen=True, slots=True)
class LineRepair:
    """One repair: the 1-based line of the file as it was, what is wrong there, and what is done about it.

    `thinking` as in `messages.Change`.
    """

    line: int
    rule: str
    problem: str
    what: str
    thinking: str | None = None


@dataclass(slots=True)
class SessionRepair:
    """A session file before and after. `touched`: how many of its `lines` were changed, added or dropped."""

    before: bytes
    after: bytes
    log_format: str = ""
    lines: int = 0
    touched: int = 0
    repairs: list[LineRepair] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    refused: str | None = None


@dataclass(slots=True, eq=False)
class Line:
    """A line of the file: `number` as it was (0: added), its text with its end; None: dropped."""

    number: int
    text: str | None
    changed: bool = False


class Lines:
    """The lines of a file while it is repaired. Numbers of lines are those of the last reading."""

    def __init__(self, data: bytes) -> None:
        pieces = data.decode("utf-8", "surrogateescape").split("\n")
        self._all = [Line(number, text + "\n") for number, text in enumerate(pieces, 1)]
        last = self._all[-1]
        last.text = pieces[-1]
        if not pieces[-1]:
            self._all.pop()
        self.count = len(self._all)
        self._now = list(self._all)
        self._inserted: dict[int, list[Line]] = {}
        self.dirty = False
        self.round = 0

    @property
    def touched(self) -> int:
        """How many lines were changed, added or dropped."""
        return sum(line.changed for line in self._all)

    def data(self) -> bytes:
        """The bytes as they are now."""
        return "".join(line.text for line in self._all if line.text is not None).encode("utf-8", "surrogateescape")

    def settle(self) -> None:
        """Number the lines anew, as they will be read."""
        if self._inserted:
            self._all = [each for line in self._all for each in (line, *self._inserted.pop(id(line), ()))]
        self._now = [line for line in self._all if line.text is not None]
        self.dirty = False
        self.round += 1

    def original(self, number: int) -> int:
        """The number that a line had in the file; of an added line, that of the line it follows."""
        position = number - 1
        while position >= 0:
            if self._now[position].number:
                return self._now[position].number
            position -= 1
        return 0

    def __len__(self) -> int:
        return len(self._now)

    def text(self, number: int) -> str:
        """The text of a line."""
        return self._now[number - 1].text or ""

    def records(self, number: int) -> list[Span]:
        """The objects on a line."""
        text, position, found = self.text(number), 0, []
        while (start := text.find("{", position)) >= 0:
            try:
                span = value_at(text, start)
            except NotJson:
                break
            found.append(span)
            position = span.end
        return found

    def change(self, number: int, span: Span, new: Any, origins: Origins) -> None:
        """Write a record of a line anew, where it was changed."""
        line, text = self._now[number - 1], self.text(number)
        line.text = text[: span.start] + rewrite(text, span.start, span.value, new, origins) + text[span.end :]
        line.changed = self.dirty = True

    def insert(self, number: int, text: str) -> None:
        """Add a line after one, behind others that were added there."""
        before = self._now[number - 1]
        if before.text is not None and not before.text.endswith("\n"):
            before.text += "\n"
            text = text.removesuffix("\n")
        self._inserted.setdefault(id(before), []).append(Line(0, text, changed=True))
        self.dirty = True

    def drop(self, number: int) -> None:
        """Take a line out."""
        line = self._now[number - 1]
        line.text, line.changed, self.dirty = None, True, True


Fix = Callable[[Lines, Finding], str]
"""Makes a repair in the lines and says what it did; raises `CannotRepair`."""


def repair_lines(
    data: bytes,
    name: str,
    fix: Fix,
    order: Sequence[str],
    *,
    profiles: Sequence[Profile] | None = None,
    rules: Sequence[Rule] | None = None,
) -> SessionRepair:
    """Judge, fix, judge again: until nothing is left that `fix` can repair. `order` are the rules in their turn."""
    lines = Lines(data)
    outcome = SessionRepair(data, data, lines=lines.count)
    first: list[Finding] = []
    for number in range(MAX_ROUNDS):
        current = lines.data()
        reading = read_stream(io.BytesIO(current), name, keeps_sent=True, limits=limits_for(len(current)))
        outcome.log_format = outcome.log_format or reading.log_format
        if reading.skipped is not None:
            outcome.refused = reading.skipped
            return outcome
        found = [
            finding
            for session in sessions(reading)
            for finding in judge_session(session, profiles, rules)
            if finding.severity == "error" or LOST_CALL in finding.refs
        ]
        first = first if number else found
        outcome.left = []
        _drop_torn(lines, reading, outcome)
        for code in (*order, ""):
            for finding in found:
                if finding.rule.code == code or (not code and finding.rule.code not in order):
                    _apply(lines, finding, fix, outcome)
            if lines.dirty:
                break  # what comes later is judged anew
        if not lines.dirty:
            break
        lines.settle()
    else:  # nothing is written that the next run would change again
        left = [Left(finding, ROUNDS) for finding in first if finding.severity == "error"]
        return SessionRepair(data, data, outcome.log_format, lines.count, left=left)
    outcome.after, outcome.touched = lines.data(), lines.touched
    outcome.repairs.sort(key=lambda repair: repair.line)
    return outcome


def line_of(finding: Finding) -> int:
    """The physical line that a finding is about."""
    return finding.target.line if finding.target is not None and finding.target.line else finding.line


def target_of(finding: Finding, kind: str) -> Block | None:
    """The call or the result that a finding is about, if it has a line."""
    for target in (finding.target, *(related.target for related in finding.related)):
        if isinstance(target, Block) and target.kind == kind and target.line:
            return target
    return None


def _apply(lines: Lines, finding: Finding, fix: Fix, outcome: SessionRepair) -> None:
    number = line_of(finding)
    original = lines.original(number)
    try:
        what = fix(lines, finding)
    except CannotRepair as reason:
        if finding.severity == "error":
            outcome.left.append(Left(finding, str(reason)))
        return
    thinking = upstream_of_thinking(finding.history, finding) if finding.history is not None else None
    outcome.repairs.append(LineRepair(original, finding.rule.code, finding.message, what, thinking))


def _drop_torn(lines: Lines, reading: Reading, outcome: SessionRepair) -> None:
    """A last line that the client did not finish writing goes; it holds nothing that can be read."""
    for damage in reading.damaged:
        if damage.reason == TRUNCATED and damage.line == len(lines) and not lines.records(damage.line):
            size = len(lines.text(damage.line).encode("utf-8", "surrogateescape"))
            torn = f"last line torn after {size:,} bytes"
            outcome.repairs.append(LineRepair(lines.original(damage.line), TORN, torn, "drop the line"))
            lines.drop(damage.line)
