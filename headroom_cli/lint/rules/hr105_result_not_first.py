"""# HR105 result-not-first

In the turn that answers calls, something stands before a result.

## Why it is refused

Anthropic demands that the results come first, with nothing before or between them; the error is that of a call without
a result. Typical causes: a heading or an image put before each result, and a user's message that was queued while the
tool ran and is merged before its result.

Text *after* the results is fine (system reminders of Claude Code stand there).

## Example

```json
{"messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
  {"role": "user", "content": [
    {"type": "text", "text": "here:"},
    {"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]}
```

## What to do

Move the results to the front, in their order (`--fix` does).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Related, Rule

_FIX = Fix("reorder", "move the results of the turn to its front")


def check(check: Check) -> Iterator[Finding]:
    """User turns with a result that answers the turn before and comes after something else."""
    if not check.profile.results_first or not check.history.of_kind("result"):
        return
    in_place = {id(result) for _, result in check.matching.answered}
    for turn in check.turns:
        if turn.side != "user":
            continue
        before, late = None, []
        for block in turn.blocks:
            if block.kind != "result":
                before = before or block
            elif before is not None and id(block) in in_place:
                late.append(block)
        if before is None or not late:
            continue
        ids = tuple(block.id for block in late if block.id)
        what = "text" if before.kind == "text" else before.type or "a block"
        yield check.finding(
            f"{what} stands before the result {ids[0] if ids else ''}".rstrip()
            + (f" and {len(late) - 1} more" if len(late) > 1 else ""),
            late[0],
            call_ids=ids,
            related=[Related(before, "stands before the result")],
            api_error="`tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(ids)}. Each `tool_use` block must have a corresponding `tool_result` block in the next "
            "message.",
            fix=_FIX,
        )


RULE = Rule(
    code="HR105",
    name="result-not-first",
    summary="Something stands before a result in the turn that answers its call.",
    refs={"anthropic": ("A06",), "strict": ()},
    check=check,
    pairing=True,
)
