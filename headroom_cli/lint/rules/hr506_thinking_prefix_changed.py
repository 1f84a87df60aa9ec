"""# HR506 thinking-prefix-changed

Something before a thinking block changed since the model wrote it.

## Why it is refused

Newer Claude models (Fable and Mythos 5.1 and 5.2, Opus, Sonnet and Haiku 5.5) bind thinking to everything that stood
before it: `system`, `tools`, and every earlier message. After a change all later thinking is invalid, and the request
may be refused: by default on accounts made since 2026-08-31, on Fable 5.2 on all. Documentation does not agree on
Mythos. The account cannot be told from a log, so this is a warning unless the model always checks, or the request
asks for the error; with `prefix_mismatch_behavior: "drop_block"` it is told as info.

What changes a prefix: a date in the system prompt, tools that connect late, an old result that was compressed or
cleared, a reminder that was inserted and taken away, thinking removed between other thinking.

Healthy look-alikes: moving `cache_control`; changing the effort; dropping thinking from the front, oldest first;
compaction (no old thinking is left); tools added by `tool_addition` in a message. Session logs do not record the
prefix: consecutive requests are compared.

## Example

```json
{"model": "claude-opus-5-5", "max_tokens": 9, "system": "Today is 2026-11-29.", "messages": [
  {"role": "user", "content": "a"}]}
{"model": "claude-opus-5-5", "max_tokens": 9, "system": "Today is 2026-11-30.", "messages": [
  {"role": "user", "content": "a"},
  {"role": "assistant", "content": [
    {"type": "thinking", "thinking": "", "signature": "EqQBCkYIBRgC"}, {"type": "text", "text": "b"}]},
  {"role": "user", "content": "c"}]}
```

## What to do

Only append. Where an edit is worth it, drop all thinking after it, or set
`thinking.block_binding.prefix_mismatch_behavior` to `drop_block`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Finding, Fix, Rule, SessionCheck, Severity
from headroom_cli.lint.history import Block
from headroom_cli.lint.models import traits
from headroom_cli.lint.steps import Step, steps
from headroom_cli.logs.exchange.keys import json_hash
from headroom_cli.model import Sent

_TYPES = ("thinking", "redacted_thinking", "reasoningContent")
_FIX = Fix("drop", "drop all thinking after the change", safe=False)


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """The first change of each kind that thinking follows, with how often it happens."""
    found: dict[str, Finding] = {}
    times: dict[str, int] = {}
    for step in steps(check.session):
        severity = _severity(step.after)
        if severity is None:
            continue
        for what, start in _changes(step):
            later = (block for block in step.blocks(start) if block.type in _TYPES)
            first = next(later, None)
            if first is None:
                continue
            times[what] = times.get(what, 0) + 1
            if what not in found:
                found[what] = _finding(check, step, what, start, [first, *later], severity)
            break
    for what, finding in found.items():
        if times[what] > 1:
            finding.message += f"; so in {times[what]} requests"
        yield finding


def _finding(check: SessionCheck, step: Step, what: str, start: int, later: list[Block], severity: Severity) -> Finding:
    first, line = later[0], step.after.line
    may = {"error": "are refused", "warning": "may be refused", "info": "are dropped"}[severity]
    count = "1 thinking block after it" if len(later) == 1 else f"{len(later)} thinking blocks after it"
    where = f"message {start}" if what == "messages" else what
    return check.finding(
        f"{where} changed since the request before (line {step.before.line}): {count} {may}",
        first,
        severity=severity,
        history=step.history,
        line=line,
        confidence="high" if severity == "error" else "medium",
        api_error=f"{first.place}: Invalid `signature` in `thinking` "
        "block. The block is bound to a different conversation. Remove the block, or set "
        '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
        fix=_FIX,
    )


def _severity(sent: Sent) -> Severity | None:
    checks = traits(sent.model).checks_prefix
    if checks is None:
        return None
    thinking = sent.body.get("thinking")
    binding = thinking.get("block_binding") if isinstance(thinking, dict) else None
    behavior = binding.get("prefix_mismatch_behavior") if isinstance(binding, dict) else None
    if behavior == "drop_block":
        return "info"
    return "error" if checks == "yes" or behavior == "error" else "warning"


def _changes(step: Step) -> Iterator[tuple[str, int]]:
    """What changed, and the index of the first message that it affects."""
    before, after = step.before.body, step.after.body
    for name in ("system", "tools", "toolConfig"):
        if not _same(before.get(name), after.get(name)):
            yield ("tools" if name == "toolConfig" else name), 0
    if not step.appends and step.before.messages is not None:
        start = _first_change(step.before.messages, step.messages[: step.after.length], step.kept)
        if start is not None:
            yield "messages", start


def _same(one: Any, other: Any) -> bool:
    return one is other or one == other or json_hash(one) == json_hash(other)


def _first_change(before: list[Any], after: list[Any], start: int) -> int | None:
    """The first message that differs in more than that thinking at the front is gone; None if none does."""
    gone = any(_thinking(raw) for raw in before[:start])  # thinking that still stands before any that is dropped
    for index in range(start, min(len(before), len(after))):
        old, new = before[index], after[index]
        if old is new or old == new:
            gone = gone or bool(_thinking(old))
            continue
        old_thoughts, new_thoughts = _thinking(old), _thinking(new)
        if gone or _rest(old) != _rest(new):
            return index
        cut = len(old_thoughts) - len(new_thoughts)
        if cut <= 0 or old_thoughts[cut:] != new_thoughts:
            return index
        gone = bool(new_thoughts)
    return len(after) if len(after) < len(before) else None


def _content(raw: Any) -> list[Any]:
    content = raw.get("content") if isinstance(raw, dict) else None
    return content if isinstance(content, list) else []


def _is_thinking(block: Any) -> bool:
    return isinstance(block, dict) and (block.get("type") in _TYPES or "reasoningContent" in block)


def _thinking(raw: Any) -> list[Any]:
    return [block for block in _content(raw) if _is_thinking(block)]


def _rest(raw: Any) -> Any:
    """A message without its thinking and its cache markers."""
    if not isinstance(raw, dict) or not isinstance(raw.get("content"), list):
        return raw
    rest = [
        {key: value for key, value in block.items() if key != "cache_control"} if isinstance(block, dict) else block
        for block in raw["content"]
        if not _is_thinking(block)
    ]
    return {**raw, "content": rest}


RULE = Rule(
    code="HR506",
    name="thinking-prefix-changed",
    summary="Something before a thinking block changed between two requests.",
    refs={"anthropic": ("A31",), "bedrock": ("A31",)},
    check_session=check_session,
)
