"""Server-sent events of the Anthropic Messages API, put together again.

Follows anthropic-sdk-python `lib/streaming/_messages.py`: `message_delta.usage` is cumulative and replaces what
`message_start` said. A repeated `message_start` (behind proxies) is passed over; another id begins a new message.
"""

from __future__ import annotations

import json
from typing import Any

from headroom_cli.wire.base import count

_TEXT_DELTAS = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "compaction_delta": "content",
}


class _Block:
    __slots__ = ("citations", "fragments", "json", "start")

    def __init__(self, start: dict[str, Any]) -> None:
        self.start = start
        self.fragments: dict[str, list[str]] = {}
        self.json: list[str] = []
        self.citations: list[Any] = []

    def body(self) -> dict[str, Any]:
        body = dict(self.start)
        for key, fragments in self.fragments.items():
            begun = body.get(key)
            body[key] = (begun if isinstance(begun, str) else "") + "".join(fragments)
        if self.citations:
            body["citations"] = self.citations
        text = "".join(self.json)
        if text:
            body["input"] = _decoded(text)
        return body


class _Message:
    __slots__ = ("blocks", "ended", "fields", "line", "usage")

    def __init__(self, line: int, fields: dict[str, Any]) -> None:
        self.line = line
        self.fields = {"type": "message", "role": "assistant", **fields}
        self.blocks: dict[int, _Block] = {}
        usage = fields.get("usage")
        self.usage: dict[str, Any] = dict(usage) if isinstance(usage, dict) else {}
        self.ended = False

    def body(self) -> dict[str, Any]:
        started = self.fields.get("content")
        content = [self.blocks[index].body() for index in sorted(self.blocks)]
        usage = self.usage
        if not self.ended:
            # Until `message_delta` the output count is a placeholder.
            usage = {key: value for key, value in usage.items() if key != "output_tokens"}
        return {
            **self.fields,
            "content": content or (started if isinstance(started, list) else []),
            "usage": usage or None,
        }


class AnthropicStream:
    """Collects events of one message after another."""

    def __init__(self) -> None:
        self._all: list[_Message] = []
        self._current: _Message | None = None

    def feed(self, line: int, event: dict[str, Any]) -> None:
        """Take one event."""
        kind = event["type"]
        if kind == "message_start":
            message = event.get("message")
            fields = message if isinstance(message, dict) else {}
            if self._current is None or self._current.fields.get("id") != fields.get("id"):
                self._open(line, fields)
        elif kind == "message_stop":
            self._current = None
        elif kind == "content_block_start":
            block = event.get("content_block")
            index = count(event.get("index"))
            if isinstance(block, dict) and index is not None:
                self._message(line).blocks[index] = _Block(block)
        elif kind == "content_block_delta":
            _add_delta(self._message(line), event)
        elif kind == "message_delta":
            _end(self._message(line), event)

    def _open(self, line: int, fields: dict[str, Any]) -> _Message:
        self._current = _Message(line, fields)
        self._all.append(self._current)
        return self._current

    def _message(self, line: int) -> _Message:
        """The message that the event belongs to: a new one where the file begins in the middle of a stream."""
        return self._current or self._open(line, {})

    def bodies(self) -> list[tuple[int, dict[str, Any]]]:
        """The messages so far, each with the line of its first event."""
        return [(message.line, message.body()) for message in self._all]


def _add_delta(message: _Message, event: dict[str, Any]) -> None:
    index = count(event.get("index"))
    delta = event.get("delta")
    if index is None or not isinstance(delta, dict):
        return
    kind = delta.get("type")
    block = message.blocks.get(index)
    if block is None:
        block = message.blocks[index] = _Block(_started_by(kind))
    if kind == "input_json_delta":
        fragment = delta.get("partial_json")
        if isinstance(fragment, str):
            block.json.append(fragment)
    elif kind == "citations_delta":
        block.citations.append(delta.get("citation"))
    elif isinstance(kind, str) and kind in _TEXT_DELTAS:
        key = _TEXT_DELTAS[kind]
        fragment = delta.get(key)
        if isinstance(fragment, str):
            block.fragments.setdefault(key, []).append(fragment)


def _started_by(kind: object) -> dict[str, Any]:
    if kind == "input_json_delta":
        return {"type": "tool_use", "id": None, "name": "", "input": {}}
    if kind in ("thinking_delta", "signature_delta"):
        return {"type": "thinking", "thinking": ""}
    return {"type": "text", "text": ""}


def _end(message: _Message, event: dict[str, Any]) -> None:
    delta = event.get("delta")
    if isinstance(delta, dict):
        message.fields.update({key: value for key, value in delta.items() if value is not None})
    usage = event.get("usage")
    if isinstance(usage, dict):
        message.usage.update({key: value for key, value in usage.items() if value is not None})
        message.ended = True


def _decoded(text: str) -> Any:
    """The input of a call; the text itself where the stream was cut inside it."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
