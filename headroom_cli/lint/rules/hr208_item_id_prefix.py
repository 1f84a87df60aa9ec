"""# HR208 item-id-prefix

The `id` of an item does not begin as ids of its type do.

## Why it is refused

The Responses API checks the beginning of ids: `fc` for function calls, `ctc` for custom tool calls, `rs` for reasoning,
`msg` for messages, `ws` for web searches. Typical causes: the `call_id` copied into `id`, ids made up by a proxy or by
another host, a function call that became a custom one.

The id is optional in input. Types that are not in this list are not judged. Codex does not send the ids of its
rollouts.

## Example

```json
{"input": [
  {"type": "message", "role": "user", "content": "x"},
  {"type": "function_call", "id": "call_abc", "call_id": "call_abc", "name": "f", "arguments": "{}"},
  {"type": "function_call_output", "call_id": "call_abc", "output": "r"}]}
```

## What to do

Drop the `id` (`--fix` does).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule

_PREFIXES = {
    "function_call": "fc",
    "custom_tool_call": "ctc",
    "reasoning": "rs",
    "message": "msg",
    "web_search_call": "ws",
}
_FIX = Fix("set", "drop the id of the item")


def check(check: Check) -> Iterator[Finding]:
    """Items whose id begins otherwise."""
    history = check.history
    if history.dialect != "openai-responses" or history.log_format == "codex":
        return
    for entry in history.entries:
        raw = entry.raw
        if not isinstance(raw, dict):
            continue
        item_id, kind = raw.get("id"), raw.get("type", "message")
        prefix = _PREFIXES.get(kind) if isinstance(kind, str) else None
        if prefix is None or not isinstance(item_id, str) or item_id.startswith(prefix):
            continue
        call_id = raw.get("call_id")
        shown = item_id if len(item_id) <= 64 else item_id[:60] + "…"
        yield check.finding(
            f"the id {shown} of a {kind} does not begin with {prefix}",
            entry,
            at=("id",),
            call_ids=(call_id,) if isinstance(call_id, str) else (),
            api_error=f"Invalid 'input[{entry.index}].id': '{shown}'. Expected an ID that begins with '{prefix}'.",
            fix=_FIX,
        )


RULE = Rule(
    code="HR208",
    name="item-id-prefix",
    summary="An id of an item that does not begin as its type demands.",
    refs={"openai-responses": ("R11",), "strict": ()},
    check=check,
)
