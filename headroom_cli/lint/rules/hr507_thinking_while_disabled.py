"""# HR507 thinking-while-disabled

Thinking is off in the request, and the last assistant turn holds thinking.

## Why it is refused

Anthropic does not take thinking in the final assistant turn of a request that does not think: inside a tool loop, or
as a prefill. It happens where a side request (a title, a summary) reuses the history with thinking switched off.

It was reported for models up to Claude 4.5; newer ones may drop the thinking instead, and get a warning.

Healthy look-alikes: models that think by default (Claude 5 and later) do so without the parameter, which is not "off";
in turns before the last prompt, thinking is ignored. Without the model's name, a missing parameter says nothing.

## Example

```json
{"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [
    {"type": "thinking", "thinking": "t", "signature": "EqQB"},
    {"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]}
```

## What to do

Enable thinking, or drop the thinking of that turn (`--fix` does the latter).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.history import History, Turn
from headroom_cli.lint.models import traits

_FIX = Fix("drop", "drop the thinking of the last assistant turn")
_NEWER = (4, 6)
_TYPES = frozenset({"thinking", "redacted_thinking"})


def check(check: Check) -> Iterator[Finding]:
    """The first thinking block of the assistant turn in final position."""
    history = check.history
    if history.judged_as != "request" or not history.of_kind("thinking") or not _is_off(history):
        return
    last = _final(check.turns)
    if last is None:
        return
    block = next((block for block in last.blocks if block.type in _TYPES), None)
    if block is not None:
        version = traits(history.model).version
        known = version is not None and version < _NEWER
        yield check.finding(
            "thinking is off in this request, but its last assistant turn holds thinking",
            block,
            severity="error" if known else "warning",
            confidence="high" if known else "medium",
            api_error=f"{block.place}: When thinking is disabled, an "
            "`assistant` message in the final position cannot contain `thinking`. To use thinking blocks, enable "
            "`thinking` in your request.",
            fix=_FIX,
        )


def _is_off(history: History) -> bool:
    thinking = history.body.get("thinking")
    if isinstance(thinking, dict):
        return thinking.get("type") == "disabled"
    return thinking is None and traits(history.model).thinks_by_default is False


def _final(turns: list[Turn]) -> Turn | None:
    """The last assistant turn, if nothing but results stands after it."""
    for turn in reversed(turns):
        if turn.side == "assistant":
            return turn
        if turn.side == "user" and any(block.kind != "result" for block in turn.blocks):
            return None
    return None


RULE = Rule(
    code="HR507",
    name="thinking-while-disabled",
    summary="Thinking in the final assistant turn of a request that does not think.",
    refs={"anthropic": ("A32",)},
    check=check,
)
