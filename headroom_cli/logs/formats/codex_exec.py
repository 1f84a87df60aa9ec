"""`codex exec --json`: the event stream of one run, as scripts and CI jobs keep it.

It has neither the prompts nor the system prompt nor the bounds of the requests, so what each request saw cannot be
rebuilt: a turn stands for one request, with the usage of the whole turn. Source: codex-rs `exec/src/exec_events.rs`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from headroom_cli.logs.base import LogFormat, conversation_id
from headroom_cli.logs.codex.items import digest
from headroom_cli.logs.codex.usage import Counters, counters
from headroom_cli.logs.context import ContextTracker
from headroom_cli.model import (
    Conversation,
    Message,
    Other,
    Part,
    Reading,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from headroom_cli.source.records import Record
from headroom_cli.wire import openai_responses
from headroom_cli.wire.base import text_or_none
from headroom_cli.wire.results import result_text

_NAME = "codex-exec"
_NOTE = "a stream of `codex exec` has no prompts and no bounds of requests: a turn stands for one request"
_MAX_UNKNOWN_TYPES = 200


def read(records: Iterable[Record], path: str, reading: Reading) -> list[Conversation]:
    """The threads of one stream, one for each `thread.started`."""
    streams: list[_Stream] = []
    for line, value in records:
        if not isinstance(value, dict):
            _unknown(reading, "not an object")
            continue
        kind = value.get("type")
        if kind == "thread.started" or not streams:
            streams.append(_Stream(reading, text_or_none(value.get("thread_id")) if kind == "thread.started" else None))
        streams[-1].event(kind, value, line)
    return [stream.finish(path) for stream in streams if stream.seen]


FORMAT = LogFormat(
    name=_NAME,
    title="Codex exec event stream",
    client="Codex",
    families=frozenset({"codex-exec"}),
    summary="Standard output of `codex exec --json`. Usage per turn; contexts cannot be rebuilt.",
    read=read,
)


class _Stream:
    """One thread of a stream. Items count once, when they are completed; what never completed counts as it was."""

    def __init__(self, reading: Reading, thread_id: str | None) -> None:
        self.reading = reading
        self.thread_id = thread_id or ""
        self.messages: list[Message] = []
        self.requests: list[Request] = []
        self.seen = False
        self._tracker = ContextTracker()
        self._open: dict[str, tuple[dict[str, Any], int]] = {}
        self._in_turn = False
        self._total: Counters | None = None

    def event(self, kind: object, event: dict[str, Any], line: int) -> None:
        """Take in one line."""
        if kind in ("thread.started", "turn.started", "error"):
            self.seen = True
        elif kind in ("item.started", "item.updated", "item.completed"):
            self.seen = True
            self._item_event(kind == "item.completed", event.get("item"), line)
        elif kind == "turn.completed":
            self.seen = True
            self._usage(event.get("usage"), line, self._end_turn())
        elif kind == "turn.failed":
            self.seen = True
            request = self._end_turn()
            if request is not None:
                request.stop_reason = "failed"
        elif kind is None and isinstance(event.get("msg"), dict):
            old = event["msg"].get("type")
            _unknown(self.reading, f"msg:{old if isinstance(old, str) else 'no type'}")
        else:
            _unknown(self.reading, kind if isinstance(kind, str) else "no type")

    def finish(self, path: str) -> Conversation:
        """The thread as a conversation."""
        self._flush_open()
        self._tracker.finish()
        first = "" if self.thread_id else next((digest(message) for message in self.messages), "")
        notes = [_NOTE]
        if self.requests and all(request.usage is None for request in self.requests):
            notes.append("no usage is recorded")
        return Conversation(
            id=conversation_id(_NAME, self.thread_id, "", first),
            session_id=self.thread_id or None,
            log_format=_NAME,
            dialect=openai_responses.NAME,
            path=path,
            client="Codex",
            messages=self.messages,
            requests=self.requests,
            notes=notes,
        )

    def _item_event(self, completed: bool, item: object, line: int) -> None:
        if not isinstance(item, dict):
            return
        item_id = text_or_none(item.get("id"))
        if completed:
            if item_id is not None:
                self._open.pop(item_id, None)
            self._item(item, line)
        elif item_id is not None:
            self._open[item_id] = (item, line)

    def _flush_open(self) -> None:
        for item, line in self._open.values():
            self._item(item, line)
        self._open.clear()

    def _item(self, item: dict[str, Any], line: int) -> None:
        kind = item.get("type")
        handler = _ITEMS.get(kind) if isinstance(kind, str) else None
        if handler is None:
            _unknown(self.reading, f"item:{kind if isinstance(kind, str) else 'no type'}")
            parts: list[Part] = [Other(kind if isinstance(kind, str) else "item", raw=item, line=line)]
        else:
            parts = handler(item, line)
        for part in parts:
            self._message(part, line)

    def _message(self, part: Part, line: int) -> None:
        is_result = isinstance(part, ToolResult)
        message = Message(
            len(self.messages),
            "tool" if is_result else "assistant",
            [part],
            line=line,
            last_line=line,
            origin="tool" if is_result else "model",
        )
        if not is_result:
            message.request = self._request(line).index
        if self.thread_id:
            message.key = f"codex-exec:{self.thread_id}:{message.index}:{digest(message)}"
        self.messages.append(message)
        self._tracker.enter(message.parts)

    def _request(self, line: int) -> Request:
        if not self._in_turn:
            self.requests.append(Request(self._tracker.request(), line=line))
            self._in_turn = True
        return self.requests[-1]

    def _end_turn(self) -> Request | None:
        self._flush_open()
        request = self.requests[-1] if self._in_turn else None
        self._in_turn = False
        return request

    def _usage(self, value: object, line: int, request: Request | None) -> None:
        """`usage` is the running total of the thread: a turn's own is what it grew by."""
        total = counters(value)
        if total is None or total.empty:
            return
        before, self._total = self._total, total
        own = total.since(before) if before is not None else total
        own = total if own is None else own
        if own.empty:
            return
        if request is None:
            request = Request(self._tracker.request(), line=line)
            self.requests.append(request)
        request.source, request.usage = "recorded", own.usage()
        if self.thread_id:
            request.key = f"codex-exec:{self.thread_id}:{request.index}:{','.join(str(n) for n in total)}"


def _agent_message(item: dict[str, Any], line: int) -> list[Part]:
    return [Text(text_or_none(item.get("text")) or "", raw=item, line=line)]


def _reasoning(item: dict[str, Any], line: int) -> list[Part]:
    return [Thinking(text_or_none(item.get("text")) or "", raw=item, line=line)]


def _command(item: dict[str, Any], line: int) -> list[Part]:
    call_id, exit_code = text_or_none(item.get("id")), item.get("exit_code")
    call = ToolCall(call_id, "command_execution", {"command": item.get("command")}, raw=item, line=line)
    if item.get("status") == "in_progress":
        return [call]
    failed = item.get("status") in ("failed", "declined") or (type(exit_code) is int and exit_code != 0)
    return [call, ToolResult(call_id, text_or_none(item.get("aggregated_output")) or "", failed, raw=item, line=line)]


def _mcp_call(item: dict[str, Any], line: int) -> list[Part]:
    call_id = text_or_none(item.get("id"))
    name, server = text_or_none(item.get("tool")) or "", text_or_none(item.get("server"))
    call = ToolCall(call_id, name, item.get("arguments"), "mcp", server, raw=item, line=line)
    result, error = item.get("result"), item.get("error")
    if result is None and error is None:
        return [call]
    content: Any = result.get("content") if isinstance(result, dict) else result
    if error is not None:
        content = error.get("message") if isinstance(error, dict) else error
    text, media = result_text(content, line)
    return [call, ToolResult(call_id, text, error is not None, media, raw=item, line=line)]


def _without_result(name: str, argument: str) -> Callable[[dict[str, Any], int], list[Part]]:
    """Calls whose results the stream leaves out: typed `server`, for nothing is missing."""

    def parse(item: dict[str, Any], line: int) -> list[Part]:
        tool = text_or_none(item.get("tool")) or name
        arguments = {argument: item.get(argument)}
        return [ToolCall(text_or_none(item.get("id")), tool, arguments, "server", raw=item, line=line)]

    return parse


def _nothing(item: dict[str, Any], line: int) -> list[Part]:
    return []


_ITEMS: dict[str, Callable[[dict[str, Any], int], list[Part]]] = {
    "agent_message": _agent_message,
    "reasoning": _reasoning,
    "command_execution": _command,
    "mcp_tool_call": _mcp_call,
    "file_change": _without_result("file_change", "changes"),
    "web_search": _without_result("web_search", "query"),
    "collab_tool_call": _without_result("collab", "prompt"),
    "todo_list": _without_result("todo_list", "items"),
    "error": _nothing,
}


def _unknown(reading: Reading, kind: str) -> None:
    counts, kind = reading.unknown, kind[:80]
    if kind in counts or len(counts) < _MAX_UNKNOWN_TYPES:
        counts[kind] = counts.get(kind, 0) + 1
