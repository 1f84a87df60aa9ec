"""Responses API: items. Each is an entry of its own; calls and outputs carry a `call_id`, items perhaps an `id`."""

from __future__ import annotations

from typing import Any

from headroom_cli.lint.history import Block, BlockKind, Entry

CALLS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "computer_call": "computer_call_output",
    "tool_search_call": "tool_search_output",
}
"""Calls that the client answers, with the type of their outputs."""

OUTPUTS = frozenset(CALLS.values())
SERVER_CALLS = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
    }
)
_PARTS: dict[str, BlockKind] = {
    "input_text": "text",
    "output_text": "text",
    "text": "text",
    "input_image": "media",
    "input_file": "media",
    "input_audio": "media",
}


def entry(raw: Any, index: int) -> Entry:
    """An item. One without a type is a message; so is a bare string."""
    if isinstance(raw, str):
        return Entry(index, "user", "user", raw, [Block("text", "string", raw, value=raw)])
    if not isinstance(raw, dict):
        return Entry(index, "", "user", raw)
    name = raw.get("type")
    if isinstance(name, str) and name != "message":
        return _item(raw, name, index)
    role = raw.get("role")
    role = role if isinstance(role, str) else ""
    side = "assistant" if role == "assistant" else "system" if role in ("system", "developer") else "user"
    content = raw.get("content")
    if isinstance(content, str):
        blocks = [Block("text", "string", content, ("content",), value=content)]
    elif isinstance(content, list):
        blocks = [_part(part, ("content", i)) for i, part in enumerate(content)]
    else:
        blocks = []
    return Entry(index, role, side, raw, blocks)  # type: ignore[arg-type]


def _item(raw: dict[str, Any], name: str, index: int) -> Entry:
    call_id = raw.get("call_id")
    call_id = call_id if isinstance(call_id, str) else None
    if name in CALLS and not (name == "tool_search_call" and raw.get("execution") == "server"):
        tool = raw.get("name")
        value = next((raw[key] for key in ("arguments", "input", "action", "operation") if key in raw), None)
        made = Block("call", name, raw, (), 0, call_id, tool if isinstance(tool, str) else "", value)
        return Entry(index, "assistant", "assistant", raw, [made])
    if name in OUTPUTS and not (name == "tool_search_output" and raw.get("execution") == "server"):
        return Entry(index, "tool", "user", raw, [Block("result", name, raw, (), 0, call_id, "", raw.get("output"))])
    if name == "reasoning":
        return Entry(index, "assistant", "assistant", raw, [Block("thinking", name, raw, value=raw.get("summary"))])
    if name in SERVER_CALLS or name in CALLS or name in OUTPUTS:
        kind: BlockKind = "server_result" if name in OUTPUTS else "server_call"
        return Entry(index, "assistant", "assistant", raw, [Block(kind, name, raw)])
    kind = "reference" if name == "item_reference" else "other"
    return Entry(index, "", "user", raw, [Block(kind, name, raw)])


def _part(raw: Any, path: tuple[str | int, ...]) -> Block:
    name = raw.get("type") if isinstance(raw, dict) else None
    if not isinstance(name, str):
        return Block("other", "", raw, path)
    return Block(_PARTS.get(name, "other"), name, raw, path, value=raw.get("text"))
