"""# HR805 dynamic-value

A time, an id or a counter stands at the beginning of the prompt, and changes from request to request.

## Why it matters

Whatever stands after it is computed anew each time. A date alone costs one miss a day; a time of day costs one a
request. In a log with a single request, a time of day in the system prompt is told with low confidence: the next
request will hold another one.

Looked for: times, dates, Unix times, UUIDs, commits, process ids, counts of tokens, in the system prompt and the first
message. What does not change between the requests of a conversation is not told.

## Example

```json
{"model": "claude-opus-4-8", "max_tokens": 9, "system": "Now it is 2026-11-30T10:00:00Z. You help.",
 "messages": [{"role": "user", "content": "a"}]}
{"model": "claude-opus-4-8", "max_tokens": 9, "system": "Now it is 2026-11-30T10:02:11Z. You help.",
 "messages": [
  {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]}
```

## What to do

Put what changes after the last cache marker: at the end of the newest message. Or fix it when the session begins.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.prefix import (
    Dynamic,
    by_kind,
    clock_in,
    dynamic,
    main_line,
    quoted,
    recomputed,
    system_changes,
    system_of,
    texts_in,
)
from headroom_cli.lint.steps import Step
from headroom_cli.model import Sent


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """The first change of each kind of value; in a lone request, a time of day."""
    told = False
    for change in by_kind(_changes(check)):
        told = True
        place, value = change.value
        yield check.finding(
            f"{value.kind} in {place} changes with the request: {quoted(value.old)} became {quoted(value.new)}; "
            f"{recomputed(change.step, tools=False)} are computed anew{change.again}",
            line=change.step.after.line,
        )
    requests = check.session.requests
    if not told and len(requests) == 1 and requests[0].parent is None:
        yield from _alone(check, requests[0])


def _alone(check: SessionCheck, sent: Sent) -> Iterator[Finding]:
    found = next((clock for text in system_of(sent, sent.messages or []) if (clock := clock_in(text))), None)
    if found is not None:
        yield check.finding(
            f"a time of day in the system prompt, {quoted(found)}: if it is the present one, the next request will "
            "differ there, and read nothing from the cache",
            line=sent.line,
            confidence="low",
        )


def _changes(check: SessionCheck) -> Iterator[tuple[str, Step, tuple[str, Dynamic]]]:
    steps = main_line(check)
    for step, old, new in system_changes(steps):
        value = dynamic(old, new)
        if value is not None:
            yield "system" + value.kind, step, ("the system prompt", value)
    for step in steps:
        pair = first_messages(step)
        if pair is not None:
            value = dynamic(*pair)
            if value is not None:
                yield "first" + value.kind, step, ("the first message", value)


def first_messages(step: Step) -> tuple[str, str] | None:
    """The texts of the first message that is no system prompt, in both requests, where they differ."""
    old, new = step.before.messages, step.messages[: step.after.length]
    if old is None or step.kept >= min(len(old), len(new)):
        return None
    raw, other = old[step.kept], new[step.kept]
    leading = all(isinstance(m, dict) and m.get("role") in ("system", "developer") for m in new[: step.kept])
    if not leading or not isinstance(raw, dict) or not isinstance(other, dict) or raw.get("role") != other.get("role"):
        return None
    if raw.get("role") in ("system", "developer"):
        return None
    one, two = ("\n".join(texts_in(m.get("content", m.get("parts")))) for m in (raw, other))
    return (one, two) if one != two else None


RULE = Rule(
    code="HR805",
    name="dynamic-value",
    summary="A time, an id or a counter at the beginning of the prompt changes from request to request.",
    refs={"*": ("K05",)},
    check_session=check_session,
    off=True,
)
