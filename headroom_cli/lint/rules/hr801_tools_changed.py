"""# HR801 tools-changed

The tools that a request declares are others than in the request before, in the middle of a conversation.

## Why it matters

Tools stand at the very beginning of the prompt: one tool more, and nothing of the cache can be read. System prompt and
the whole history are paid for again.

Healthy look-alikes: tools that are added by a message (`tool_addition` of the tool search) leave the prefix alone.
A summary or a title that is asked for with other tools is no change of the conversation (HR814 tells of it). An MCP
server that connects late costs one miss at the beginning.

## Example

```json
{"model": "claude-opus-4-8", "max_tokens": 9, "tools": [
  {"name": "read", "input_schema": {"type": "object"}}],
 "messages": [{"role": "user", "content": "a"}]}
{"model": "claude-opus-4-8", "max_tokens": 9, "tools": [
  {"name": "read", "input_schema": {"type": "object"}}, {"name": "save", "input_schema": {"type": "object"}}],
 "messages": [
  {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]}
```

## What to do

Make declarations sticky: keep the bytes of `tools` of the first request, by provider and session, and send them
unchanged until the session ends. A tool that comes late is announced in a message, or waits for the next session; one
that goes stays declared, and answers that it is gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.prefix import by_kind, main_line, recomputed, same, tool_name, tools_of
from headroom_cli.lint.steps import Step

_SHOWN = 5


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """The first change, with how often it happens."""
    for change in by_kind(_changes(check)):
        added, gone = change.value
        said = [f"{word} {_listed(names)}" for word, names in (("added", added), ("gone", gone)) if names]
        late = not gone and change.step is check.steps[0]
        yield check.finding(
            f"the tools changed since the request on line {change.step.before.line}: {'; '.join(said)}; "
            f"{recomputed(change.step)} are computed anew{change.again}",
            line=change.step.after.line,
            confidence="medium" if late else "high",
        )


def _changes(check: SessionCheck) -> Iterator[tuple[str, Step, tuple[list[str], list[str]]]]:
    for step in main_line(check):
        old, new = step.before.body, step.after.body
        if old.get("tools") is new.get("tools") and same(old.get("toolConfig"), new.get("toolConfig")):
            continue
        before, after = Counter(map(tool_name, tools_of(old))), Counter(map(tool_name, tools_of(new)))
        if before != after:
            yield "tools", step, (sorted((after - before).elements()), sorted((before - after).elements()))


def _listed(names: list[str]) -> str:
    shown = ", ".join(name[:64] for name in names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"


RULE = Rule(
    code="HR801",
    name="tools-changed",
    summary="The declared tools change in the middle of a conversation.",
    refs={"*": ("K01",)},
    check_session=check_session,
    off=True,
)
