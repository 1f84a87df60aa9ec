"""# HR807 history-rewritten

A message that was sent before is sent again with other content, or is gone.

## Why it matters

Everything after it is computed anew. Models that check what stands before their thinking may refuse it altogether
(HR506). Typical causes: old results that are shortened later, reminders that are taken out again, a window that slides
by one message a request, a serializer that writes arguments anew.

Healthy look-alikes: the last message grows or is replaced; a moved cache marker; a conversation that goes back to an
earlier message; a compaction, which puts a summary in the place of most of the history.

## Example

```json
{"model": "claude-opus-4-8", "max_tokens": 9, "messages": [
  {"role": "user", "content": "a long question"},
  {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]}
{"model": "claude-opus-4-8", "max_tokens": 9, "messages": [
  {"role": "user", "content": "a (shortened)"},
  {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"},
  {"role": "assistant", "content": "d"}, {"role": "user", "content": "e"}]}
```

## What to do

Only append. Shorten a result before it is sent for the first time, or all of them at once where a compaction is due.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.prefix import about_tokens, by_kind, dumped, dynamic, first_difference, main_line, size_of
from headroom_cli.lint.rules.hr805_dynamic_value import first_messages
from headroom_cli.lint.steps import Step


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """The first message that was rewritten, and the first that was taken out, with how often it happens."""
    for change in by_kind(_changes(check)):
        step, index = change.step, change.value
        assert step.before.messages is not None
        after = step.messages[: step.after.length]
        lost = about_tokens(sum(map(size_of, after[index : step.before.length])))
        old, new = (dumped(messages[index]).decode("utf-8", "replace") for messages in (step.before.messages, after))
        what = "is gone or moved" if _is_gone(step, index) else f"was rewritten: {first_difference(old, new)}"
        yield check.finding(
            f"message {index} of the request on line {step.before.line} {what}; {lost} after it are computed "
            f"anew{change.again}",
            line=step.after.line,
        )


def _changes(check: SessionCheck) -> Iterator[tuple[str, Step, int]]:
    for step in main_line(check):
        old, index = step.before.messages, step.kept
        if old is None or index >= min(len(old), step.after.length) or _is_compaction(step):
            continue
        if index == len(old) - 1 and (step.after.length <= len(old) or _extends(step.messages[index], old[index])):
            continue
        if _role(old[index]) in ("system", "developer"):
            continue  # HR804
        first = first_messages(step)
        if first is None or dynamic(*first) is None:
            yield "gone" if _is_gone(step, index) else "rewritten", step, index


def _role(raw: Any) -> Any:
    return raw.get("role") if isinstance(raw, dict) else None


def _extends(new: Any, old: Any) -> bool:
    """Whether a message holds all blocks of an earlier form of it, and others after them."""
    before, after = _blocks(old), _blocks(new)
    return _role(new) == _role(old) and after[: len(before)] == before


def _blocks(raw: Any) -> list[Any]:
    content = raw.get("content", raw.get("parts")) if isinstance(raw, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    blocks = content if isinstance(content, list) else []
    return [
        {key: value for key, value in block.items() if key != "cache_control"} if isinstance(block, dict) else block
        for block in blocks
        if not (isinstance(block, dict) and block.keys() == {"cachePoint"})
    ]


def _is_gone(step: Step, index: int) -> bool:
    """Whether the message that stood next stands here now."""
    old = step.before.messages
    return old is not None and any(step.messages[index] == raw for raw in old[index + 1 : index + 9])


def _is_compaction(step: Step) -> bool:
    """Whether most of a history made room for something new and short."""
    old = step.before.messages or []
    if step.after.length >= len(old) or _is_gone(step, step.kept):
        return False
    return step.after.length - step.kept <= max(4, (len(old) - step.kept) // 2)


RULE = Rule(
    code="HR807",
    name="history-rewritten",
    summary="A message that was sent before is sent again with other content, or is gone.",
    refs={"*": ("K07",)},
    check_session=check_session,
    off=True,
)
