"""The lines of a Claude Code session, turned into messages, units and events.

Each line is taken in once, in file order, and not kept: what remains are the messages, the graph that they stand in,
and the events (responses, clearings, withdrawals) that the replay of the context needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headroom_cli.logs.claude.attachments import attachment_origin, attachment_text, text_origin
from headroom_cli.logs.claude.context import Clearing, Retraction, Unit
from headroom_cli.logs.claude.responses import Response, counters_of, usable_id
from headroom_cli.logs.claude.threads import Place, Threads, strings
from headroom_cli.model import Origin, Part, Text, ToolResult
from headroom_cli.wire.anthropic import cache_miss, parse_blocks
from headroom_cli.wire.base import text_or_none

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
        "teleported-from",
        "turn_end",
        "worktree-state",
    )
)
_COLLAPSE = "marble-origami-"
_MAX_TYPE = 60


class Lines:
    """Takes the records of one file. `unknown` counts the types that are not known; `alone`: without nested usage."""

    def __init__(self, unknown: dict[str, int], agent: str = "", *, alone: bool = False) -> None:
        self.unknown = unknown
        self.alone = alone
        self.threads = Threads(agent)
        self.session_id: str | None = None
        self.session_ids: set[str] = set()
        self.client_version: str | None = None
        self.cwd: str | None = None
        self.git_branch: str | None = None
        self.spawned_by: dict[str, str] = {}

    def take(self, value: Any, line: int) -> None:
        """Take in one record."""
        if not isinstance(value, dict):
            self._count_unknown("not an object")
            return
        kind = value.get("type")
        if kind is None and isinstance(value.get("message"), dict):
            kind = value["message"].get("role")
        handler = _HANDLERS.get(kind) if isinstance(kind, str) else None
        if handler is None:
            self._other(value, kind)
            return
        session = value.get("sessionId")
        if session != self.session_id and isinstance(session, str) and session:
            self.session_id = session
            self.session_ids.add(session)
        if self.cwd is None:
            self.cwd = text_or_none(value.get("cwd"))
        if self.git_branch is None:
            self.git_branch = text_or_none(value.get("gitBranch"))
        version = value.get("version")
        if version != self.client_version and isinstance(version, str) and version:
            self.client_version = version
        handler(self, value, line)

    def finish_response(self, agent: str, response_id: str, usage: object, stop_reason: object) -> None:
        """The final counters of a response whose lines hold placeholders."""
        thread = self.threads.by_agent.get(agent)
        response = thread.responses.latest("msg:" + response_id) if thread is not None else None
        if response is not None:
            response.add_usage(usage, stop_reason)

    def _assistant(self, value: dict[str, Any], line: int) -> None:
        body = value.get("message")
        if not isinstance(body, dict):
            body = {}
        at = self.threads.place(value)
        thread = at.thread
        model = text_or_none(body.get("model"))
        parts = parse_blocks(body.get("content"), line)
        if model == "<synthetic>" or value.get("isApiErrorMessage") is True:
            # Written by the client in the place of an answer; no model wrote it and none sees it.
            self.threads.add_message(at, value, line, "assistant", parts, "harness", _key(value, at, []))
            self.threads.skip(at)
            return
        usage = body.get("usage")
        counters = counters_of(usage)
        response_id, request_id = usable_id(body.get("id")), usable_id(value.get("requestId"))
        identity, key = _identity(response_id, request_id, at.uuid, line)
        response = self._goes_on(at, response_id, model)
        if response is None:
            response = thread.responses.find(identity, request_id, model, counters)
        else:
            thread.responses.tell(identity, response, counters)
        if response is None:
            message = self.threads.add_message(at, value, line, "assistant", [], "model", "")
            response = Response(key, response_id, request_id, model, message, counters)
            thread.responses.add(identity, response)
            message.key = response.key
            unit = Unit(at.uuid, at.link, line, at.thread.agent, [message], response)
            thread.units[id(response)] = unit
            self.threads.leave_behind(at, line)
            thread.events.append(unit)
        else:
            message, unit = response.message, thread.units[id(response)]
            if isinstance(at.link, str):
                thread.continued.add(at.link)
            message.last_line = max(message.last_line, line)
            if self.threads.graph.find(at.link) is not unit:
                self.threads.graph.absorb_between(unit, at.link)
                thread.dropped.update(map(id, self.threads.graph.drop_replayed(unit, at.link)))
        self.threads.add_line(at, line, message, unit)
        for call in response.add_parts(parts):
            if call.id is not None:
                thread.callers.setdefault(call.id, unit)
        response.add_usage(usage, body.get("stop_reason"))
        if response.cache_miss is None and (diagnostics := body.get("diagnostics")):
            response.cache_miss = cache_miss(diagnostics)
        thread.has_usage = thread.has_usage or response.usage is not None
        if superseded := value.get("supersedesUuids"):
            thread.events.append(Retraction(strings(superseded)))

    def _goes_on(self, at: Place, response_id: str | None, model: str | None) -> Response | None:
        """The response that the line follows, if it has the same id and has not ended, whatever the counters say.

        Other hosts guess the input when a stream begins, with no output, and tell it at the end.
        """
        unit = self.threads.graph.find(at.link) if response_id is not None else None
        response = unit.response if unit is not None else None
        if response is None or response.id != response_id or response.model != model or response.final:
            return None
        line = self.threads.graph.lines.get(at.link) if isinstance(at.link, str) else None
        follows_itself = line is not None and line[0] is response.message
        return response if follows_itself or not response.has_output else None

    def _user(self, value: dict[str, Any], line: int) -> None:
        body = value.get("message")
        parts = parse_blocks(body.get("content") if isinstance(body, dict) else body, line)
        at = self.threads.place(value)
        if self._is_repeated(at, parts):
            return
        thread = at.thread
        results = [part for part in parts if isinstance(part, ToolResult)]
        if results and self._is_replayed(at, results):
            return
        summary = value.get("isCompactSummary") is True
        if results:
            origin: Origin = "tool"
            self._note_spawn(value.get("toolUseResult"), results[0].call_id)
        elif summary or value.get("isMeta") is True:
            origin = "harness"
        else:
            origin = _text_origin(parts)
            if thread.side and origin == "human":
                # The prompt of a subagent is what the calling model wrote.
                origin = "model"
        message = self.threads.add_message(at, value, line, "user", parts, origin, _key(value, at, results))
        unit = None
        for result in results:
            if result.call_id is not None:
                thread.results.setdefault(result.call_id, (message, result))
                unit = unit or thread.callers.get(result.call_id)
        if unit is not None:
            unit.messages.append(message)
            if isinstance(at.link, str):
                thread.result_parents.setdefault(at.link, line)
            self.threads.graph.absorb_between(unit, at.link)
        else:
            unit = Unit(at.uuid, at.link, line, at.thread.agent, [message])
            self.threads.leave_behind(at, line)
            # Older clients write a summary without a boundary before it.
            unit.compaction = summary and not thread.awaits_summary
        if summary:
            thread.awaits_summary = False
            thread.summaries.append(message)
        self.threads.add_line(at, line, message, unit)

    def _attachment(self, value: dict[str, Any], line: int) -> None:
        at = self.threads.place(value)
        attachment = value.get("attachment")
        if not isinstance(attachment, dict):
            self._count_unknown("attachment")
            self.threads.skip(at)
            return
        prompt = attachment.get("prompt")
        if attachment.get("type") == "queued_command" and isinstance(prompt, list):
            parts = parse_blocks(prompt, line)
        else:
            text, known = attachment_text(attachment)
            if not known:
                self._count_unknown(f"attachment:{str(attachment.get('type'))[:_MAX_TYPE]}")
            parts = [Text(text, raw=attachment, line=line)] if text else []
        if not parts:
            self.threads.skip(at)
            return
        if self._is_repeated(at, parts):
            return
        message = self.threads.add_message(
            at, value, line, "user", parts, attachment_origin(attachment), _key(value, at, [])
        )
        call_id = attachment.get("toolUseID")
        caller = at.thread.callers.get(call_id) if isinstance(call_id, str) else None
        if caller is not None and self.threads.graph.find(at.link) is caller:
            caller.messages.append(message)
            self.threads.add_line(at, line, message, caller)
        else:
            self.threads.add_line(at, line, message, Unit(at.uuid, at.link, line, at.thread.agent, [message]))

    def _system(self, value: dict[str, Any], line: int) -> None:
        at = self.threads.place(value)
        subtype, text = value.get("subtype"), value.get("content")
        if subtype == "compact_boundary":
            self.threads.add_boundary(at, line, value.get("compactMetadata"))
            return
        if subtype == "microcompact_boundary":
            metadata = value.get("microcompactMetadata")
            if isinstance(metadata, dict):
                ids, uuids = strings(metadata.get("compactedToolIds")), strings(metadata.get("clearedAttachmentUUIDs"))
                at.thread.events.append(Clearing(ids, uuids, line))
        elif isinstance(value.get("retractedMessageUuids"), list):
            at.thread.events.append(Retraction(strings(value["retractedMessageUuids"])))
        elif subtype == "local_command" and isinstance(text, str) and text:
            # The client sends the echo of a local command as user text.
            parts: list[Part] = [Text(text, raw=text, line=line)]
            if not self._is_repeated(at, parts):
                message = self.threads.add_message(at, value, line, "user", parts, "command", _key(value, at, []))
                self.threads.add_line(at, line, message, Unit(at.uuid, at.link, line, at.thread.agent, [message]))
            return
        self.threads.skip(at)

    def _progress(self, value: dict[str, Any], line: int) -> None:
        at = self.threads.place(value)
        self.threads.skip(at)
        data = value.get("data")
        if isinstance(data, dict) and isinstance(data.get("message"), dict):
            agent, call_id = usable_id(data.get("agentId")), usable_id(value.get("parentToolUseID"))
            if agent is not None and call_id is not None:
                self.spawned_by.setdefault(agent, call_id)
            if not self.alone:
                at.thread.add_nested(value, data["message"])

    def _replacement(self, value: dict[str, Any], line: int) -> None:
        thread = self.threads.of_agent(usable_id(value.get("agentId")) or "")
        replacements = value.get("replacements")
        for entry in replacements if isinstance(replacements, list) else ():
            if isinstance(entry, dict):
                call_id, text = entry.get("toolUseId"), entry.get("replacement")
                if isinstance(call_id, str) and isinstance(text, str):
                    thread.replacements.append((call_id, text, line))

    def _other(self, value: dict[str, Any], kind: object) -> None:
        if isinstance(kind, str) and kind.startswith(_COLLAPSE):
            self.threads.of_agent("").collapsed = True
        elif not (isinstance(kind, str) and kind in INERT_TYPES):
            self._count_unknown(kind if isinstance(kind, str) and kind else "no type")
        if "uuid" in value and "parentUuid" in value:
            self.threads.skip(self.threads.place(value))

    def _is_repeated(self, at: Place, parts: list[Part]) -> bool:
        """Whether the same line stands in the file already."""
        known = self.threads.graph.lines.get(at.uuid) if at.uuid is not None else None
        return known is not None and [p.raw for p in known[0].parts] == [p.raw for p in parts]

    def _is_replayed(self, at: Place, results: list[ToolResult]) -> bool:
        """Whether all these results stand earlier in the thread (a resumed session replays its lines)."""
        thread = at.thread
        caller = None
        for result in results:
            known = thread.results.get(result.call_id) if result.call_id is not None else None
            if known is None or known[1].text != result.text:
                return False
            caller = caller or thread.callers.get(known[1].call_id or "")
        if caller is None:
            return False
        if at.uuid is not None:
            self.threads.graph.units[at.uuid] = caller
        return True

    def _note_spawn(self, result: object, call_id: str | None) -> None:
        agent = usable_id(result.get("agentId")) if isinstance(result, dict) else None
        if agent is not None and call_id is not None:
            self.spawned_by[agent] = call_id

    def _count_unknown(self, kind: str) -> None:
        kind = kind[:_MAX_TYPE]
        self.unknown[kind] = self.unknown.get(kind, 0) + 1


def _identity(response_id: str | None, request_id: str | None, uuid: str | None, line: int) -> tuple[str, str]:
    """What unites the lines of a response within the file, and its key in the world."""
    if response_id is not None:
        key = "msg:" + response_id
    elif request_id is not None:
        key = "req:" + request_id
    elif uuid is not None:
        key = "uuid:" + uuid
    else:
        return f"line:{line}", ""
    return key, key


def _text_origin(parts: list[Part]) -> Origin:
    """Who wrote a user line: a human if any of its texts is one's, else what its first text is."""
    first: Origin | None = None
    for part in parts:
        if isinstance(part, Text):
            origin = text_origin(part.text)
            if origin == "human":
                return origin
            first = first or origin
    return first or "human"


def _key(value: dict[str, Any], at: Place, results: list[ToolResult]) -> str:
    """What makes a user line the same in a copy: the calls that it answers, or the uuid that it first had."""
    ids = [result.call_id for result in results if result.call_id is not None]
    if ids:
        return "results:" + ",".join(ids)
    source = value.get("forkedFrom")
    uuid = (usable_id(source.get("messageUuid")) if isinstance(source, dict) else None) or at.uuid
    return f"uuid:{uuid}" if uuid else ""


# Not bound to an object: a table of bound methods would keep all of a session's lines alive in a cycle.
_HANDLERS: dict[str, Callable[[Lines, dict[str, Any], int], None]] = {
    "assistant": Lines._assistant,
    "user": Lines._user,
    "attachment": Lines._attachment,
    "progress": Lines._progress,
    "system": Lines._system,
    "content-replacement": Lines._replacement,
}
