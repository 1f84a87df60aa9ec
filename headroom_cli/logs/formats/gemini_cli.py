"""Sessions of Gemini CLI: one JSON document, or a header and one message a line with `$set` and `$rewindTo` records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headroom_cli.logs.base import LogFormat, conversation_id
from headroom_cli.logs.context import ContextTracker
from headroom_cli.model import Conversation, Message, Part, Reading, Request, Thinking, ToolResult, Usage
from headroom_cli.source.records import Record
from headroom_cli.wire import gemini
from headroom_cli.wire.base import count, text_or_none
from headroom_cli.wire.fields import microseconds_of

_NAME = "gemini-cli"
_SHOWN_ONLY = frozenset({"info", "warning", "error"})


def read(records: Iterable[Record], path: str, reading: Reading) -> list[Conversation]:
    """One conversation for each session header. Messages with a known id are newer states of the same message."""
    sessions: list[_Session] = []
    for line, value in records:
        if not isinstance(value, dict):
            reading.unknown["array"] = reading.unknown.get("array", 0) + 1
            continue
        if isinstance(value.get("sessionId"), str) and ("messages" in value or "type" not in value):
            sessions.append(_Session(value))
        elif not sessions:
            sessions.append(_Session({}))
        session = sessions[-1]
        if session.header is value:
            session.take(value.get("messages"), line)
        elif "$rewindTo" in value:
            session.events.append(("rewind", value["$rewindTo"]))
        elif "$set" in value:
            update = value["$set"]
            if isinstance(update, dict) and isinstance(update.get("messages"), list):
                session.take(update["messages"], line)
        else:
            session.take([value], line)
    for session in sessions:
        for kind, number in session.unknown.items():
            reading.unknown[kind] = reading.unknown.get(kind, 0) + number
    return [_conversation(session, path) for session in sessions if session.states]


FORMAT = LogFormat(
    name=_NAME,
    title="Gemini CLI session",
    client="Gemini CLI",
    families=frozenset({_NAME}),
    summary="Session files in ~/.gemini/tmp/<project>/chats.",
    read=read,
)


class _Session:
    """The records of one session: `events` in order, the last state of each message under its id."""

    def __init__(self, header: dict[str, Any]) -> None:
        self.header = header
        self.events: list[tuple[str, Any]] = []
        self.states: dict[Any, tuple[int, dict[str, Any]]] = {}
        self.unknown: dict[str, int] = {}

    def take(self, messages: Any, line: int) -> None:
        for raw in messages if isinstance(messages, list) else []:
            kind = raw.get("type") if isinstance(raw, dict) else None
            if kind not in ("user", "gemini"):
                name = kind if isinstance(kind, str) else "message"
                if name not in _SHOWN_ONLY:
                    self.unknown[name] = self.unknown.get(name, 0) + 1
                continue
            key = raw["id"] if isinstance(raw.get("id"), str) else len(self.events)
            if key not in self.states:
                self.events.append(("message", key))
            self.states[key] = (line, raw)


def _conversation(session: _Session, path: str) -> Conversation:
    session_id = text_or_none(session.header.get("sessionId"))
    log = Conversation("", session_id, _NAME, gemini.NAME, path, client="Gemini CLI")
    log.kind = "subagent" if session.header.get("kind") == "subagent" else "main"
    tracker = ContextTracker()
    standing: list[tuple[Any, list[Part]]] = []
    for event, key in session.events:
        if event == "rewind":
            _rewind(standing, key, tracker)
            continue
        line, raw = session.states[key]
        stamp = microseconds_of(raw.get("timestamp"))
        uuid = key if isinstance(key, str) else ""
        if raw["type"] == "user":
            message = gemini.parse_message({"role": "user", "parts": raw.get("content")}, 0, line)
            made = [message]
        else:
            index = tracker.request()
            log.requests.append(
                Request(
                    index,
                    "recorded",
                    uuid,
                    text_or_none(raw.get("model")),
                    stamp,
                    line,
                    _usage(raw.get("tokens")),
                    response_id=uuid or None,
                )
            )
            made = _said(raw, line)
            made[0].request = index
        parts: list[Part] = []
        for message in made:
            message.index = len(log.messages)
            message.timestamp = stamp
            message.key = uuid if message is made[0] else f"{uuid}:results" if uuid else ""
            log.messages.append(message)
            # Thoughts are summaries for the screen: the client does not send them back.
            parts += [part for part in message.parts if not isinstance(part, Thinking)]
        tracker.enter(parts)
        standing.append((key, parts))
    tracker.finish()
    _finish(log, session.header)
    return log


def _rewind(standing: list[tuple[Any, list[Part]]], key: Any, tracker: ContextTracker) -> None:
    """Back to the state before a message: it and all after it leave the context."""
    position = next((i for i, (known, _) in enumerate(standing) if known == key), None)
    if position is not None:
        tracker.leave([part for _, parts in standing[position:] for part in parts], "rewind")
        del standing[position:]


def _said(raw: dict[str, Any], line: int) -> list[Message]:
    """A response, and a message with the results of its calls if it has any."""
    parts: list[Any] = []
    for thought in _dicts(raw.get("thoughts")):
        texts = [thought[k] for k in ("subject", "description") if isinstance(thought.get(k), str)]
        parts.append({"text": "\n".join(texts), "thought": True})
    content = raw.get("content")
    parts += content if isinstance(content, list) else [{"text": content}] if content else []
    results: list[Part] = []
    for call in _dicts(raw.get("toolCalls")):
        known = {"id": call.get("id"), "name": call.get("name")}
        parts.append({"functionCall": {**known, "args": call.get("args")}})
        results += _results(call, known, line)
    made = [gemini.parse_message({"role": "model", "parts": parts}, 0, line)]
    if results:
        made.append(Message(0, "tool", results, line=line, last_line=line, origin="tool"))
    return made


def _results(call: dict[str, Any], known: dict[str, Any], line: int) -> list[Part]:
    result = call.get("result")
    if result is None:
        return []
    items = result if isinstance(result, list) else [result]
    if not any(isinstance(item, dict) and "functionResponse" in item for item in items):
        items = [{"functionResponse": {**known, "response": {"output": result}}}]
    parts = gemini.parse_parts(items, line)
    for part in parts:
        if isinstance(part, ToolResult):
            part.text = _output_of(part.raw) or part.text
            part.call_id = part.call_id or text_or_none(known["id"])
            if part.is_error is None and call.get("status") in ("error", "success"):
                part.is_error = call["status"] == "error"
    return parts


def _output_of(raw: Any) -> str | None:
    """The client wraps the text of every result in `{output}` or `{error}`."""
    function = raw.get("functionResponse") if isinstance(raw, dict) else None
    response = function.get("response") if isinstance(function, dict) else None
    if not isinstance(response, dict) or len(response) != 1:
        return None
    return text_or_none(response.get("output")) or text_or_none(response.get("error"))


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _usage(tokens: Any) -> Usage | None:
    """`input` includes what was cached; `tool` is what the provider's own tools put in; `output` excludes thoughts."""
    if not isinstance(tokens, dict):
        return None
    given, said = count(tokens.get("input")), count(tokens.get("output"))
    if not given and not said:
        return None
    cached, thoughts = count(tokens.get("cached")), count(tokens.get("thoughts"))
    total = None if given is None else given + (count(tokens.get("tool")) or 0)
    return Usage(
        input_tokens=total,
        uncached_input_tokens=None if total is None else max(total - (cached or 0), 0),
        cache_read_input_tokens=cached,
        output_tokens=None if said is None else said + (thoughts or 0),
        reasoning_output_tokens=thoughts,
    )


def _finish(log: Conversation, header: dict[str, Any]) -> None:
    first = next((message.key for message in log.messages if message.key), "")
    log.id = conversation_id(_NAME, log.session_id or "", "" if log.session_id else first)
    log.model = next((request.model for request in log.requests if request.model), None)
    stamps = [message.timestamp for message in log.messages if message.timestamp is not None]
    started, ended = microseconds_of(header.get("startTime")), microseconds_of(header.get("lastUpdated"))
    log.started_at = started or min(stamps, default=None)
    log.ended_at = ended or max(stamps, default=None)
