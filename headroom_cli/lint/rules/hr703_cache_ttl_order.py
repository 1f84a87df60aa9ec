"""# HR703 cache-ttl-order

A cache marker of one hour comes after one of five minutes.

## Why it is refused

Anthropic works through markers in the order of tools, system and messages, and demands that longer lives come first. A
gateway that adds default markers to a client that asks for one hour breaks the order.

## Example

```json
{"system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}], "messages": [
  {"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]}]}
```

## What to do

Give the later marker five minutes (`--fix` does), or the earlier ones an hour. This changes only the cost.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule

_FIX = Fix("set", "give the later marker five minutes")


def check(check: Check) -> Iterator[Finding]:
    """Markers of an hour behind one of five minutes."""
    short = None
    for marker in check.markers:
        if marker.tier == "request":  # it caches the end of the request, whatever stands before
            continue
        if marker.ttl != "1h":
            short = short or marker
        elif short is not None:
            yield check.finding(
                f"a marker of one hour in {marker.tier} comes after one of five minutes in {short.tier}",
                marker.block,
                at=(*marker.at, "ttl"),
                line=check.history.line,
                api_error="cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' "
                "cache_control block. Note that blocks are processed in the following order: `tools`, `system`, "
                "`messages`.",
                fix=_FIX,
            )


RULE = Rule(
    code="HR703",
    name="cache-ttl-order",
    summary="A cache marker of one hour after one of five minutes.",
    refs={"anthropic": ("A36",)},
    check=check,
)
