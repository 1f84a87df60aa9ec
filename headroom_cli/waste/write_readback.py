r"""# write_readback: a read that returns what the agent itself wrote just before

## What it does
Flags a result of at least 50 tokens that shows a part of a file, or all of it, if every line in it stands in what the
last call that wrote the file has put there: the content of a Write, the new text of an Edit, the added and kept lines
of a patch, the command of a shell that writes. Blanks around lines and empty lines do not count; numbers in front of
lines are taken off. The writing call must have succeeded and still be in the context, and no call in between may have
written any number of files (git, a formatter, a subagent). Lines of fewer than 200 characters in all do not count.
Tokens are those of the result. A shell command that asks for line numbers (`nl`, `cat -n`) may want these, and a search
(`grep`) tells where else nothing matches: their confidence is low.

## Why it matters
The text is in the context already: the model has written it. Write tools fail loudly, so a read that only checks them
pays for the file a second time.

## Known problems
A read after an edit that shows the lines around it is no read-back, for the agent may need them. A linter that runs in
the background may have changed the file, and reading it again is the only way to know that it has not.

## Example
```python
[
    *call("toolu_1", "Write", {"file_path": "/w/shape.py", "content": SOURCE}, "File created successfully."),
    *call("toolu_2", "Bash", {"command": "cat /w/shape.py"}, SOURCE),
]
```
`SOURCE` is `"".join(f"def side_{i}(self):\n    return self.sides[{i}]\n" for i in range(6))`.

Flagged: 88 tokens; avoidable: 88.

## Fix
Tell the agent that a write that reports success needs no check; have the tool answer with what differs from what was
asked, if anything does.

## References
Claims: section 5 of docs/signals.md.
"""

from __future__ import annotations

from headroom_cli.model import Waste
from headroom_cli.waste.access import written_text
from headroom_cli.waste.base import whole_block
from headroom_cli.waste.history import History
from headroom_cli.waste.lines import may_hold, plain_lines, some_lines

NAME = "write_readback"


def find(history: History) -> list[Waste]:
    """One finding for each read of what the last write of the same file has put there."""
    findings = []
    for read in history.file_reads:
        write = next((touch.call for touch in read.before if touch.shown is None), None)
        request = history.blocks[read.call].request
        if write is None or history.failed(write) or history.gone(write, request) is not None:
            continue
        if history.files.upheaval(write, read.call):
            continue
        text = written_text(history.given(history.blocks[write]), read.shown.path)
        if not text or not may_hold(text, some_lines(read.result.text)):
            continue
        if history.lines(read.call, read.shown).within(plain_lines(text)):
            doubtful = read.shown.asks_numbers or read.shown.matches
            findings.append(whole_block(NAME, read.result, write, request, doubtful=doubtful))
    return sorted(findings, key=lambda finding: finding.block)
