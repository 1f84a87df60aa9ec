"""Events of a streamed Responses API call, put together again.

The terminal event holds the whole response. Without it (a cut stream), or where a gateway leaves its output empty,
items come from `response.output_item.done`, else from deltas. Items are told apart by `output_index`, never by
`item_id`, which some gateways change from event to event.
"""

from __future__ import annotations

from typing import Any

from headroom_cli.wire.base import count

_TERMINAL = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})
_OPENING = frozenset({"response.created", "response.queued", "response.in_progress"})
_FIELDS = {
    "response.output_text": ("content", "output_text"),
    "response.refusal": ("content", "refusal"),
    "response.reasoning_text": ("content", "reasoning_text"),
    "response.reasoning_summary_text": ("summary", "summary_text"),
    "response.function_call_arguments": ("arguments", "function_call"),
    "response.mcp_call_arguments": ("arguments", "mcp_call"),
    "response.custom_tool_call_input": ("input", "custom_tool_call"),
    "response.code_interpreter_call_code": ("code", "code_interpreter_call"),
}
_FULL_TEXT = {"content": "text", "summary": "text", "arguments": "arguments", "input": "input", "code": "code"}


class _Item:
    """One output item: its snapshot, whether that is final, and the fragments of its strings."""

    __slots__ = ("final", "fragments", "snapshot")

    def __init__(self) -> None:
        self.snapshot: dict[str, Any] | None = None
        self.final = False
        self.fragments: dict[tuple[str, int, str], list[str]] = {}


class ResponsesStream:
    """Collects events; a new response begins with `response.created` or, in a cut file, with any first event."""

    def __init__(self) -> None:
        self._found: list[tuple[int, dict[str, Any]]] = []
        self._events: list[dict[str, Any]] = []
        self._line = 0
        self._id: object = None
        self._closed = False

    def feed(self, line: int, event: dict[str, Any]) -> None:
        """Take one event."""
        kind = event["type"]
        response = event.get("response")
        name = response.get("id") if isinstance(response, dict) else None
        opens = kind in _OPENING or (kind == "response.output_item.added" and self._closed)
        if opens and (self._closed or (self._id is not None and name is not None and name != self._id)):
            if self._closed and kind != "response.created" and name is not None and name == self._id:
                return
            self._close()
            self._closed = False
        if self._closed:
            return
        if not self._events:
            self._line = line
        self._id = name or self._id
        self._events.append(event)
        if kind in _TERMINAL and isinstance(response, dict):
            self._close()

    def _close(self) -> None:
        if self._events:
            self._found.append((self._line, _body(self._events)))
            self._events = []
        self._closed = True

    def bodies(self) -> list[tuple[int, dict[str, Any]]]:
        """The responses so far, each with the line of its first event, as `response` objects."""
        if self._events:
            return [*self._found, (self._line, _body(self._events))]
        return list(self._found)


def _body(events: list[dict[str, Any]]) -> dict[str, Any]:
    last = events[-1]
    body: dict[str, Any] = {"object": "response"}
    for event in (events[0], last):
        response = event.get("response")
        if isinstance(response, dict):
            body.update({key: value for key, value in response.items() if value is not None or key not in body})
    if last["type"] not in _TERMINAL:
        body["usage"] = None
    output = body.get("output")
    if not isinstance(output, list) or not output:
        body["output"] = _rebuilt(events)
    return body


def _rebuilt(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if all(count(event.get("sequence_number")) is not None for event in events):
        events = sorted(events, key=lambda event: int(event["sequence_number"]))
    items: dict[int, _Item] = {}
    indices: dict[str, int] = {}
    for event in events:
        index = _output_index(event, indices, len(items))
        kind: str = event["type"]
        if kind in ("response.output_item.added", "response.output_item.done"):
            snapshot = event.get("item")
            if isinstance(snapshot, dict):
                item = items.setdefault(index, _Item())
                item.snapshot, item.final = snapshot, kind.endswith("done")
            continue
        stem, _, step = kind.rpartition(".")
        field = _FIELDS.get(stem)
        if field is not None and step in ("delta", "done"):
            _add_text(items.setdefault(index, _Item()), field, event, step)
    return [_finished(items[index]) for index in sorted(items)]


def _output_index(event: dict[str, Any], indices: dict[str, int], known: int) -> int:
    """The position of the event's item; without `output_index` that of its `item_id`, or a new one."""
    item = event.get("item")
    name = event.get("item_id") or (item.get("id") if isinstance(item, dict) else None)
    index = count(event.get("output_index"))
    if index is None:
        index = indices.get(name, known) if isinstance(name, str) else max(known - 1, 0)
    if isinstance(name, str):
        indices.setdefault(name, index)
    return index


def _add_text(item: _Item, field: tuple[str, str], event: dict[str, Any], step: str) -> None:
    place, part_type = field
    index = count(event.get("summary_index" if place == "summary" else "content_index")) or 0
    fragments = item.fragments.setdefault((place, index, part_type), [])
    if step == "delta":
        delta = event.get("delta")
        if isinstance(delta, str):
            fragments.append(delta)
        return
    full = event.get("refusal" if part_type == "refusal" else _FULL_TEXT[place])
    if isinstance(full, str):
        fragments[:] = [full]


def _finished(item: _Item) -> dict[str, Any]:
    if item.snapshot is not None and (item.final or not item.fragments):
        return item.snapshot
    place, _, part_type = next(iter(item.fragments))
    if place == "content":
        kind = "reasoning" if part_type == "reasoning_text" else "message"
    else:
        kind = "reasoning" if place == "summary" else part_type
    body: dict[str, Any] = {
        "type": kind,
        **({"role": "assistant"} if kind == "message" else {}),
        **(item.snapshot or {}),
    }
    parts: dict[str, list[dict[str, str]]] = {}
    for (where, _, named), fragments in sorted(item.fragments.items()):
        text = "".join(fragments)
        if where in ("content", "summary"):
            key = "refusal" if named == "refusal" else "text"
            parts.setdefault(where, []).append({"type": named, key: text})
        else:
            body[where] = text
    return {**body, **parts}
