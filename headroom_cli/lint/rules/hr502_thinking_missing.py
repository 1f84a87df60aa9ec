"""# HR502 thinking-missing

Thinking is enabled by hand, and the tool loop that is open begins without it.

## Why it is refused

With `thinking.type` = `enabled`, Anthropic demands that the assistant turn which opened the current loop of calls and
results starts with `thinking` or `redacted_thinking`. Frameworks that convert between shapes lose these blocks, and
sessions that begin without thinking cannot switch it on inside a loop.

It was reported for models up to Claude 4.5; newer ones may answer without thinking instead, and get a warning.

Healthy look-alikes: adaptive thinking may skip it; earlier turns may lack it; between the calls of one loop it may be
missing. Logs do not record the setting: only requests are judged.

## Example

```json
{"thinking": {"type": "enabled", "budget_tokens": 2000}, "messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]}
```

## What to do

Send the thinking back as it came. Where it is lost, disable thinking until the loop is over; never make a block up.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Rule
from headroom_cli.lint.history import Turn
from headroom_cli.lint.models import traits

_NEWER = (4, 6)
_TYPES = frozenset({"thinking", "redacted_thinking"})


def check(check: Check) -> Iterator[Finding]:
    """The assistant turns of the open tool loop, if none of them starts with thinking."""
    thinking = check.history.body.get("thinking")
    if check.history.judged_as != "request" or not isinstance(thinking, dict) or thinking.get("type") != "enabled":
        return
    loop = _open_loop(check.turns)
    firsts = [turn.blocks[0] for turn in loop if turn.blocks]
    if not firsts or any(first.type in _TYPES for first in firsts):
        return
    first = firsts[0]
    version = traits(check.history.model).version
    newer = version is not None and version >= _NEWER
    yield check.finding(
        "thinking is enabled, and the turn that opened this tool loop does not start with it",
        first,
        severity="warning" if newer else "error",
        confidence="low" if newer else "high",
        api_error=f"messages.{first.entry.index}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
        f"`{'text' if first.type == 'string' else first.type}`. When `thinking` is enabled, a final `assistant` "
        "message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` "
        "blocks).",
    )


def _open_loop(turns: list[Turn]) -> list[Turn]:
    """The assistant turns of the loop that the history ends in, in order; none if it does not end with results."""
    loop: list[Turn] = []
    if not turns or not _has_results(turns[-1]):
        return loop
    for turn in reversed(turns):
        if turn.side == "assistant":
            loop.append(turn)
        elif turn.side == "user" and not _has_results(turn):
            break
    return loop[::-1]


def _has_results(turn: Turn) -> bool:
    return turn.side == "user" and any(block.kind == "result" for block in turn.blocks)


RULE = Rule(
    code="HR502",
    name="thinking-missing",
    summary="Thinking is enabled, but the open tool loop begins without it.",
    refs={"anthropic": ("A27",)},
    check=check,
)
