"""# HR804 system-changed

The system prompt is another one than in the request before, in the middle of a conversation.

## Why it matters

The system prompt stands before all messages: with it, the whole history is computed anew. Reminders, modes, the state
of a repository or lists of files that are put into it are typical causes.

Healthy look-alikes: Claude Code's own billing header differs in each request and is left out here. A summary or title
that is asked for under another system prompt is HR814. Times, ids and counters are HR805.

## Example

```json
{"model": "claude-opus-4-8", "max_tokens": 9, "system": "You help. Mode: plan.",
 "messages": [{"role": "user", "content": "a"}]}
{"model": "claude-opus-4-8", "max_tokens": 9, "system": "You help. Mode: act.",
 "messages": [
  {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]}
```

## What to do

Keep the system prompt as it was, and tell what is new at the end of the history: in the last message, or in a system
message there where the model takes one.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.prefix import by_kind, dynamic, first_difference, main_line, recomputed, system_changes
from headroom_cli.lint.steps import Step


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """The first change, with how often it happens."""
    for change in by_kind(_changes(check)):
        yield check.finding(
            f"the system prompt changed since the request on line {change.step.before.line}: "
            f"{first_difference(*change.value)}; {recomputed(change.step, tools=False)} are computed "
            f"anew{change.again}",
            line=change.step.after.line,
        )


def _changes(check: SessionCheck) -> Iterator[tuple[str, Step, tuple[str, str]]]:
    for step, old, new in system_changes(main_line(check)):
        if dynamic(old, new) is None:
            yield "system", step, (old, new)


RULE = Rule(
    code="HR804",
    name="system-changed",
    summary="The system prompt changes in the middle of a conversation.",
    refs={"*": ("K04",)},
    check_session=check_session,
    off=True,
)
