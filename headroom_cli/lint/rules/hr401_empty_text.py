"""# HR401 empty-text

A text block holds no text: `{"type": "text", "text": ""}`.

## Why it is refused

Anthropic refuses such a block in any message and in the list form of `system`, also beside a call; yet its models
sometimes return one, and a client that sends it back is stuck. Hosts that imitate its API or OpenAI's (Kimi, GLM)
refuse empty texts altogether, those of tool results too: `strict` judges by them.

Accepted by Anthropic, and not found here: an assistant message with `""` or `[]` as its content, a `tool_result` with
an empty content or an empty text in it, `"system": ""`, thinking without text that has a signature. Bedrock refuses all
blank texts: HR402. A user's message without any content is HR403.

## Example

```json
{"messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [
    {"type": "text", "text": ""},
    {"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]}
```

## What to do

Drop the block (`--fix` does). If nothing else is in the message, drop the message, or write "(no content)".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.history import Block

_DROP = Fix("drop", "drop the empty block")
_FILL = Fix("set", 'write "(no output)" or "(no content)"')
_ERROR = "messages: text content blocks must be non-empty"
_SYSTEM = "system: text content blocks must be non-empty"
_COMPATIBLE = "text content is empty"


def check(check: Check) -> Iterator[Finding]:
    """Empty text blocks; for strict hosts also empty contents."""
    history, strict = check.history, check.profile.name == "strict"
    if history.dialect not in ("anthropic", "openai"):
        return
    for block in history.of_kind("text"):
        if block.value == "" and block.type == "text" and block.entry.side != "system":
            yield check.finding("a text block is empty", block, api_error=_COMPATIBLE if strict else _ERROR, fix=_DROP)
        elif strict and block.value == "" and len(block.entry.blocks) == 1:
            yield check.finding(
                f"a message of the {block.entry.role} is empty", block, api_error=_COMPATIBLE, fix=_FILL
            )
    if strict:
        for block in history.of_kind("result"):
            if block.raw is not None and _is_empty(block.value):
                yield _empty_result(check, block)
    if isinstance(history.system, list) and history.dialect == "anthropic":
        for place, part in enumerate(history.system):
            if isinstance(part, dict) and part.get("type") == "text" and part.get("text") == "":
                yield check.finding(
                    "a text block of the system prompt is empty",
                    at=("system", place),
                    api_error=_SYSTEM,
                    fix=_DROP,
                )


def _empty_result(check: Check, block: Block) -> Finding:
    return check.finding(
        "a result is empty",
        block,
        api_error=_COMPATIBLE,
        call_ids=(block.id,) if block.id else (),
        fix=_FILL,
    )


def _is_empty(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(part, dict) and part.get("type") == "text" and part.get("text") == "" for part in value)
    return isinstance(value, str) and not value


RULE = Rule(
    code="HR401",
    name="empty-text",
    summary="A text block without text.",
    refs={"anthropic": ("A21",), "strict": ("D04",)},
    check=check,
)
