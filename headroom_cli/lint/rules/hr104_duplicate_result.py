"""# HR104 duplicate-result

A call has more than one result.

## Why it is refused

Each call must have exactly one. The usual cause is a placeholder ("Tool execution aborted") that a client wrote when it
was interrupted, with the real result after it; others are a retry, a history merged from two stores, and two converters
that both wrote the result.

A result whose content is a list of several parts is one result. Lines of a log that were copied when a session was
resumed or forked are read once. An id that is used again by a later call has a result of its own there: by its rule
(HR201) that may be refused, but not as a duplicate result.

## Example

```json
{"messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "t1", "content": "Tool execution aborted"},
    {"type": "tool_result", "tool_use_id": "t1", "content": "No files found"}]}]}
```

## What to do

Keep the real one. The finding points at the one to drop: a placeholder, or an empty one; else the later.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Related, Rule
from headroom_cli.lint.placeholders import says_nothing
from headroom_cli.lint.shapes.openai import is_legacy

_DROP = "drop this result; the call keeps the other"
_ERRORS = {
    "anthropic": "each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}",
    "bedrock": "The number of toolResult blocks at messages.{n}.content exceeds the number of toolUse blocks of "
    "previous turn.",
    "openai": "Invalid parameter: Duplicate value for 'tool_call_id' of '{id}', in messages[{first}] and "
    "messages[{n}].",
    "openai-responses": "Duplicate call_ids submitted: ['{id}']",
    "gemini": "Please ensure that the number of function response parts is equal to the number of function call parts "
    "of the function call turn.",
    "mistral": "Duplicate tool call id {id} in tool results",
    "strict": "invalid params, tool call result does not follow tool call (2013)",
}
_ELSEWHERE_ERRORS = {
    "anthropic": "{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` "
    "block must have a corresponding `tool_use` block in the previous message.",
    "openai": "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
    "'tool_calls'.",
    "gemini": "Please ensure that function response turn comes immediately after a function call turn.",
    "mistral": "Not the same number of function calls and responses",
}
_ELSEWHERE = {"anthropic": ("A02",), "openai": ("O02",), "gemini": ("G03",), "mistral": ("M03",)}


def check(check: Check) -> Iterator[Finding]:
    """Second and further results of a call."""
    named = check.profile.name
    for pair in check.matching.duplicates:
        call, first, again = pair.call, pair.first, pair.again
        drops_first = pair.same_place and says_nothing(first) and not says_nothing(again)
        dropped, kept = (first, again) if drops_first else (again, first)
        safe = says_nothing(dropped) or dropped.value == kept.value
        errors = {} if pair.same_place else _ELSEWHERE_ERRORS
        legacy = is_legacy(again)
        refs = ("O13",) if legacy else None if pair.same_place else _ELSEWHERE.get(named)
        yield check.finding(
            f"{call.name or 'the call'} ({call.id or 'no id'}) has another result",
            dropped,
            severity="warning" if legacy else "error",
            refs=refs,
            call_ids=(call.id,) if call.id else (),
            related=[Related(kept, "the other result"), Related(call, "the call")],
            api_error=errors.get(named, _ERRORS[named]).format(
                id=again.id or again.name, n=again.entry.index, first=first.entry.index, place=again.place
            ),
            fix=Fix("drop", _DROP, safe),
        )


RULE = Rule(
    code="HR104",
    name="duplicate-result",
    summary="A call with more than one result.",
    refs={
        "anthropic": ("A04",),
        "bedrock": ("B02", "A04"),
        "openai": ("O04",),
        "openai-responses": ("R06",),
        "gemini": ("G01",),
        "mistral": ("M06",),
        "strict": ("D02",),
    },
    check=check,
    pairing=True,
)
