r"""# stale_read: a read whose file was changed later

## What it does
Flags a result of at least 50 tokens that shows a file, or a part of it, if a later call of the agent wrote that file
while the result was in the context, and left it there. The writing call must have succeeded. If it tells what it
replaced (the old text of an Edit, the removed and kept lines of a patch), the result is stale only if it shows the
longest of the lines that were taken out; if none was, the longest of those around. Tokens are those of the result that
no other signal has claimed.

## Why it matters
The old copy is wrong, misleads the model, and is carried by every request until the next compaction.

## Known problems
Nothing of this is avoidable: an agent has to read before it edits, and clearing old results costs the cache of all that
stands behind them. It is shown because it explains a part of what long sessions carry.

## Example
```python
[
    *call("toolu_1", "Read", {"file_path": "/w/shape.py"}, numbered(1, 40)),
    *call("toolu_2", "Edit", {"file_path": "/w/shape.py", "old_string": "sides[9]", "new_string": "None"}, "ok"),
    *call("toolu_3", "Bash", {"command": "pytest -q"}, "40 passed"),
]
```
`numbered(a, b)` is `"\n".join(f"{i:6}→    self.side_{i} = sides[{i}]" for i in range(a, b + 1))`.

Flagged: 404 tokens; avoidable: 0.

## Fix
Read the part that is to be changed, not the whole file; let the client clear old results where the model supports it.

## References
- https://docs.anthropic.com/en/docs/build-with-claude/context-editing
"""

from __future__ import annotations

from headroom_cli.model import Block, Waste
from headroom_cli.waste.access import replaced_text, written_text
from headroom_cli.waste.files import Touch
from headroom_cli.waste.history import History, in_context
from headroom_cli.waste.lines import shown_text

NAME = "stale_read"


def find(history: History) -> list[Waste]:
    """One finding for each read that shows what a later call changed."""
    findings = []
    for read in history.file_reads:
        write = next((touch for touch in read.after if _makes_stale(history, read.result, touch)), None)
        if write is not None:
            request = history.blocks[write.call].request
            findings.append(Waste(NAME, read.result.index, read.result.tokens, first_block=write.call, request=request))
    return sorted(findings, key=lambda finding: finding.block)


def _makes_stale(history: History, result: Block, write: Touch) -> bool:
    if write.shown is not None or write.call < result.index or history.failed(write.call):
        return False
    request = history.blocks[write.call].request
    if request is None or not in_context(result, request) or not in_context(result, request + 1):
        return False
    given = history.given(history.blocks[write.call])
    old = replaced_text(given, write.path)
    if old is None:
        return True
    lines = [line.strip() for line in old.split("\n")]
    kept = set(map(str.strip, (written_text(given, write.path) or "").split("\n")))
    telling = max([line for line in lines if line not in kept] or lines, key=len)
    return telling in shown_text(result.text)
