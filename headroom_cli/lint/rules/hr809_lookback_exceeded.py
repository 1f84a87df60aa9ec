"""# HR809 lookback-exceeded

More than 20 content blocks lie between the newest cache marker of a request and that of the request before.

## Why it matters

Before a marker, the provider looks back over at most 20 blocks for something that it has cached. What the last request
wrote lies further away, and is not found: all messages are computed anew. A turn with many parallel calls does it, for
each call and each result is a block.

## Example

In the example, one message brings 30 results at once.

```json
{"model": "claude-opus-4-8", "max_tokens": 9, "messages": [
  {"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]}]}
{"model": "claude-opus-4-8", "max_tokens": 9, "messages": [
  {"role": "user", "content": [{"type": "text", "text": "a"}]},
  {"role": "assistant", "content": [{"type": "text", "text": "b"}]},
  {"role": "user", "content": [
    {"type": "text", "text": "1"}, {"type": "text", "text": "2"}, {"type": "text", "text": "3"},
    {"type": "text", "text": "4"}, {"type": "text", "text": "5"}, {"type": "text", "text": "6"},
    {"type": "text", "text": "7"}, {"type": "text", "text": "8"}, {"type": "text", "text": "9"},
    {"type": "text", "text": "10"}, {"type": "text", "text": "11"}, {"type": "text", "text": "12"},
    {"type": "text", "text": "13"}, {"type": "text", "text": "14"}, {"type": "text", "text": "15"},
    {"type": "text", "text": "16"}, {"type": "text", "text": "17"}, {"type": "text", "text": "18"},
    {"type": "text", "text": "19"}, {"type": "text", "text": "20"},
    {"type": "text", "text": "21", "cache_control": {"type": "ephemeral"}}]}]}
```

## What to do

Set a second marker about 15 blocks before the newest one, or leave the marker of the last request where it was.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.caching import caching
from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.prefix import about_tokens, block_count, by_kind, main_line, size_of
from headroom_cli.lint.steps import Step


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """The first request that reaches too far, with how often it happens."""
    lookback = min((known for p in check.profiles if (known := caching(p.name).lookback) is not None), default=None)
    if lookback is None:
        return
    for change in by_kind(_far(check, lookback)):
        step, distance = change.step, change.value
        size = about_tokens(sum(map(size_of, step.messages[: step.kept])))
        yield check.finding(
            f"{distance} blocks lie between the newest cache marker and that of the request on line "
            f"{step.before.line}, and only {lookback} are looked at; {size} are computed anew{change.again}",
            line=step.after.line,
        )


def _far(check: SessionCheck, lookback: int) -> Iterator[tuple[str, Step, int]]:
    for step in main_line(check):
        if not step.appends or not step.before.markers or not step.after.markers:
            continue
        old = step.before.markers[-1]
        later = [marker for marker in step.after.markers if marker >= old]
        if later:
            distance = _distance(step, old, later[0])
            if distance > lookback:
                yield "far", step, distance


def _distance(step: Step, old: tuple[int, int], new: tuple[int, int]) -> int:
    """How many blocks after the old marker the new one stands."""
    between = sum(block_count(raw) for raw in step.messages[old[0] : new[0]])
    return between - old[1] + new[1]


RULE = Rule(
    code="HR809",
    name="lookback-exceeded",
    summary="The newest cache marker lies too far from the one before.",
    refs={"anthropic": ("K09",), "bedrock": ("K09",)},
    check_session=check_session,
    off=True,
)
