"""Bedrock Converse: each content block is an object whose key is its kind."""

from __future__ import annotations

from typing import Any

from headroom_cli.lint.history import Block, BlockKind, Entry

_KINDS: dict[str, BlockKind] = {
    "text": "text",
    "toolUse": "call",
    "toolResult": "result",
    "reasoningContent": "thinking",
    "image": "media",
    "document": "media",
    "video": "media",
    "audio": "media",
}


def is_stored_row(raw: Any) -> bool:
    """Whether a message lies in a row of a stored session: `{message: {...}, message_id, ...}`."""
    return isinstance(raw, dict) and "role" not in raw and isinstance(raw.get("message"), dict)


def entry(raw: Any, index: int) -> Entry:
    """A message; a stored row is read as its message."""
    if is_stored_row(raw):
        return entry(raw["message"], index)
    if not isinstance(raw, dict):
        return Entry(index, "", "user", raw)
    role = raw.get("role")
    role = role if isinstance(role, str) else ""
    content = raw.get("content")
    if isinstance(content, list):
        blocks = [_block(item, ("content", i)) for i, item in enumerate(content)]
    elif isinstance(content, str):
        blocks = [Block("text", "string", content, ("content",), value=content)]
    else:
        blocks = []
    side = "assistant" if role == "assistant" else "system" if role == "system" else "user"
    return Entry(index, role, side, raw, blocks)  # type: ignore[arg-type]


def _block(raw: Any, path: tuple[str | int, ...]) -> Block:
    if not isinstance(raw, dict):
        return Block("other", "", raw, path)
    name = next((key for key in raw if key in _KINDS), "")
    kind = _KINDS.get(name, "other")
    inner = raw.get(name)
    if kind in ("call", "result") and isinstance(inner, dict):
        if isinstance(inner.get("type"), str):  # a tool that Bedrock runs itself; both parts are the assistant's
            kind = "server_call" if kind == "call" else "server_result"
        call_id, tool = inner.get("toolUseId"), inner.get("name")
        value = inner.get("input") if name == "toolUse" else inner.get("content")
        found = Block(kind, name, raw, path, 0, call_id if isinstance(call_id, str) else None, "", value)
        found.name = tool if isinstance(tool, str) else ""
        return found
    return Block(kind, name or next(iter(map(str, raw)), ""), raw, path, value=inner)
