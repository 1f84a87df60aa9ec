"""Chunks of a streamed chat completion (`chat.completion.chunk`), merged.

The merge follows openai-python `lib/streaming/_deltas.py`, with what compatible servers do differently: calls without
an index or all with index 0, ids and names repeated in each fragment, whole calls in one chunk, usage on each chunk.
"""

from __future__ import annotations

from typing import Any

from headroom_cli.wire.base import text_or_none

_WHOLE = frozenset({"index", "type", "id", "role", "format"})
_MAX_DEPTH = 20
_MAX_NAME = 256


class _Fragments(list[str]):
    """Pieces of one string, joined at the end: repeated concatenation would be quadratic."""


class _Call:
    __slots__ = ("arguments", "fields", "id", "key", "name")

    def __init__(self) -> None:
        self.id: str | None = None
        self.key = "function"
        self.name = ""
        self.arguments: _Fragments | Any = None
        self.fields: dict[str, Any] = {}

    def body(self) -> dict[str, Any]:
        arguments = "".join(self.arguments) if isinstance(self.arguments, _Fragments) else self.arguments
        field = "arguments" if self.key == "function" else "input"
        return {**self.fields, "id": self.id, "type": self.key, self.key: {"name": self.name, field: arguments}}


class _Choice:
    __slots__ = ("by_id", "by_index", "calls", "finish_reason", "legacy", "message")

    def __init__(self) -> None:
        self.message: dict[str, Any] = {}
        self.calls: list[_Call] = []
        self.by_id: dict[str, _Call] = {}
        self.by_index: dict[int, _Call] = {}
        self.legacy: _Call | None = None
        self.finish_reason: str | None = None


class _Response:
    __slots__ = ("choices", "created", "fields", "line", "usage")

    def __init__(self, line: int, created: object) -> None:
        self.line = line
        self.created = created
        self.fields: dict[str, Any] = {}
        self.choices: dict[int, _Choice] = {}
        self.usage: dict[str, Any] | None = None

    def finished(self) -> bool:
        return bool(self.choices) and all(choice.finish_reason for choice in self.choices.values())


class ChatStream:
    """Collects chunks of any number of responses, by their id; chunks without an id continue the last response."""

    def __init__(self) -> None:
        self._by_id: dict[str, _Response] = {}
        self._all: list[_Response] = []
        self._last: _Response | None = None

    def feed(self, line: int, event: dict[str, Any]) -> None:
        """Take one chunk."""
        response = self._response(line, event)
        if response is None:
            return
        self._last = response
        for key in ("id", "created", "model", "service_tier", "system_fingerprint"):
            value = event.get(key)
            if value and key not in response.fields:
                response.fields[key] = value
        groq = event.get("x_groq")
        usage = event.get("usage") or (groq.get("usage") if isinstance(groq, dict) else None)
        for choice in event["choices"]:
            if isinstance(choice, dict):
                _add_choice(response, choice)
                usage = usage or choice.get("usage")
        if isinstance(usage, dict) and usage:
            response.usage = usage

    def _response(self, line: int, event: dict[str, Any]) -> _Response | None:
        name = text_or_none(event.get("id"))
        known = self._last if name is None else self._by_id.get(name)
        speaks = _speaks(event["choices"])
        # Small servers draw ids from a small range: the same id may come again for another response.
        ended = known is not None and speaks and known.finished()
        if known is not None and ended and (name is None or known.created != event.get("created")):
            known = None
        if known is None:
            # Azure's first chunk has no id and only filter results.
            if name is None and not speaks:
                return None
            known = _Response(line, event.get("created"))
            self._all.append(known)
        if name is not None:
            self._by_id[name] = known
        return known

    def bodies(self) -> list[tuple[int, dict[str, Any]]]:
        """The responses so far, each with the line of its first chunk, as `chat.completion` objects."""
        return [(response.line, _body(response)) for response in self._all]


def _speaks(choices: list[Any]) -> bool:
    return any(
        isinstance(choice, dict)
        and isinstance(delta := choice.get("delta") or choice.get("message"), dict)
        and any(value for key, value in delta.items() if key != "role")
        for choice in choices
    )


def _add_choice(response: _Response, raw: dict[str, Any]) -> None:
    index = raw.get("index")
    choice = response.choices.setdefault(index if type(index) is int else 0, _Choice())
    delta = raw.get("delta")
    if not isinstance(delta, dict) and not choice.message and not choice.calls:
        delta = raw.get("message")
    if isinstance(delta, dict):
        for key, value in delta.items():
            if value is None:
                continue
            if key == "tool_calls":
                for entry in value if isinstance(value, list) else [value]:
                    _add_call(choice, entry)
            elif key == "function_call":
                choice.legacy = choice.legacy or _Call()
                _extend_call(choice.legacy, value)
            else:
                _add_field(choice.message, key, value)
    reason = text_or_none(raw.get("finish_reason"))
    choice.finish_reason = reason or choice.finish_reason


def _add_field(into: dict[str, Any], key: str, value: Any, depth: int = 0) -> None:
    current = into.get(key)
    if depth > _MAX_DEPTH:
        into[key] = value
    elif isinstance(value, str):
        if key in _WHOLE:
            into[key] = value or current
        elif isinstance(current, _Fragments):
            current.append(value)
        elif isinstance(current, list):
            _add_entry(current, {"type": "text", "text": value}, depth + 1)
        else:
            into[key] = _Fragments((value,))
    elif isinstance(value, dict):
        if not isinstance(current, dict):
            current = into[key] = {}
        for inner, inner_value in value.items():
            if inner_value is not None:
                _add_field(current, inner, inner_value, depth + 1)
    elif isinstance(value, list):
        if isinstance(current, _Fragments):
            text = "".join(current)
            current = into[key] = [{"type": "text", "text": _Fragments((text,))}] if text else []
        elif not isinstance(current, list):
            current = into[key] = []
        for entry in value:
            _add_entry(current, entry, depth + 1)
    elif value is not None:
        into[key] = value


def _add_entry(entries: list[Any], entry: Any, depth: int) -> None:
    """Merge an entry of a list into the one with the same `index`, else (text, thinking) into the last of its type."""
    if not isinstance(entry, dict):
        if entry is not None:
            entries.append(entry)
        return
    last = entries[-1] if entries else None
    target: dict[str, Any] | None = None
    if isinstance(last, dict) and last.get("type") == entry.get("type"):
        same_index = "index" in entry and last.get("index") == entry["index"]
        prose = "index" not in entry and entry.get("type") in ("text", "thinking") and not last.get("signature")
        target = last if same_index or prose else None
    if target is None:
        target = {}
        entries.append(target)
    for key, value in entry.items():
        if value is not None:
            _add_field(target, key, value, depth + 1)


def _add_call(choice: _Choice, entry: Any) -> None:
    """A fragment of a call belongs to the call with its id, else with its index, else to the last one.

    A new id opens a new call even under an index in use, but only together with a name: some servers draw a new id
    for each fragment. Without any id, a name after arguments opens a new call.
    """
    if not isinstance(entry, dict):
        return
    call_id = text_or_none(entry.get("id"))
    index = entry.get("index") if type(entry.get("index")) is int else None
    name = _name(entry)
    call = choice.by_id.get(call_id) if call_id is not None else None
    if call is None:
        call = choice.by_index.get(index) if index is not None else (choice.calls[-1] if choice.calls else None)
        if call is not None and name and _opens(call, call_id, name):
            call = None
    if call is None:
        call = _Call()
        choice.calls.append(call)
    if index is not None:
        choice.by_index[index] = call
    if call_id is not None:
        choice.by_id[call_id] = call
        call.id = call.id or call_id
    custom = entry.get("custom")
    if isinstance(custom, dict) or entry.get("type") == "custom":
        call.key = "custom"
    fields = custom if call.key == "custom" else entry.get("function")
    _extend_call(call, fields if isinstance(fields, dict) else entry)
    for key, value in entry.items():
        if key not in ("id", "type", "index", "function", "custom", "name", "arguments"):
            call.fields.setdefault(key, value)


def _name(entry: dict[str, Any]) -> str | None:
    fields = entry.get("function") or entry.get("custom")
    return text_or_none(fields.get("name")) if isinstance(fields, dict) else text_or_none(entry.get("name"))


def _opens(call: _Call, call_id: str | None, name: str) -> bool:
    if call_id is not None and call.id is not None:
        return True
    return call_id is None and name != call.name and bool(call.arguments)


def _extend_call(call: _Call, fields: Any) -> None:
    if not isinstance(fields, dict):
        return
    name = text_or_none(fields.get("name"))
    if name and name != call.name and not call.arguments and len(call.name) < _MAX_NAME:
        call.name += name
    value = fields.get("arguments" if call.key == "function" else "input")
    if isinstance(value, str):
        if not isinstance(call.arguments, _Fragments):
            call.arguments = _Fragments()
        if value:
            call.arguments.append(value)
    elif value is not None:
        call.arguments = value


def _joined(value: Any, depth: int = 0) -> Any:
    if isinstance(value, _Fragments):
        return "".join(value)
    if depth > _MAX_DEPTH + 1:
        return value
    if isinstance(value, dict):
        return {key: _joined(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_joined(inner, depth + 1) for inner in value]
    return value


def _body(response: _Response) -> dict[str, Any]:
    choices = []
    for index in sorted(response.choices):
        choice = response.choices[index]
        message = {"role": "assistant", "content": None, **_joined(choice.message)}
        if choice.calls:
            message["tool_calls"] = [call.body() for call in choice.calls]
        if choice.legacy is not None:
            message["function_call"] = choice.legacy.body()["function"]
        choices.append({"index": index, "message": message, "finish_reason": choice.finish_reason})
    return {**response.fields, "object": "chat.completion", "choices": choices, "usage": response.usage}
