r"""# failed_retry: the same call failing the same way

## What it does
Flags the result of a call that failed just as the same call had failed before, from the second failure on. Same call:
name and arguments are equal. Same way: the texts are equal once every run of hexadecimal digits with a decimal digit in
it is masked, `[A-Fa-f]*[0-9][0-9A-Fa-f]*` (times, durations, addresses). Tokens are those of the result.

A call failed if the log says so; where it says nothing, if the result begins with `Error:`, `Traceback (most recent
call last)`, `<tool_use_error>`, `Exit code N` or `Process exited with code N`, or is Codex's JSON with an exit code
that is not 0.

It is no retry where anything between the two failures may explain it: a call that succeeded and may have changed
something (anything but reading, searching and planning), a message of the human, a compaction that took the failure
away; nor if the call was refused by the human or by the client, if it waits (`sleep`, `wait`, `timeout`, `until`), or
if both were asked for at once. A test that fails again after an edit is the work.

## Why it matters
The second failure tells nothing that the first has not told. Agents that repeat a call that cannot succeed do it
several times in a row.

## Known problems
What a human or another program changed outside of the session is not seen: a server that was started by hand explains a
retry as well. Calls without a result, or whose client hides the error, are missed.

## Example
```python
[
    *call("toolu_1", "Read", {"file_path": "/w/setup.cfg"}, "<tool_use_error>File does not exist.</tool_use_error>"),
    *call("toolu_2", "Grep", {"pattern": "version"}, "No matches found"),
    *call("toolu_3", "Read", {"file_path": "/w/setup.cfg"}, "<tool_use_error>File does not exist.</tool_use_error>"),
]
```
Flagged: 18 tokens; avoidable: 18.

## Fix
Have the tool say what would help (the nearest path, the allowed values); tell the agent to change something before it
tries again; deny a repeat in a hook.

## References
Claims: section 5 of docs/signals.md.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from headroom_cli.model import Block, Waste
from headroom_cli.waste.access import only_looks
from headroom_cli.waste.base import whole_block
from headroom_cli.waste.history import History

NAME = "failed_retry"

_CHANGING = re.compile(r"[A-Fa-f]*+[0-9][0-9A-Fa-f]*+")
_REFUSED = (
    "The user doesn't want",
    "[Request interrupted",
    "<tool_use_error>Sibling tool call errored",
    "<tool_use_error>Cancelled",
)
_WAITS = re.compile(r"\b(?:sleep|wait|timeout|until|watch)\b")


def find(history: History) -> list[Waste]:
    """One finding for each failure that an earlier failure of the same call had told already."""
    groups: dict[str, list[Block]] = {}
    for call in history.calls:
        groups.setdefault(call.call_key or "", []).append(call)
    findings = []
    turns: list[int] | None = None
    for calls in groups.values():
        earlier: Block | None = None
        for call in calls if len(calls) > 1 else ():
            failure, first = _failure(history, call), earlier
            earlier = failure
            if first is None or failure is None or _masked(first) != _masked(failure):
                continue
            if history.gone(first.index, call.request) is not None:
                continue
            turns = _turns(history) if turns is None else turns
            if bisect_right(turns, first.index) == bisect_left(turns, call.index):
                findings.append(whole_block(NAME, failure, first.index, call.request))
    return sorted(findings, key=lambda finding: finding.block)


def _failure(history: History, call: Block) -> Block | None:
    """The result of a call that failed by itself, and does not wait for something to change."""
    if not history.failed(call.index):
        return None
    result = history.blocks[history.result_of[call.index]]
    refused = result.text.startswith(_REFUSED)
    return None if refused or _WAITS.search(history.given(call).command) else result


def _masked(failure: Block) -> str:
    return _CHANGING.sub("#", failure.text)


def _turns(history: History) -> list[int]:
    """The blocks after which a call that failed may succeed: calls that may have changed something, and humans."""
    return [
        block.index
        for block in history.blocks
        if (block.kind in ("user", "rag") and block.origin == "human")
        or (block.kind == "tool_call" and not history.failed(block.index) and not only_looks(history.given(block)))
    ]
