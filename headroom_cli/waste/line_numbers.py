r"""Numbers in front of the lines of a file.

## What it does
Flags the prefixes that file reads and `cat -n` put before each line: `^ *[0-9]+(?:→|\t)`, in runs of at least three
lines numbered one after the other. Tokens are counted prefix by prefix.

## Why it matters
Two to four tokens a line, often a tenth of what a read of code costs.

## Known problems
Nothing of this is avoidable: agents need the numbers to speak of places and to edit. It is shown because it explains a
part of what reads cost. Tables whose first column counts up look the same.

## Example
```python
"".join(f"{i:6}→    x = {i}\n" for i in range(1, 13))
```
Flagged: 48 tokens; avoidable: 0.

## Fix
Read the part of a file that is needed (`offset` and `limit`), not the whole file.

## References
- GNU coreutils manual, `cat -n`
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from headroom_cli.waste.base import TEXT_KINDS, Batch, Count, Hit, one_by_one
from headroom_cli.waste.spans import Span

NAME = "line_numbers"
KINDS = TEXT_KINDS
MIN_LINES = 3

_REMEMBERED = 1 << 15
_PREFIX = re.compile(r"^ *+([0-9]{1,9})[→\t]", re.MULTILINE)
# Each line by the newline before it: many times faster to search for than the start of a line.
_NEXT_PREFIX = re.compile(r"\n( *+[0-9]{1,9}+[→\t])")

measure = one_by_one


class _Figures(dict[str, tuple[int, int]]):
    """Number and tokens by prefix: files begin at line 1, so the same prefixes come again and again."""

    def __init__(self, count: Count) -> None:
        super().__init__()
        self._count = count

    def __missing__(self, prefix: str) -> tuple[int, int]:
        figures = int(prefix[:-1]), self._count(prefix)
        if len(self) < _REMEMBERED:
            self[prefix] = figures
        return figures


def scan(batch: Batch) -> dict[int, Hit]:
    """Count the prefixes of each text."""
    hits = {}
    figures_of = _figures(batch.count)
    for index, text in enumerate(batch.texts):
        if "→" in text or "\t" in text:
            figures = list(map(figures_of.__getitem__, _NEXT_PREFIX.findall(f"\n{text}")))
            runs = _runs([number for number, _ in figures])
            if runs:
                hits[index] = Hit(sum([tokens for first, end in runs for _, tokens in figures[first:end]]), 0)
    return hits


def spans(text: str, count: Count) -> list[Span]:
    """The prefixes that belong to a run of numbered lines."""
    prefixes = [match.span() for match in _PREFIX.finditer(text)]
    runs = _runs([int(number) for number in _PREFIX.findall(text)])
    return [span for first, end in runs for span in prefixes[first:end]]


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """First and end index of each run of consecutive numbers that is long enough."""
    if not numbers:
        return []
    steps: list[int] = []
    # Nearly always all of them follow each other.
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        steps = [index for index in range(1, len(numbers)) if numbers[index] != numbers[index - 1] + 1]
    return [run for run in pairwise([0, *steps, len(numbers)]) if run[1] - run[0] >= MIN_LINES]


@lru_cache(maxsize=4)
def _figures(count: Count) -> _Figures:
    return _Figures(count)
