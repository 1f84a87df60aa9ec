"""# HR818 repeated-result

The same large result stands in the history twice, far apart.

## Why it matters

Nothing is invalid and the cache holds both, but both are sent with every request. `headroom analyze` counts what it
costs, with many more cases (signal `reread`); this rule finds it in requests and golden files, where lint runs.

Told for results of 500 bytes and more that are exactly alike and more than three messages apart: what is asked for
again at once (a poll, a retry) is not told.

## Example

```json
{"messages": [
  {"role": "user", "content": "read it"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a.py"}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": [
    {"type": "text", "text": "Line 1: acme sells anvils, rockets, springs and paint, by the piece or dozen."},
    {"type": "text", "text": "Line 2: acme sells anvils, rockets, springs and paint, by the piece or dozen."},
    {"type": "text", "text": "Line 3: acme sells anvils, rockets, springs and paint, by the piece or dozen."},
    {"type": "text", "text": "Line 4: acme sells anvils, rockets, springs and paint, by the piece or dozen."},
    {"type": "text", "text": "Line 5: acme sells anvils, rockets, springs and paint, by the piece or dozen."},
    {"type": "text", "text": "Line 6: acme sells anvils, rockets, springs and paint, by the piece or dozen."},
    {"type": "text", "text": "Line 7: acme sells anvils, rockets, springs and paint, by the piece or dozen."}]}]},
  {"role": "assistant", "content": "It defines f."},
  {"role": "user", "content": "read it again"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_2", "name": "read", "input": {"path": "a.py"}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_2", "content": [
    {"type": "text", "text": "Line 1: acme sells anvils, rockets, springs and paint, by the piece or dozen."},
    {"type": "text", "text": "Line 2: acme sells anvils, rockets, springs and paint, by the piece or dozen."},
    {"type": "text", "text": "Line 3: acme sells anvils, rockets, springs and paint, by the piece or dozen."},
    {"type": "text", "text": "Line 4: acme sells anvils, rockets, springs and paint, by the piece or dozen."},
    {"type": "text", "text": "Line 5: acme sells anvils, rockets, springs and paint, by the piece or dozen."},
    {"type": "text", "text": "Line 6: acme sells anvils, rockets, springs and paint, by the piece or dozen."},
    {"type": "text", "text": "Line 7: acme sells anvils, rockets, springs and paint, by the piece or dozen."}]}]}]}
```

## What to do

Answer a second read of an unchanged file with a reference to the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Related, Rule
from headroom_cli.lint.history import Block
from headroom_cli.lint.prefix import dumped

_LARGE = 500
_APART = 3


def check(check: Check) -> Iterator[Finding]:
    """Each repetition, with the place where the result stood before."""
    seen: dict[bytes | str, Block] = {}
    for result in check.history.of_kind("result"):
        key = _key(result.value)
        if key is None:
            continue
        first = seen.get(key)
        if first is not None and result.entry.index - first.entry.index > _APART:
            yield check.finding(
                f"the result of {result.id or 'a call'} repeats {len(key):,} bytes that stand in message "
                f"{first.entry.index}",
                result,
                severity="info",
                call_ids=tuple(block.id for block in (result, first) if block.id),
                related=[Related(first, "the same result")],
            )
        seen[key] = result


def _key(value: Any) -> bytes | str | None:
    if isinstance(value, str):
        return value if len(value) >= _LARGE else None
    key = dumped(value) if isinstance(value, list | dict) else b""
    return key if len(key) >= _LARGE else None


RULE = Rule(
    code="HR818",
    name="repeated-result",
    summary="The same large result stands in the history twice.",
    refs={"*": ("K18",)},
    check=check,
    off=True,
)
