"""# HR508 reasoning-without-follower

A reasoning item of the Responses API is not followed by an item that the model gave after it.

## Why it is refused

OpenAI stores which item a reasoning item (`rs_…`) led to and demands it right after: a message, a call, a search.
Truncation, a filter over items or an interruption cut the follower off.

Healthy look-alikes: several reasoning items in a row share one follower; items without `id` are not checked; the end
of a log may be interrupted. Codex sends reasoning without ids, and nothing is said of its rollouts.

## Example

```json
{"input": [
  {"type": "message", "role": "user", "content": "x"},
  {"type": "reasoning", "id": "rs_1", "summary": []},
  {"type": "message", "role": "user", "content": "y"}]}
```

## What to do

Drop the reasoning item (`--fix` does).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.history import Entry, History

_FIX = Fix("drop", "drop the reasoning item")


def check(check: Check) -> Iterator[Finding]:
    """Reasoning items with an id whose next item, further reasoning aside, is none of the model's."""
    history = check.history
    if history.dialect != "openai-responses" or history.log_format == "codex" or not history.of_kind("thinking"):
        return
    follower: Entry | None = None
    found = []
    for entry in reversed(history.entries):
        if not _is_reasoning(entry):
            follower = entry
            continue
        item_id = entry.raw.get("id")
        if not isinstance(item_id, str) or not _dangles(follower, history):
            continue
        found.append(
            check.finding(
                f"nothing that the model gave follows the reasoning {item_id}",
                entry,
                api_error=f"Item '{item_id}' of type 'reasoning' was provided without its required following item.",
                fix=_FIX,
            )
        )
    yield from reversed(found)


def _is_reasoning(entry: Entry) -> bool:
    return bool(entry.blocks) and entry.blocks[0].type == "reasoning" and isinstance(entry.raw, dict)


def _dangles(follower: Entry | None, history: History) -> bool:
    if follower is None:
        return not history.spares_frontier
    if follower.side == "assistant":
        return False
    # Item types that nobody knows here may well be the model's.
    return bool(follower.blocks) and follower.blocks[0].kind in ("text", "media", "result")


RULE = Rule(
    code="HR508",
    name="reasoning-without-follower",
    summary="A reasoning item that nothing of the model's follows.",
    refs={"openai-responses": ("R07",)},
    check=check,
)
