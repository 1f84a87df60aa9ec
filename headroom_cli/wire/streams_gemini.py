"""Chunks of a streamed Gemini response, merged.

Chunks of one response share `responseId`; each repeats `usageMetadata`, of which the last counts. Without an id a
response ends with its `finishReason`. Arguments of calls may come in pieces (`partialArgs`, by JSON path).
"""

from __future__ import annotations

import re
from typing import Any

from headroom_cli.wire.base import count, text_or_none

_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d{1,6})\]|\['([^']*)'\]")
_MAX_STEPS = 50


class _Text:
    """A run of text parts with the same `thought` flag."""

    __slots__ = ("fields", "fragments")

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}
        self.fragments: list[str] = []

    def body(self) -> dict[str, Any]:
        return {**self.fields, "text": "".join(self.fragments)}


class _Call:
    """A call whose arguments come in pieces; pieces of one string share a path."""

    __slots__ = ("fields", "function", "strings", "values")

    def __init__(self, fields: dict[str, Any], function: dict[str, Any]) -> None:
        self.fields = fields
        self.function = function
        self.values: dict[str, Any] = {}
        self.strings: dict[str, list[str]] = {}

    def extend(self, pieces: Any) -> None:
        for piece in pieces if isinstance(pieces, list) else []:
            path = piece.get("jsonPath") if isinstance(piece, dict) else None
            if not isinstance(path, str):
                continue
            text = piece.get("stringValue")
            if isinstance(text, str):
                self.strings.setdefault(path, []).append(text)
                self.values.setdefault(path, None)
            else:
                self.values[path] = next((piece[k] for k in ("numberValue", "boolValue") if k in piece), None)

    def body(self) -> dict[str, Any]:
        whole = self.function.get("args")
        args: dict[str, Any] = dict(whole) if isinstance(whole, dict) else {}
        for path, value in self.values.items():
            pieces = self.strings.get(path)
            _assign(args, path, value if pieces is None else "".join(pieces))
        kept = {key: value for key, value in self.function.items() if key not in ("willContinue", "partialArgs")}
        return {**self.fields, "functionCall": {**kept, "args": args}}


class _Candidate:
    __slots__ = ("fields", "open_call", "parts")

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}
        self.parts: list[_Text | _Call | dict[str, Any]] = []
        self.open_call: _Call | None = None


class _Response:
    __slots__ = ("candidates", "fields", "line")

    def __init__(self, line: int) -> None:
        self.line = line
        self.fields: dict[str, Any] = {}
        self.candidates: dict[int, _Candidate] = {}

    def finished(self) -> bool:
        return any(candidate.fields.get("finishReason") for candidate in self.candidates.values())

    def body(self) -> dict[str, Any]:
        candidates = []
        for index in sorted(self.candidates):
            candidate = self.candidates[index]
            parts = [part if isinstance(part, dict) else part.body() for part in candidate.parts]
            candidates.append({**candidate.fields, "index": index, "content": {"role": "model", "parts": parts}})
        return {**self.fields, "candidates": candidates}


class GeminiStream:
    """Collects chunks of any number of responses."""

    def __init__(self) -> None:
        self._by_id: dict[str, _Response] = {}
        self._all: list[_Response] = []
        self._last: _Response | None = None

    def feed(self, line: int, event: dict[str, Any]) -> None:
        """Take one chunk."""
        name = text_or_none(event.get("responseId")) or text_or_none(event.get("response_id"))
        response = self._last if name is None else self._by_id.get(name)
        candidates = event.get("candidates")
        if response is None or (name is None and candidates and response.finished()):
            response = _Response(line)
            self._all.append(response)
        if name is not None:
            self._by_id[name] = response
        self._last = response
        response.fields.update({k: v for k, v in event.items() if k != "candidates" and v is not None})
        for raw in candidates if isinstance(candidates, list) else []:
            if isinstance(raw, dict):
                _add_candidate(response, raw)

    def bodies(self) -> list[tuple[int, dict[str, Any]]]:
        """The responses so far, each with the line of its first chunk, as `GenerateContentResponse` objects."""
        return [(response.line, response.body()) for response in self._all]


def _add_candidate(response: _Response, raw: dict[str, Any]) -> None:
    candidate = response.candidates.setdefault(count(raw.get("index")) or 0, _Candidate())
    candidate.fields.update({k: v for k, v in raw.items() if k not in ("content", "index") and v is not None})
    content = raw.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, dict):
            _add_part(candidate, part)


def _add_part(candidate: _Candidate, part: dict[str, Any]) -> None:
    last = candidate.parts[-1] if candidate.parts else None
    text = part.get("text")
    function = part.get("functionCall")
    if isinstance(text, str):
        if not isinstance(last, _Text) or bool(last.fields.get("thought")) != bool(part.get("thought")):
            if not text and len(part) == 1:
                return
            last = _Text()
            candidate.parts.append(last)
        last.fragments.append(text)
        last.fields.update({key: value for key, value in part.items() if key != "text"})
    elif isinstance(function, dict):
        if candidate.open_call is None or text_or_none(function.get("name")) is not None:
            candidate.open_call = _Call({k: v for k, v in part.items() if k != "functionCall"}, function)
            candidate.parts.append(candidate.open_call)
        candidate.open_call.extend(function.get("partialArgs"))
    else:
        candidate.parts.append(part)


def _assign(args: dict[str, Any], path: str, value: Any) -> None:
    """Put a value where a JSON path such as `$.items[0].name` says; list positions must follow each other."""
    steps = [
        int(number) if number else name or quoted
        for name, number, quoted in _STEP.findall(path[:1000].removeprefix("$"))
    ]
    if not steps or len(steps) > _MAX_STEPS or not isinstance(steps[0], str):
        return
    here: Any = args
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        new = value if following is None else [] if isinstance(following, int) else {}
        if isinstance(here, dict) and isinstance(step, str):
            here[step] = new if following is None else _kept(here.get(step), new)
        elif isinstance(here, list) and isinstance(step, int) and step <= len(here):
            if step == len(here):
                here.append(new)
            else:
                here[step] = new if following is None else _kept(here[step], new)
        else:
            return
        here = here[step]


def _kept(current: Any, new: Any) -> Any:
    return current if isinstance(current, type(new)) else new
