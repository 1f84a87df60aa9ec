"""# HR002 unused-ignore

An entry of `[lint.per-file-ignores]` ignores nothing.

## Why it matters

It was written for a finding that is gone. The next one of that rule in those files would pass unseen.

## Example

```toml
[lint.per-file-ignores]
"tests/golden/legacy/*" = ["HR402"]
```

If no file there has blank text, the entry is reported. Entries for files that a run does not look at are not.

## What to do

Take the entry out of the configuration.
"""

from __future__ import annotations

from headroom_cli.lint.base import Rule

RULE = Rule(
    code="HR002",
    name="unused-ignore",
    summary="An entry of `[lint.per-file-ignores]` that ignores nothing.",
    refs={},
)
