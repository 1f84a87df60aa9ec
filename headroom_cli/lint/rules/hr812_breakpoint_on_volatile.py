"""# HR812 breakpoint-on-volatile

Every request writes to the cache, and none ever reads from it: what stands before the marker changes each time.

## Why it matters

A write costs more than the plain input. A marker behind something that changes with each request only adds to the bill.

Told only where the log holds requests and usage: three requests in a row that write and read nothing, within the time
an entry lives, and whose tools or system prompt differ.

## Example

```json
{"request": {"model": "claude-opus-4-8", "max_tokens": 9,
  "system": [{"type": "text", "text": "Request 1", "cache_control": {"type": "ephemeral"}}],
  "messages": [{"role": "user", "content": "a"}]},
 "response": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "b"}],
  "usage": {"input_tokens": 4, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 9000, "output_tokens": 1}}}
{"request": {"model": "claude-opus-4-8", "max_tokens": 9,
  "system": [{"type": "text", "text": "Request 2", "cache_control": {"type": "ephemeral"}}],
  "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"},
   {"role": "user", "content": "c"}]},
 "response": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "d"}],
  "usage": {"input_tokens": 4, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 9100, "output_tokens": 1}}}
{"request": {"model": "claude-opus-4-8", "max_tokens": 9,
  "system": [{"type": "text", "text": "Request 3", "cache_control": {"type": "ephemeral"}}],
  "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"},
   {"role": "user", "content": "c"}, {"role": "assistant", "content": "d"}, {"role": "user", "content": "e"}]},
 "response": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "f"}],
  "usage": {"input_tokens": 4, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 9200, "output_tokens": 1}}}
```

## What to do

Move the marker to the last block that stays the same, and what changes behind it.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.caching import caching
from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.prefix import main_line, same, system_of, tools_of
from headroom_cli.lint.steps import Step
from headroom_cli.model import Sent

_LEAST = 2  # steps: three requests in a row


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """The longest row of requests that wrote for nothing."""
    ttl = min((caching(profile.name).ttl for profile in check.profiles), default=0)
    row: list[Step] = []
    longest: list[Step] = []
    for step in main_line(check):
        if _is_lost(step, ttl) and (not row or row[-1].after is step.before):
            row.append(step)
        else:
            row = [step] if _is_lost(step, ttl) else []
        if len(row) > len(longest):
            longest = list(row)
    if len(longest) >= _LEAST:
        written = sum(_written(step.after) for step in longest)
        yield check.finding(
            f"{len(longest) + 1} requests in a row wrote to the cache and none read from it, for what stands before "
            f"the marker changes: {written:,} tokens were written for nothing",
            line=longest[0].after.line,
        )


def _is_lost(step: Step, ttl: int) -> bool:
    one, other = step.before, step.after
    if one.usage is None or other.usage is None or not _written(one) or not _written(other):
        return False
    if other.usage.cache_read_input_tokens != 0:
        return False
    if one.timestamp is not None and other.timestamp is not None and other.timestamp - one.timestamp > ttl * 1_000_000:
        return False
    return system_of(one, one.messages or step.messages) != system_of(other, step.messages) or not same(
        tools_of(one.body), tools_of(other.body)
    )


def _written(sent: Sent) -> int:
    return (sent.usage.cache_write_input_tokens or 0) if sent.usage is not None else 0


RULE = Rule(
    code="HR812",
    name="breakpoint-on-volatile",
    summary="Requests write to the cache, and none reads from it.",
    refs={"anthropic": ("K12",), "bedrock": ("K12",)},
    check_session=check_session,
    off=True,
)
