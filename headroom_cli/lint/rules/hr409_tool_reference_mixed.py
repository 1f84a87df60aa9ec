"""# HR409 tool-reference-mixed

One result holds `tool_reference` blocks and others.

## Why it is refused

Anthropic takes the references that a search for tools returned alone, or other content, but not both in one
`tool_result`. Text *beside* such a result, in the same message, is fine ("Tool loaded.").

## Example

```json
{"messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "ToolSearch", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [
    {"type": "tool_reference", "tool_name": "a"},
    {"type": "text", "text": "1 tool"}]}]}],
 "tools": [
  {"name": "ToolSearch", "input_schema": {"type": "object"}},
  {"name": "a", "input_schema": {"type": "object"}, "defer_loading": true}]}
```

## What to do

Move the other blocks out of the result, behind the results of the message (`--fix` does).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule

_FIX = Fix("reorder", "move the other blocks behind the results")


def check(check: Check) -> Iterator[Finding]:
    """Results with references and something else."""
    if check.history.dialect != "anthropic":
        return
    for block in check.history.of_kind("result"):
        if not isinstance(block.value, list):
            continue
        kinds = [part.get("type") if isinstance(part, dict) else None for part in block.value]
        place = next((place for place, kind in enumerate(kinds) if kind != "tool_reference"), None)
        if "tool_reference" in kinds and place is not None:
            yield check.finding(
                f"a result mixes tool references with {str(kinds[place] or 'something without a type')[:40]}",
                block,
                at=("content", place),
                call_ids=(block.id,) if block.id else (),
                fix=_FIX,
            )


RULE = Rule(
    code="HR409",
    name="tool-reference-mixed",
    summary="A result that mixes tool references with other content.",
    refs={"anthropic": ("A34",), "strict": ()},
    check=check,
)
