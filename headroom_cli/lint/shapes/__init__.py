"""Wire shapes as lint sees them: one module a dialect turns a raw message into an `Entry`, losing nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headroom_cli.lint.history import Block, Entry, Pointer
from headroom_cli.lint.shapes import anthropic, bedrock, gemini, openai, responses

_READERS: dict[str, Callable[[Any, int], Entry]] = {
    "anthropic": anthropic.entry,
    "bedrock": bedrock.entry,
    "gemini": gemini.entry,
    "openai": openai.entry,
    "openai-responses": responses.entry,
}
MESSAGE_KEYS = {"gemini": "contents", "openai-responses": "input"}
"""Where a request body of the dialect keeps its messages; else `messages`."""


def read_entry(dialect: str, raw: Any, index: int) -> Entry:
    """The entry of a raw message in a dialect; unknown dialects are read as chat messages."""
    found = _READERS.get(dialect, openai.entry)(raw, index)
    for block in found.blocks:
        block.entry = found
    return found


_CALL_ID = {"tool_use": "id", "tool_result": "tool_use_id", "tool": "tool_call_id"}
_ITEM_ARGUMENTS = ("arguments", "input", "action", "operation")


def call_id_path(block: Block) -> Pointer:
    """From a call or result to its id; () where it has none."""
    raw = block.raw
    if not isinstance(raw, dict):
        return ()
    if block.type in ("toolUse", "toolResult"):
        return (block.type, "toolUseId") if isinstance(raw.get(block.type), dict) else ()
    key = _CALL_ID.get(block.type, "id" if block.path[:1] == ("tool_calls",) else "call_id")
    return (key,) if key in raw else ()


def tool_name_path(block: Block) -> Pointer:
    """From a call to the name of its tool; () where it has none."""
    return _inside(block, ("name",))


def arguments_path(block: Block) -> Pointer:
    """From a call to its arguments; () where it has none."""
    return _inside(block, ("input", "arguments", "args") if block.type == "custom" else (*_ITEM_ARGUMENTS, "args"))


def _inside(block: Block, keys: tuple[str, ...]) -> Pointer:
    raw: Any = block.raw
    path: Pointer = ()
    if not isinstance(raw, dict):
        return ()
    if isinstance(raw.get(block.type), dict):
        raw, path = raw[block.type], (block.type,)
    return next(((*path, key) for key in keys if key in raw), ())
