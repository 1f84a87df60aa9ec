"""# HR511 encrypted-content

The ciphertext of a reasoning item is damaged.

## Why it is refused

OpenAI decrypts `encrypted_content` and refuses what it cannot verify: text that a redactor wrote over, that a log cut
off, or that another organisation or model family made. Only the first two can be told from a log.

Healthy look-alikes: reasoning without `encrypted_content`. In session logs the ciphertext may have been shortened when
the log was written or shared, so there it is told as info.

## Example

```json
{"model": "gpt-5.2", "input": [
  {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA[REDACTED]"},
  {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
  {"type": "message", "role": "user", "content": "y"}]}
```

## What to do

Drop the reasoning item (`--fix` does); the model loses what it had thought.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule

_FIX = Fix("drop", "drop the reasoning item")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")


def check(check: Check) -> Iterator[Finding]:
    """Reasoning items whose ciphertext is no Base64."""
    history = check.history
    for block in history.of_kind("thinking"):
        if block.type != "reasoning" or not isinstance(block.raw, dict):
            continue
        secret = block.raw.get("encrypted_content")
        if secret is None or (isinstance(secret, str) and (not secret or _BASE64.fullmatch(secret))):
            continue
        item_id = block.raw.get("id")
        yield check.finding(
            "the encrypted reasoning is damaged, and cannot be decrypted",
            block,
            at=("encrypted_content",),
            severity="error" if history.judged_as == "request" else "info",
            api_error=f"The encrypted content for item {item_id if isinstance(item_id, str) else ''} could not be "
            "verified. Reason: Encrypted content could not be decrypted or parsed.",
            fix=_FIX,
        )


RULE = Rule(
    code="HR511",
    name="encrypted-content",
    summary="Encrypted reasoning that cannot be decrypted.",
    refs={"openai-responses": ("R13",)},
    check=check,
)
