"""# HR503 thinking-modified

The thinking of the latest assistant turn is not what the model gave.

## Why it is refused

Anthropic demands that the thinking of the latest assistant turn comes back exactly as it was: text, signature, order
and number. Redactors, compressors, and code that unites or sorts blocks break it.

It takes two observations to tell: a response and the request that follows, or two blocks with one signature and
different texts. In a log that holds no requests the latter is a warning: it may be the log that was edited.

Healthy look-alikes: empty thinking with a signature (`display: "omitted"`); a turn that comes back without any of its
thinking, which is allowed unless HR502 applies.

## Example

```json
{"model": "claude-sonnet-4-5", "max_tokens": 9, "thinking": {"type": "enabled", "budget_tokens": 1024}, "messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [
    {"type": "thinking", "thinking": "first", "signature": "EqQBCkYIBRgC"}, {"type": "text", "text": "y"}]},
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [
    {"type": "thinking", "thinking": "EDITED", "signature": "EqQBCkYIBRgC"}, {"type": "text", "text": "y"}]},
  {"role": "user", "content": "z"}]}
```

## What to do

Send thinking back untouched, or drop all of it from that turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Related, Rule, SessionCheck
from headroom_cli.lint.history import Block
from headroom_cli.lint.steps import steps
from headroom_cli.model import Sent, Thinking


def check(check: Check) -> Iterator[Finding]:
    """Blocks that have the signature of an earlier one, but another text."""
    first: dict[str, Block] = {}
    for block in check.history.of_kind("thinking"):
        text, signature = _pair(block.raw)
        if not text or not signature:
            continue
        known = first.setdefault(signature, block)
        if known is not block and _pair(known.raw)[0] != text:
            yield check.finding(
                "this thinking has the signature of another one, but not its text",
                block,
                severity="error" if check.history.judged_as == "request" else "warning",
                api_error=_api_error(block),
                related=[Related(known, "the thinking that has the same signature")],
            )


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """Thinking of a response that the next request sends back changed."""
    for step in steps(check.session):
        if not step.appends or not step.before.answer or step.after.length <= step.before.length:
            continue
        given = _given(step.before)
        entry = step.history.entries[step.before.length] if step.history is not None else None
        if not given or entry is None or entry.role != "assistant":
            continue
        echoed = [block for block in entry.blocks if _pair(block.raw) != ("", "")]
        fault = _fault(given, [_pair(block.raw) for block in echoed])
        if fault is not None:
            yield check.finding(
                f"{fault} since the response to line {step.before.line}",
                echoed[0],
                severity="error",
                history=step.history,
                line=step.after.line,
                api_error=_api_error(echoed[0]),
            )


def _given(sent: Sent) -> list[tuple[str, str]]:
    parts = [part for message in sent.answer for part in message.parts if isinstance(part, Thinking)]
    return [pair for part in parts if (pair := _pair(part.raw)) != ("", "")]


def _fault(given: list[tuple[str, str]], echoed: list[tuple[str, str]]) -> str | None:
    """What became of the thinking, as (text, signature); None if nothing that the log can prove."""
    if not echoed or any(not signature for _, signature in (*given, *echoed)):
        return None
    texts = {signature: text for text, signature in given}
    if any(signature not in texts for _, signature in echoed):
        return "a signature of the thinking changed"
    if any(text and texts[signature] and text != texts[signature] for text, signature in echoed):
        return "the text of the thinking changed"
    if [signature for _, signature in given] == [signature for _, signature in echoed]:
        return None
    return "thinking was removed, but not all of it" if len(echoed) < len(given) else "the order of thinking changed"


def _pair(raw: Any) -> tuple[str, str]:
    """Text and signature of a thinking block of Anthropic's or Bedrock's; empty where there is none."""
    if not isinstance(raw, dict):
        return "", ""
    if raw.get("type") == "thinking":
        text, signature = raw.get("thinking"), raw.get("signature")
    elif raw.get("type") == "redacted_thinking":
        text, signature = "", raw.get("data")
    else:
        outer = raw.get("reasoningContent")
        inner = outer.get("reasoningText") if isinstance(outer, dict) else None
        text, signature = (inner.get("text"), inner.get("signature")) if isinstance(inner, dict) else ("", "")
    return text if isinstance(text, str) else "", signature if isinstance(signature, str) else ""


def _api_error(block: Block) -> str:
    return (
        f"{block.place}: `thinking` or `redacted_thinking` blocks in the latest assistant "
        "message cannot be modified. These blocks must remain as they were in the original response."
    )


RULE = Rule(
    code="HR503",
    name="thinking-modified",
    summary="Thinking that is not what the model gave.",
    refs={"anthropic": ("A28",), "bedrock": ("A28",)},
    check=check,
    check_session=check_session,
)
