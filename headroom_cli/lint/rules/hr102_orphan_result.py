"""# HR102 orphan-result

A result answers a call that stands nowhere in the history.

## Why it is refused

Each result must answer a call that the provider can see. Typical causes: the history was cut between call and result
(truncation, compaction, a memory window), the line with the call was never written, or ids were rewritten on one side.

A history that is known to begin in the middle (a window of a longer one) is warned about only. With
`previous_response_id`, `conversation` or an `item_reference` the call may lie on the server, and nothing is said. A
legacy `function` message answers by its name and place. Where the call is there but elsewhere, HR103 speaks; where the
ids of a call and its result differ, HR107; where the call has a result already, HR104.

## Example

```json
{"messages": [
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_gone", "content": "ok"}]}]}
```

## What to do

Drop the result, or keep what it says as text in the same place (`--fix` does the latter where it says anything).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule, Severity, in_their_words
from headroom_cli.lint.shapes.openai import is_legacy

_FIX = Fix("neutralize", "turn the result into text in the same place, or drop it if it is empty")
_ERRORS = {
    "anthropic": "{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` "
    "block must have a corresponding `tool_use` block in the previous message.",
    "bedrock": "The number of toolResult blocks at messages.{n}.content exceeds the number of toolUse blocks of "
    "previous turn.",
    "openai": "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
    "'tool_calls'.",
    "openai-responses": "No tool call found for {kind} with call_id {id}.",
    "gemini": "Please ensure that function response turn comes immediately after a function call turn.",
    "mistral": "Unexpected role 'tool' after role '{before}'",
    "strict": "invalid params, tool call result does not follow tool call (2013)",
}
_REFS = {
    "anthropic": ("A02",),
    "bedrock": ("B02",),
    "openai": ("O02",),
    "openai-responses": ("R02",),
    "gemini": ("G03",),
    "mistral": ("M03",),
    "strict": ("D02",),
}
_IN_RUN: dict[str, tuple[str, ...]] = {"openai": ("O03",), "mistral": ("M06",)}
_IN_RUN_ERRORS = {
    "openai": "Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message.",
    "mistral": "Unexpected tool call id {id} in tool results",
}


def check(check: Check) -> Iterator[Finding]:
    """Results whose id no call has; HR107 speaks of those that stand where a call waits for another id."""
    history, named = check.history, check.profile.name
    doubtful: Severity = "info" if history.is_branch and not history.complete else "warning"
    served = {block.id for block in history.of_kind("server_call")}
    for orphan in check.matching.orphans:
        if orphan.waiting or (orphan.result.entry.side == "assistant" and orphan.result.id in served):
            continue
        if named == "openai-responses" and not history.complete:
            continue
        result = orphan.result
        legacy = is_legacy(result)
        refs = (_IN_RUN.get(named) if orphan.calls else None) or check.rule.refs_for(named)
        refs = ("O13",) if legacy else refs
        lost = ("L06",) if history.log_format == "claude-code" else ()
        errors = _IN_RUN_ERRORS if orphan.calls else {}
        yield check.finding(
            f"the result {result.id or result.name or 'without an id'} answers no call of this history",
            result,
            severity="error" if history.complete and not legacy else doubtful,
            refs=refs + lost,
            call_ids=(result.id,) if result.id else (),
            api_error=in_their_words(
                errors.get(named, _ERRORS[named]),
                n=result.entry.index,
                place=result.place,
                id=result.id,
                kind=result.type.replace("_", " "),
                before=history.entries[result.entry.index - 1].role if result.entry.index else "",
            ),
            fix=_FIX,
        )


RULE = Rule(
    code="HR102",
    name="orphan-result",
    summary="A result that answers no call of the history.",
    refs=_REFS,
    check=check,
    pairing=True,
)
