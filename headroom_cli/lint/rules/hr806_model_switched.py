"""# HR806 model-switched

The model changes in the middle of a conversation.

## Why it matters

Each model has a cache of its own: the whole prompt is computed anew, and again when the conversation goes back.
Thinking that one model wrote may be worth nothing to the other (HR505, HR511).

Healthy look-alikes: titles and summaries that a smaller model writes (HR814 where they repeat the history); the dated
name of the same model; what a client writes itself in the place of an answer.

## Example

```json
{"model": "claude-opus-4-8", "max_tokens": 9,
 "messages": [{"role": "user", "content": "a"}]}
{"model": "claude-sonnet-5", "max_tokens": 9,
 "messages": [
  {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]}
```

## What to do

Switch at the beginning of a conversation, or right after a compaction, where little is in the context.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.prefix import forks

_DATED = re.compile(r"[-@](?:\d{4}-\d\d-\d\d|\d{8})(?:-v\d(?::\d)?)?$")


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """The first switch, with how often the model changes."""
    switches: list[tuple[int, int, str, str]] = []
    before: tuple[int, str] | None = None
    for line, model in _models(check):
        if before is not None and _plain(model) != _plain(before[1]):
            switches.append((before[0], line, before[1], model))
        before = (line, model)
    if switches:
        at, line, old, new = switches[0]
        times = f"; {len(switches)} switches in all" if len(switches) > 1 else ""
        yield check.finding(
            f"the model changed from {old[:80]} (line {at}) to {new[:80]}: the whole prompt is computed anew{times}",
            line=line,
        )


def _models(check: SessionCheck) -> Iterator[tuple[int, str]]:
    requests = check.session.requests
    if requests:
        aside = {id(step.after) for step in forks(check)}
        for sent in requests:
            if sent.model and id(sent) not in aside:
                yield sent.line, sent.model
    else:
        for request in check.session.conversation.requests:
            if request.model and not request.model.startswith("<"):
                yield request.line, request.model


def _plain(model: str) -> str:
    return _DATED.sub("", model.lower())


RULE = Rule(
    code="HR806",
    name="model-switched",
    summary="The model changes in the middle of a conversation.",
    refs={"*": ("K06",)},
    check_session=check_session,
    off=True,
)
