"""# HR406 foreign-content-part

A content part has the type of another provider's API.

## Why it is refused

Each API knows its own types, and names them in the error. Typical causes: a history of Anthropic's or of the Responses
API sent to chat completions as it is, or the other way; a framework that keeps `tool_use` blocks *and* `tool_calls` in
one message, so that a converter makes two calls of one.

Found are types that are known to belong elsewhere, never types that are merely new. Mistral knows `thinking` parts of
the assistant, but none in a system message.

## Example

```json
{"messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant",
   "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {}}],
   "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "c1", "content": "r"}]}
```

## What to do

Convert the part. Dropping it may lose a call, a result or a text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Rule
from headroom_cli.lint.history import Block

_ITEMS = frozenset({"input_text", "output_text", "input_image", "input_file", "function_call", "function_call_output"})
_BLOCKS = frozenset(
    {
        "tool_use",
        "tool_result",
        "redacted_thinking",
        "server_tool_use",
        "mcp_tool_use",
        "web_search_tool_result",
        "image",
        "document",
        "search_result",
        "tool_reference",
    }
)
_FOREIGN = {
    "openai": _ITEMS | _BLOCKS | {"thinking"},
    "strict": _ITEMS | _BLOCKS | {"thinking"},
    "mistral": _ITEMS | _BLOCKS,
    "anthropic": _ITEMS | {"image_url", "input_audio", "refusal", "tool_calls"},
}
_SUPPORTED = (
    "Invalid value: '{type}'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'."
)
_TAG = "messages.{n}: Input tag '{type}' found using 'type' does not match any of the expected tags"
_CHUNK = "Unexpected content chunk types in {role} message: ['{type}']"


def check(check: Check) -> Iterator[Finding]:
    """Content parts of the types that other APIs have."""
    history, name = check.history, check.profile.name
    if history.dialect == "anthropic" and name in ("anthropic", "strict"):
        foreign, text = _FOREIGN["anthropic"], _TAG
    elif history.dialect == "openai" and name in ("openai", "strict", "mistral"):
        foreign, text = _FOREIGN[name], _CHUNK if name == "mistral" else _SUPPORTED
    elif history.dialect == "openai" and name == "anthropic" and check.native:
        foreign, text = _FOREIGN["anthropic"], _TAG
    else:
        return
    mistral = name == "mistral"
    for block in history.blocks:
        if block.kind == "result":
            for place, part in enumerate(block.value if isinstance(block.value, list) else ()):
                kind = _type(part)
                if kind in foreign:
                    yield _finding(check, block, kind, text, ("content", place))
        elif block.kind != "call" and (block.type in foreign or (mistral and _thinks_in_system(block))):
            yield _finding(check, block, block.type, text)


def _type(part: Any) -> str:
    kind = part.get("type") if isinstance(part, dict) else None
    return kind if isinstance(kind, str) else ""


def _thinks_in_system(block: Block) -> bool:
    return block.kind == "thinking" and block.entry.role == "system"


def _finding(check: Check, block: Block, kind: str, text: str, at: tuple[str | int, ...] = ()) -> Finding:
    mistral = check.profile.name == "mistral"
    return check.finding(
        f"a part of the type {kind}, which another provider's API has",
        block,
        at=at,
        severity="warning" if mistral else "error",
        api_error=text.format(type=kind, n=block.entry.index, role=block.entry.role),
    )


RULE = Rule(
    code="HR406",
    name="foreign-content-part",
    summary="A content part of a type that another provider's API has.",
    refs={"openai": ("O17",), "anthropic": ("O17",), "mistral": ("M08",), "strict": ()},
    check=check,
)
