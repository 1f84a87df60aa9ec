"""What each request of a Claude Code session saw: the tree of lines, and its replay.

Lines form a tree by `parentUuid`, except that parallel calls make it a graph: the result of one call stands in another
branch than the next call. So a response and the results of its calls are one *unit*; the units form a tree. What a
request saw is the path from the root to the unit that its response follows; the replay moves from path to path.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

from headroom_cli.logs.claude.responses import Response
from headroom_cli.logs.context import ContextTracker
from headroom_cli.model import LeftBy, Message, Part, Request, Thinking, ToolCall, ToolResult

CLEARED = "[Old tool result content cleared]"

_STRIPPING_MODELS = (
    "claude-3",
    "claude-opus-4-0",
    "claude-opus-4-1",
    "claude-opus-4-2",
    "claude-sonnet-4-0",
    "claude-sonnet-4-2",
    "claude-sonnet-4-5",
    "claude-haiku-4-5",
)

# Lines of other kinds between two lines of one response; more are not searched for.
_BETWEEN = 64
# Units that leave the path, over the whole thread: bounded, for two long branches may alternate without end.
_MOVES = 10_000
_MOVES_PER_UNIT = 8


@dataclass(slots=True, eq=False)
class Unit:
    """What enters and leaves the context together: one user line, or a response with the results of its calls."""

    uuid: str | None
    parent: str | Unit | None
    line: int = 0
    thread: str = ""
    messages: list[Message] = field(default_factory=list)
    response: Response | None = None
    compaction: bool = False
    preserved: list[Message] = field(default_factory=list)
    into: Unit | None = None
    position: int = -1
    walk: int = 0


@dataclass(slots=True)
class Clearing:
    """Microcompaction: from here on the model sees a placeholder for these results, and not these attachments."""

    call_ids: list[str]
    uuids: list[str]
    line: int


@dataclass(slots=True)
class Retraction:
    """These lines were withdrawn from the context (a refusal, a superseded attempt)."""

    uuids: list[str]


@dataclass(slots=True)
class Abandonment:
    """Line `at` goes on from line `line` of a response: of its calls further down, those that never got a result left.

    So a client takes up a session that broke off while a call ran. Where it goes on from the result of another call
    of the response, it has sent the call all the same (and been refused: real sessions tell).
    """

    message: Message
    line: int
    at: int


class Graph:
    """The lines of a file by uuid."""

    __slots__ = ("_different", "bridges", "lines", "units")

    def __init__(self) -> None:
        self.units: dict[str, Unit] = {}
        self.bridges: dict[str, str | Unit | None] = {}
        self.lines: dict[str, tuple[Message, int]] = {}
        self._different: set[tuple[int, int]] = set()

    def bridge(self, uuid: str, parent: str | Unit | None) -> None:
        """A line that no model sees: who names it as parent means its parent."""
        if uuid not in self.units:
            self.bridges[uuid] = self.bridges.get(parent, parent) if isinstance(parent, str) else parent

    def find(self, link: str | Unit | None) -> Unit | None:
        """The unit of a line, or of the nearest line above it that has one; None at a root or an unknown line."""
        if isinstance(link, str):
            unit = self.units.get(link)
            if unit is None:
                unit = self._across(link)
        else:
            unit = link
        if unit is not None and unit.into is not None:
            first = unit
            while unit.into is not None:
                unit = unit.into
            first.into = unit
        return unit

    def _across(self, link: str) -> Unit | None:
        trail: list[str] = []
        at: str | Unit | None = link
        while isinstance(at, str) and at not in self.units and at in self.bridges:
            trail.append(at)
            at = self.bridges[at] if len(trail) <= len(self.bridges) else None
        if isinstance(at, str):
            at = self.units.get(at, at)
        for uuid in trail:
            self.bridges[uuid] = at
        return at if isinstance(at, Unit) else None

    def parent(self, unit: Unit) -> Unit | None:
        """The unit of the same thread that this one follows."""
        above = self.find(unit.parent)
        return above if above is not None and above.thread == unit.thread else None

    def absorb_between(self, unit: Unit, link: str | Unit | None) -> None:
        """Take into a response what stands between it and one of its later lines (hook output, reminders)."""
        between: list[Unit] = []
        above = self.find(link)
        while above is not None and above is not unit:
            other = above.thread != unit.thread
            if other or above.response is not None or above.compaction or len(between) == _BETWEEN:
                return
            between.append(above)
            above = self.parent(above)
        if above is unit:
            for inner in reversed(between):
                self._merge(inner, unit)

    def _merge(self, inner: Unit, unit: Unit) -> None:
        unit.messages += inner.messages
        inner.messages = []
        inner.into = unit

    def drop_replayed(self, unit: Unit, link: str | Unit | None) -> list[Message]:
        """A resumed session replayed a known response after `link`: the lines above it are replays too, where equal.

        Returns their messages: they stand in the file a second time, and in the context once.
        """
        dropped: list[Message] = []
        copy, original = self.find(link), self.parent(unit)
        while (
            copy is not None
            and original is not None
            and copy is not original
            and copy.thread == original.thread
            and copy.response is None
            and original.response is None
            and self._equal(copy, original)
        ):
            above = self.parent(copy)
            dropped += copy.messages
            copy.messages = []
            copy.into = original
            copy, original = above, self.parent(original)
        return dropped

    def _equal(self, copy: Unit, original: Unit) -> bool:
        if not len(copy.messages) == len(original.messages) == 1 or (id(copy), id(original)) in self._different:
            return False
        one, other = copy.messages[0], original.messages[0]
        equal = one.origin == other.origin and [p.raw for p in one.parts] == [p.raw for p in other.parts]
        if not equal:
            self._different.add((id(copy), id(original)))
        return equal


class Replay:
    """Replays one thread: for each response in file order, moves to the path that its request saw."""

    def __init__(self, graph: Graph, units: int) -> None:
        self._graph = graph
        self._tracker = ContextTracker()
        self._path: list[Unit] = []
        self._present: set[int] = set()
        self._now: dict[int, Part | None] = {}
        self._instead: dict[int, list[ToolResult]] = {}
        self._changed: dict[int, Message] = {}
        self._thinking: list[Part] = []
        self._walk = 0
        self._budget = _MOVES + units * _MOVES_PER_UNIT
        self._compacted = False
        self._strips = False
        self.resets: list[int] = []

    @property
    def gave_up(self) -> bool:
        """Whether branches alternated so much that what they leave was no longer taken out."""
        return self._budget < 0

    def request(self, unit: Unit, response: Response) -> Request:
        """The call of the API that this response answers, made over the path above its unit."""
        self._strips = strips_thinking(response.model)
        self._move(self._graph.parent(unit))
        if self._compacted:
            self.resets.append(self._tracker.requests)
            self._compacted = False
        request = response.to_request(self._tracker.request())
        response.message.request = request.index
        return request

    def finish(self, last: Unit | None) -> None:
        """The thread ends with this unit: what is on its path stays in the context."""
        self._move(last)
        self._tracker.finish()
        for message in self._changed.values():
            message.parts = [
                each
                for part in message.parts
                for each in (part, *(new for new in self._instead.get(id(part), ()) if new.context))
            ]

    def clear(self, clearing: Clearing, results: dict[str, tuple[Message, ToolResult]]) -> None:
        """Put placeholders in the place of results; take attachments out."""
        for call_id in clearing.call_ids:
            found = results.get(call_id)
            if found is None:
                continue
            message, part = found
            standing = self._now.get(id(part), part)
            if standing is None or (isinstance(standing, ToolResult) and standing.text == CLEARED):
                continue
            placeholder = self.replace(message, part, CLEARED, clearing.line)
            self._tracker.leave((standing,), "clear")
            if id(message) in self._present:
                self._tracker.enter((placeholder,))
        self._withdraw(clearing.uuids, "clear")

    def retract(self, retraction: Retraction) -> None:
        """Take withdrawn lines out."""
        self._withdraw(retraction.uuids, "rollback")

    def abandon(self, abandonment: Abandonment, results: Container[str]) -> None:
        """Take out the calls without a result that were left behind."""
        for part in abandonment.message.parts:
            if (
                isinstance(part, ToolCall)
                and abandonment.line < part.line < abandonment.at
                and part.id not in results
                and self._now.get(id(part), part) is not None
            ):
                self._tracker.leave((part,), "rewind")
                self._now[id(part)] = None

    def replace(self, message: Message, part: ToolResult, text: str, line: int) -> ToolResult:
        """Give a result the text that the model sees instead of it; the original does not enter again."""
        instead = ToolResult(part.call_id, text, part.is_error, line=line, name=part.name)
        self._now[id(part)] = instead
        self._instead.setdefault(id(part), []).append(instead)
        self._changed[id(message)] = message
        return instead

    def _move(self, target: Unit | None) -> None:
        """Make the path end in `target`: what is not on it leaves, what is enters."""
        self._walk += 1
        branch: list[Unit] = []
        unit = target
        while unit is not None and unit.position < 0 and unit.walk != self._walk:
            unit.walk = self._walk
            branch.append(unit)
            unit = None if unit.compaction else self._graph.parent(unit)
        kept = unit.position + 1 if unit is not None else 0
        if kept < len(self._path):
            self._budget -= len(self._path) - kept
            if self._budget >= 0:
                self._leave(self._path[kept:], branch)
                del self._path[kept:]
        for u in reversed(branch):
            u.position = len(self._path)
            self._path.append(u)
            for message in _messages(u):
                self._enter(message)

    def _leave(self, left: list[Unit], entering: list[Unit]) -> None:
        compacted = any(u.compaction for u in entering)
        self._compacted = self._compacted or compacted
        stays = {id(message) for u in entering for message in _messages(u)}
        for u in left:
            u.position = -1
            for message in _messages(u):
                if id(message) not in stays:
                    self._present.discard(id(message))
                    self._tracker.leave(self._standing(message), "compaction" if compacted else "rewind")

    def _enter(self, message: Message) -> None:
        if self._strips and self._thinking and message.origin in ("human", "command"):
            self._tracker.leave(self._thinking, "strip")
            self._thinking = []
        self._present.add(id(message))
        parts = self._standing(message)
        self._tracker.enter(parts)
        if message.role == "assistant":
            self._thinking += [part for part in parts if type(part) is Thinking]

    def _standing(self, message: Message) -> list[Part]:
        """The parts of a message that the model would see now."""
        if not self._now:
            return message.parts
        return [now for part in message.parts if (now := self._now.get(id(part), part)) is not None]

    def _withdraw(self, uuids: list[str], left_by: LeftBy) -> None:
        for uuid in uuids:
            entry = self._graph.lines.get(uuid)
            if entry is None:
                continue
            message, line = entry
            for part in message.parts:
                standing = self._now.get(id(part), part)
                if standing is not None and part.line == line:
                    self._tracker.leave((standing,), left_by)
                    self._now[id(part)] = None


def strips_thinking(model: str | None) -> bool:
    """Whether the provider takes the thinking of earlier turns out of the context of this model.

    Anthropic ("Building with extended thinking"): kept from Opus 4.5 and Sonnet 4.6 on, removed before. Recorded
    growth of the context at 759 starts of turns in real sessions agrees in 98 of 100, for both kinds of models.
    """
    start = model.find("claude-") if model is not None else -1
    return model is not None and start >= 0 and model.startswith(_STRIPPING_MODELS, start)


def _messages(unit: Unit) -> list[Message]:
    return unit.messages + unit.preserved if unit.preserved else unit.messages
