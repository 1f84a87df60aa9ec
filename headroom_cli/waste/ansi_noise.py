r"""Terminal escapes, progress bars and spinners.

## What it does
Flags what a terminal would have acted on or overwritten, no character twice:

- ANSI escapes: `\x1b\[[0-?]*[ -/]*[@-~]`, `\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?` and the two-character escapes;
- the part of a line that a carriage return lets the next part overwrite (`\r\n` is the end of a line, not a return);
- spinner frames: `[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏⣾⣽⣻⢿⡿⣟⣯⣷]`.

Tokens are those of the spans set one behind the other.

## Why it matters
Colours cost three to five tokens each, a progress bar costs its whole text for every step, and both hide the message.

## Known problems
Text that uses a lone carriage return as its end of line is seen as overwritten, as a terminal would show it. Plots
drawn in braille share some characters with spinners.

## Example
```python
"\x1b[32mok\x1b[0m\n10% [==   ]\r60% [==== ]\r100% [=====]\n"
```
Flagged: 21 tokens; avoidable: 21.

## Fix
Run tools with `NO_COLOR=1`, `TERM=dumb`, `CI=1`, `--color=never`, `--no-progress`, or `| cat`.

## References
- ECMA-48, section 5.4 (control sequences)
- https://no-color.org
"""

from __future__ import annotations

import re

from headroom_cli.waste.base import TEXT_KINDS, Batch, Count, Hit, joined
from headroom_cli.waste.spans import Span, merge

NAME = "ansi_noise"
KINDS = TEXT_KINDS
SPINNERS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏⣾⣽⣻⢿⡿⣟⣯⣷"
PATTERN = (
    r"\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|\x1b[()][0-9A-B]|\x1b[0-9=>@-Z\\^_a-z]"
    rf"|[{SPINNERS}]+"
)

_ESCAPE = re.compile(PATTERN)
# Up to eight literals are searched for at the speed of memory, more of them ten times slower.
_NOISE = (r"\x1b|\r[^\r\n]", *(f"[{SPINNERS[start : start + 6]}]" for start in range(0, len(SPINNERS), 6)))

measure = joined


def scan(batch: Batch) -> dict[int, Hit]:
    """Count the noise of each text that has any."""
    hits = {}
    for index in sorted({index for pattern in _NOISE for index in batch.matching(pattern)}):
        text = batch.texts[index]
        found = spans(text, batch.count)
        if tokens := joined(text, found, batch.count):
            hits[index] = Hit(tokens, tokens, found)
    return hits


def spans(text: str, count: Count) -> list[Span]:
    """Escapes, spinner frames, and what carriage returns let be overwritten."""
    return merge([match.span() for match in _ESCAPE.finditer(text)], _overwritten(text))


def _overwritten(text: str) -> list[Span]:
    found = []
    start = 0
    for line in text.split("\n") if "\r" in text else ():
        last = line.rstrip("\r").rfind("\r")
        if last >= 0:
            found.append((start, start + last + 1))
        start += len(line) + 1
    return found
