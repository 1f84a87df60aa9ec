"""Chat completions: messages with `tool_calls`, `tool` messages, the legacy `function` role; Mistral's shape too."""

from __future__ import annotations

from typing import Any

from headroom_cli.lint.history import Block, BlockKind, Entry

_SIDES = {"assistant": "assistant", "model": "assistant", "system": "system", "developer": "system"}
_KINDS: dict[str, BlockKind] = {
    "text": "text",
    "image_url": "media",
    "input_audio": "media",
    "file": "media",
    "thinking": "thinking",
}


def entry(raw: Any, index: int) -> Entry:
    """A message; its calls stand after its content, as the API reads them."""
    if not isinstance(raw, dict):
        return Entry(index, "", "user", raw)
    role = raw.get("role")
    role = role if isinstance(role, str) else ""
    content = raw.get("content")
    if role == "tool" or role == "function":
        call_id, name = raw.get("tool_call_id"), raw.get("name", raw.get("tool_name"))
        result = Block("result", role, raw, (), 0, call_id if isinstance(call_id, str) else None, value=content)
        result.name = name if isinstance(name, str) else ""
        return Entry(index, role, "user", raw, [result])
    if isinstance(content, str):
        blocks = [Block("text", "string", content, ("content",), value=content)]
    elif isinstance(content, list):
        blocks = [_part(part, ("content", i)) for i, part in enumerate(content)]
    else:
        blocks = []
    calls = raw.get("tool_calls")
    if isinstance(calls, list):
        blocks += [_call(call, ("tool_calls", i)) for i, call in enumerate(calls)]
    legacy = raw.get("function_call")
    if isinstance(legacy, dict):
        name = legacy.get("name")
        made = Block("call", "function_call", legacy, ("function_call",), value=legacy.get("arguments"))
        made.name = name if isinstance(name, str) else ""
        blocks.append(made)
    return Entry(index, role, _SIDES.get(role, "user"), raw, blocks)  # type: ignore[arg-type]


def is_legacy(block: Block) -> bool:
    """Whether a call or result is of the time before `tool_calls`: without ids, paired by name and place."""
    return (block.type == "function" and block.kind == "result") or block.path == ("function_call",)


def _call(raw: Any, path: tuple[str | int, ...]) -> Block:
    if not isinstance(raw, dict):
        return Block("call", "", raw, path)
    function = raw.get("function")
    kind = "function"
    if not isinstance(function, dict):
        function, kind = raw.get("custom"), "custom"
    function = function if isinstance(function, dict) else {}
    call_id, name = raw.get("id"), function.get("name")
    value = function.get("input") if kind == "custom" else function.get("arguments")
    return Block(
        "call",
        kind,
        raw,
        path,
        0,
        call_id if isinstance(call_id, str) else None,
        name if isinstance(name, str) else "",
        value,
    )


def _part(raw: Any, path: tuple[str | int, ...]) -> Block:
    if isinstance(raw, str):
        return Block("text", "string", raw, path, value=raw)
    name = raw.get("type") if isinstance(raw, dict) else None
    if not isinstance(name, str):
        return Block("other", "", raw, path)
    return Block(_KINDS.get(name, "other"), name, raw, path, value=raw.get("text"))
