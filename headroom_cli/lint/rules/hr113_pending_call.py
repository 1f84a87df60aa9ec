"""# HR113 pending-call

The history ends with a call that has no result yet.

## Why it matters

It is no error: a log may end while a tool runs, or while it waits for approval. To send this history, its results must
be added first; a *request* that ends so is refused (HR101).

## Example

```json
{"messages": [
  {"role": "user", "content": "ls"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "bash", "input": {"command": "ls"}}]}]}
```

## What to do

Nothing. If the session is to be resumed and the call was aborted, add an error result.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Related, Rule


def check(check: Check) -> Iterator[Finding]:
    """The calls at the open end of a log, as one finding."""
    misnamed = check.matching.misnamed
    calls = [call for call in check.matching.pending if id(call) not in misnamed]
    if not calls or not check.history.last_epoch:
        return
    names = ", ".join(f"{call.name or 'a call'} ({call.id or 'no id'})" for call in calls[:5])
    more = f" and {len(calls) - 5} more" if len(calls) > 5 else ""
    yield check.finding(
        f"{names}{more}: no result yet",
        calls[0],
        severity="info",
        call_ids=tuple(call.id for call in calls if call.id),
        related=[Related(call, "waits as well") for call in calls[1:]],
    )


RULE = Rule(
    code="HR113",
    name="pending-call",
    summary="A call at the end of a log that has no result yet.",
    refs={"*": ()},
    check=check,
    pairing=True,
)
