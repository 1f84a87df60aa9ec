"""# HR209 item-id-too-long

The `id` of an item has more than 64 characters.

## Why it is refused

The Responses API takes 64. Some hosts write longer ones (GitHub Copilot: 408), and a history of theirs that is sent to
OpenAI is refused.

The `call_id` of calls and outputs is HR203. Codex does not send the ids of its rollouts.

## Example

```json
{"input": [
  {"type": "message", "role": "user", "content": "x"},
  {"type": "reasoning", "summary": [], "id": "rs_00000000000000000000000000000000000000000000000000000000000000000000"},
  {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
  {"type": "message", "role": "user", "content": "y"}]}
```

## What to do

Drop the `id` (`--fix` does).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule

_LONGEST = 64
_FIX = Fix("set", "drop the id of the item")


def check(check: Check) -> Iterator[Finding]:
    """Items with an id that is too long."""
    history = check.history
    if history.dialect != "openai-responses" or history.log_format == "codex":
        return
    for entry in history.entries:
        item_id = entry.raw.get("id") if isinstance(entry.raw, dict) else None
        if isinstance(item_id, str) and len(item_id) > _LONGEST:
            yield check.finding(
                f"the id {item_id[:40]}… has {len(item_id)} characters, and {_LONGEST} are allowed",
                entry,
                at=("id",),
                api_error=f"Invalid 'input[{entry.index}].id': string too long. Expected a string with maximum length "
                f"{_LONGEST}, but got a string with length {len(item_id)} instead.",
                fix=_FIX,
            )


RULE = Rule(
    code="HR209",
    name="item-id-too-long",
    summary="An id of an item that is longer than 64 characters.",
    refs={"openai-responses": ("R10",), "strict": ()},
    check=check,
)
