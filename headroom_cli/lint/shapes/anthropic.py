"""Anthropic Messages: content blocks, as `wire/anthropic.py` documents them."""

from __future__ import annotations

from typing import Any

from headroom_cli.lint.history import Block, BlockKind, Entry

_KINDS: dict[str, BlockKind] = {
    "text": "text",
    "thinking": "thinking",
    "redacted_thinking": "thinking",
    "tool_use": "call",
    "tool_result": "result",
    "server_tool_use": "server_call",
    "mcp_tool_use": "server_call",
    "image": "media",
    "document": "media",
    "tool_reference": "reference",
}
_VALUES = {"text": "text", "thinking": "thinking", "call": "input", "server_call": "input"}


def entry(raw: Any, index: int) -> Entry:
    """A message. A string as content is one text block, also an empty one."""
    if not isinstance(raw, dict):
        return Entry(index, "", "user", raw)
    role = raw.get("role")
    role = role if isinstance(role, str) else ""
    side = "assistant" if role == "assistant" else "system" if role == "system" else "user"
    content = raw.get("content")
    if isinstance(content, str):
        blocks = [Block("text", "string", content, ("content",), value=content)]
    elif isinstance(content, list):
        blocks = [block(item, ("content", i)) for i, item in enumerate(content)]
    else:
        blocks = []
    return Entry(index, role, side, raw, blocks)  # type: ignore[arg-type]


def block(raw: Any, path: tuple[str | int, ...] = (), line: int = 0) -> Block:
    """One content block."""
    if not isinstance(raw, dict):
        return Block("text", "string", raw, path, line, value=raw) if isinstance(raw, str) else _other(raw, path, line)
    name = raw.get("type")
    if type(name) is not str:
        return _other(raw, path, line)
    kind = _KINDS.get(name)
    if kind is None:
        if name.endswith("_tool_result"):
            kind = "server_result"
        else:
            return Block("other", name, raw, path, line)
    if kind == "result" or kind == "server_result":
        return Block(kind, name, raw, path, line, _text(raw.get("tool_use_id")), "", raw.get("content"))
    if kind == "call" or kind == "server_call":
        tool = raw.get("name")
        return Block(
            kind, name, raw, path, line, _text(raw.get("id")), tool if isinstance(tool, str) else "", raw.get("input")
        )
    value = raw.get(_VALUES.get(kind, ""))
    return Block(kind, name, raw, path, line, None, "", value)


def _other(raw: Any, path: tuple[str | int, ...], line: int) -> Block:
    return Block("other", "", raw, path, line)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
