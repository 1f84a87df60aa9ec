"""# HR207 duplicate-item-id

Two items of a Responses history have the same `id`.

## Why it is refused

The API refuses duplicate items, whatever they hold; a reference to an item that is there as well counts too. Typical
causes: a turn that was stored twice (approval flows), `previous_response_id` together with the whole history, and ids
that a proxy made up (`msg_123`).

Items without an id may repeat. `id` is not `call_id`: a call and its output share the latter (see HR201). Codex does
not send the ids of its rollouts.

## Example

```json
{"input": [
  {"type": "message", "role": "user", "content": "x"},
  {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
  {"type": "message", "role": "user", "content": "y"},
  {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "b"}]}]}
```

## What to do

Drop the later item where both are equal; else drop its `id` (`--fix` does either).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Related, Rule
from headroom_cli.lint.history import Entry

_DROP = Fix("drop", "drop the later copy of the item")
_SET = Fix("set", "drop the id of the later item")


def check(check: Check) -> Iterator[Finding]:
    """Items whose id an earlier one has."""
    history = check.history
    if history.dialect != "openai-responses" or history.log_format == "codex":
        return
    first: dict[str, Entry] = {}
    for entry in history.entries:
        item_id = entry.raw.get("id") if isinstance(entry.raw, dict) else None
        if not isinstance(item_id, str) or not item_id:
            continue
        earlier = first.setdefault(item_id, entry)
        if earlier is entry:
            continue
        copy = earlier.raw == entry.raw
        yield check.finding(
            f"two items have the id {item_id}" + (" (the later is a copy)" if copy else ""),
            entry,
            at=("id",),
            related=[Related(earlier, "the first item with this id")],
            api_error=f"Duplicate item found with id {item_id}. Remove duplicate items from your input and try again.",
            fix=_DROP if copy else _SET,
        )


RULE = Rule(
    code="HR207",
    name="duplicate-item-id",
    summary="Two items with the same id.",
    refs={"openai-responses": ("R09",), "strict": ()},
    check=check,
)
