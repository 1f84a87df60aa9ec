"""Chunks of a streamed Gemini response, put together into one response."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d{1,4})\]|\['([^']*)'\]")
_VALUES = ("stringValue", "numberValue", "boolValue", "string_value", "number_value", "bool_value")
_MAX_STEPS = 64
_PIECEWISE = frozenset({"partialArgs", "partial_args", "willContinue", "will_continue"})


def merge_chunks(chunks: Sequence[Any]) -> dict[str, Any] | None:
    """One response from the chunks of a stream, or None if there are none.

    Texts that follow one another are joined, if both or neither are thoughts; a function call whose arguments came
    piece by piece (`partialArgs`) gets its `args`. Of everything else (usage, finish reason) the last word counts,
    as chunks repeat it.
    """
    merged: dict[str, Any] = {}
    candidate: dict[str, Any] = {}
    parts = _Parts()
    for chunk in chunks:
        if not isinstance(chunk, dict):
            continue
        merged.update({key: value for key, value in chunk.items() if value is not None and key != "candidates"})
        candidates = chunk.get("candidates")
        first = candidates[0] if isinstance(candidates, list) and candidates else None
        if not isinstance(first, dict):
            continue
        candidate.update({key: value for key, value in first.items() if value is not None and key != "content"})
        content = first.get("content")
        given = content.get("parts") if isinstance(content, dict) else None
        for part in given if isinstance(given, list) else []:
            if isinstance(part, dict):
                parts.add(part)
    parts.close()
    if candidate or parts.merged:
        merged["candidates"] = [{**candidate, "content": {"role": "model", "parts": parts.merged}}]
    return merged or None


class _Parts:
    """Parts so far. The last one is open: its text, or its call's arguments by path, still lie in pieces."""

    def __init__(self) -> None:
        self.merged: list[dict[str, Any]] = []
        self.texts: list[str] = []
        self.call: dict[str, Any] | None = None
        self.arguments: dict[str, list[Any]] = {}

    def add(self, part: dict[str, Any]) -> None:
        key = "function_call" if "function_call" in part else "functionCall"
        call, text = part.get(key), part.get("text")
        if isinstance(call, dict):
            if self.call is None or "name" in call:
                self.close()
                self.call = {name: value for name, value in call.items() if name not in _PIECEWISE}
                self.merged.append({**part, key: self.call})
            self._add_arguments(call.get("partialArgs", call.get("partial_args")))
            if call.get("willContinue", call.get("will_continue")) is not True:
                self.close()
        elif isinstance(text, str):
            if not self.texts or (self.merged[-1].get("thought") is True) != (part.get("thought") is True):
                self.close()
                self.merged.append(dict(part))
            else:
                self.merged[-1].update(part)
            self.texts.append(text)
        else:
            self.close()
            self.merged.append(part)

    def _add_arguments(self, pieces: Any) -> None:
        for piece in pieces if isinstance(pieces, list) else []:
            if isinstance(piece, dict):
                path = piece.get("jsonPath", piece.get("json_path"))
                value = next((piece[key] for key in _VALUES if key in piece), None)
                if isinstance(path, str):
                    self.arguments.setdefault(path, []).append(value)

    def close(self) -> None:
        """Join what lies in pieces."""
        if self.texts:
            self.merged[-1]["text"] = "".join(self.texts)
            self.texts = []
        if self.call is not None and self.arguments:
            given = self.call.get("args")
            arguments: dict[str, Any] = dict(given) if isinstance(given, dict) else {}
            for path, values in self.arguments.items():
                joined = "".join(values) if all(isinstance(value, str) for value in values) else values[-1]
                _put(arguments, path, joined)
            self.call["args"] = arguments
        self.call, self.arguments = None, {}


def _put(arguments: dict[str, Any], path: str, value: Any) -> None:
    """Put a value where its JSON path (`$.recipe.steps[0].text`) says, making what lies on the way."""
    steps: list[str | int] = [
        int(match[2]) if match[2] is not None else match[3] if match[1] is None else match[1]
        for match in _STEP.finditer(path)
    ]
    target: Any = arguments
    if len(steps) > _MAX_STEPS:
        return
    for step, following in pairwise([*steps, None]):
        if isinstance(step, str) and isinstance(target, dict):
            inner = target.get(step)
        elif isinstance(step, int) and isinstance(target, list):
            if step > len(target):
                return
            target += [None] * (step == len(target))
            inner = target[step]
        else:
            return
        if following is None:
            inner = value
        elif not isinstance(inner, (dict, list)):
            inner = [] if isinstance(following, int) else {}
        target[step] = inner
        target = inner
