"""# HR402 blank-text

Text of nothing but white space.

## Why it is refused

Anthropic refuses a message whose texts are all blank, if nothing else is in it, and a blank system prompt. A blank text
beside real text, a call or a result is fine: models do return `"\\n\\n"` before a call.

Bedrock refuses *any* text block that is blank or empty, whatever stands beside it, and so do strict hosts with
Anthropic's form. Claude models on Bedrock have been seen to take white space beside other content: of them it is said
that they may refuse it.

Claude Code drops blank answers before it sends a history: nothing is said of them in its logs.

## Example

```json
{"model": "claude-haiku-4-5", "max_tokens": 100, "messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [{"type": "text", "text": " "}]},
  {"role": "user", "content": "y"}]}
```

## What to do

Drop the block; if nothing is left of the message, drop it, or write "(no content)" for the user.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.history import Block, Entry
from headroom_cli.lint.models import traits

_DROP = Fix("drop", "drop the blank block")
_EMPTY = Fix("drop", 'drop the message, or write "(no content)"', safe=False)
_ERROR = "{where}: text content blocks must contain non-whitespace text"
_BEDROCK = "The text field in the ContentBlock object at {place} is blank. Add text to the text field, and try again."


def check(check: Check) -> Iterator[Finding]:
    """Blank messages; where any blank text is refused, blank blocks."""
    history, strict = check.history, check.profile.name == "strict"
    if history.dialect not in ("anthropic", "bedrock", "openai") or (strict and history.dialect == "openai"):
        return
    if check.profile.rejects_blank_text:
        yield from _blocks(check, strict)
    else:
        blank = [block for block in history.of_kind("text") if _is_blank(block.value) and block.value]
        for entry in {id(block.entry): block.entry for block in blank}.values():
            if entry.side != "system" and all(map(_is_blank_block, entry.blocks)):
                yield _message(check, entry)
        if history.dialect == "anthropic" and _is_blank_system(history.system):
            yield check.finding(
                "the system prompt is blank", at=("system",), api_error=_ERROR.format(where="system"), fix=_DROP
            )


def _blocks(check: Check, strict: bool) -> Iterator[Finding]:
    claude = check.profile.name == "bedrock" and traits(check.history.model).vendor == "claude"
    for block in check.history.of_kind("text"):
        if not _is_blank(block.value) or block.entry.side == "system" or not _is_sent(block, strict):
            continue
        lenient = claude and bool(block.value) and not all(map(_is_blank_block, block.entry.blocks))
        yield check.finding(
            "a text block is blank" + (", which may be refused" if lenient else ""),
            block,
            severity="warning" if lenient else "error",
            confidence="medium" if lenient else "high",
            api_error=_BEDROCK.format(place=block.place),
            fix=_DROP,
        )


def _is_sent(block: Block, strict: bool) -> bool:
    """Whether the block would come to stand in a request; empty ones are HR401's matter for strict hosts."""
    if strict:
        return bool(block.value)
    return block.type != "string" or bool(block.value) or len(block.entry.blocks) == 1


def _message(check: Check, entry: Entry) -> Finding:
    return check.finding(
        f"a message of the {entry.role} is blank",
        entry,
        api_error=_ERROR.format(where="messages"),
        fix=_EMPTY,
    )


def _is_blank_block(block: Block) -> bool:
    return block.kind == "text" and _is_blank(block.value)


def _is_blank(value: Any) -> bool:
    return isinstance(value, str) and not value.strip()


def _is_blank_system(value: Any) -> bool:
    if isinstance(value, list):
        texts = [part.get("text") for part in value if isinstance(part, dict) and part.get("type") == "text"]
        return len(texts) == len(value) and all(map(_is_blank, texts)) and any(texts)
    return bool(value) and _is_blank(value)


RULE = Rule(
    code="HR402",
    name="blank-text",
    summary="A text of nothing but white space.",
    refs={"anthropic": ("A22",), "bedrock": ("B04",), "strict": ()},
    check=check,
)
