"""Chunks of streamed Gemini responses, told apart by `responseId`; without an id a `finishReason` ends a response."""

from __future__ import annotations

from typing import Any

from headroom_cli.wire.base import text_or_none
from headroom_cli.wire.gemini_stream import merge_chunks


class _Response:
    __slots__ = ("chunks", "finished", "line")

    def __init__(self, line: int) -> None:
        self.line = line
        self.chunks: list[dict[str, Any]] = []
        self.finished = False


class GeminiStream:
    """Collects chunks of any number of responses."""

    def __init__(self) -> None:
        self._by_id: dict[str, _Response] = {}
        self._all: list[_Response] = []
        self._last: _Response | None = None

    def feed(self, line: int, event: dict[str, Any]) -> None:
        """Take one chunk."""
        name = text_or_none(event.get("responseId")) or text_or_none(event.get("response_id"))
        candidates = event.get("candidates")
        response = self._last if name is None else self._by_id.get(name)
        # Behind the end only usage may follow.
        if response is None or (name is None and candidates and response.finished):
            response = _Response(line)
            self._all.append(response)
        if name is not None:
            self._by_id[name] = response
        self._last = response
        response.chunks.append(event)
        first = candidates[0] if isinstance(candidates, list) and candidates else None
        response.finished |= isinstance(first, dict) and bool(first.get("finishReason") or first.get("finish_reason"))

    def bodies(self) -> list[tuple[int, dict[str, Any]]]:
        """The responses so far, each with the line of its first chunk, as `GenerateContentResponse` objects."""
        return [(response.line, body) for response in self._all if (body := merge_chunks(response.chunks)) is not None]
