"""# HR403 empty-message

A message without any content, or no message at all.

## Why it is refused

Anthropic refuses a user's message with `""` or `[]` as its content; of the assistant it takes both. Bedrock refuses any
message with an empty list, Gemini any content without parts, or of parts with nothing in them (`{"text": ""}` it
takes). All refuse a request without messages.

Typical causes: another repair removed the only block, a client stored a turn before there was anything in it, a filter
dropped blank texts.

System messages with `output_config` may be empty: HR303 judges them. A `content` that is null or missing is HR404's
matter.

## Example

```json
{"model": "claude-haiku-4-5", "max_tokens": 100, "messages": [{"role": "user", "content": []}]}
```

## What to do

Drop the message if its neighbours stay in order, else write "(no content)".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Fix, Rule, Severity
from headroom_cli.lint.history import Entry

_FIX = Fix("synthesize", 'write "(no content)"', safe=False)
_DROP = Fix("drop", "drop the message")
_NONE = {
    "anthropic": "messages: at least one message is required",
    "openai": "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array "
    "instead.",
}
_ERRORS = {
    "anthropic": "messages.{n}: user messages must have non-empty content",
    "strict": "messages.{n}: all messages must have non-empty content except for the optional final assistant message",
    "bedrock": "The content field in the Message object at messages.{n} is empty. Add a ContentBlock object to the "
    "content field and try again.",
    "gemini": "Unable to submit request because it must include at least one parts field, which describes the prompt "
    "input.",
    "openai": "Invalid 'messages[{n}].content': empty array. Expected an array with minimum length 1, but got an empty "
    "array instead.",
}


def check(check: Check) -> Iterator[Finding]:
    """Entries with nothing in them."""
    history, name = check.history, check.profile.name
    if not history.entries:
        if check.native and history.judged_as == "request" and not history.body.get("previous_response_id"):
            yield check.finding("there are no messages", api_error=_NONE.get(name), fix=None)
        return
    judge = _gemini if name == "gemini" else _content
    last = history.entries[-1]
    for entry in history.entries:
        raw = entry.raw
        if not isinstance(raw, dict) or entry.side == "system":
            continue
        severity = judge(check, entry, raw, entry is last)
        if severity is not None:
            yield check.finding(
                f"a message of the {entry.role or 'user'} has no content",
                entry,
                severity=severity,
                api_error=_ERRORS[name].format(n=entry.index),
                fix=_DROP if entry.side == "assistant" else _FIX,
            )


def _content(check: Check, entry: Entry, raw: dict[str, Any], last: bool) -> Severity | None:
    content, name = raw.get("content"), check.profile.name
    if content != [] and content != "":
        return None
    if check.history.dialect not in ("anthropic", "bedrock", "openai"):
        return None
    if entry.role == "user":
        if content == [] and name == "openai":
            return "warning"
        # A strict host's word on an empty string is HR401's.
        return "error" if name in ("anthropic", "bedrock") or content == [] else None
    if entry.role == "assistant" and content == [] and not entry.blocks:
        return "error" if name == "bedrock" else "warning" if name == "strict" and not last else None
    return None


def _gemini(check: Check, entry: Entry, raw: dict[str, Any], last: bool) -> Severity | None:
    if check.history.dialect != "gemini":
        return None
    parts = raw.get("parts")
    return "error" if not isinstance(parts, list) or all(part == {} for part in parts) else None


RULE = Rule(
    code="HR403",
    name="empty-message",
    summary="A message without content, or no message at all.",
    refs={"anthropic": ("A23",), "bedrock": ("B04",), "gemini": ("G06",), "openai": ("O10",), "strict": ()},
    check=check,
)
