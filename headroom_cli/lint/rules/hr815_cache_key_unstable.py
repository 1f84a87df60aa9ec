"""# HR815 cache-key-unstable

`prompt_cache_key` or `prompt_cache_retention` changes from request to request of a conversation.

## Why it matters

OpenAI sends requests with the same key and the same beginning to the same machine. With another key, the request may
meet one that has not seen the prompt. The retention decides how long an entry lives; where it toggles, so does that.

Requests without any key are fine: they are routed by their beginning alone.

## Example

```json
{"model": "gpt-5.2", "prompt_cache_key": "r-1", "input": [{"role": "user", "content": "a"}]}
{"model": "gpt-5.2", "prompt_cache_key": "r-2", "input": [
  {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]}
```

## What to do

Take the id of the session as key.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.prefix import quoted

_NAMES = ("prompt_cache_key", "prompt_cache_retention")


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """The first change of each field, with how often it happens."""
    requests = check.session.requests
    for name in _NAMES:
        changes = [
            (before, after) for before, after in pairwise(requests) if before.body.get(name) != after.body.get(name)
        ]
        if changes:
            before, after = changes[0]
            again = f"; so in {len(changes)} requests" if len(changes) > 1 else ""
            yield check.finding(
                f"{name} changed from {_shown(before.body.get(name))} (line {before.line}) to "
                f"{_shown(after.body.get(name))}{again}",
                line=after.line,
            )


def _shown(value: object) -> str:
    return "nothing" if value is None else quoted(str(value))


RULE = Rule(
    code="HR815",
    name="cache-key-unstable",
    summary="The key or the retention of the prompt cache changes within a conversation.",
    refs={"openai": ("K15",), "openai-responses": ("K15",)},
    check_session=check_session,
    off=True,
)
