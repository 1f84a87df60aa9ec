r"""Long runs of blanks and empty lines.

## What it does
Flags runs of four or more blanks or tabs, and of three or more newlines: `[ \t]{4,}|\n{3,}`. A run costs its tokens
less those of its first character, counted by itself; a run that costs nothing is not flagged.

## Why it matters
Padding of tables, deep indentation and stacks of empty lines say nothing to a model. Most runs are free, since the
vocabulary has one token for many blanks; what is flagged here is what is not free: very long or mixed runs.

## Known problems
Inside a text, the tokenizer gives the last blank of a run to the word that follows, so the true saving may differ by
one token a run. Makefiles and aligned text may need their tabs; in a file that
was read the finding is of low confidence and nothing is avoidable.

## Example
```python
"name" + " " * 200 + "size\n" + "\n" * 40 + "total" + " " * 8 + "12\n"
```
Flagged: 3 tokens; avoidable: 3.

## Fix
Ask the tool for compact output (`--format`, `-o json`, `column` off), or squeeze runs in a hook before the result
reaches the model.

## References
- https://github.com/openai/tiktoken (o200k_base)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from headroom_cli.waste.base import TEXT_KINDS, Batch, Count, Hit
from headroom_cli.waste.spans import Span

NAME = "whitespace"
KINDS = TEXT_KINDS
MIN_BLANKS = 4
PATTERN = rf"[ \t]{{{MIN_BLANKS},}}|\n{{3,}}"

_RUN = re.compile(PATTERN)
_LONG = 200


def scan(batch: Batch) -> dict[int, Hit]:
    """Sum the cost of the runs of each text; equal runs are counted once."""
    hits = {}
    costs: dict[str, int] = {}
    for index, runs in batch.extract(PATTERN, among=_costly(batch.count)):
        for run in set(runs).difference(costs):
            costs[run] = _cost(run, batch.count)
        if tokens := sum(map(costs.__getitem__, runs)):
            hits[index] = Hit(tokens, tokens)
    return hits


def spans(text: str, count: Count) -> list[Span]:
    """The runs that cost something."""
    return [match.span() for match in _RUN.finditer(text) if _cost(match[0], count)]


def measure(text: str, spans: Sequence[Span], count: Count) -> int:
    """The sum of what the runs cost beyond their first character."""
    return sum(_cost(text[start:end], count) for start, end in spans)


@lru_cache(maxsize=4)
def _costly(count: Count) -> str:
    """What stands in every text that has a run with a cost: most texts are indented, by blanks that are free."""
    blanks = MIN_BLANKS
    while blanks < _LONG and not _cost(" " * blanks, count):
        blanks += 1
    return rf" {{{blanks}}}| \t|\t |\t{{{MIN_BLANKS}}}|\n{{3}}"


def _cost(run: str, count: Count) -> int:
    return max(0, count(run) - count(run[0]))
