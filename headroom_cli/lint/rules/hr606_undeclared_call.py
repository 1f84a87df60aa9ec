"""# HR606 undeclared-call

The history calls a tool that this request does not declare.

## Why it matters

Anthropic tolerates such calls in a history, so this is a warning: the model sees calls of a tool that it cannot use,
and what refers to the tool (HR601) is refused. The usual cause is a server that is gone, or a history that is replayed
with other tools.

Nothing is said where the tools are not known (session logs), or where a toolset brings tools that the request does not
name.

## Example

```json
{"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": [{"name": "bash", "input_schema": {"type": "object"}}],
 "messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "mcp__gone__x", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]}
```

## What to do

Declare the tool again, or turn the call and its result into text (`--unsafe-fixes` does).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.history import Block

_FIX = Fix("neutralize", "turn the calls and their results into text in the same place", safe=False)
_RETRIEVAL = "headroom_retrieve"


def check(check: Check) -> Iterator[Finding]:
    """The first call of each tool that is not declared, with how many there are."""
    declared = check.declared
    if check.history.judged_as != "request" or declared is None or declared.open or not declared.names:
        return
    known = declared.known
    calls: dict[str, list[Block]] = {}
    for call in check.history.of_kind("call"):
        if call.type == "tool_use" and call.name and call.name not in known and not call.name.endswith(_RETRIEVAL):
            calls.setdefault(call.name, []).append(call)
    for name, made in calls.items():
        times = "" if len(made) == 1 else f" {len(made)} times"
        yield check.finding(
            f"{name} is called{times}, but this request does not declare it",
            made[0],
            severity="warning",
            confidence="medium",
            at=("name",),
            call_ids=tuple(call.id for call in made if call.id),
            fix=_FIX,
        )


RULE = Rule(
    code="HR606",
    name="undeclared-call",
    summary="A call of a tool that the request does not declare.",
    refs={"anthropic": ("A12",)},
    check=check,
)
