"""# HR103 result-not-adjacent

A call has its result, but not where the provider looks for it. The provider misses the result at one place and does
not expect it at the other; here both are one finding.

## Why it is refused

Anthropic, Bedrock and Gemini look for the results in the turn right after the calls; OpenAI chat and its strict clones
in the run of `tool` messages that follows; Mistral before the next assistant message. The Responses API takes an output
anywhere after its call, but not before it; strict hosts of that API refuse a message between the two. For OpenAI itself
that is a warning in a request, and a remark in a history, for Codex puts its own notices there. Typical causes: an
approval asked of the user before the call ran, a notice or an image put between call and result, a model that goes on
talking after its call, a memory that reorders messages.

Anthropic merges consecutive messages of one side first: there an assistant text right after the call is no error, and a
user's text before the results is HR105. Results of parallel calls in several user messages are HR106. Chat takes the
results of one run in any order.

## Example

```json
{"messages": [
  {"role": "user", "content": "a"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
  {"role": "user", "content": "also b"},
  {"role": "assistant", "content": "ok"},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]}
```

## What to do

Move the result to its call (`--fix` does where the model did not go on without it; else it adds an error result to the
call and keeps the late one as text).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Related, Rule, Severity, in_their_words
from headroom_cli.lint.history import Block, History
from headroom_cli.lint.shapes.openai import is_legacy

_MOVE = Fix("reorder", "move the result to right after its call")
_UNSAFE = Fix("reorder", "move the result to right after its call, though the model has gone on without it", safe=False)
_ERRORS = {
    "anthropic": "`tool_use` ids were found without `tool_result` blocks immediately after: {id}. Each `tool_use` "
    "block must have a corresponding `tool_result` block in the next message.",
    "bedrock": "Expected toolResult blocks at messages.{next}.content for the following Ids: {id}",
    "openai": "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: {id}",
    "openai-responses": "No tool output found for {kind} {id}.",
    "gemini": "Please ensure that function response turn comes immediately after a function call turn.",
    "mistral": "Not the same number of function calls and responses",
    "strict": "invalid params, tool call result does not follow tool call (2013)",
}


def check(check: Check) -> Iterator[Finding]:
    """Displaced results; where they may stand anywhere, those with a message between them and their call."""
    history = check.history
    displaced = [pair for pair in check.matching.displaced if not pair.split]
    speaking = _speaking(history) if displaced else []
    for pair in displaced:
        call, result = pair.call, pair.result
        went_on = bisect_right(speaking, result.entry.index) - bisect_right(speaking, call.entry.index) > 0
        yield _finding(check, call, result, early=pair.early, fix=_UNSAFE if went_on and not pair.early else _MOVE)
    if check.profile.adjacency_in(history.dialect) == "anywhere":
        yield from _interleaved(check)


def _speaking(history: History) -> list[int]:
    """The entries in which the model goes on."""
    return [entry.index for entry in history.entries if entry.side == "assistant" and entry.of_kind("text", "call")]


def _finding(check: Check, call: Block, result: Block, *, early: bool, fix: Fix) -> Finding:
    dialect = check.history.dialect
    refs = None
    if dialect == "openai-responses":
        refs = ("R04",) if early else ("R05",)
    elif is_legacy(call):
        refs = ("O13",)
    where = "before its call" if early else "not where the provider looks for it"
    return check.finding(
        f"the result of {call.name or 'a call'} ({call.id or 'no id'}) stands {where}",
        result,
        severity="warning" if is_legacy(call) else "error",
        refs=refs,
        call_ids=(call.id,) if call.id else (),
        related=[Related(call, "its call")],
        api_error=_api_error(check.profile.name, call),
        fix=fix,
    )


def _interleaved(check: Check) -> Iterator[Finding]:
    entries = check.history.entries
    said = [*check.history.of_kind("text"), *check.history.of_kind("media")]
    messages = sorted({block.entry.index for block in said})
    severity: Severity = "warning" if check.history.judged_as == "request" else "info"
    for call, result in check.matching.answered:
        after = bisect_right(messages, call.entry.index)
        if after < len(messages) and messages[after] < result.entry.index:
            yield check.finding(
                f"a message stands between {call.name or 'a call'} ({call.id or 'no id'}) and its output",
                result,
                severity=severity,
                refs=("R05",),
                call_ids=(call.id,) if call.id else (),
                related=[Related(call, "its call"), Related(entries[messages[after]], "stands between")],
                api_error=_api_error(check.profile.name, call),
                fix=_MOVE,
            )


def _api_error(provider: str, call: Block) -> str | None:
    return in_their_words(_ERRORS[provider], id=call.id, next=call.entry.index + 1, kind=call.type.replace("_", " "))


RULE = Rule(
    code="HR103",
    name="result-not-adjacent",
    summary="A result that stands where the provider does not look for it.",
    refs={
        "anthropic": ("A03",),
        "bedrock": ("A03", "B01"),
        "openai": ("O06",),
        "openai-responses": ("R04", "R05"),
        "gemini": ("G03",),
        "mistral": ("M01",),
        "strict": ("D02",),
    },
    check=check,
    pairing=True,
)
