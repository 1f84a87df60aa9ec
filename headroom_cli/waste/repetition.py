r"""The same line over and over.

## What it does
Flags lines that stand again in the same text beyond their third time, once what changes from line to line is masked:
every run of hexadecimal digits that has a decimal digit in it, `[A-Fa-f]*[0-9][0-9A-Fa-f]*`, becomes `#` (numbers,
hashes, UUIDs, timestamps). A line counts if it has 20 characters or more without the blanks around it, and ten letters
other than a to f: rows of numbers are data. The fourth line and all later ones are flagged with their newlines; tokens
are those of the lines set one behind the other.

## Why it matters
Retry loops, deprecation warnings, progress in log form and failing fixtures fill whole results; three lines and a count
would say the same.

## Known problems
Lists of ids or sizes are flagged, too, for masking makes them equal; avoidable are only lines that tell nothing new
but a time, a duration or a counter that stands by itself. In the content of a file, a listing, a difference, or what a
human has pasted, nothing is avoidable.

## Example
```python
"".join(f"2026-03-01T10:00:{i:02} WARN retrying request {i} in {i * 3} ms\n" for i in range(12))
```
Flagged: 207 tokens; avoidable: 207.

## Fix
`--quiet`, `2>&1 | uniq -c -f1`, `tail -n 50`, a log level, or a hook that folds repeated lines.

## References
- GNU coreutils manual, `uniq`
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate

from headroom_cli.waste.base import TEXT_KINDS, Batch, Count, Hit, joined
from headroom_cli.waste.spans import Span

NAME = "repetition"
KINDS = TEXT_KINDS
MIN_CHARACTERS = 20
MIN_LETTERS = 10
FREE_TIMES = 3
PATTERN = r"[A-Fa-f]*[0-9][0-9A-Fa-f]*"

_CHANGING = re.compile(r"[A-Fa-f]*+[0-9][0-9A-Fa-f]*+")
_COUNTER = re.compile(
    r"\d{4}-\d\d-\d\d|\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?|\d+(?:\.\d+)?\s?(?:ms|s|sec|min|%)(?!\w)"
    r"|(?<![^\s=#(\[\"'])\d+(?:/\d+)?(?![^\s,;)\]\"'])"
)
_HEXADECIMAL = b"0123456789abcdefABCDEF"

measure = joined


def scan(batch: Batch) -> dict[int, Hit]:
    """Count the lines of each text that stand there too often, and of these the ones that tell nothing new."""
    hits = {}
    for index, text in enumerate(batch.texts):
        if len(text) > FREE_TIMES * MIN_CHARACTERS:
            found, same = _repeated(text)
            if found:
                avoidable = joined(text, same, batch.count) if same else 0
                hits[index] = Hit(joined(text, found, batch.count), avoidable, found)
    return hits


def spans(text: str, count: Count) -> list[Span]:
    """The lines from their fourth time on, with their newlines."""
    return _repeated(text)[0]


def _repeated(text: str) -> tuple[list[Span], list[Span]]:
    """The flagged lines, and those of them that are equal but for times, durations and counters."""
    # Lines that are equal once masked are equal without any hexadecimal digit: a quick way to rule out most texts.
    skeletons = text.encode().translate(None, _HEXADECIMAL).split(b"\n")
    long = [skeleton for skeleton in skeletons if len(skeleton) >= MIN_LETTERS]
    if len(long) - len(set(long)) < FREE_TIMES:
        return [], []
    frequent = {
        skeleton
        for skeleton, times in Counter(long).items()
        if times > FREE_TIMES and sum(map(str.isalpha, skeleton.decode())) >= MIN_LETTERS
    }
    if not frequent:
        return [], []
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    seen: Counter[str] = Counter()
    told: Counter[str] = Counter()
    found, same = [], []
    for index, skeleton in enumerate(skeletons):
        line = lines[index].strip() if skeleton in frequent else ""
        if len(line) < MIN_CHARACTERS:
            continue
        masked, counted = _CHANGING.sub("#", line), _COUNTER.sub("#", line)
        seen[masked] += 1
        told[counted] += 1
        if seen[masked] > FREE_TIMES:
            found.append((starts[index], min(starts[index + 1], len(text))))
            if told[counted] > FREE_TIMES:
                same.append(found[-1])
    return found, same
