"""# HR309 unknown-role

A message has no role, or one that this provider does not know.

## Why it is refused

The role decides how everything else in the message is read. Anthropic knows `user` and `assistant` (and `system`, which
HR303 judges), Bedrock these two, Gemini `user` and `model`, Mistral `system`, `user`, `assistant` and `tool`; OpenAI
also `developer` and `function`, and in the Responses API neither of `tool` and `function`.

A history in another provider's form is converted before it is sent, and its roles are not judged.

## Example

```json
{"messages": [{"role": "user", "content": "a"}, {"role": "bot", "content": "b"}, {"role": "user", "content": "c"}]}
```

## What to do

Write the role that is meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Rule
from headroom_cli.lint.history import Entry

_ERRORS = {
    "anthropic": 'messages: Unexpected role "{role}". Allowed roles are "user" or "assistant"',
    "bedrock": "Value '{role}' at 'messages.{n}.member.role' failed to satisfy constraint: Member must satisfy enum "
    "value set: [user, assistant]",
    "gemini": "Please use a valid role: user, model.",
    "mistral": "Input tag '{role}' found using 'role' does not match any of the expected tags: 'assistant', 'system', "
    "'tool', 'user'",
    "openai-responses": "Invalid value: '{role}'. Supported values are: 'assistant', 'system', 'developer', and "
    "'user'.",
    "openai": "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and "
    "'developer'.",
    "strict": "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and "
    "'developer'.",
}


def check(check: Check) -> Iterator[Finding]:
    """Entries whose role is not among the provider's."""
    allowed = check.profile.roles
    if allowed is None or not check.native:
        return
    items = check.history.dialect == "openai-responses"
    for entry in check.history.entries:
        if entry.role in allowed or not _is_message(entry, items):
            continue
        role = entry.role[:40]
        yield check.finding(
            f"the role {role} is not known here" if role else "a message has no role",
            entry,
            at=("role",) if isinstance(entry.raw, dict) and "role" in entry.raw else (),
            api_error=_ERRORS[check.profile.name].format(role=role, n=entry.index + 1),
        )


def _is_message(entry: Entry, items: bool) -> bool:
    """Whether the entry is a message of the wire: no row that a log made of one, and no item of another type."""
    if not isinstance(entry.raw, dict):
        return entry.raw is not None and not items
    return "role" in entry.raw if items else "message" not in entry.raw


RULE = Rule(
    code="HR309",
    name="unknown-role",
    summary="A message without a role, or with one that the provider does not know.",
    refs={
        "anthropic": ("A43",),
        "bedrock": ("B05",),
        "gemini": ("G02",),
        "mistral": ("M03",),
        "openai": ("O16",),
        "openai-responses": ("O16",),
        "strict": (),
    },
    check=check,
)
