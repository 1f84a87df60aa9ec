"""# HR605 duplicate-tool-name

Two tools of a request have one name.

## Why it is refused

`tools: Tool names must be unique.` MCP servers that connect twice, and agents that inherit tools and add their own,
declare a tool again.

## Example

```json
{"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": [
  {"name": "read", "input_schema": {"type": "object"}},
  {"name": "read", "input_schema": {"type": "object"}}],
 "messages": [{"role": "user", "content": "x"}]}
```

## What to do

Declare each tool once. Lint does not know which one is meant; there is no repair.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Rule
from headroom_cli.lint.history import Pointer


def check(check: Check) -> Iterator[Finding]:
    """Names of tools that were declared before."""
    declared = check.declared
    if declared is None:
        return
    first: dict[str, Pointer] = {}
    for name, at in declared.names:
        if not at:  # added in the course of the history
            continue
        if name in first:
            where = "/".join(map(str, first[name][:-1]))
            yield check.finding(
                f"the tool {name} is declared twice, first at {where}",
                at=at,
                line=check.history.line,
                severity="error" if check.profile.name == "anthropic" else "warning",
                api_error="tools: Tool names must be unique.",
            )
        else:
            first[name] = at


RULE = Rule(
    code="HR605",
    name="duplicate-tool-name",
    summary="Two tools of one name.",
    refs={"anthropic": ("A11",), "bedrock": ("A11",)},
    check=check,
)
