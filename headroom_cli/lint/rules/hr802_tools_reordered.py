"""# HR802 tools-reordered

A request declares the tools of the one before in another order.

## Why it matters

The provider compares bytes from the beginning: from the first tool that moved on, nothing is read from the cache. The
order of a set or of a directory listing, or servers that answer in changing order, are typical causes.

## Example

```json
{"model": "claude-opus-4-8", "max_tokens": 9, "tools": [
  {"name": "read", "input_schema": {"type": "object"}}, {"name": "save", "input_schema": {"type": "object"}}],
 "messages": [{"role": "user", "content": "a"}]}
{"model": "claude-opus-4-8", "max_tokens": 9, "tools": [
  {"name": "save", "input_schema": {"type": "object"}}, {"name": "read", "input_schema": {"type": "object"}}],
 "messages": [
  {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]}
```

## What to do

Sort the tools by name before they are sent, or keep the bytes of the first request for the whole session (HR801).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.prefix import by_kind, main_line, recomputed, tool_name, tools_of
from headroom_cli.lint.steps import Step


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """The first change, with how often it happens."""
    for change in by_kind(_changes(check)):
        yield check.finding(
            f"the tools stand in another order than in the request on line {change.step.before.line}, from "
            f"{change.value} on; {recomputed(change.step)} are computed anew{change.again}",
            line=change.step.after.line,
        )


def _changes(check: SessionCheck) -> Iterator[tuple[str, Step, str]]:
    for step in main_line(check):
        old, new = step.before.body, step.after.body
        if old.get("tools") is new.get("tools") and old.get("toolConfig") is new.get("toolConfig"):
            continue
        before, after = [*map(tool_name, tools_of(old))], [*map(tool_name, tools_of(new))]
        if before != after and sorted(before) == sorted(after):
            yield "order", step, next(b for a, b in zip(before, after, strict=True) if a != b)[:64]


RULE = Rule(
    code="HR802",
    name="tools-reordered",
    summary="The declared tools change their order in the middle of a conversation.",
    refs={"*": ("K02",)},
    check_session=check_session,
    off=True,
)
