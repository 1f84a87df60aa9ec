"""# HR303 system-role

A message of the role `system` or `developer` stands where this provider or model does not take one.

## Why it is refused

**Anthropic** has a parameter of its own for the system prompt: no message list may begin with `system`. Since Opus 4.8
a system message may stand in the middle, directly after the user's (or after an answer that ends with a server tool),
and before an answer or at the end. Its content is text or `tool_addition` and `tool_removal`, and not blank; only with
`output_config` may it be `[]`, and then it may stand anywhere. Models before Opus 4.8 refuse the role; of others it is
not known, and the finding says so.

**OpenAI**: `o1-mini` and `o1-preview` refuse `system`. `developer` is OpenAI's alone: other hosts may refuse it.

Chat histories that are sent to Anthropic through a converter are left alone: converters hoist system messages.

## Example

```json
{"model": "claude-haiku-4-5", "messages": [
  {"role": "user", "content": "a"},
  {"role": "system", "content": "be terse"},
  {"role": "user", "content": "b"}]}
```

## What to do

Move what leads the list into `system` (the cached prefix changes). In the middle, say it in the user's message, as
`<system-reminder>` text. Swap `system` and `developer` as the model wants it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.history import Entry
from headroom_cli.lint.models import traits

_HOIST = Fix("reorder", "move its text into the system parameter", safe=False)
_REMIND = Fix("neutralize", "say it in the user's message beside it", safe=False)
_RENAME = Fix("set", "write the role as this model wants it", safe=False)
_BLOCKS = frozenset({"text", "tool_addition", "tool_removal", "tool_definition"})
_FIRST = (
    "messages.0: use the top-level 'system' parameter for the initial system prompt; the directive-only form "
    "(content: [] with output_config) is accepted at any position"
)
_PLACE = (
    "messages.{n}: role 'system' must precede an 'assistant' message or end the array; the directive-only form "
    "(content: [] with output_config) is accepted at any position"
)


def check(check: Check) -> Iterator[Finding]:
    """System messages, by what the provider allows."""
    if not any(entry.side == "system" for entry in check.history.entries):
        return
    if check.history.dialect == "anthropic" and check.profile.name in ("anthropic", "strict"):
        yield from _anthropic(check)
    elif check.history.dialect == "openai" and check.profile.name in ("openai", "strict"):
        yield from _chat(check)


def _anthropic(check: Check) -> Iterator[Finding]:
    entries, knows = check.history.entries, traits(check.history.model).system_in_messages
    for place, entry in enumerate(entries):
        if entry.side != "system" or _is_directive(entry.raw):
            continue
        if place == 0:
            yield check.finding("the system prompt is a message", entry, api_error=_FIRST, fix=_HOIST)
        elif knows is False:
            yield check.finding(
                "this model takes no system messages",
                entry,
                api_error="role 'system' is not supported on this model",
                fix=_REMIND,
            )
        elif (fault := _fault(entries, place)) is not None:
            what, text = fault
            yield check.finding(f"a system message {what}", entry, api_error=text.format(n=place), fix=_REMIND)
        elif knows is None:
            yield check.finding(
                "this model may take no system messages among the others (Opus 4.8 and later do)",
                entry,
                severity="warning",
                confidence="low",
                api_error="role 'system' is not supported on this model",
                fix=_REMIND,
            )


def _is_directive(raw: Any) -> bool:
    return isinstance(raw, dict) and raw.get("content") == [] and "output_config" in raw


def _fault(entries: list[Entry], place: int) -> tuple[str, str] | None:
    """What is wrong with a system message in the middle of the list, and the provider's text for it."""
    entry = entries[place]
    following = entries[place + 1] if place + 1 < len(entries) else None
    if following is not None and following.side == "user":
        return "comes before one of the user", _PLACE
    if (following is None or following.side == "assistant") and not _may_follow(entries, place):
        return "does not follow one of the user", _PLACE
    if not entry.blocks:
        return "is empty", "messages.{n}: system content must contain at least one block"
    if any(block.type not in _BLOCKS and block.type != "string" for block in entry.blocks):
        return (
            "holds more than text",
            "messages.{n}: role 'system' supports text, tool_addition, and tool_removal blocks only",
        )
    if any(block.kind == "text" and isinstance(block.value, str) and not block.value.strip() for block in entry.blocks):
        return "is blank", "messages.{n}: system text blocks must contain non-whitespace text"
    return None


def _may_follow(entries: list[Entry], place: int) -> bool:
    before = next((entry for entry in reversed(entries[:place]) if entry.side != "system"), None)
    if before is None:
        return False
    last = before.blocks[-1].kind if before.blocks else ""
    return before.side == "user" or last in ("server_call", "server_result")


def _chat(check: Check) -> Iterator[Finding]:
    model = traits(check.history.model)
    for entry in check.history.entries:
        if entry.side != "system":
            continue
        if model.refuses_system:
            yield check.finding(
                f"this model takes no {entry.role} messages",
                entry,
                at=("role",),
                api_error=f"Unsupported value: 'messages[{entry.index}].role' does not support '{entry.role}' with "
                "this model.",
                fix=_RENAME,
            )
        elif entry.role == "developer" and (check.profile.name == "strict" or _is_foreign(model.vendor)):
            yield check.finding(
                "only OpenAI knows the role developer; this host may refuse it",
                entry,
                severity="warning",
                confidence="medium",
                at=("role",),
                fix=_RENAME,
            )


def _is_foreign(vendor: str) -> bool:
    return vendor not in ("openai", "other")


RULE = Rule(
    code="HR303",
    name="system-role",
    summary="A system message where this provider or model takes none.",
    refs={"anthropic": ("A20",), "openai": ("O16",), "strict": ()},
    check=check,
)
