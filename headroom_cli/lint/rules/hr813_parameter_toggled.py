"""# HR813 parameter-toggled

A field of the request that the cache depends on changes in the middle of a conversation.

## Why it matters

At Anthropic, another `tool_choice`, thinking switched on or off, or another budget of it let tools and system prompt
stand and the messages fall; `speed`, citations and web search also take the system prompt with them. OpenAI puts the
schema of structured outputs before the system prompt.

Images that come and go have the same effect, and are not looked for.

## Example

```json
{"model": "claude-opus-4-8", "max_tokens": 9, "messages": [{"role": "user", "content": "a"}]}
{"model": "claude-opus-4-8", "max_tokens": 9, "tool_choice": {"type": "any"}, "messages": [
  {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]}
```

## What to do

Settle these fields when the conversation begins. To demand a tool once, say so in the last message.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.caching import caching
from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.prefix import by_kind, dumped, main_line, quoted, recomputed, same
from headroom_cli.lint.steps import Step

_HEALTHY: tuple[Any, ...] = (None, {"type": "auto"}, "auto")


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """The first change of each field, with how often it happens."""
    names = tuple(dict.fromkeys(name for profile in check.profiles for name in caching(profile.name).parameters))
    for change in by_kind(_changes(check, names)):
        name, old, new = change.value
        yield check.finding(
            f"{name} changed from {_shown(old)} to {_shown(new)} since the request on line {change.step.before.line}; "
            f"{recomputed(change.step, tools=False, system=False)} are computed anew{change.again}",
            line=change.step.after.line,
        )


def _changes(check: SessionCheck, names: tuple[str, ...]) -> Iterator[tuple[str, Step, tuple[str, Any, Any]]]:
    for step in main_line(check):
        for name in names:
            old, new = _value(step.before.body, name), _value(step.after.body, name)
            if not same(old, new) and not (old in _HEALTHY and new in _HEALTHY):
                yield name, step, (name, old, new)


def _value(body: dict[str, Any], name: str) -> Any:
    value = body.get(name)
    if name == "toolConfig":  # Bedrock: the tools beside it are HR801's
        return value.get("toolChoice") if isinstance(value, dict) else None
    if name == "output_config":  # the effort is no part of what is cached
        return value.get("format") if isinstance(value, dict) else None
    return value


def _shown(value: Any) -> str:
    return "nothing" if value is None else quoted(dumped(value).decode("utf-8", "replace")).strip('"')


RULE = Rule(
    code="HR813",
    name="parameter-toggled",
    summary="A field that the cache depends on changes in the middle of a conversation.",
    refs={"*": ("K13",)},
    check_session=check_session,
    off=True,
)
