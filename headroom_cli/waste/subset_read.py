r"""# subset_read: a partial read of what an earlier, larger read still shows

## What it does
Flags a result of at least 50 tokens that shows a part of a file, if every line in it stands in one earlier, larger read
of the same file that is still in the context. Where both have line numbers (in front of the lines, or known from the
call: `cat`, `sed -n 40,80p`, `offset`), the lines must agree by number, else wherever they stand. Blanks around lines
and empty lines do not count. Reads are those of tools that read, and of `cat`, `nl`, `head`, `tail`, `sed -n`, `awk NR`
and `grep` on one file, in a pipe or not. A call in between that wrote the file, tried to, or may have written any
number of files (git, a formatter, a subagent) ends the search. Lines of fewer than 200 characters in all do not count.
Tokens are those of the result.

A read has high confidence. Low is that of a search in the file (`grep`), for it also tells where else nothing matches,
and of a shell command that asks for line numbers (`nl`, `cat -n`) where the earlier read had none.

## Why it matters
The lines are in front of the model; a second copy costs as much as the first, and stays as long.

## Known problems
In a very long context a model may find lines more easily when they are fetched again. A file that a human changed in
between and changed back is not told from one that nobody touched. Only the 30 calls before that touch a file of the
same name are compared. Lines that two or more earlier reads show together, but none alone, are not flagged.

## Example
```python
[
    *call("toolu_1", "Read", {"file_path": "/w/shape.py"}, numbered(1, 40)),
    *call("toolu_2", "Read", {"file_path": "/w/shape.py", "offset": 21, "limit": 10}, numbered(21, 30)),
]
```
`numbered(a, b)` is `"\n".join(f"{i:6}→    self.side_{i} = sides[{i}]" for i in range(a, b + 1))`.

Flagged: 144 tokens; avoidable: 144.

## Fix
Tell the agent that files it has read are still in its context; read the needed part first, and the whole file only if
that is not enough.

## References
Claims: section 5 of docs/signals.md.
"""

from __future__ import annotations

from headroom_cli.model import Waste
from headroom_cli.waste.base import whole_block
from headroom_cli.waste.files import Touch
from headroom_cli.waste.history import FileRead, History
from headroom_cli.waste.lines import may_hold, some_lines

NAME = "subset_read"


def find(history: History) -> list[Waste]:
    """One finding for each read whose lines an earlier one shows."""
    findings = []
    for read in history.file_reads:
        earlier = _larger(history, read)
        if earlier is not None and earlier.shown is not None:
            numbers = read.shown.asks_numbers and not history.lines(earlier.call, earlier.shown).numbered
            evidence, request = history.result_of[earlier.call], history.blocks[read.call].request
            doubtful = numbers or read.shown.matches
            findings.append(whole_block(NAME, read.result, evidence, request, doubtful=doubtful))
    return sorted(findings, key=lambda finding: finding.block)


def _larger(history: History, read: FileRead) -> Touch | None:
    """The latest earlier read that shows all lines and more, unchanged and in the context."""
    request = history.blocks[read.call].request
    upheaval = history.files.last_upheaval(read.call)
    sample: list[str] | None = None
    for earlier in read.before:
        if earlier.shown is None or earlier.call < upheaval:
            return None
        if sample is None:
            sample = some_lines(read.result.text)
        result = history.result(earlier.call)
        if result is None or result.index > read.call or result.content_hash == read.result.content_hash:
            continue
        if not may_hold(result.text, sample):
            continue
        if history.failed(earlier.call) or history.gone(result.index, request) is not None:
            continue
        lines, known = history.lines(read.call, read.shown), history.lines(earlier.call, earlier.shown)
        if len(known.texts) > len(lines.texts) and lines.within(known):
            return earlier
    return None
