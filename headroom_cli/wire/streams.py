"""Recorded event streams, put together again to the response bodies that the APIs give without streaming.

Chat Completions chunks, Responses events, Anthropic server-sent events and Gemini chunks may follow each other in one
file; chat and Gemini streams, whose chunks carry an id, may also run in parallel.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from headroom_cli.wire.streams_anthropic import AnthropicStream
from headroom_cli.wire.streams_chat import ChatStream
from headroom_cli.wire.streams_gemini import GeminiStream
from headroom_cli.wire.streams_responses import ResponsesStream

_ANTHROPIC_TYPES = frozenset(
    {
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    }
)


class _Stream(Protocol):
    def feed(self, line: int, event: dict[str, Any]) -> None: ...

    def bodies(self) -> list[tuple[int, dict[str, Any]]]: ...


def assemble(events: Iterable[tuple[int, Any]]) -> list[tuple[int, dict[str, Any], str]]:
    """The responses in a sequence of `(line, event)`, as `(first line, body, dialect)` in the order of their lines.

    A body has the shape that `parse_response` of its dialect reads. A stream that was cut gives what there is: no
    stop reason, and no output tokens, for only the end of a stream tells them. What is no event is passed over.
    """
    streams: dict[str, _Stream] = {}
    for line, event in events:
        dialect = stream_dialect(event)
        if dialect is not None:
            if dialect not in streams:
                streams[dialect] = _new(dialect)
            streams[dialect].feed(line, event)
    found = [(line, body, dialect) for dialect, stream in streams.items() for line, body in stream.bodies()]
    found.sort(key=lambda entry: entry[0])
    return found


def _new(dialect: str) -> _Stream:
    if dialect == "openai":
        return ChatStream()
    if dialect == "anthropic":
        return AnthropicStream()
    return GeminiStream() if dialect == "gemini" else ResponsesStream()


def stream_dialect(event: object) -> str | None:
    """The dialect whose stream an event belongs to; None if it is no event that carries anything."""
    if not isinstance(event, dict):
        return None
    kind = event.get("type")
    if isinstance(kind, str):
        if kind in _ANTHROPIC_TYPES:
            return "anthropic"
        return "openai-responses" if kind.startswith("response.") else None
    if isinstance(event.get("choices"), list):
        return "openai"
    if isinstance(event.get("candidates"), list) or isinstance(event.get("usageMetadata"), dict):
        return "gemini"
    return None
