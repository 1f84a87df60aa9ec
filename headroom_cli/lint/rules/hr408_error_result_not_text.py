"""# HR408 error-result-not-text

A result that reports an error holds something else than text.

## Why it is refused

Anthropic takes nothing but text in a `tool_result` with `"is_error": true`, Bedrock in a `toolResult` with the status
`error` (JSON apart). A screenshot that was taken when a tool failed makes every later request fail, after a fork too.

Claude Code takes such parts out before it sends them, so nothing is said of its logs.

## Example

```json
{"messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "shot", "input": {}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": [
      {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}]}]}]}
```

## What to do

Keep the text of the result; put the image into the same message, after the results (`--fix` does).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.history import Block

_FIX = Fix("reorder", "move what is not text behind the results")
_MEDIA = ("image", "document", "video", "audio")


def check(check: Check) -> Iterator[Finding]:
    """Error results with other parts than text."""
    history = check.history
    if history.dialect not in ("anthropic", "bedrock") or history.log_format.startswith("claude-"):
        return
    for block in history.of_kind("result"):
        if not isinstance(block.value, list):
            continue
        found = _anthropic(block) if history.dialect == "anthropic" else _bedrock(block)
        if found is not None:
            place, kind = found
            where = ("content",) if history.dialect == "anthropic" else ("toolResult", "content")
            yield check.finding(
                f"an error result holds {kind}, not only text",
                block,
                at=(*where, place),
                call_ids=(block.id,) if block.id else (),
                api_error=f"{block.place}.tool_result: all content must be type `text` if `is_error` is true",
                fix=_FIX,
            )


def _anthropic(block: Block) -> tuple[int, str] | None:
    if not isinstance(block.raw, dict) or block.raw.get("is_error") is not True:
        return None
    for place, part in enumerate(block.value):
        kind = part.get("type") if isinstance(part, dict) else None
        if isinstance(kind, str) and kind != "text":
            return place, kind[:40]
    return None


def _bedrock(block: Block) -> tuple[int, str] | None:
    inner = block.raw.get("toolResult") if isinstance(block.raw, dict) else None
    if not isinstance(inner, dict) or inner.get("status") != "error":
        return None
    for place, part in enumerate(block.value):
        kind = next((name for name in _MEDIA if name in part), None) if isinstance(part, dict) else None
        if kind is not None:
            return place, kind
    return None


RULE = Rule(
    code="HR408",
    name="error-result-not-text",
    summary="An error result that holds something else than text.",
    refs={"anthropic": ("A33",), "bedrock": ("B07",), "strict": ()},
    check=check,
)
