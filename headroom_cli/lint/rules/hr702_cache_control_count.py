"""# HR702 cache-control-count

The request holds more cache markers than the provider takes.

## Why it is refused

Anthropic and Bedrock take four markers over `tools`, `system` and all messages, those inside results included. A marker
that each turn adds and none takes away, or a gateway that adds its own beside a client's, exceeds them. A marker on the
request itself (automatic caching) takes one of the four, by all that is known: with it, five are a warning.

## Example

```json
{"system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}], "messages": [
  {"role": "user", "content": [
    {"type": "text", "text": "1", "cache_control": {"type": "ephemeral"}},
    {"type": "text", "text": "2", "cache_control": {"type": "ephemeral"}},
    {"type": "text", "text": "3", "cache_control": {"type": "ephemeral"}},
    {"type": "text", "text": "4", "cache_control": {"type": "ephemeral"}}]}]}
```

## What to do

Drop the oldest markers of messages; keep the last of tools and system, and the last two of messages (`--fix` does).
This changes only the cost.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Related, Rule

_FIX = Fix("drop", "drop the oldest cache markers of messages")


def check(check: Check) -> Iterator[Finding]:
    """The first marker that is one too many."""
    most = check.profile.max_cache_markers
    if most is None or len(check.markers) <= most:
        return
    found = check.markers
    extra, own = found[most], [marker for marker in found if marker.tier != "request"]
    yield check.finding(
        f"{len(found)} cache markers; at most {most} are taken",
        extra.block,
        at=extra.at,
        line=check.history.line,
        severity="error" if len(own) > most else "warning",
        api_error=f"A maximum of {most} blocks with cache_control may be provided. Found {len(found)}.",
        related=[
            Related(marker.block, "another marker") for marker in found if marker.block not in (None, extra.block)
        ],
        fix=_FIX,
    )


RULE = Rule(
    code="HR702",
    name="cache-control-count",
    summary="More cache markers than the provider takes.",
    refs={"anthropic": ("A35",), "bedrock": ("A35",)},
    check=check,
)
