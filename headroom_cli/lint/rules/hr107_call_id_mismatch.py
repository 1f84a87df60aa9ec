"""# HR107 call-id-mismatch

A result stands where a call waits for one, but names another id.

## Why it is refused

Results are matched by id, so the provider misses one result and does not know the other; here both are one finding.
Typical causes: ids rewritten on one side when the provider was switched, the tool's name or its output put in the place
of the id, ids cut to a length.

Gemini counts responses and is warned about where the counts agree. A result whose id no call has and where none waits
is HR102.

## Example

```json
{"messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": null, "tool_calls": [
    {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "zzz", "content": "r"}]}
```

## What to do

Where one call and one result are left over, they belong together: write the id of the call into the result (`--fix`
does). Else it is not known which result answers which call.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Related, Rule, Severity, in_their_words
from headroom_cli.lint.matching import Orphan
from headroom_cli.lint.shapes.openai import is_legacy

_RENAME = Fix("rename", "write the id of the call that waits into the result")
_NEUTRALIZE = Fix("neutralize", "turn the result into text in the same place, or drop it if it is empty")
_ERRORS = {
    "anthropic": "{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` "
    "block must have a corresponding `tool_use` block in the previous message.",
    "bedrock": "Expected toolResult blocks at messages.{n}.content for the following Ids: {waiting}",
    "openai": "Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message.",
    "openai-responses": "No tool call found for {kind} with call_id {id}.",
    "gemini": "Please ensure that the number of function response parts is equal to the number of function call parts "
    "of the function call turn.",
    "mistral": "Unexpected tool call id {id} in tool results",
    "strict": "invalid params, tool call result does not follow tool call (2013)",
}


def check(check: Check) -> Iterator[Finding]:
    """Results that answer nothing, beside calls that nothing answers."""
    named = check.profile.name
    for orphan in check.matching.orphans:
        if not orphan.waiting or (named == "openai-responses" and not check.history.complete):
            continue
        result, waiting = orphan.result, orphan.waiting
        call = orphan.call or waiting[0]
        ids = [block.id or block.name for block in waiting[:10]]
        yield check.finding(
            f"the result {result.id or result.name or 'without an id'} stands where {', '.join(ids) or 'a call'} "
            f"wait{'s' * (len(waiting) == 1)} for one",
            result,
            severity=_severity(check, orphan),
            refs=("O13",) if is_legacy(result) else None,
            call_ids=tuple(each for each in (result.id, call.id if orphan.call else None) if each),
            related=[Related(call, "a call that waits")],
            api_error=in_their_words(
                _ERRORS[named],
                n=result.entry.index,
                place=result.place,
                id=result.id,
                waiting=", ".join(ids),
                kind=result.type.replace("_", " "),
            ),
            fix=_RENAME if orphan.call is not None and call.id is not None else _NEUTRALIZE,
        )


def _severity(check: Check, orphan: Orphan) -> Severity:
    counts_only = check.profile.name == "gemini" and orphan.call is not None
    return "warning" if counts_only or is_legacy(orphan.result) else "error"


RULE = Rule(
    code="HR107",
    name="call-id-mismatch",
    summary="A result that names another id than the call it stands after.",
    refs={
        "anthropic": ("A02", "A01"),
        "bedrock": ("B01", "B02"),
        "openai": ("O03",),
        "openai-responses": ("R02", "R01"),
        "gemini": ("G01",),
        "mistral": ("M06",),
        "strict": ("D02",),
    },
    check=check,
    pairing=True,
)
