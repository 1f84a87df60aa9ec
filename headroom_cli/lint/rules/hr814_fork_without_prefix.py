"""# HR814 fork-without-prefix

A request repeats the whole history under another system prompt and other tools, or for another model.

## Why it matters

Summaries, titles, evaluators and sub-agents read what the conversation has in the cache already, and could have it at a
tenth of the price. With another beginning, they pay for all of it as new.

Told where the request after it goes back to the old prompt, or none follows.

## Example

```json
{"model": "claude-opus-4-8", "max_tokens": 9, "system": "You write code.", "tools": [
  {"name": "read", "input_schema": {"type": "object"}}], "messages": [
  {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]}
{"model": "claude-opus-4-8", "max_tokens": 9, "system": "You write summaries.", "messages": [
  {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"},
  {"role": "assistant", "content": "d"}, {"role": "user", "content": "Summarise."}]}
```

## What to do

Send the conversation's own system prompt, tools and model, word for word, and say what is wanted in the last message.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.prefix import Change, forks, recomputed


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """The first such request, with how many there are."""
    found = forks(check)
    if found:
        change = Change(found[0], None, len(found))
        yield check.finding(
            f"the request repeats the history of the one on line {change.step.before.line} under another system "
            f"prompt and other tools or another model; {recomputed(change.step, tools=False, system=False)} are "
            f"computed anew{change.again}",
            line=change.step.after.line,
        )


RULE = Rule(
    code="HR814",
    name="fork-without-prefix",
    summary="A request repeats the history under another system prompt and other tools or another model.",
    refs={"*": ("K14",)},
    check_session=check_session,
    off=True,
)
