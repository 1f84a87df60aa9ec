"""# HR405 empty-tool-calls

An assistant message has `"tool_calls": []`.

## Why it is refused

OpenAI wants at least one call in the list, or no list; also beside a content. Strict hosts say the same of
`"tools": []` in a request (DeepSeek).

`"tool_calls": null` is fine. Mistral takes an empty list.

## Example

```json
{"messages": [
  {"role": "user", "content": "a"},
  {"role": "assistant", "content": "x", "tool_calls": []},
  {"role": "user", "content": "b"}]}
```

## What to do

Drop the key (`--fix` does).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule

_FIX = Fix("drop", "drop the empty list")
_ERROR = "Invalid '{where}': empty array. Expected an array with minimum length 1, but got an empty array instead."


def check(check: Check) -> Iterator[Finding]:
    """Empty lists of calls, and of tools."""
    history = check.history
    if history.dialect != "openai":
        return
    for entry in history.entries:
        if isinstance(entry.raw, dict) and entry.raw.get("tool_calls") == []:
            yield check.finding(
                "an empty list of calls",
                entry,
                at=("tool_calls",),
                api_error=_ERROR.format(where=f"messages[{entry.index}].tool_calls"),
                fix=_FIX,
            )
    if check.profile.name == "strict" and history.judged_as == "request" and history.body.get("tools") == []:
        yield check.finding("an empty list of tools", at=("tools",), api_error=_ERROR.format(where="tools"), fix=_FIX)


RULE = Rule(
    code="HR405",
    name="empty-tool-calls",
    summary="An empty list of calls.",
    refs={"openai": ("O10",), "strict": ()},
    check=check,
)
