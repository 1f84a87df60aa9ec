"""# HR308 legacy-function-role

The history uses `function_call` and messages of the role `function`, which `tool_calls` and `tool` have replaced.

## Why it is refused

OpenAI still takes them, if each `function` message has a `name`; most compatible hosts do not, and a history that mixes
both forms pairs by name and place what the other pairs by id. Mistral does not know the role (HR309).

One finding a history, at the first such message.

## Example

```json
{"messages": [
  {"role": "user", "content": "a"},
  {"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}},
  {"role": "function", "content": "r"}]}
```

## What to do

Write them as `tool_calls` and `tool` messages, with ids of your own that are the same each time.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.history import Block, Entry

_FIX = Fix("rename", "write it as a tool call and a tool message", safe=False)


def check(check: Check) -> Iterator[Finding]:
    """The first message in the old form, and how many there are."""
    if check.history.dialect != "openai":
        return
    old = [block for block in (*check.history.of_kind("call"), *check.history.of_kind("result")) if _is_old(block)]
    if not old:
        return
    old.sort(key=lambda block: block.entry.index)
    nameless = next((block for block in old if block.kind == "result" and not block.name), None)
    mixed = any(not _is_old(block) for block in check.history.of_kind("call"))
    target: Entry = (nameless or old[0]).entry
    many = f"{len(old)} parts of the history are" if len(old) > 1 else "a message is"
    yield check.finding(
        f"{many} in the form that tool_calls replaced"
        + (", mixed with the new one" if mixed else "")
        + ("; a function message has no name" if nameless is not None else ""),
        target,
        severity="warning",
        api_error=f"Missing required parameter: 'messages[{target.index}].name'." if nameless is not None else None,
        fix=_FIX,
    )


def _is_old(block: Block) -> bool:
    return block.type == ("function_call" if block.kind == "call" else "function")


RULE = Rule(
    code="HR308",
    name="legacy-function-role",
    summary="The old form of function calls, before tool_calls.",
    refs={"openai": ("O13",), "strict": ()},
    check=check,
)
