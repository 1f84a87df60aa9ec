"""# HR205 arguments-not-object

The arguments of a call do not have the form that the wire wants.

## Why it is refused

Anthropic and Bedrock want an object; OpenAI wants a string that holds JSON. Typical causes: a string that was not
parsed or an object that was not serialised in conversion, `""` for tools without arguments, `[]` from languages whose
empty map is an empty list, an interrupted stream.

`{}` is valid. Mistral takes both forms. Logs in the native form of Ollama (no ids, arguments as objects) are not
OpenAI's wire, and are left alone; rows for training are warned about, since chat templates want objects.

## Example

```json
{"messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": "{\\"a\\":1}"}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]}
```

## What to do

Parse or serialise them (`--fix` does where nothing is lost; arguments that cannot be parsed become `{}` only with
`--unsafe-fixes`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.shapes import arguments_path

_OBJECTS = {"anthropic": "tool_use", "bedrock": "toolUse"}
_TEXTS = {"openai": ("function", "function_call"), "openai-responses": ("function_call",)}
_SERIALISE = Fix("set", "write the arguments as JSON in a string")
_PARSE = Fix("set", "write the arguments as an object")
_EMPTY = Fix("set", "write {} as the arguments", safe=False)


def check(check: Check) -> Iterator[Finding]:
    """Calls whose arguments are of another type."""
    if check.profile.arguments is None or not check.native:
        return
    dialect = check.history.dialect
    if dialect in _OBJECTS:
        yield from _objects(check, _OBJECTS[dialect])
    elif dialect in _TEXTS:
        yield from _texts(check, _TEXTS[dialect])


def _objects(check: Check, kind: str) -> Iterator[Finding]:
    for call in check.history.of_kind("call"):
        if call.type != kind or isinstance(call.value, dict):
            continue
        where = f"{call.place}.{kind}.input"
        error = f"{where}: Input should be a valid dictionary"
        if kind == "toolUse":
            error = f"The format of the value at {where} is invalid. Provide a json object for the field and try again."
        yield check.finding(
            f"the arguments of {call.name or 'a call'} are {_kind_of(call.value)}, not an object",
            call,
            at=arguments_path(call),
            call_ids=(call.id,) if call.id else (),
            api_error=error,
            fix=_PARSE if _is_parsable(call.value) else _EMPTY,
        )


def _texts(check: Check, kinds: tuple[str, ...]) -> Iterator[Finding]:
    history = check.history
    wrong = [c for c in history.of_kind("call") if c.type in kinds and not isinstance(c.value, str)]
    if not wrong or (history.dialect == "openai" and not any(call.id for call in history.of_kind("call"))):
        return
    for call in wrong:
        root = "input" if history.dialect == "openai-responses" else "messages"
        where = f"{root}[{call.entry.index}]"
        for token in (*call.path, *(arguments_path(call) or ("arguments",))):
            where += f"[{token}]" if isinstance(token, int) else f".{token}"
        yield check.finding(
            f"the arguments of {call.name or 'a call'} are {_kind_of(call.value)}, not a string",
            call,
            at=arguments_path(call),
            severity="warning" if history.judged_as == "training" else "error",
            call_ids=(call.id,) if call.id else (),
            api_error=f"Invalid type for '{where}': expected a string, but got {_kind_of(call.value)} instead.",
            fix=_SERIALISE,
        )


def _kind_of(value: Any) -> str:
    if value is None:
        return "null or missing"
    if isinstance(value, bool):
        return "a boolean"
    names = ((dict, "an object"), (list, "an array"), (str, "a string"))
    return next((name for kind, name in names if isinstance(value, kind)), "a number")


def _is_parsable(value: Any) -> bool:
    """Whether an object can be made of it without loss."""
    if value is None or value == "" or value == []:
        return True
    if not isinstance(value, str):
        return False
    try:
        return isinstance(json.loads(value), dict)
    except (ValueError, RecursionError):
        return False


RULE = Rule(
    code="HR205",
    name="arguments-not-object",
    summary="Arguments of a call in a form that the wire does not take.",
    refs={
        "anthropic": ("A09",),
        "bedrock": ("A09",),
        "openai": ("O11",),
        "openai-responses": ("O11",),
        "strict": (),
    },
    check=check,
)
