"""# HR412 content-and-calls

An assistant message has a content and calls, or neither.

## Why it is refused

Mistral's first tokenizers (up to v3: the open 7B and Mixtral models) take only one of the two; for other models it is
told that they may refuse it. An assistant message with neither is refused by all of them, unless it is a prefix.

OpenAI's word on a message with neither is HR404.

## Example

```json
{"model": "open-mistral-7b", "messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": "let me look",
   "tool_calls": [{"id": "abcdefghi", "function": {"name": "f", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "abcdefghi", "content": "r"}]}
```

## What to do

Leave out the text beside the calls, or use a model that takes both. Drop a message that says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule

_DROP = Fix("drop", "drop the message")
_OLD = re.compile(
    r"open-mistral-7b|open-mixtral|mistral-7b-instruct-v0\.[1-3]|mixtral-8x7b|mistral-(?:tiny|small-2402)"
)
_ERROR = "Assistant message must have either content or tool_calls, but not both."


def check(check: Check) -> Iterator[Finding]:
    """Assistant messages with both, or neither."""
    history = check.history
    if history.dialect != "openai":
        return
    old = bool(_OLD.search((history.model or "").lower()))
    both = []
    for entry in history.entries:
        if entry.role != "assistant" or not isinstance(entry.raw, dict):
            continue
        says, calls = bool(entry.raw.get("content")), bool(entry.of_kind("call"))
        if says and calls:
            both.append(entry)
        elif not says and not calls and entry.raw.get("prefix") is not True:
            yield check.finding(
                "an assistant message has neither a content nor calls", entry, api_error=_ERROR, fix=_DROP
            )
    if both:
        yield check.finding(
            f"{_messages(len(both))} both a content and calls" + ("" if old else "; older models may refuse that"),
            both[0],
            severity="error" if old else "warning",
            confidence="high" if old else "low",
            api_error=_ERROR,
        )


def _messages(count: int) -> str:
    return "an assistant message has" if count == 1 else f"{count} assistant messages have"


RULE = Rule(
    code="HR412",
    name="content-and-calls",
    summary="An assistant message with a content and calls, or with neither.",
    refs={"mistral": ("M05",)},
    check=check,
)
