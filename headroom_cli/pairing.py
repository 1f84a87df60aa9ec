"""Which result answers which call: ordered, and by occurrence where ids repeat.

A result answers a call that stands before it, whatever stands between. Among calls with the same id, those of the
latest turn win (an interrupted `call_0` of an earlier turn is not answered by a later turn's result), and within one
turn the first unanswered. A turn is a run of the assistant's messages: where every call is an item of its own, parallel
calls are several. Where the wire format has no ids, the name takes the place of the id.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from headroom_cli.model import Message, ToolCall, ToolResult

_Key = str | tuple[str, str]
"""An id, or `("name", name)` where the wire format has none."""


@dataclass(slots=True)
class Pair:
    """A call and its result with the indices of their messages; one of the two may be missing."""

    call: ToolCall | None = None
    call_message: int | None = None
    result: ToolResult | None = None
    result_message: int | None = None


def pair(messages: Iterable[Message]) -> list[Pair]:
    """All calls in order, each with its result if there is one, then the results that answer no call."""
    pairs: list[Pair] = []
    orphans: list[Pair] = []
    open_calls: dict[_Key, list[deque[Pair]]] = {}
    opened: dict[_Key, deque[Pair]] = {}
    for message in messages:
        if message.role != "assistant":
            opened = {}
        for part in message.parts:
            if isinstance(part, ToolCall):
                entry = Pair(call=part, call_message=message.index)
                pairs.append(entry)
                key = part.id or ("name", part.name)
                if not opened.get(key):
                    opened[key] = deque()
                    open_calls.setdefault(key, []).append(opened[key])
                opened[key].append(entry)
            elif isinstance(part, ToolResult):
                match = _take(open_calls, part.call_id or ("name", part.name or ""))
                if match is None:
                    orphans.append(Pair(result=part, result_message=message.index))
                else:
                    match.result, match.result_message = part, message.index
    return pairs + orphans


def _take(open_calls: dict[_Key, list[deque[Pair]]], key: _Key) -> Pair | None:
    turns = open_calls.get(key)
    if not turns:
        return None
    match = turns[-1].popleft()
    if not turns[-1]:
        turns.pop()
    return match


def tool_units(pairs: Iterable[Pair]) -> list[tuple[int, list[int]]]:
    """`(message that calls, [messages with its results])` for each message whose calls were answered, in order.

    Result messages stand in the order of the history, each once.
    """
    units: dict[int, set[int]] = {}
    for entry in pairs:
        if entry.call_message is not None and entry.result_message is not None:
            units.setdefault(entry.call_message, set()).add(entry.result_message)
    return [(call, sorted(results)) for call, results in units.items()]
