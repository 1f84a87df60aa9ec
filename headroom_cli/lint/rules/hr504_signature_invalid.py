"""# HR504 signature-invalid

A thinking block carries no signature, or one that no Claude model made.

## Why it is refused

Anthropic verifies the signature of each thinking block. Missing and empty ones come from proxies and frameworks that
turn the reasoning of another provider into thinking blocks, or that store only the text; others carry a name
(`reasoning_content`), the id of an item (`rs_…`) or the ciphertext of another provider.

What is not Base64 can be told from a log; a signature of another account, or of another model, cannot. Empty thinking
with a signature is what `display: "omitted"` gives, and healthy. Logs of sessions whose model is no Claude model were
sent to a host with rules of its own, and nothing is said of them.

## Example

```json
{"messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [
    {"type": "thinking", "thinking": "t", "signature": ""}, {"type": "text", "text": "y"}]},
  {"role": "user", "content": "z"}]}
```

## What to do

Drop the block, or keep what it says as text if another model wrote it (`--fix` drops it).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.history import Block
from headroom_cli.lint.models import traits

_FIX = Fix("drop", "drop the thinking block")
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def check(check: Check) -> Iterator[Finding]:
    """Thinking blocks whose signature, or ciphertext, cannot be genuine."""
    history = check.history
    blocks = history.of_kind("thinking")
    if not blocks or traits(history.model).vendor not in ("claude", "other"):
        return
    if history.model is not None and history.log_format.startswith("claude-") and not _is_claude(history.model):
        return
    last = history.entries[-1] if history.spares_frontier else None
    for block in blocks:
        fault = _fault(block)
        if fault is None or block.entry is last:
            continue
        missing = isinstance(block.raw, dict) and block.type == "thinking" and "signature" not in block.raw
        yield check.finding(
            fault,
            block,
            api_error=f"{block.place}.thinking.signature: Field required"
            if missing
            else f"{block.place}: Invalid `signature` in `thinking` block",
            fix=_FIX,
        )


def _fault(block: Block) -> str | None:
    raw: Any = block.raw
    if not isinstance(raw, dict):
        return None
    if block.type == "thinking":
        key, name = "signature", "signature"
    elif block.type == "redacted_thinking":
        key, name = "data", "data"
    else:
        return None
    value = raw.get(key)
    if value is None or value == "":
        return f"the thinking has no {name}" if value is None else f"the {name} of the thinking is empty"
    if not isinstance(value, str):
        return f"the {name} of the thinking is no text"
    # Only the ends are looked at: a signature may be long, and a foreign one shows at once.
    if not _BASE64.fullmatch(value if len(value) <= 512 else value[:256] + value[-256:]):
        return f"the {name} of the thinking was not made by a Claude model"
    return None


def _is_claude(model: str) -> bool:
    return traits(model).vendor == "claude"


RULE = Rule(
    code="HR504",
    name="signature-invalid",
    summary="A thinking block without a signature, or with one that is no Base64.",
    refs={"anthropic": ("A29",)},
    check=check,
)
