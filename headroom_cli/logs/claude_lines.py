"""The lines of a Claude Code session, sorted into threads, messages and units (formats.md, sections 4.2 to 4.6).

Each line is taken in once, in file order, and not kept: what remains are the messages, the tree that they stand in,
and the events (responses, clearings, withdrawals) that the replay of the context needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from headroom_cli.logs.claude_attachments import attachment_origin, attachment_text, text_origin
from headroom_cli.logs.claude_context import Clearing, Graph, Retraction, Unit
from headroom_cli.logs.claude_responses import Response, Responses, counters_of, raise_to, usable_id
from headroom_cli.model import Message, NestedUsage, Origin, Part, Text, ToolResult
from headroom_cli.wire.anthropic import parse_blocks, parse_usage
from headroom_cli.wire.base import text_or_none

# Prefixes of the keys of threads that have no agent id: a sidechain by its root, a teammate by its name.
ROOT, TEAM = "root:", "team:"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# Record types that put nothing into the context and say nothing of usage.
INERT_TYPES = frozenset(
    (
        "agent-color",
        "agent-name",
        "agent-setting",
        "ai-title",
        "artifact-autoreact-ledger",
        "artifact-comment-monitor",
        "atis-latch",
        "attribution-snapshot",
        "bridge-session",
        "cost-state",
        "custom-title",
        "file-history-delta",
        "file-history-snapshot",
        "frame-link",
        "history-suppression",
        "last-prompt",
        "marble-origami-commit",
        "marble-origami-reset",
        "marble-origami-snapshot",
        "mode",
        "permission-mode",
        "pr-link",
        "queue-operation",
        "relocated",
        "result",
        "speculation-accept",
        "started",
        "summary",
        "tag",
        "task-summary",
        "turn_end",
        "worktree-state",
    )
)

Event = Unit | Clearing | Retraction


@dataclass(slots=True, eq=False)
class Thread:
    """One conversation of the file. `agent` is the id of a subagent, or "" for the main thread."""

    agent: str
    side: bool = False
    agent_name: str | None = None
    messages: list[Message] = field(default_factory=list)
    sessions: list[str | None] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    last: Unit | None = None
    responses: Responses = field(default_factory=Responses)
    units: dict[int, Unit] = field(default_factory=dict)
    callers: dict[str, Unit] = field(default_factory=dict)
    results: dict[str, tuple[Message, ToolResult]] = field(default_factory=dict)
    replacements: list[tuple[str, str, int]] = field(default_factory=list)
    nested: dict[str, NestedUsage] = field(default_factory=dict)
    dropped: set[int] = field(default_factory=set)
    has_usage: bool = False
    cut: bool = False
    open_boundary: bool = False


class Lines:
    """Takes the records of one file. `unknown` counts types that are not known."""

    def __init__(self, unknown: dict[str, int], agent: str = "") -> None:
        self.unknown = unknown
        self.graph = Graph()
        self.threads: dict[str, Thread] = {}
        self.session_id: str | None = None
        self.session_ids: set[str] = set()
        self.client_version: str | None = None
        self.cwd: str | None = None
        self.git_branch: str | None = None
        self.spawned_by: dict[str, str] = {}
        self._default_agent = agent
        self._last_root = ""
        self._thread_of: dict[str, Thread] = {}
        self._moved: dict[str, str] = {}
        self._handlers: dict[str, Callable[[dict[str, Any], int], None]] = {
            "assistant": self._assistant,
            "user": self._user,
            "attachment": self._attachment,
            "progress": self._progress,
            "system": self._system,
            "content-replacement": self._replacement,
        }

    def take(self, value: Any, line: int) -> None:
        """Take in one record."""
        if not isinstance(value, dict):
            self._count_unknown("not an object")
            return
        kind = value.get("type")
        handler = self._handlers.get(kind) if isinstance(kind, str) else None
        if handler is None:
            self._other(value, kind)
            return
        session = value.get("sessionId")
        if session is not self.session_id and isinstance(session, str) and session:
            self.session_id = session
            self.session_ids.add(session)
        if self.cwd is None:
            self.cwd = text_or_none(value.get("cwd"))
        if self.git_branch is None:
            self.git_branch = text_or_none(value.get("gitBranch"))
        self.client_version = text_or_none(value.get("version")) or self.client_version
        handler(value, line)

    # What a line is part of.

    def _thread(self, value: dict[str, Any], uuid: str | None) -> Thread:
        parent = value.get("parentUuid")
        above = self._thread_of.get(parent) if isinstance(parent, str) else None
        if value.get("isSidechain") is True:
            agent = usable_id(value.get("agentId")) or self._default_agent
            if not agent and above is not None and above.side:
                agent = above.agent
            elif not agent:
                if "parentUuid" in value or not self._last_root:
                    self._last_root = f"{ROOT}{uuid or len(self.threads)}"
                agent = self._last_root
            thread = self.threads.get(agent) or self._new_thread(agent, side=True)
        elif above is not None and not above.side:
            thread = above
        else:
            name = value.get("agentName")
            main = self.threads.get("")
            if isinstance(name, str) and name and main is not None and main.agent_name != name:
                thread = self.threads.get(TEAM + name) or self._new_thread(TEAM + name, side=False)
            else:
                thread = main or self._new_thread("", side=False)
        if thread.agent_name is None:
            thread.agent_name = text_or_none(value.get("agentName")) or text_or_none(value.get("attributionAgent"))
        if uuid is not None:
            self._thread_of[uuid] = thread
        return thread

    def _new_thread(self, agent: str, side: bool) -> Thread:
        thread = self.threads[agent] = Thread(agent, side)
        return thread

    def _link(self, value: dict[str, Any], thread: Thread) -> str | Unit | None:
        """What the line follows. A log without links (an export, a stream) is one chain.

        A parent that is not in the file was lost, not cut off: the client drops a line now and then (often the last
        one before a stop hook), and the recorded context grows on. So the line follows the one written before it.
        """
        parent = value.get("parentUuid", "")
        if parent is None:
            return None
        link = usable_id(parent)
        if link is None:
            return thread.last
        link = self._moved.get(link, link)
        if link not in self.graph.units and link not in self.graph.bridges:
            self.graph.bridges[link] = thread.last
            thread.cut = thread.cut or not thread.messages
        return link

    # Lines of the conversation.

    def _assistant(self, value: dict[str, Any], line: int) -> None:
        body = value.get("message")
        if not isinstance(body, dict):
            body = {}
        uuid = usable_id(value.get("uuid"))
        thread = self._thread(value, uuid)
        link = self._link(value, thread)
        model = text_or_none(body.get("model"))
        parts = parse_blocks(body.get("content"), line)
        if model == "<synthetic>" or value.get("isApiErrorMessage") is True:
            # Written by the client in the place of an answer; no model wrote it and none sees it.
            self._new_message(thread, value, line, "assistant", parts, "harness", f"uuid:{uuid}" if uuid else "")
            self._skip(uuid, link)
            return
        raw_usage = body.get("usage")
        counters = counters_of(raw_usage)
        response_id = usable_id(body.get("id"))
        request_id = usable_id(value.get("requestId"))
        if response_id is not None:
            identity = "msg:" + response_id
        elif request_id is not None:
            identity = "req:" + request_id
        else:
            identity = f"uuid:{uuid}" if uuid is not None else f"line:{line}"
        response = thread.responses.find(identity, request_id, model, counters)
        if response is None:
            key = "" if identity.startswith("line:") else identity
            message = self._new_message(thread, value, line, "assistant", [], "model", key)
            response = Response(key, response_id, request_id, model, message, counters)
            thread.responses.add(identity, response)
            message.key = response.key
            unit = Unit(uuid, link, [message], response)
            thread.events.append(unit)
            thread.units[id(response)] = unit
        else:
            unit = thread.units[id(response)]
            message = response.message
            if line > message.last_line:
                message.last_line = line
            self.graph.absorb_between(unit, link)
            for copy in self.graph.drop_replayed(unit, link):
                thread.dropped.add(id(copy))
        if uuid is not None:
            self.graph.units[uuid] = unit
            self.graph.lines[uuid] = (message, line)
        for call in response.add_parts(parts):
            if call.id is not None:
                thread.callers.setdefault(call.id, unit)
        response.add_usage(raw_usage, body.get("stop_reason"))
        if response.usage is not None:
            thread.has_usage = True
        thread.last = unit
        superseded = value.get("supersedesUuids")
        if isinstance(superseded, list) and superseded:
            thread.events.append(Retraction(_strings(superseded)))

    def _user(self, value: dict[str, Any], line: int) -> None:
        body = value.get("message")
        uuid = usable_id(value.get("uuid"))
        parts = parse_blocks(body.get("content") if isinstance(body, dict) else body, line)
        if self._is_repeated(uuid, parts):
            return
        thread = self._thread(value, uuid)
        link = self._link(value, thread)
        summary = value.get("isCompactSummary") is True
        results = [part for part in parts if isinstance(part, ToolResult)]
        if results and self._is_replayed(thread, results, uuid):
            return
        if results:
            origin: Origin = "tool"
            self._note_spawn(value.get("toolUseResult"), results[0].call_id)
        elif summary or value.get("isMeta") is True:
            origin = "harness"
        else:
            origin = _origin(parts)
            if thread.side and origin == "human":
                origin = "model"
        message = self._new_message(thread, value, line, "user", parts, origin, _key(value, uuid, results))
        unit = None
        for result in results:
            if result.call_id is not None:
                thread.results.setdefault(result.call_id, (message, result))
                unit = unit or thread.callers.get(result.call_id)
        if unit is not None:
            unit.messages.append(message)
            self.graph.absorb_between(unit, link)
            if uuid is not None:
                self.graph.units[uuid] = unit
        else:
            compaction = summary and not thread.open_boundary
            unit = self._new_unit(uuid, link, message)
            unit.compaction = compaction
        if summary:
            thread.open_boundary = False
        if uuid is not None:
            self.graph.lines[uuid] = (message, line)
        thread.last = unit

    def _attachment(self, value: dict[str, Any], line: int) -> None:
        uuid = usable_id(value.get("uuid"))
        thread = self._thread(value, uuid)
        link = self._link(value, thread)
        attachment = value.get("attachment")
        if not isinstance(attachment, dict):
            self._count_unknown("attachment")
            self._skip(uuid, link)
            return
        prompt = attachment.get("prompt")
        if attachment.get("type") == "queued_command" and isinstance(prompt, list):
            parts = parse_blocks(prompt, line)
        else:
            text, known = attachment_text(attachment)
            if not known:
                self._count_unknown(f"attachment:{attachment.get('type')}")
            parts = [Text(text, raw=attachment, line=line)] if text else []
        if not parts:
            self._skip(uuid, link)
            return
        if self._is_repeated(uuid, parts):
            return
        origin = attachment_origin(attachment)
        message = self._new_message(thread, value, line, "user", parts, origin, _key(value, uuid, []))
        call_id = attachment.get("toolUseID")
        caller = thread.callers.get(call_id) if isinstance(call_id, str) else None
        if caller is not None and self.graph.find(link) is caller:
            caller.messages.append(message)
            if uuid is not None:
                self.graph.units[uuid] = caller
            thread.last = caller
        else:
            thread.last = self._new_unit(uuid, link, message)
        if uuid is not None:
            self.graph.lines[uuid] = (message, line)

    def _system(self, value: dict[str, Any], line: int) -> None:
        uuid = usable_id(value.get("uuid"))
        thread = self._thread(value, uuid)
        subtype = value.get("subtype")
        if subtype == "compact_boundary":
            self._boundary(value, uuid, thread)
            return
        link = self._link(value, thread)
        if subtype == "microcompact_boundary":
            metadata = value.get("microcompactMetadata")
            if isinstance(metadata, dict):
                ids, uuids = metadata.get("compactedToolIds"), metadata.get("clearedAttachmentUUIDs")
                thread.events.append(Clearing(_strings(ids), _strings(uuids), line))
        elif isinstance(value.get("retractedMessageUuids"), list):
            thread.events.append(Retraction(_strings(value["retractedMessageUuids"])))
        elif subtype == "local_command" and isinstance(value.get("content"), str) and value["content"]:
            # The client sends the echo of a local command as user text.
            parts: list[Part] = [Text(value["content"], raw=value["content"], line=line)]
            message = self._new_message(thread, value, line, "user", parts, "command", _key(value, uuid, []))
            thread.last = self._new_unit(uuid, link, message)
            if uuid is not None:
                self.graph.lines[uuid] = (message, line)
            return
        self._skip(uuid, link)

    def _boundary(self, value: dict[str, Any], uuid: str | None, thread: Thread) -> None:
        """A compaction: a new root, which keeps the messages that it lists. `logicalParentUuid` is not followed."""
        unit = Unit(uuid, None, compaction=True)
        if uuid is not None:
            self.graph.units[uuid] = unit
        thread.last = unit
        thread.open_boundary = True
        metadata = value.get("compactMetadata")
        if not isinstance(metadata, dict):
            return
        kept: list[str] = []
        anchor: object = None
        for name in ("preservedMessages", "preservedSegment"):
            entry = metadata.get(name)
            if not kept and isinstance(entry, dict):
                anchor = entry.get("anchorUuid")
                kept = _strings(entry.get("uuids")) or _strings(entry.get("allUuids"))
                if not kept:
                    kept = self._segment(entry.get("headUuid"), entry.get("tailUuid"))
        seen: set[int] = set()
        for kept_uuid in kept:
            if usable_id(anchor) is not None or uuid is not None:
                # What is written after the boundary and names a kept line as its parent follows the summary.
                self._moved[kept_uuid] = usable_id(anchor) or uuid or ""
            known = self.graph.lines.get(kept_uuid)
            if known is not None and id(known[0]) not in seen:
                seen.add(id(known[0]))
                unit.preserved.append(known[0])

    def _segment(self, head: object, tail: object) -> list[str]:
        """The uuids of the lines from `tail` up to `head`, oldest first; none if they are not one chain."""
        uuids: list[str] = []
        at: Unit | None = self.graph.find(tail) if isinstance(tail, str) else None
        first = self.graph.find(head) if isinstance(head, str) else None
        seen: set[int] = set()
        while at is not None and first is not None and id(at) not in seen:
            seen.add(id(at))
            if at.uuid is not None:
                uuids.append(at.uuid)
            if at is first:
                return uuids[::-1]
            at = self.graph.parent(at)
        return []

    def _progress(self, value: dict[str, Any], line: int) -> None:
        uuid = usable_id(value.get("uuid"))
        data = value.get("data")
        if uuid is not None:
            thread = self._thread(value, uuid)
            self._skip(uuid, self._link(value, thread))
        if isinstance(data, dict) and isinstance(data.get("message"), dict):
            self._nested(value, data, uuid)

    def _nested(self, value: dict[str, Any], data: dict[str, Any], uuid: str | None) -> None:
        """A copy of a subagent's line: its usage counts only where its own file is missing."""
        agent, call = usable_id(data.get("agentId")), usable_id(value.get("parentToolUseID"))
        if agent is not None and call is not None:
            self.spawned_by.setdefault(agent, call)
        copy = data["message"]
        body = copy.get("message")
        if not isinstance(body, dict) or body.get("model") == "<synthetic>":
            return
        usage = parse_usage(body.get("usage"))
        if usage is None:
            return
        response_id, request_id = usable_id(body.get("id")), usable_id(copy.get("requestId"))
        key = f"msg:{response_id}" if response_id else f"req:{request_id}" if request_id else ""
        thread = self._thread(value, uuid)
        known = thread.nested.get(key) if key else None
        final = text_or_none(body.get("stop_reason")) is not None and bool(usage.output_tokens)
        usage.output_is_lower_bound = not final
        if known is not None:
            raise_to(known.usage, usage)
            known.usage.output_is_lower_bound = known.usage.output_is_lower_bound and not final
            return
        timestamp = parse_time(copy.get("timestamp")) or parse_time(value.get("timestamp"))
        nested = NestedUsage(key, text_or_none(body.get("model")), timestamp, usage)
        thread.nested[key or f"line:{len(thread.nested)}"] = nested

    def _replacement(self, value: dict[str, Any], line: int) -> None:
        agent = usable_id(value.get("agentId")) or self._default_agent
        thread = self.threads.get(agent) or self._new_thread(agent, side=bool(agent))
        replacements = value.get("replacements")
        for entry in replacements if isinstance(replacements, list) else ():
            if isinstance(entry, dict):
                call_id, text = entry.get("toolUseId"), entry.get("replacement")
                if isinstance(call_id, str) and isinstance(text, str):
                    thread.replacements.append((call_id, text, line))

    def _other(self, value: dict[str, Any], kind: object) -> None:
        uuid = usable_id(value.get("uuid"))
        if not (isinstance(kind, str) and kind in INERT_TYPES):
            self._count_unknown(kind if isinstance(kind, str) and kind else "no type")
        if uuid is not None and "parentUuid" in value:
            parent = value["parentUuid"]
            self.graph.bridge(uuid, parent if isinstance(parent, str) else None)

    def finish_response(self, agent: str, response_id: str, usage: object, stop_reason: object) -> None:
        """The final counters of a response whose lines hold placeholders."""
        thread = self.threads.get(agent)
        response = thread.responses.latest("msg:" + response_id) if thread is not None else None
        if response is not None:
            response.add_usage(usage, stop_reason)

    # Shared steps.

    def _new_message(
        self,
        thread: Thread,
        value: dict[str, Any],
        line: int,
        role: Any,
        parts: list[Part],
        origin: Origin,
        key: str,
    ) -> Message:
        message = Message(
            len(thread.messages),
            role,
            parts,
            line=line,
            last_line=line,
            timestamp=parse_time(value.get("timestamp")),
            key=key,
            origin=origin,
            copied=isinstance(value.get("forkedFrom"), dict),
        )
        thread.messages.append(message)
        session = value.get("sessionId")
        thread.sessions.append(session if isinstance(session, str) else None)
        return message

    def _new_unit(self, uuid: str | None, link: str | Unit | None, message: Message) -> Unit:
        unit = Unit(uuid, link, [message])
        if uuid is not None:
            self.graph.units[uuid] = unit
        return unit

    def _skip(self, uuid: str | None, link: str | Unit | None) -> None:
        if uuid is not None:
            self.graph.bridge(uuid, link)

    def _is_repeated(self, uuid: str | None, parts: list[Part]) -> bool:
        """Whether the same line stands in the file already."""
        known = self.graph.lines.get(uuid) if uuid is not None else None
        return known is not None and [p.raw for p in known[0].parts] == [p.raw for p in parts]

    def _is_replayed(self, thread: Thread, results: list[ToolResult], uuid: str | None) -> bool:
        """Whether all these results stand earlier in the thread (a resumed session replays its lines)."""
        message: Message | None = None
        for result in results:
            known = thread.results.get(result.call_id) if result.call_id is not None else None
            if known is None or known[1].text != result.text:
                return False
            message = known[0]
        if uuid is not None and message is not None and results[0].call_id is not None:
            caller = thread.callers.get(results[0].call_id)
            if caller is None:
                return False
            self.graph.units[uuid] = caller
            self.graph.lines.setdefault(uuid, (message, message.line))
        return True

    def _note_spawn(self, result: object, call_id: str | None) -> None:
        if call_id is not None and isinstance(result, dict):
            agent = usable_id(result.get("agentId"))
            if agent is not None:
                self.spawned_by[agent] = call_id

    def _count_unknown(self, kind: str) -> None:
        self.unknown[kind] = self.unknown.get(kind, 0) + 1


def parse_time(value: object) -> int | None:
    """Microseconds since the epoch, UTC, of an ISO 8601 time; None if it is none."""
    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value)
        delta = (time if time.tzinfo is not None else time.replace(tzinfo=UTC)) - _EPOCH
    except (ValueError, OverflowError):
        return None
    return delta.days * 86_400_000_000 + delta.seconds * 1_000_000 + delta.microseconds


def _origin(parts: list[Part]) -> Origin:
    """Who wrote a user line: a human if any of its texts is one's, else what its first text is."""
    found: Origin = "human"
    for position, part in enumerate(parts):
        if isinstance(part, Text):
            origin = text_origin(part.text)
            if origin == "human":
                return origin
            if position == 0:
                found = origin
    return found


def _key(value: dict[str, Any], uuid: str | None, results: list[ToolResult]) -> str:
    """What makes a user line the same in a copy: the calls that it answers, or its first uuid."""
    ids = [result.call_id for result in results if result.call_id is not None]
    if ids:
        return "results:" + ",".join(ids)
    source = value.get("forkedFrom")
    original = usable_id(source.get("messageUuid")) if isinstance(source, dict) else None
    return f"uuid:{original or uuid}" if original or uuid else ""


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
