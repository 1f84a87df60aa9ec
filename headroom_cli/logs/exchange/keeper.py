"""Requests kept in raw form, for who judges what was sent: equal messages and equal fields of bodies are kept once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headroom_cli.logs.exchange.exchanges import is_output
from headroom_cli.logs.exchange.keys import look
from headroom_cli.logs.exchange.model import Exchange
from headroom_cli.model import Sent

MESSAGE_KEYS = frozenset({"messages", "contents", "input"})
"""Where request bodies keep their messages."""

_JUDGED = ("model", "tools", "toolConfig", "functions", "thinking", "reasoning", "store")
_TAIL = 40  # messages at the end of a request that are searched for its newest cache markers
_MOST_MARKERS = 4  # more are refused
_NOTHING = object()


class Keeper:
    """Keeps the requests of one file. What it holds grows with what is new in them, not with what they repeat."""

    def __init__(self) -> None:
        self._values: dict[bytes, Any] = {}
        self._by_response: dict[str, Sent] = {}

    def keep(self, sent: list[Sent], exchange: Exchange) -> None:
        """Add a request to those of its thread; the one before keeps its messages only if this one does not go on."""
        own = exchange.body
        body = {key: self._once(value) for key, value in own.items() if key not in MESSAGE_KEYS}
        messages = [
            self._values.setdefault(seen, raw) for seen, raw in zip(exchange.looks, exchange.messages, strict=True)
        ]
        response = exchange.response
        previous = exchange.previous_response_id
        this = Sent(
            exchange.line,
            exchange.dialect,
            messages,
            exchange.keys,
            anchor={
                **own,
                **body,
                **{key: messages for key in own if isinstance(own[key], list) and key in MESSAGE_KEYS},
            },
            body=body,
            recorded=exchange.recorded,
            model=exchange.model,
            timestamp=exchange.timestamp,
            response_id=response.id if response is not None else None,
            previous_response_id=previous,
            answer=response.messages if response is not None else [],
            usage=response.usage if response is not None else None,
            length=len(messages),
            output=exchange.output,
            parent=self._by_response.get(previous) if previous is not None else None,
            markers=newest_markers(messages),
        )
        if sent and _goes_on(sent[-1], this):
            last = sent[-1]
            last.messages, last.anchor, last.keys = None, None, []
        sent.append(this)
        if this.response_id:
            self._by_response[this.response_id] = this

    def forget(self) -> None:
        """Drop what is remembered of the requests kept so far; what comes is compared with what comes."""
        self._values.clear()
        self._by_response.clear()

    def _once(self, value: Any) -> Any:
        """The value, or the first one that was exactly like it (the order of keys counts)."""
        return self._values.setdefault(look(value), value) if isinstance(value, dict | list | str) else value


def newest_markers(messages: Sequence[Any]) -> tuple[tuple[int, int], ...]:
    """Where the last cache markers among the messages stand: index of the message, and of the block in it."""
    found: list[tuple[int, int]] = []
    for index in range(len(messages) - 1, max(-1, len(messages) - 1 - _TAIL), -1):
        raw = messages[index]
        content = raw.get("content") if isinstance(raw, dict) else None
        if isinstance(content, list):
            for position in range(len(content) - 1, -1, -1):
                block = content[position]
                if isinstance(block, dict) and ("cache_control" in block or "cachePoint" in block):
                    found.append((index, position))
        elif isinstance(raw, dict) and "cache_control" in raw:
            found.append((index, 0))
        if len(found) >= _MOST_MARKERS:
            break
    return tuple(reversed(found[:_MOST_MARKERS]))


def _goes_on(last: Sent, this: Sent) -> bool:
    """Whether a request only appends to the one before: then whoever judges it has judged both.

    Not so where the tools or the model changed, and where the one before ended with the model's words.
    """
    if last.messages is None or not last.length or last.parent is not None or this.parent is not None:
        return False
    if last.recorded and is_output(last.messages[-1]):
        return False
    if this.keys[: last.length] != last.keys:
        return False
    before, now = last.body, this.body
    return all(_same(before.get(name, _NOTHING), now.get(name, _NOTHING)) for name in _JUDGED)


def _same(one: Any, other: Any) -> bool:
    """Whether two values of bodies are exactly alike: they are one object then, unless it was forgotten."""
    if one is other or not isinstance(one, dict | list):
        return one is other or bool(one == other)
    return bool(one == other) and look(one) == look(other)
