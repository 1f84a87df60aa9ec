"""# HR510 item-not-persisted

A request that is not stored refers to items by id only.

## Why it is refused

With `store: false`, OpenAI keeps no items. A reasoning item without `encrypted_content`, or an `item_reference`, points
to nothing. Hosts that never store (the ChatGPT backend, accounts with zero data retention) behave so always.

Healthy look-alikes: reasoning with `encrypted_content` carries itself; messages and calls may keep their ids, for they
carry their content.

## Example

```json
{"store": false, "input": [
  {"type": "reasoning", "id": "rs_1", "summary": []},
  {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
  {"type": "message", "role": "user", "content": "y"}]}
```

## What to do

Ask for `reasoning.encrypted_content` and send it back, or drop these items (`--fix` does the latter).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule

_FIX = Fix("drop", "drop the item")


def check(check: Check) -> Iterator[Finding]:
    """References, and reasoning without its ciphertext, in a request with `store: false`."""
    history = check.history
    if history.judged_as != "request" or history.body.get("store") is not False:
        return
    for block in (*history.of_kind("thinking"), *history.of_kind("reference")):
        raw = block.raw
        if not isinstance(raw, dict) or block.type not in ("reasoning", "item_reference"):
            continue
        item_id = raw.get("id")
        if not isinstance(item_id, str) or raw.get("encrypted_content"):
            continue
        yield check.finding(
            f"the request is not stored, and {item_id} carries nothing but its id",
            block,
            api_error=f"Item with id '{item_id}' not found. Items are not persisted when `store` is set to false. Try "
            "again with `store` set to true, or remove this item from your input.",
            fix=_FIX,
        )


RULE = Rule(
    code="HR510",
    name="item-not-persisted",
    summary="An item known by id only in a request that is not stored.",
    refs={"openai-responses": ("R12",)},
    check=check,
)
