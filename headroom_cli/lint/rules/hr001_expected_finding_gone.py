"""# HR001 expected-finding-gone

`[lint.expect]` says that a transcript is broken in a certain way, and it is not, or no longer.

## Why it matters

A golden file that is broken on purpose tests how an application deals with it. If somebody repairs the file, the test
goes on passing and tests nothing.

## Example

```toml
[lint.expect]
"tests/golden/orphan.json" = ["HR102"]
```

An `orphan.json` without an orphan is an error, and so is a pattern that matches no file of a run without paths.

## What to do

Bring the broken history back, or take the line out of the configuration.
"""

from __future__ import annotations

from headroom_cli.lint.base import Rule

RULE = Rule(
    code="HR001",
    name="expected-finding-gone",
    summary="A finding that `[lint.expect]` promises is not there.",
    refs={},
)
