"""# HR003 stale-baseline

The baseline knows a finding that is not there any more.

## Why it matters

As long as the entry stands, the same finding may come back without anybody being told.

## Example

```sh
headroom lint tests/golden --baseline .headroom-baseline.json
```

## What to do

Write the baseline anew: `headroom lint --write-baseline` with the same paths. Findings that stay keep their day.
"""

from __future__ import annotations

from headroom_cli.lint.base import Rule

RULE = Rule(
    code="HR003",
    name="stale-baseline",
    summary="An entry of the baseline whose finding is gone.",
    refs={},
)
