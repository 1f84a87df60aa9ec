"""# HR514 thought-signature-invalid

A thought signature was not made by Gemini.

## Why it is refused

Gemini verifies the signatures that come back. Those of other providers, and edited ones, are not valid. Only what is no
Base64 as Gemini writes it shows in a log, and the check depends on the model: a warning.

Healthy look-alikes: the two texts that Google documents as stand-ins for a signature that is lost.

## Example

```json
{"contents": [
  {"role": "user", "parts": [{"text": "x"}]},
  {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "EqQB-anthropic"}]},
  {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}]}
```

## What to do

Drop the signature from turns that are over (`--fix` does); in the open turn only the original helps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Fix, Rule

_FIX = Fix("drop", "drop the signature", safe=False)
_KEYS = ("thoughtSignature", "thought_signature")
_STAND_INS = frozenset({"context_engineering_is_the_way_to_go", "skip_thought_signature_validator"})
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def check(check: Check) -> Iterator[Finding]:
    """Signatures that are not Base64 with its padding."""
    if check.history.dialect != "gemini":
        return
    for block in check.history.blocks:
        raw: Any = block.raw
        key = next((key for key in _KEYS if key in raw), None) if isinstance(raw, dict) else None
        if key is None:
            continue
        value = raw[key]
        if isinstance(value, str) and (value in _STAND_INS or (value and _BASE64.fullmatch(value))):
            continue
        yield check.finding(
            "the thought signature was not made by Gemini" if value else "the thought signature is empty",
            block,
            at=(key,),
            severity="warning",
            confidence="medium",
            api_error="Unable to submit request because Thought signature is not valid.",
            fix=_FIX,
        )


RULE = Rule(
    code="HR514",
    name="thought-signature-invalid",
    summary="A thought signature that Gemini did not make.",
    refs={"gemini": ("G05",)},
    check=check,
)
