r"""# reread: tool results that fetched again what the history already held

## What it does
Two passes over the history, one figure. *Same content*: results of at least 50 tokens are grouped by content; a
result more than 3 steps after the previous serve of the same content counts in full, at 3 or fewer it is polling and
does not count. *Same call*: calls are grouped by name and arguments and walked with the same guard; what counts is
the result of the repeated call, if it has at least 50 tokens and the first pass has not counted it.

Each finding has a cause: `in_context` (the earlier result still stood in front of the model), `after_change` (a call
in between wrote the same file, or may have: git, a formatter, a subagent; of a test, a search or another command that
names no file: wrote any; or the call itself writes), `compressed`, `cleared` or `compacted` (the earlier result was
gone), `changed` (the same call, but less than 80 % of its answer stood in the earlier one; of a call that names no
file: it differs in more than numbers), `unanswered` (the earlier call had no result). Only `in_context` is avoidable:
all of it if the content is equal, else the share that stood in the earlier result, with medium confidence.

## Why it matters
A result read twice is paid for twice, and then carried twice by every request that follows.

## Known problems
A file that a build or a human changed in between looks unchanged where most of it stayed the same. The share is that
of equal lines, of short results that of equal words.

## Example
```python
[
    *call("toolu_1", "Read", {"file_path": "/w/shape.py"}, numbered(1, 20)),
    *call("toolu_2", "Bash", {"command": "pytest -q"}, "40 passed"),
    *call("toolu_3", "Read", {"file_path": "/w/shape.py"}, numbered(1, 20)),
]
```
`numbered(a, b)` is `"\n".join(f"{i:6}→    self.side_{i} = sides[{i}]" for i in range(a, b + 1))`.

Flagged: 284 tokens; avoidable: 284.

## Fix
Tell the agent that files it has read are still in its context; read ranges, not whole files; use a tool that answers
"unchanged since you read it".

## References
Passes, guards and causes: the definition of `reread` in docs/signals.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from headroom_cli.model import Block, Waste
from headroom_cli.waste.access import shown_file
from headroom_cli.waste.given import Given
from headroom_cli.waste.history import History
from headroom_cli.waste.paths import looks_at_tree, read_paths, written_paths

NAME = "reread"
MIN_TOKENS = 50
GAP = 3
AVOIDABLE_CAUSE = "in_context"
MOSTLY_SAME = 0.8
_FEW_LINES = 5
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")
_WORD = re.compile(r"\w+|[^\w\s]")


def find(history: History, *, min_tokens: int = MIN_TOKENS, gap: int = GAP) -> list[Waste]:
    """Both passes; one finding per repeated result, in block order."""
    found: dict[int, Waste] = {}
    for group, repeats in same_content(history.blocks, min_tokens=min_tokens, gap=gap):
        serves = _Serves(history)
        for position, block in enumerate(group):
            if position in repeats:
                found[block.index] = _finding(history, block.index, history.call_of.get(block.index), serves)
            serves.add(block.index)
    calls = _groups((b for b in history.blocks if b.kind == "tool_call"), lambda block: block.call_key or "")
    for group in calls:
        repeats = _repeats(group, gap)
        serves = _Serves(history)
        for position, call in enumerate(group):
            result = history.result_of.get(call.index)
            if result is None:
                continue
            if position in repeats and result not in found and history.blocks[result].tokens >= min_tokens:
                found[result] = _finding(history, result, call.index, serves)
            serves.add(result)
    findings = [found[index] for index in sorted(found)]
    _judge_changes(history, findings)
    for finding in findings:
        _judge_content(history, finding)
    return findings


def same_content(
    blocks: Iterable[Block], *, min_tokens: int = MIN_TOKENS, gap: int = GAP
) -> list[tuple[list[Block], set[int]]]:
    """The first pass: each group of results with one content, and the positions in it that count."""
    results = (b for b in blocks if b.kind == "tool_result" and b.tokens >= min_tokens)
    return [(group, _repeats(group, gap)) for group in _groups(results, lambda block: block.content_hash)]


def _groups(blocks: Iterable[Block], key: Callable[[Block], str]) -> list[list[Block]]:
    groups: dict[str, list[Block]] = {}
    for block in blocks:
        groups.setdefault(key(block), []).append(block)
    return [group for group in groups.values() if len(group) > 1]


def _repeats(group: list[Block], gap: int) -> set[int]:
    """Positions in `group` that count: more than `gap` steps after the previous serve. Nearer ones are polling."""
    steps = [block.step for block in group]
    return {position for position in range(1, len(group)) if steps[position] - steps[position - 1] > gap}


class _Serves:
    """The serves of one content or call so far. Those that left the context for good are not looked at again."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.latest: int | None = None
        self.standing: list[int] = []

    def add(self, serve: int) -> None:
        self.latest = serve
        self.standing.append(serve)

    def in_context(self, request: int | None) -> int | None:
        """The latest serve that stands, whole, in the context of `request`; later requests than it follow."""
        for position in range(len(self.standing) - 1, -1, -1):
            serve = self.standing[position]
            if self.history.gone(serve, request) is None:
                return serve
            context = self.history.blocks[serve].context
            if request is None or not context or context[-1].enters <= request:
                del self.standing[position]
        return None


def _finding(history: History, repeat: int, call: int | None, serves: _Serves) -> Waste:
    request = history.blocks[call].request if call is not None else None
    serve, cause = serves.in_context(request), AVOIDABLE_CAUSE
    if serve is None and serves.latest is not None:
        serve = serves.latest
        cause = history.gone(serve, request) or AVOIDABLE_CAUSE
    elif serve is None:
        cause = "unanswered"
    return Waste(NAME, repeat, history.blocks[repeat].tokens, cause, first_block=serve, request=request)


def _judge_changes(history: History, findings: list[Waste]) -> None:
    """Mark the repeats of a file that was written between the earlier serve and the repeat."""
    for finding in findings:
        call = history.call_of.get(finding.block)
        if call is None or finding.first_block is None:
            continue
        given = history.given(history.blocks[call])
        paths = _files(given)
        if written_paths(given):
            changed = True
        elif not paths and looks_at_tree(given):
            changed = history.files.any_write(finding.first_block, call)
        else:
            changed = not _same_text(history, finding) and history.files.upheaval(finding.first_block, call)
        if changed:
            finding.cause = "after_change"
            continue
        for path in paths:
            if any(not history.failed(write) for write in history.files.writes(path, finding.first_block, call)):
                finding.cause = "after_change"
                break


def _judge_content(history: History, finding: Waste) -> None:
    """How much of a repeat could have been spared: all of it if it is the same, of the rest what stood there before.

    Where less than most of it is the same, the repeat brought news: its cause is `changed`.
    """
    if finding.cause != AVOIDABLE_CAUSE:
        return
    if finding.first_block is None or _same_text(history, finding):
        finding.avoidable_tokens = finding.tokens
        return
    earlier, later = history.blocks[finding.first_block].text, history.blocks[finding.block].text
    if _reads_file(history, finding):
        shared = _shared(earlier, later)
    else:
        shared = 1.0 if _masked(earlier) == _masked(later) else 0.0
    if shared < MOSTLY_SAME:
        finding.cause = "changed"
    else:
        finding.confidence = "medium"
        finding.avoidable_tokens = int(finding.tokens * shared)


def _reads_file(history: History, finding: Waste) -> bool:
    call = history.call_of.get(finding.block)
    return call is not None and bool(_files(history.given(history.blocks[call])))


def _files(given: Given) -> list[str]:
    """The files that a call reads; those that a command of a shell works with are none, unless it shows them."""
    return [] if given.command and shown_file(given) is None else read_paths(given)


def _masked(text: str) -> str:
    """The text without times, durations and counters."""
    return _NUMBER.sub("#", text)


def _same_text(history: History, finding: Waste) -> bool:
    if finding.first_block is None:
        return False
    return history.blocks[finding.first_block].content_hash == history.blocks[finding.block].content_hash


def _shared(earlier: str, later: str) -> float:
    """The share of `later`, in characters, whose lines (of a short text: words) stand in `earlier`."""
    by_lines = later.count("\n") >= _FEW_LINES
    pieces = later.split("\n") if by_lines else _WORD.findall(later)
    known = set(earlier.split("\n") if by_lines else _WORD.findall(earlier))
    total = sum(map(len, pieces))
    return sum(len(piece) for piece in pieces if piece in known) / total if total else 1.0
