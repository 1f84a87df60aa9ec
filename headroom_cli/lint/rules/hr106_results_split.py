"""# HR106 results-split

The results of one turn's parallel calls are spread over several messages in a row.

## Why it is refused

Bedrock, Gemini and endpoints that imitate Anthropic (DeepSeek, z.ai) want all results of a turn in the one message that
follows, and do not merge messages of one role. Anthropic itself merges them today (it refused them in January 2025), so
there it is a warning; its documentation adds that it teaches the model to call one tool at a time.

Chat completions and the Responses API have one message or item for each result by design. Claude Code *stores* one line
for each result and merges them before it sends: its logs are judged as sent.

## Example

```json
{"messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "a", "name": "f", "input": {}},
    {"type": "tool_use", "id": "b", "name": "f", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "1"}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b", "content": "2"}]}]}
```

## What to do

Merge the messages into one (`--fix` does).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Related, Rule
from headroom_cli.lint.matching import Displaced

_FIX = Fix("merge", "merge the messages with the results of one turn")
_ERRORS = {
    "bedrock": "Expected toolResult blocks at messages.{n}.content for the following Ids: {ids}",
    "gemini": "Please ensure that the number of function response parts is equal to the number of function call parts "
    "of the function call turn.",
    "strict": "`tool_use` ids were found without `tool_result` blocks immediately after: {ids}",
}


def check(check: Check) -> Iterator[Finding]:
    """Where messages are not merged, results that follow the first message of results; else such messages."""
    runs: dict[int, list[Displaced]] = {}
    for pair in check.matching.displaced:
        if pair.split:
            runs.setdefault(pair.call.entry.index, []).append(pair)
    for start, pairs in runs.items():
        ids = tuple(pair.call.id for pair in pairs if pair.call.id)
        yield check.finding(
            f"the results of one turn stand in {_count(pairs)} messages",
            pairs[0].result,
            call_ids=ids,
            related=[Related(pairs[0].call, "its call"), *(Related(pair.result, "another") for pair in pairs[1:])],
            api_error=_ERRORS.get(check.profile.name, _ERRORS["strict"]).format(n=start + 1, ids=", ".join(ids)),
            fix=_FIX,
        )
    if check.profile.merges_turns and check.history.dialect in ("anthropic", "bedrock", "gemini"):
        yield from _merged(check)


def _count(pairs: list[Displaced]) -> int:
    """The messages with displaced results, and the one before them."""
    return 1 + len({pair.result.entry.index for pair in pairs})


def _merged(check: Check) -> Iterator[Finding]:
    in_place = {id(result) for _, result in check.matching.answered}
    for turn in check.turns:
        if turn.side != "user" or len(turn.entries) < 2:
            continue
        results = [[block for block in entry.of_kind("result") if id(block) in in_place] for entry in turn.entries]
        bearing = [blocks for blocks in results if blocks]
        if len(bearing) < 2:
            continue
        ids = tuple(block.id for blocks in bearing for block in blocks if block.id)
        yield check.finding(
            f"the results of one turn stand in {len(bearing)} messages",
            bearing[1][0],
            severity="warning",
            call_ids=ids,
            related=[Related(bearing[0][0], "the first of them")],
            fix=_FIX,
        )


RULE = Rule(
    code="HR106",
    name="results-split",
    summary="Results of parallel calls in several messages.",
    refs={
        "anthropic": ("A07",),
        "bedrock": ("B01", "A07"),
        "gemini": ("G01",),
        "strict": ("D05",),
    },
    check=check,
    pairing=True,
)
