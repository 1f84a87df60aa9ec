"""# HR201 duplicate-call-id

Two calls share an id.

## Why it is refused

Anthropic wants ids of `tool_use` to be unique in the whole history, the Responses API those of calls; Mistral, Bedrock
and MiniMax at least within one message. Typical causes: an assistant message written twice, content blocks and
`tool_calls` both converted, models that emit `functions.f:1` twice, proxies that leave ids empty.

Servers of local models number the calls of each turn anew (`call_0`): OpenAI's API takes that, because it matches
results turn by turn; told as info, since it is fatal after conversion to Anthropic. Two calls of one message with the
same id are a warning there. Results are matched in order where ids repeat.

## Example

```json
{"messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "t1", "name": "f", "input": {}},
    {"type": "tool_use", "id": "t1", "name": "g", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]}
```

## What to do

Drop the later one where it is a copy; else give the second call and its result an id of their own (`--fix` does so).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Related, Rule, Severity
from headroom_cli.lint.history import Block

_RENAME = Fix("rename", "give the later call, and its result, an id of their own")
_DROP = Fix("drop", "drop the later copy of the call")
_ERRORS = {
    "anthropic": "{place}: `tool_use` ids must be unique",
    "bedrock": "{place}: `tool_use` ids must be unique",
    "openai-responses": "Duplicate call_ids submitted: ['{id}']",
    "mistral": "Duplicate tool call id {id} in assistant message",
    "strict": "invalid params, duplicate tool_call id: {id} (2013)",
}


def check(check: Check) -> Iterator[Finding]:
    """Calls whose id an earlier one has: graver within one turn than in a later one."""
    profile = check.profile
    if not check.history.of_kind("call"):
        return
    first: dict[str, tuple[int, Block]] = {}
    reused: list[tuple[Block, Block]] = []
    for turn in check.turns:
        for entry in turn.entries:
            for call in entry.blocks:
                if call.kind != "call" or call.id is None:
                    continue
                if call.id not in first:
                    first[call.id] = (turn.index, call)
                    continue
                known, earlier = first[call.id]
                if known == turn.index:
                    if profile.same_turn_ids is not None:
                        yield _finding(check, call, earlier, profile.same_turn_ids)
                    continue
                first[call.id] = (turn.index, earlier)
                if profile.later_turn_ids == "info":
                    reused.append((call, earlier))
                elif profile.later_turn_ids is not None:
                    yield _finding(check, call, earlier, profile.later_turn_ids)
    if reused:
        yield _told(check, reused)


def _finding(check: Check, call: Block, earlier: Block, severity: Severity) -> Finding:
    copy = call.name == earlier.name and call.value == earlier.value
    text = _ERRORS.get(check.profile.name)
    return check.finding(
        f"two calls have the id {call.id or '(empty)'}" + (" (the later is a copy)" if copy else ""),
        call,
        severity=severity,
        call_ids=(call.id,) if call.id else (),
        related=[Related(earlier, "the first call with this id")],
        api_error=text.format(place=call.place, id=call.id) if text else None,
        fix=_DROP if copy else _RENAME,
    )


def _told(check: Check, reused: list[tuple[Block, Block]]) -> Finding:
    ids = tuple(dict.fromkeys(call.id for call, _ in reused if call.id is not None))
    call, earlier = reused[0]
    return check.finding(
        f"calls of later turns have ids of earlier ones ({', '.join(ids[:5])}{', …' if len(ids) > 5 else ''}): legal "
        "here, but not with providers that want unique ids",
        call,
        severity="info",
        call_ids=ids,
        related=[Related(earlier, "the first call with this id")],
        fix=_RENAME,
    )


RULE = Rule(
    code="HR201",
    name="duplicate-call-id",
    summary="Two calls with the same id.",
    refs={
        "anthropic": ("A05",),
        "bedrock": ("A05",),
        "openai": ("O05",),
        "openai-responses": ("R06",),
        "mistral": ("M06", "O05"),
        "strict": ("D02",),
    },
    check=check,
    pairing=True,
)
