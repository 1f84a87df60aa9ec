"""# HR901 damaged-record

A record of the log cannot be read. What it held is missing from the history that was judged, and from a resumed
session.

## Why it matters

The last line without an end is what a crash or a copy of a running session leaves: nothing but the newest record is
lost, and it is told as info. A broken record in the middle may hold the call that a later result answers, so what other
rules find after it may be its doing.

## Example

```text
{"role": "user", "content": "list the files"}
{"role": "assistant", "content": "I will{"role": "user", "content": "and?"}
{"role": "assistant", "content": "a.py"}
```

## What to do

Take the record from a backup, or drop the line. A client that writes from two processes at once needs a lock.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.source.records import TRUNCATED

_MOST = 50


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """Each broken record of the file, told with its first conversation."""
    reading = check.session.reading
    if not check.session.begins_file:
        return
    for damage in reading.damaged[:_MOST]:
        torn = damage.reason == TRUNCATED
        yield check.finding(
            f"the record cannot be read: {damage.reason}",
            line=damage.line,
            severity="info" if torn else "warning",
            refs=("L08",) if torn else (),
        )
    if len(reading.damaged) > _MOST:
        rest = reading.damaged[_MOST:]
        yield check.finding(
            f"{len(rest):,} more records cannot be read", line=rest[0].line, severity="warning", refs=()
        )


RULE = Rule(
    code="HR901",
    name="damaged-record",
    summary="A record of the log cannot be read.",
    refs={"*": ("L08",)},
    check_session=check_session,
)
