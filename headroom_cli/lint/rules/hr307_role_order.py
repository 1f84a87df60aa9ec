"""# HR307 role-order

A message comes after one that it must not follow.

## Why it is refused

**Mistral** checks which role follows which: `system` not after the assistant or a tool, `tool` not after the user or a
system message. **Gemini** wants a turn that calls functions directly after the user's, or after the responses: not
after another turn of the model. Gemini 3 has been seen to take two turns of the model in a row: there it is a warning.

A result whose call is nowhere is HR102's matter. A model's first content is HR302's.

## Example

```json
{"contents": [
  {"role": "user", "parts": [{"text": "x"}]},
  {"role": "model", "parts": [{"text": "let me see"}]},
  {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
  {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}]}
```

## What to do

Gemini: merge the two turns of the model. Mistral: put tool messages directly behind their calls, system messages
before a prompt of the user.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from headroom_cli.lint.base import Check, Finding, Fix, Related, Rule
from headroom_cli.lint.models import traits

_MERGE = Fix("merge", "merge the two turns of the model")
_MOVE = Fix("reorder", "move it to where this provider takes it")
_REFUSED = frozenset({("assistant", "system"), ("tool", "system"), ("user", "tool"), ("system", "tool")})
_GEMINI = "Please ensure that function call turn comes immediately after a user turn or after a function response turn."


def check(check: Check) -> Iterator[Finding]:
    """Neighbours in the list."""
    entries = check.history.entries
    if check.profile.name == "gemini":
        if check.history.dialect == "openai-responses":
            return  # each item is an entry of its own: whoever converts them makes turns of them
        version = traits(check.history.model).version
        lenient = version is not None and version >= (3, 0)
        for before, entry in pairwise(entries):
            if before.side == entry.side == "assistant" and any(block.kind == "call" for block in entry.blocks):
                yield check.finding(
                    "a call of a function follows another turn of the model" + (", which may be refused" * lenient),
                    entry,
                    severity="warning" if lenient else "error",
                    confidence="low" if lenient else "high",
                    related=[Related(before, "the turn before it")],
                    api_error=_GEMINI,
                    fix=_MERGE,
                )
    elif check.history.dialect == "openai" and any((a.role, b.role) in _REFUSED for a, b in pairwise(entries)):
        orphans = {id(orphan.result.entry) for orphan in check.matching.orphans}
        for before, entry in pairwise(entries):
            if (before.role, entry.role) in _REFUSED and id(entry) not in orphans:
                yield check.finding(
                    f"a message of the role {entry.role} after one of the role {before.role}",
                    entry,
                    related=[Related(before, "the message before it")],
                    api_error=f"Unexpected role '{entry.role}' after role '{before.role}'",
                    fix=_MOVE,
                )


RULE = Rule(
    code="HR307",
    name="role-order",
    summary="A message after one that it must not follow.",
    refs={"gemini": ("G02",), "mistral": ("M03",)},
    check=check,
)
