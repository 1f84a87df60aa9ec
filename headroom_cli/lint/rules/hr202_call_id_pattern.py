"""# HR202 call-id-pattern

The id of a call has characters that the provider does not take, or there is none.

## Why it is refused

Anthropic and Bedrock want letters, digits, `_` and `-`; Mistral exactly nine letters and digits. Typical causes: a
history carried over from another provider (`functions.f:0` of Kimi, composite ids of Copilot), ids left empty by a
proxy.

Foreign prefixes (`call_…`) are fine with Anthropic: only the characters count. Every id of OpenAI and Anthropic is
wrong for Mistral, whose hosted API has been laxer at times. The legacy `function_call` has no id.

## Example

```json
{"messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "functions.f:0", "name": "f", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "functions.f:0", "content": "r"}]}]}
```

## What to do

Rename the call and its result together (`--fix` does).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Related, Rule
from headroom_cli.lint.history import Block
from headroom_cli.lint.shapes import call_id_path
from headroom_cli.lint.shapes.openai import is_legacy

_RENAME = Fix("rename", "give the call and its result an id that the provider takes")
_NO_ID = frozenset({"local_shell_call", "shell_call", "apply_patch_call", "computer_call", "tool_search_call"})
_ERRORS = {
    "mistral": "Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.",
    "bedrock": "Value '{id}' at '{place}.toolUse.toolUseId' failed to satisfy constraint",
}
_ERROR = "{place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"


def check(check: Check) -> Iterator[Finding]:
    """Each id that does not match, once; and calls without one."""
    profile, history = check.profile, check.history
    nameless: list[Block] = []
    bad: dict[str, Block] = {}
    for call in history.of_kind("call"):
        if call.id is None:
            if not is_legacy(call) and call.type not in _NO_ID:
                nameless.append(call)
        elif profile.call_id is not None and call.id not in bad and not profile.call_id.fullmatch(call.id):
            bad[call.id] = call
    results = {result.id: result for _, result in check.matching.answered} if bad else {}
    for call_id, call in bad.items():
        result = results.get(call_id)
        yield check.finding(
            f"{profile.title} does not take the id {_short(call_id)}",
            call,
            at=call_id_path(call),
            call_ids=(call_id,),
            related=[Related(result, "its result")] if result is not None else [],
            api_error=_ERRORS.get(profile.name, _ERROR).format(id=_short(call_id), place=call.place),
            fix=_RENAME,
        )
    if nameless and profile.missing_call_id is not None and check.native:
        more = f" (and {len(nameless) - 1} more)" if len(nameless) > 1 else ""
        yield check.finding(
            f"{nameless[0].name or 'a call'} has no id{more}",
            nameless[0],
            severity=profile.missing_call_id,
            related=[Related(call, "has none either") for call in nameless[1:20]],
            api_error="Tool call id has to be defined." if profile.name == "mistral" else None,
            fix=_RENAME,
        )


def _short(call_id: str) -> str:
    return repr(call_id) if len(call_id) <= 64 else repr(call_id[:60]) + "…"


RULE = Rule(
    code="HR202",
    name="call-id-pattern",
    summary="An id of a call that the provider does not take, or none.",
    refs={
        "anthropic": ("A10",),
        "bedrock": ("A10",),
        "openai": (),
        "openai-responses": (),
        "mistral": ("M02",),
        "strict": (),
    },
    check=check,
)
