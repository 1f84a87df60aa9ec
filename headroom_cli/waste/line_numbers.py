r"""# line_numbers: numbers in front of the lines of a file

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
- waste.md, section 3
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from headroom_cli.waste.base import TEXT_KINDS, Batch, Count, Hit
from headroom_cli.waste.spans import Span

NAME = "line_numbers"
KINDS = TEXT_KINDS
MIN_LINES = 3
PATTERN = r"(?m)^ *[0-9]{1,9}(?:→|\t)"

_PREFIX = re.compile(r"^ *+([0-9]{1,9})[→\t]", re.MULTILINE)


def scan(batch: Batch) -> dict[int, Hit]:
    """Count the prefixes of each text; equal prefixes are counted once."""
    import polars as pl

    prefixes = (
        pl.DataFrame({"prefix": batch.column.str.extract_all(PATTERN)})
        .with_row_index("text")
        .explode("prefix")
        .drop_nulls("prefix")
    )
    number = pl.col("prefix").str.strip_chars(" →\t").cast(pl.Int64)
    # Within a run, number minus position is constant; a run also ends where the next text starts.
    runs = prefixes.with_columns((number - pl.int_range(pl.len())).alias("offset")).with_columns(
        pl.struct("text", "offset").rle_id().alias("run")
    )
    runs = runs.filter(pl.len().over("run") >= MIN_LINES)
    distinct = runs["prefix"].unique()
    costs = pl.DataFrame({"prefix": distinct, "tokens": [_tokens(prefix, batch.count) for prefix in distinct]})
    sums = runs.join(costs, on="prefix").group_by("text").agg(pl.col("tokens").sum())
    return {text: Hit(tokens, 0) for text, tokens in sums.iter_rows()}


def spans(text: str, count: Count) -> list[Span]:
    """The prefixes that belong to a run of numbered lines."""
    prefixes = [match.span() for match in _PREFIX.finditer(text)]
    numbers = list(map(int, _PREFIX.findall(text)))
    found: list[Span] = []
    first = 0
    for index in range(1, len(numbers) + 1):
        if index == len(numbers) or numbers[index] != numbers[index - 1] + 1:
            if index - first >= MIN_LINES:
                found += prefixes[first:index]
            first = index
    return found


def measure(text: str, spans: Sequence[Span], count: Count) -> int:
    """Tokens of each prefix, summed."""
    return sum(_tokens(text[start:end], count) for start, end in spans)


# Files begin at line 1: the same prefixes come again and again.
@lru_cache(maxsize=1 << 14)
def _tokens(prefix: str, count: Count) -> int:
    return count(prefix)
