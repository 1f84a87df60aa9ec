"""Gemini: `contents` of `parts`. Calls have ids only in newer versions of the API; else names and order pair them."""

from __future__ import annotations

from typing import Any

from headroom_cli.lint.history import Block, BlockKind, Entry

_KINDS: dict[str, BlockKind] = {
    "functionCall": "call",
    "function_call": "call",
    "functionResponse": "result",
    "function_response": "result",
    "inlineData": "media",
    "inline_data": "media",
    "fileData": "media",
    "file_data": "media",
    "text": "text",
}


def entry(raw: Any, index: int) -> Entry:
    """A content. Without a role it is the user's."""
    if not isinstance(raw, dict):
        return Entry(index, "", "user", raw)
    role = raw.get("role")
    role = role if isinstance(role, str) else ""
    parts = raw.get("parts")
    items = parts if isinstance(parts, list) else [] if parts is None else [parts]
    blocks = [_part(part, ("parts", i)) for i, part in enumerate(items)]
    side = "assistant" if role in ("model", "assistant") else "system" if role == "system" else "user"
    return Entry(index, role, side, raw, blocks)  # type: ignore[arg-type]


def _part(raw: Any, path: tuple[str | int, ...]) -> Block:
    if not isinstance(raw, dict):
        return Block("other", "", raw, path)
    name = next((key for key in raw if key in _KINDS), "")
    kind = _KINDS.get(name, "other")
    inner = raw.get(name)
    if kind in ("call", "result") and isinstance(inner, dict):
        call_id, tool = inner.get("id"), inner.get("name")
        value = inner.get("args") if kind == "call" else inner.get("response")
        found = Block(kind, name, raw, path, 0, call_id if isinstance(call_id, str) else None, "", value)
        found.name = tool if isinstance(tool, str) else ""
        return found
    if kind == "text" and raw.get("thought") is True:
        kind = "thinking"
    return Block(kind, name, raw, path, value=inner)
