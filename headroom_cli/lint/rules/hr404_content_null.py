"""# HR404 content-null

The `content` of a message is null, missing, or neither text nor a list.

## Why it is refused

OpenAI wants a content of every message but the assistant's, and of that unless there are `tool_calls`, a
`function_call`, a refusal or audio. `"tool_calls": null` is no substitute. Anthropic and Bedrock want text or a list
of every message.

`""` is fine for OpenAI. What reports the index may not be the first at fault: OpenAI names wrong types before missing
contents. An empty list of calls is HR405's matter; Mistral's word on an assistant that says nothing is HR412's.

Typical causes: a serializer that leaves out empty fields, an answer that was cut off while it was thinking.

## Example

```json
{"messages": [
  {"role": "user", "content": "a"},
  {"role": "assistant", "content": null},
  {"role": "user", "content": "b"}]}
```

## What to do

Write `""` for the assistant or a tool (`--fix` does); drop a user's message that says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.history import Entry

_SET = Fix("set", 'write "" as the content')
_DROP = Fix("drop", "drop the message", safe=False)
_INSTEAD = ("tool_calls", "function_call", "refusal", "audio")
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "model"})


def check(check: Check) -> Iterator[Finding]:
    """Messages whose content is not what the wire takes."""
    if not check.native or check.history.dialect not in ("openai", "anthropic", "bedrock"):
        return
    chat = check.history.dialect == "openai"
    for entry in check.history.entries:
        raw = entry.raw
        if not isinstance(raw, dict) or entry.role not in _ROLES:
            continue
        content = raw.get("content")
        if isinstance(content, str | list):
            continue
        fault = _chat_fault(check, entry, raw, content) if chat else f"is {_kind(content)}"
        if fault is not None:
            yield check.finding(
                f"the content of a message of the {entry.role} {fault}",
                entry,
                at=("content",) if "content" in raw else (),
                api_error=_api_error(check, entry, content, chat),
                fix=_SET if entry.role in ("assistant", "tool") else _DROP,
            )


def _chat_fault(check: Check, entry: Entry, raw: dict[str, Any], content: Any) -> str | None:
    if content is not None:
        return f"is {_kind(content)}"
    if entry.role == "assistant" and (check.profile.name == "mistral" or any(raw.get(k) is not None for k in _INSTEAD)):
        return None
    return "is null" if "content" in raw else "is missing"


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    return "an object" if isinstance(value, dict) else "neither text nor a list"


def _api_error(check: Check, entry: Entry, content: Any, chat: bool) -> str:
    if check.profile.name == "bedrock":
        return (
            f"Invalid type for parameter messages[{entry.index}].content, valid types: <class 'list'>, <class 'tuple'>"
        )
    if check.profile.name == "anthropic" or not chat:
        return f"messages.{entry.index}.content: Input should be a valid array"
    if content is None:
        return f"Invalid value for 'content': expected a string, got null. (param messages.[{entry.index}].content)"
    got = "an object" if isinstance(content, dict) else "a boolean" if isinstance(content, bool) else "a number"
    return (
        f"Invalid type for 'messages[{entry.index}].content': expected one of a string or array of objects, but got "
        f"{got} instead."
    )


RULE = Rule(
    code="HR404",
    name="content-null",
    summary="A content that is null, missing, or neither text nor a list.",
    refs={"openai": ("O09",), "mistral": ("O09",), "anthropic": ("A43",), "bedrock": ("A43",), "strict": ()},
    check=check,
)
