"""# HR306 prefill-trailing-whitespace

The request ends with a text of the assistant, and that ends with a blank.

## Why it is refused

Claude models that continue a begun answer (up to 4.5) refuse one that ends with white space. Later models refuse every
such request (HR305).

Only requests are judged, and only the last text of the last message.

## Example

```json
{"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": "The answer is "}]}
```

## What to do

Trim it.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.models import traits

_FIX = Fix("set", "trim the end of the text")
_ERROR = "messages: final assistant content cannot end with trailing whitespace"


def check(check: Check) -> Iterator[Finding]:
    """The last block of a request."""
    history = check.history
    if history.judged_as != "request" or not history.entries or history.entries[-1].role != "assistant":
        return
    model = traits(history.model)
    if model.prefill is False or (check.profile.name == "bedrock" and history.model and model.vendor != "claude"):
        return
    blocks = history.entries[-1].blocks
    text = blocks[-1].value if blocks and blocks[-1].kind == "text" else None
    if isinstance(text, str) and text.strip() and text != text.rstrip():
        yield check.finding(
            "the answer that the request begins ends with white space", blocks[-1], api_error=_ERROR, fix=_FIX
        )


RULE = Rule(
    code="HR306",
    name="prefill-trailing-whitespace",
    summary="The request ends with a text of the assistant that ends with white space.",
    refs={"anthropic": ("A24",), "bedrock": ("A24",)},
    check=check,
)
