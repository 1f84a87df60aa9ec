"""# HR803 tool-bytes-unstable

A request declares the same tools in the same order as the one before, and yet other bytes.

## Why it matters

A description with a date or a count in it, or a schema whose keys come in changing order, breaks the cache as much as
another tool would. If only the order of keys differs, it is a bug of the serializer: the declarations mean the same.
A log that was written by something else than the client itself may have changed the order of keys on its own.

## Example

```json
{"model": "claude-opus-4-8", "max_tokens": 9, "tools": [
  {"name": "read", "description": "Reads a file (11 known)", "input_schema": {"type": "object"}}],
 "messages": [{"role": "user", "content": "a"}]}
{"model": "claude-opus-4-8", "max_tokens": 9, "tools": [
  {"name": "read", "description": "Reads a file (12 known)", "input_schema": {"type": "object"}}],
 "messages": [
  {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]}
```

## What to do

Write schemas canonically (sorted keys, no changing values), or keep the bytes of the first request, by provider and
session, and send them again (HR801).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.prefix import by_kind, dumped, first_difference, main_line, recomputed, tool_name, tools_of
from headroom_cli.lint.steps import Step


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """The first change of each kind, with how often it happens."""
    for change in by_kind(_changes(check)):
        old, new = change.value
        name = tool_name(new)[:64] or "a tool"
        if old == new:
            what = f"the keys of {name} are written in another order"
        else:
            texts = (dumped(each).decode("utf-8", "replace") for each in (old, new))
            what = f"{name} is declared otherwise: {first_difference(*texts)}"
        yield check.finding(
            f"{what} (since the request on line {change.step.before.line}); {recomputed(change.step)} are computed "
            f"anew{change.again}",
            line=change.step.after.line,
            confidence="medium" if old == new else "high",
        )


def _changes(check: SessionCheck) -> Iterator[tuple[str, Step, tuple[object, object]]]:
    for step in main_line(check):
        old, new = step.before.body, step.after.body
        if old.get("tools") is new.get("tools") and old.get("toolConfig") is new.get("toolConfig"):
            continue
        before, after = tools_of(old), tools_of(new)
        if [*map(tool_name, before)] != [*map(tool_name, after)]:
            continue
        for one, other in zip(before, after, strict=True):
            if one is not other and dumped(one) != dumped(other):
                yield "order of keys" if one == other else "content", step, (one, other)
                break


RULE = Rule(
    code="HR803",
    name="tool-bytes-unstable",
    summary="The same tools are declared in other bytes.",
    refs={"*": ("K03",)},
    check_session=check_session,
    off=True,
)
