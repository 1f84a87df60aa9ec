"""# HR512 reasoning-not-returned

The open tool loop of a model that reasons holds calls without the reasoning that led to them.

## Why it is refused

DeepSeek in thinking mode, MiMo, and some hosts of GLM, Kimi and MiniMax demand that the reasoning of the current loop
comes back with each call: `reasoning_content` in chat messages, `thinking` in Anthropic's shape, `reasoning_text` in
the items of Responses. In the latter each call needs a reasoning item of its own; a summary is not enough.

It depends on the host, so this is a warning, and only asked of models that are known for it, or where every strict host
has to be pleased. Healthy look-alikes: turns before the last prompt; DeepSeek's older reasoner, which refused reasoning
that was sent back; OpenAI, which demands nothing of this.

## Example

```json
{"model": "deepseek-v4", "messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": "", "tool_calls": [
    {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "c1", "content": "r"}]}
```

## What to do

Keep the reasoning of the model and send it back until the loop is over. It cannot be made up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Rule
from headroom_cli.lint.history import Block, Entry
from headroom_cli.lint.models import traits

_CHAT = "The `reasoning_content` in the thinking mode must be passed back to the API."
_ITEMS = "The `reasoning_text` in the thinking mode must be passed back to the API."


def check(check: Check) -> Iterator[Finding]:
    """The first call of the open loop that lacks its reasoning, with how many do."""
    history = check.history
    bare_calls = _BARE.get(history.dialect)
    if bare_calls is None or history.judged_as == "training":
        return
    if not history.of_kind("call") or not _asked(check):
        return
    items = history.dialect == "openai-responses"
    bare = bare_calls(_open_loop(history.entries))
    if not bare:
        return
    first = bare[0]
    more = f", as do {len(bare) - 1} more" if len(bare) > 1 else ""
    yield check.finding(
        f"{first.name or 'a call'} ({first.id or 'no id'}) stands without its reasoning{more}; its host may demand it",
        first,
        severity="warning",
        refs=("R16",) if items else ("D01",),
        confidence="medium",
        call_ids=tuple(block.id for block in bare if block.id),
        api_error=_ITEMS if items else _CHAT,
    )


def _asked(check: Check) -> bool:
    """Whether this host may demand it: a model known for it; in Responses also a nameless one that sent summaries."""
    history = check.history
    if traits(history.model).returns_reasoning:
        return history.dialect != "anthropic" or traits(history.model).vendor == "deepseek"
    if history.dialect != "openai-responses" or (history.model is not None and check.profile.name != "strict"):
        return False
    thoughts = history.of_kind("thinking")
    return bool(thoughts) and not any(isinstance(b.raw, dict) and b.raw.get("encrypted_content") for b in thoughts)


def _open_loop(entries: list[Entry]) -> list[Entry]:
    """The entries after the last one of a user's that is no result; none if the model had the last word."""
    if not entries or entries[-1].side == "assistant":
        return []
    for index in range(len(entries) - 1, -1, -1):
        entry = entries[index]
        if entry.side == "user" and not entry.of_kind("result"):
            return entries[index + 1 :]
    return entries


def _bare_messages(loop: list[Entry]) -> list[Block]:
    bare: list[Block] = []
    for entry in loop:
        calls = entry.of_kind("call")
        if calls and isinstance(entry.raw, dict) and not _has_reasoning(entry.raw):
            bare += calls
    return bare


def _has_reasoning(raw: dict[str, Any]) -> bool:
    return any(raw.get(key) for key in ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks"))


def _bare_items(loop: list[Entry]) -> list[Block]:
    bare: list[Block] = []
    reasoned = False
    for entry in loop:
        block = entry.blocks[0] if entry.blocks else None
        if block is not None and block.type == "reasoning":
            content = entry.raw.get("content") if isinstance(entry.raw, dict) else None
            reasoned = isinstance(content, list) and bool(content)
        elif block is not None and block.kind == "call":
            if not reasoned:
                bare.append(block)
            reasoned = False
    return bare


def _bare_turns(loop: list[Entry]) -> list[Block]:
    bare: list[Block] = []
    reasoned = False
    for entry in loop:
        if entry.side != "assistant":
            reasoned = False
            continue
        reasoned = reasoned or bool(entry.of_kind("thinking"))
        if not reasoned:
            bare += entry.of_kind("call")
    return bare


_BARE = {"openai": _bare_messages, "openai-responses": _bare_items, "anthropic": _bare_turns}

RULE = Rule(
    code="HR512",
    name="reasoning-not-returned",
    summary="Calls of the open tool loop without the reasoning that led to them.",
    refs={"anthropic": ("D01",), "openai": ("D01",), "openai-responses": ("R16",), "strict": ("D01", "R16")},
    check=check,
)
