"""Training data: prompt and completion, preference pairs, ShareGPT turns. Each row is a conversation, without usage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from headroom_cli import wire
from headroom_cli.logs.base import LogFormat
from headroom_cli.logs.detection.shapes import as_object
from headroom_cli.logs.exchange.history import read_history
from headroom_cli.model import Conversation, Reading
from headroom_cli.source.records import Record
from headroom_cli.wire.base import text_or_none

_TURNS = {
    "system": "system",
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "assistant": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "tool": "function",
    "function": "function",
    "function_response": "function",
    "observation": "function",
}
_REJECTED = "rejected answers were left out"


def read(records: Iterable[Record], path: str, reading: Reading) -> Iterator[Conversation]:
    """One conversation a row; of a pair of answers the preferred one, the other is never in the same context."""
    for line, value in records:
        rows = _rows(value) if isinstance(value, dict) else []
        if not rows:
            reading.unknown["row"] = reading.unknown.get("row", 0) + 1
            continue
        dialect = wire.dialect_of(rows)
        given = value.get("input")
        body = given if isinstance(given, dict) else value
        tools = as_object(body.get("tools"))
        declared = wire.module(dialect).parse_request({"tools": tools}, line).tools
        conversation = read_history(
            rows,
            [line] * len(rows),
            path,
            dialect,
            log_format="training",
            model=text_or_none(value.get("model")),
            tools=declared,
            body={"tools": tools} if tools is not None else {},
        )
        if "rejected" in value or "non_preferred_output" in value:
            conversation.notes.append(_REJECTED)
        yield conversation


FORMAT = LogFormat(
    name="training",
    title="Training data",
    client="any",
    families=frozenset({"training"}),
    summary="Prompt and completion, chosen and rejected, preferred output, ShareGPT conversations.",
    read=read,
)


def _rows(value: dict[str, Any]) -> list[Any]:
    """The messages of one row."""
    turns = value.get("conversations")
    if isinstance(turns, list):
        first = _said("system", value.get("system"))
        return first + [message for turn in turns for message in _turn(turn)]
    given = value.get("input")
    if "preferred_output" in value:
        asked = given.get("messages") if isinstance(given, dict) else given
        return _said("user", asked) + _said("assistant", value["preferred_output"])
    if "chosen" in value:
        asked = _said("user", value.get("prompt", value.get("question")))
        chosen = _said("assistant", value["chosen"])
        return chosen if chosen[: len(asked)] == asked else asked + chosen
    return _said("user", value.get("prompt")) + _said("assistant", value.get("completion"))


def _said(role: str, value: Any) -> list[Any]:
    """Messages as they stand, or a text as one message of `role`."""
    if isinstance(value, str):
        return [{"role": role, "content": value}] if value else []
    if isinstance(value, dict):
        return [value]
    return list(value) if isinstance(value, list) else []


def _turn(turn: Any) -> list[dict[str, Any]]:
    """A ShareGPT turn `{from, value}` as a chat message; its calls have no ids, results follow by order."""
    if not isinstance(turn, dict):
        return []
    speaker, value = turn.get("from"), turn.get("value")
    text = value if isinstance(value, str) else ""
    if speaker in ("function_call", "tool_call"):
        try:
            call = orjson.loads(text)
        except orjson.JSONDecodeError:
            call = None
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            call = {"name": "", "arguments": text}
        return [{"role": "assistant", "content": None, "function_call": call}]
    role = _TURNS.get(speaker, "user") if isinstance(speaker, str) else "user"
    return [{"role": role, "content": text}]
