"""# HR206 arguments-not-json

The arguments of a call are a string, as they should be, but what it holds is no JSON object.

## Why it matters

OpenAI takes any string. Chat templates (vLLM, llama.cpp) and converters to Anthropic, Bedrock and Gemini parse it, and
fail. Typical causes: a stream that was cut, and `""` for a tool without arguments.

Custom tools take free text, and are left alone.

## Example

```json
{"messages": [
  {"role": "user", "content": "a"},
  {"role": "assistant", "content": null, "tool_calls": [
    {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\\"a\\":"}}]},
  {"role": "tool", "tool_call_id": "c1", "content": "r"}]}
```

## What to do

`""` becomes `{}` (`--fix` does). Nothing can be made of arguments that were cut.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import orjson

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.shapes import arguments_path

_KINDS = frozenset({"function", "function_call"})
_EMPTY = Fix("set", 'write "{}" as the arguments')


def check(check: Check) -> Iterator[Finding]:
    """Calls of functions whose arguments cannot be parsed, or are no object."""
    if check.history.dialect not in ("openai", "openai-responses"):
        return
    for call in check.history.of_kind("call"):
        value = call.value
        if call.type not in _KINDS or not isinstance(value, str):
            continue
        fault = _fault(value)
        if fault is None:
            continue
        yield check.finding(
            f"the arguments of {call.name or 'a call'} are {fault}",
            call,
            at=arguments_path(call),
            severity="warning",
            call_ids=(call.id,) if call.id else (),
            fix=_EMPTY if not value.strip() else None,
        )


def _fault(text: str) -> str | None:
    if not text.strip():
        return "empty"
    try:
        value = orjson.loads(text)
    except ValueError:
        try:  # lone surrogates, numbers of any size
            value = json.loads(text, parse_constant=_refuse)
        except (ValueError, RecursionError):
            return "no JSON"
    return None if isinstance(value, dict) else "JSON, but no object"


def _refuse(constant: str) -> None:
    raise ValueError(constant)


RULE = Rule(
    code="HR206",
    name="arguments-not-json",
    summary="Arguments of a call that hold no JSON object.",
    refs={"openai": ("O12",), "openai-responses": ("O12",), "mistral": ("O12",), "strict": ()},
    check=check,
)
