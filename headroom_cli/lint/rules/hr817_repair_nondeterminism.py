"""# HR817 repair-nondeterminism

A result that the client made up for a call is another one in the next request.

## Why it matters

Where a call got no result, clients put a placeholder in its place before they send. If its text holds a time, or the
placeholder appears in one request and not in the next, the history is rewritten each time, and computed anew. Thinking
after it may be refused (HR506).

## Example

```json
{"model": "claude-opus-4-8", "max_tokens": 9, "messages": [
  {"role": "user", "content": "a"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "run", "input": {}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "[Tool execution was interrupted] at 10:00:01"}]},
  {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]}
{"model": "claude-opus-4-8", "max_tokens": 9, "messages": [
  {"role": "user", "content": "a"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "run", "input": {}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "[Tool execution was interrupted] at 10:00:09"}]},
  {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"},
  {"role": "assistant", "content": "d"}, {"role": "user", "content": "e"}]}
```

## What to do

Make the placeholder from the call alone (its id, never the clock), and write it into the history once.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.history import Block
from headroom_cli.lint.placeholders import is_placeholder, text_of
from headroom_cli.lint.prefix import by_kind, main_line, quoted
from headroom_cli.lint.shapes import read_entry
from headroom_cli.lint.steps import Step


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """The first such result, with how often it happens."""
    for change in by_kind(_changes(check)):
        old, new = change.value
        yield check.finding(
            f"the made-up result of {old.id or 'a call'} was {quoted(text_of(old.value) or '')} on line "
            f"{change.step.before.line}, and is {quoted(text_of(new.value) or '…')} now{change.again}",
            line=change.step.after.line,
            call_ids=(old.id,) if old.id else (),
        )


def _changes(check: SessionCheck) -> Iterator[tuple[str, Step, tuple[Block, Block]]]:
    for step in main_line(check):
        if step.appends or step.before.messages is None:
            continue
        old = _results(step, step.before.messages)
        new = _results(step, step.messages[: step.after.length])
        for call_id, result in old.items():
            other = new.get(call_id)
            if other is not None and other.value != result.value and is_placeholder(result):
                yield "placeholder", step, (result, other)
                break


def _results(step: Step, messages: list[object]) -> dict[str, Block]:
    """The results among the messages that the two requests do not have in common."""
    entries = (read_entry(step.after.dialect, raw, index) for index, raw in enumerate(messages[step.kept :]))
    return {
        block.id: block
        for entry in entries
        for block in entry.blocks
        if block.kind == "result" and block.id is not None
    }


RULE = Rule(
    code="HR817",
    name="repair-nondeterminism",
    summary="A made-up result changes from request to request.",
    refs={"*": ("K17",)},
    check_session=check_session,
    off=True,
)
