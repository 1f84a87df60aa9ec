"""What makes two messages, parts, prompts or tool lists the same: content and tool ids, no cache markers, no noise."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import orjson

from headroom_cli.model import Declaration, Media, Message, Other, Part, Text, Thinking, ToolCall, ToolResult
from headroom_cli.wire.results import arguments_text, dump

_IGNORED = frozenset({"cache_control", "cachePoint"})


def digest(data: bytes) -> bytes:
    """16 bytes that stand for the data."""
    return hashlib.md5(data, usedforsecurity=False).digest()


def raw_digest(value: Any) -> bytes:
    """The same bytes for the same JSON value as it stands in a log (key order counts)."""
    return digest(_dumped(value))


def look(value: Any) -> bytes:
    """Like `raw_digest`, but good within one run only: SHA-1 takes half the time of MD5 and less."""
    return hashlib.sha1(_dumped(value), usedforsecurity=False).digest()


def _dumped(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except (TypeError, orjson.JSONEncodeError):
        return dump(value).encode("utf-8", "surrogatepass")


def json_hash(value: Any) -> str:
    """First 16 hex digits of the MD5 of the canonical JSON (sorted keys, no cache markers) of a prompt or tool list."""
    try:
        data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        if b'"cache_control"' in data or b'"cachePoint"' in data:
            data = orjson.dumps(_unmarked(value), option=orjson.OPT_SORT_KEYS)
    except (TypeError, RecursionError, orjson.JSONEncodeError):
        data = dump(value, sort_keys=True).encode("utf-8", "surrogatepass")
    return digest(data).hex()[:16]


def part_key(part: Part) -> str:
    """What the model saw of a part, whatever shape the log gave it. White space around a text does not count."""
    if isinstance(part, Text):
        return "t\0" + part.text.strip()
    if isinstance(part, ToolResult):
        return "\0".join(["r", part.call_id or part.name or "", part.text, *map(part_key, part.media)])
    if isinstance(part, ToolCall):
        return f"c\0{part.id or ''}\0{part.name}\0{arguments_text(part.arguments)}"
    if isinstance(part, Thinking):
        return f"h\0{part.text.strip()}\0{part.signature or ''}"
    if isinstance(part, Media):
        return f"m\0{part.digest}" if part.digest else f"m\0{part.mime}\0{raw_digest(part.raw).hex()}"
    if isinstance(part, Declaration):
        return f"d\0{part.name}\0{part.text}"
    name = part.type if isinstance(part, Other) else ""
    return f"o\0{name}\0{raw_digest(part.raw).hex()}"


def message_key(message: Message) -> bytes:
    """The identity of a message within a log: its role and what its parts show the model."""
    shown = [message.role, *(key for key in map(part_key, message.parts) if key != "t\0")]
    return digest("\1".join(shown).encode("utf-8", "replace"))


def give_keys(messages: Iterable[Message], seed: bytes) -> None:
    """Give each message the key that stands for it and all before it, in a log that `seed` stands for."""
    for message in messages:
        seed = digest(seed + message_key(message))
        message.key = seed.hex()


def overlap(old: list[Part], new: list[Part]) -> bool:
    """Whether two states of a message hold the same call, result or other part that is no text."""
    return not _marks(old).isdisjoint(_marks(new))


def _marks(parts: list[Part]) -> set[str]:
    marks = set()
    for part in parts:
        call_id = part.id if isinstance(part, ToolCall) else part.call_id if isinstance(part, ToolResult) else None
        if call_id or not isinstance(part, Text):
            marks.add(call_id or part_key(part))
    return marks


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unmarked(item) for key, item in value.items() if key not in _IGNORED}
    if isinstance(value, list):
        return [_unmarked(item) for item in value]
    return value
