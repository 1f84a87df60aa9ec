"""# HR101 unanswered-call

A call of a tool has no result where the provider looks for one. The next request is refused, and so is every later
one: the history is stuck.

## Why it is refused

Anthropic, Bedrock, OpenAI (chat and Responses), Gemini and Mistral all demand a result for each call that the client
has to answer. Typical causes: the user interrupted, the process died between call and result, a window or a
compaction cut the history between the two, a parallel call was forgotten.

The last turn of a log may wait for its results: that is no error (HR113 tells of it at info level). In a request it is.
Codex answers calls that were aborted with `aborted` when it sends them, so in its rollouts this is told as info. A call
of a server tool (`server_tool_use`, `web_search_call`) is answered by the provider (HR110). A call without a result
that shares its id with one that has is told as HR201 only. A legacy `function_call`, and a call that a request to
Gemini ends with, are warned about.

## Example

```json
{"messages": [
  {"role": "user", "content": "ls"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "bash", "input": {"command": "ls"}}]},
  {"role": "user", "content": "never mind"},
  {"role": "assistant", "content": "Fine."},
  {"role": "user", "content": "thanks"}]}
```

## What to do

Add an honest error result right after the call (`--fix` does), or drop the call. Never invent an output.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule, in_their_words
from headroom_cli.lint.history import Block
from headroom_cli.lint.shapes.openai import is_legacy

_FIX = Fix("synthesize", 'add an error result, "no result recorded", right after the call')
_ERRORS = {
    "anthropic": "`tool_use` ids were found without `tool_result` blocks immediately after: {id}. Each `tool_use` "
    "block must have a corresponding `tool_result` block in the next message.",
    "bedrock": "Expected toolResult blocks at messages.{next}.content for the following Ids: {id}",
    "openai": "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: {id}",
    "openai-responses": "No tool output found for {kind} {id}.",
    "gemini": "Please ensure that the number of function response parts is equal to the number of function call parts "
    "of the function call turn.",
    "mistral": "Not the same number of function calls and responses",
    "strict": "invalid params, tool call result does not follow tool call (2013)",
}


def check(check: Check) -> Iterator[Finding]:
    """Calls that no result answers, but for those that wait at the end of a log, or whose result has another id."""
    misnamed = check.matching.misnamed
    for call in check.matching.unanswered:
        if id(call) in misnamed or call.entry.side != "assistant":
            continue
        aborted = check.history.log_format == "codex"
        legacy = is_legacy(call)
        lenient = call.entry is check.history.entries[-1] and not check.profile.refuses_last_call
        yield check.finding(
            f"{call.name or 'a call'} ({call.id or 'no id'}) has no result",
            call,
            severity="info" if aborted else "warning" if legacy or lenient else "error",
            refs=("L14",) if aborted else ("O13",) if legacy else None,
            call_ids=(call.id,) if call.id else (),
            api_error=_api_error(check.profile.name, call),
            fix=_FIX,
        )


def _api_error(provider: str, call: Block) -> str | None:
    kind = call.type.replace("_", " ")
    return in_their_words(_ERRORS[provider], id=call.id, next=call.entry.index + 1, kind=kind)


RULE = Rule(
    code="HR101",
    name="unanswered-call",
    summary="A call of a tool that no result answers.",
    refs={
        "anthropic": ("A01",),
        "bedrock": ("B01",),
        "openai": ("O01",),
        "openai-responses": ("R01",),
        "gemini": ("G01",),
        "mistral": ("M01",),
        "strict": ("D02",),
    },
    check=check,
    pairing=True,
)
