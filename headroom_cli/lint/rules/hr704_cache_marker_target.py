"""# HR704 cache-marker-target

A cache marker stands on thinking, or on an empty text.

## Why it is refused

Anthropic caches neither by itself. Code that puts the marker on the last block of a message hits thinking where a turn
was interrupted, and empty text where a model said nothing. The latter is known by hearsay only, and is a warning.

## Example

```json
{"messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [
    {"type": "thinking", "thinking": "t", "signature": "EqQB", "cache_control": {"type": "ephemeral"}},
    {"type": "text", "text": "y"}]},
  {"role": "user", "content": "z"}]}
```

## What to do

Drop the marker (`--fix` does), or move it to the block before.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule

_FIX = Fix("drop", "drop the cache marker")


def check(check: Check) -> Iterator[Finding]:
    """Markers on blocks that cannot be cached."""
    for marker in check.markers:
        kind = marker.carrier.get("type")
        thinking = kind == "thinking" or kind == "redacted_thinking"
        if not thinking and not (kind == "text" and marker.carrier.get("text") == ""):
            continue
        yield check.finding(
            "the cache marker stands on thinking" if thinking else "the cache marker stands on an empty text",
            marker.block,
            at=marker.at,
            line=check.history.line,
            severity="error" if thinking else "warning",
            api_error=f"{kind}.cache_control: Extra inputs are not permitted"
            if thinking
            else "cache_control cannot be set for empty text blocks",
            fix=_FIX,
        )


RULE = Rule(
    code="HR704",
    name="cache-marker-target",
    summary="A cache marker on thinking or on an empty text.",
    refs={"anthropic": ("A37",)},
    check=check,
)
