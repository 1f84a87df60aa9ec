"""Which thread a line of Claude Code belongs to, and what it follows there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from headroom_cli.logs.claude.context import Abandonment, Clearing, Graph, Retraction, Unit
from headroom_cli.logs.claude.responses import Responses, raise_to, usable_id
from headroom_cli.model import Message, NestedUsage, Origin, Part, Role, ToolResult
from headroom_cli.wire.anthropic import parse_usage
from headroom_cli.wire.base import text_or_none
from headroom_cli.wire.fields import microseconds_of

# Prefixes of the names of threads that have no agent id: a sidechain by its root, a teammate by its name.
ROOT, TEAM = "root:", "team:"

# Walks along kept segments, over the whole file: bounded, for the segments of a hostile file may lead nowhere.
_SEGMENT_STEPS = 200_000

Event = Unit | Clearing | Retraction | Abandonment


@dataclass(slots=True, eq=False)
class Thread:
    """One conversation of the file. `agent` is the id of a subagent, or "" for the main thread.

    `sessions` says, message by message, which session wrote it. `callers` and `results` go by call id. `cut`: the
    first line follows one that is not in the file. `missing`: uuids of lines whose parent is not in it.
    `result_parents` are the parents of results (with their lines), `continued` those of later lines of a response.
    `summaries` are those of compactions.
    """

    agent: str
    side: bool = False
    agent_name: str | None = None
    messages: list[Message] = field(default_factory=list)
    sessions: list[str | None] = field(default_factory=list)
    dropped: set[int] = field(default_factory=set)
    events: list[Event] = field(default_factory=list)
    last: Unit | None = None
    responses: Responses = field(default_factory=Responses)
    units: dict[int, Unit] = field(default_factory=dict)
    callers: dict[str, Unit] = field(default_factory=dict)
    results: dict[str, tuple[Message, ToolResult]] = field(default_factory=dict)
    replacements: list[tuple[str, str, int]] = field(default_factory=list)
    nested: dict[str, NestedUsage] = field(default_factory=dict)
    has_usage: bool = False
    collapsed: bool = False
    cut: bool = False
    awaits_summary: bool = False
    missing: list[str] = field(default_factory=list)
    result_parents: dict[str, int] = field(default_factory=dict)
    continued: set[str] = field(default_factory=set)
    summaries: list[Message] = field(default_factory=list)

    def add_nested(self, value: dict[str, Any], copy: dict[str, Any]) -> None:
        """A progress record holds a copy of a subagent's line: its usage counts only where its own file is missing."""
        body = copy.get("message")
        if not isinstance(body, dict) or body.get("model") == "<synthetic>":
            return
        usage = parse_usage(body.get("usage"))
        if usage is None:
            return
        usage.output_is_lower_bound = text_or_none(body.get("stop_reason")) is None or not usage.output_tokens
        response_id, request_id = usable_id(body.get("id")), usable_id(copy.get("requestId"))
        key = f"msg:{response_id}" if response_id else f"req:{request_id}" if request_id else ""
        known = self.nested.get(key) if key else None
        if known is not None:
            raise_to(known.usage, usage)
            known.usage.output_is_lower_bound &= usage.output_is_lower_bound
            return
        timestamp = microseconds_of(copy.get("timestamp")) or microseconds_of(value.get("timestamp"))
        nested = NestedUsage(key, text_or_none(body.get("model")), timestamp, usage)
        self.nested[key or f"line:{len(self.nested)}"] = nested


class Place(NamedTuple):
    """Where a line stands: its thread, its own uuid, and what it follows."""

    thread: Thread
    uuid: str | None
    link: str | Unit | None


class Threads:
    """The threads of one file and the graph of their lines."""

    def __init__(self, agent: str = "") -> None:
        self.graph = Graph()
        self.by_agent: dict[str, Thread] = {}
        self._default_agent = agent
        self._last_root = ""
        self._thread_of: dict[str, Thread] = {}
        self._moved: dict[Unit, str] = {}
        self._segment_steps = _SEGMENT_STEPS

    def place(self, value: dict[str, Any]) -> Place:
        """The place of a line."""
        uuid, parent = usable_id(value.get("uuid")), value.get("parentUuid", "")
        above = self._thread_of.get(parent) if isinstance(parent, str) else None
        if above is None or above.side or value.get("isSidechain") is True:
            thread = self._thread(value, uuid, above)
        else:
            thread = above
        if uuid is not None:
            self._thread_of[uuid] = thread
        # Each line that has a place is in the graph.
        link = parent if above is not None and not self._moved else self._link(parent, thread, uuid)
        return Place(thread, uuid, link)

    def holds(self, uuid: str) -> bool:
        """Whether a line of this uuid has a place."""
        return uuid in self._thread_of

    def of_agent(self, agent: str) -> Thread:
        """The thread of a subagent, or the main thread."""
        agent = agent or self._default_agent
        return self.by_agent.get(agent) or self._new(agent, side=bool(agent))

    def _thread(self, value: dict[str, Any], uuid: str | None, above: Thread | None) -> Thread:
        """The thread of a line that follows one of the thread `above`."""
        if value.get("isSidechain") is True:
            agent = usable_id(value.get("agentId")) or self._default_agent
            if not agent and above is not None and above.side:
                return above
            if not agent:
                if "parentUuid" in value or not self._last_root:
                    self._last_root = f"{ROOT}{uuid or len(self.by_agent)}"
                agent = self._last_root
            return self.by_agent.get(agent) or self._new(agent, side=True)
        if above is not None and not above.side:
            return above
        main = self.by_agent.get("")
        if main is None:
            main = self._new("", side=False)
            main.agent_name = text_or_none(value.get("agentName"))
        name = text_or_none(value.get("agentName"))
        if name is None or name == main.agent_name:
            return main
        # A teammate's own root; `teamName` alone stands on the leader's lines too.
        thread = self.by_agent.get(TEAM + name) or self._new(TEAM + name, side=False)
        thread.agent_name = name
        return thread

    def _new(self, agent: str, side: bool) -> Thread:
        thread = self.by_agent[agent] = Thread(agent, side)
        return thread

    def _link(self, parent: object, thread: Thread, uuid: str | None) -> str | Unit | None:
        """What a line follows by its `parentUuid`. A log without links (an export, a stream) is one chain.

        A parent that is not in the file was lost, not cut off: the client drops a line now and then (often the last
        one before a stop hook), and the recorded context grows on. So the line follows the one written before it.
        """
        if parent is None:
            return None
        link = usable_id(parent)
        if link is None:
            return thread.last
        graph = self.graph
        if self._moved:
            unit = graph.find(link)
            link = self._moved.get(unit, link) if unit is not None else link
        if link not in graph.units and link not in graph.bridges:
            graph.bridges[link] = thread.last
            if uuid is not None:
                thread.missing.append(uuid)
            thread.cut = thread.cut or not thread.messages
        return link

    # What a line becomes.

    def add_message(
        self, at: Place, value: dict[str, Any], line: int, role: Role, parts: list[Part], origin: Origin, key: str
    ) -> Message:
        """A new message at the end of the thread."""
        thread = at.thread
        timestamp, copied = microseconds_of(value.get("timestamp")), isinstance(value.get("forkedFrom"), dict)
        message = Message(len(thread.messages), role, parts, line, line, timestamp, key, origin, None, copied)
        thread.messages.append(message)
        session = value.get("sessionId")
        thread.sessions.append(session if isinstance(session, str) else None)
        return message

    def add_line(self, at: Place, line: int, message: Message, unit: Unit) -> None:
        """The line is (a part of) this message and this unit."""
        if at.uuid is not None:
            self.graph.units[at.uuid] = unit
            self.graph.lines[at.uuid] = (message, line)
        # A late result belongs to an old unit; the thread goes on where it was.
        last = at.thread.last
        if last is None or unit.line >= last.line:
            at.thread.last = unit

    def skip(self, at: Place) -> None:
        """No model sees the line; what names it as parent follows its parent."""
        if at.uuid is not None:
            self.graph.bridge(at.uuid, at.link)

    def leave_behind(self, at: Place, line: int) -> None:
        """The line may go on from within a response: what of its calls is not answered yet may have been given up."""
        link = self.graph.bridges.get(at.link, at.link) if isinstance(at.link, str) else None
        message, followed = self.graph.lines.get(link, (None, 0)) if isinstance(link, str) else (None, 0)
        if message is not None and message.role == "assistant" and message.last_line > followed:
            at.thread.events.append(Abandonment(message, followed, line))

    def add_boundary(self, at: Place, line: int, metadata: object) -> None:
        """A compaction: a new root, which keeps the messages that it lists. `logicalParentUuid` is not followed."""
        unit = Unit(at.uuid, None, line, at.thread.agent, compaction=True)
        if at.uuid is not None:
            self.graph.units[at.uuid] = unit
        at.thread.last = unit
        at.thread.awaits_summary = True
        kept, anchor = self._preserved(metadata)
        for message, origin in kept:
            if origin.thread != unit.thread:
                continue
            if anchor is not None or at.uuid is not None:
                # What is written from here on and follows a kept line follows the summary.
                self._moved[origin] = anchor or at.uuid or ""
            if not unit.preserved or unit.preserved[-1] is not message:
                unit.preserved.append(message)

    def _preserved(self, metadata: object) -> tuple[list[tuple[Message, Unit]], str | None]:
        """The messages that a compaction keeps, with their units, oldest first, and the line that they stand after."""
        for name in ("preservedMessages", "preservedSegment"):
            entry = metadata.get(name) if isinstance(metadata, dict) else None
            if isinstance(entry, dict):
                kept = self._listed(strings(entry.get("uuids")) or strings(entry.get("allUuids")))
                kept = kept or self._segment(entry.get("headUuid"), entry.get("tailUuid"))
                if kept:
                    return kept, usable_id(entry.get("anchorUuid"))
        return [], None

    def _listed(self, uuids: list[str]) -> list[tuple[Message, Unit]]:
        kept = []
        for uuid in uuids:
            known, unit = self.graph.lines.get(uuid), self.graph.find(uuid)
            if known is not None and unit is not None:
                kept.append((known[0], unit))
        return kept

    def _segment(self, head: object, tail: object) -> list[tuple[Message, Unit]]:
        """The messages from line `head` to line `tail`, if they are one chain."""
        if not isinstance(head, str) or not isinstance(tail, str):
            return []
        first, at = self.graph.find(head), self.graph.find(tail)
        members: list[tuple[Message, Unit]] = []
        seen: set[Unit] = set()
        while at is not None and first is not None and at not in seen and self._segment_steps:
            self._segment_steps -= 1
            seen.add(at)
            members += [(message, at) for message in reversed(at.messages)]
            if at is first:
                return members[::-1]
            at = self.graph.parent(at)
        return []


def strings(value: object) -> list[str]:
    """The strings of a list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
