"""# HR501 thinking-last

An assistant turn ends in thinking.

## Why it is refused

Anthropic demands that something follows thinking: text or a call. Such turns are what an interruption leaves behind,
or a stream that ended in `thinking > tool_use > thinking`. The check comes before that of signatures, and every later
request fails alike.

Healthy look-alikes: session logs of Claude Code keep each block on a line of its own, so that thinking is at the end
of a line all the time; here a turn is judged as it is sent. Claude Code drops turns of nothing but thinking before it
sends, and so does lint. The last turn of a log may have been interrupted, and is spared.

## Example

```json
{"messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "EqQ="}]},
  {"role": "user", "content": "y"}]}
```

## What to do

Drop the thinking at the end; a turn that holds nothing else goes as a whole (`--fix` does both). Models that check the
prefix of thinking refuse what thinking follows then (HR506).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule

_FIX = Fix("drop", "drop the thinking at the end of the turn, or the turn if it holds nothing else")
_TYPES = frozenset({"thinking", "redacted_thinking"})


def check(check: Check) -> Iterator[Finding]:
    """Assistant turns whose last block is thinking."""
    history = check.history
    if not history.of_kind("thinking"):
        return
    turns = check.turns
    for turn in turns:
        if turn.side != "assistant" or (history.spares_frontier and turn is turns[-1]):
            continue
        last = next((entry.blocks[-1] for entry in reversed(turn.entries) if entry.blocks), None)
        if last is None or last.type not in _TYPES:
            continue
        only = all(block.type in _TYPES for block in turn.blocks)
        yield check.finding(
            "the turn holds nothing but thinking" if only else "the turn ends in thinking",
            last,
            api_error=f"messages.{last.entry.index}: The final block in an assistant message cannot be `thinking`.",
            fix=_FIX,
        )


RULE = Rule(
    code="HR501",
    name="thinking-last",
    summary="An assistant turn that ends in thinking.",
    refs={"anthropic": ("A26",)},
    check=check,
)
