r"""Encoded bytes in the text.

## What it does
Flags runs of `[A-Za-z0-9+/]{50,}={0,2}` that are base64: their length is a multiple of four, they hold a lower case
letter, an upper case letter and a digit, are not all hexadecimal, and have fewer than one `/` in 25 characters. A run
right after `;base64,` (a data URL) is flagged as it stands. Tokens are counted run by run.

## Why it matters
A model cannot read base64. It costs about one token for every 1.5 characters, three times as much as text, and it
stays in the context for every request that follows.

## Known problems
Paths (many slashes), hashes (hexadecimal) and identifiers (no digits, or another length) are left out on purpose, so
base64 that was cut off in the middle is missed unless it is a data URL. URL-safe base64 (`-` and `_`) is not matched.

## Example
```python
'<img src="data:image/png;base64,' + base64.b64encode(bytes(range(0, 240, 2))).decode() + '">'
```
Flagged: 104 tokens; avoidable: 104.

## Fix
Save the bytes to a file and give the model its path; send images as image blocks; drop the field in the tool's output.

## References
- RFC 4648, section 4
- RFC 2397 (data URLs)
"""

from __future__ import annotations

import re

from headroom_cli.waste.base import TEXT_KINDS, Batch, Count, Hit, one_by_one
from headroom_cli.waste.spans import Span

NAME = "base64"
KINDS = TEXT_KINDS
DATA_URL = ";base64,"
PATTERN = rf"(?:{DATA_URL})?[A-Za-z0-9+/]{{50,}}={{0,2}}"

_RUN = re.compile(PATTERN)
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f]+=*")
_ALL_OF = tuple(re.compile(characters) for characters in ("[a-z]", "[A-Z]", "[0-9]"))

measure = one_by_one


def scan(batch: Batch) -> dict[int, Hit]:
    """Count the runs of each text that are base64."""
    hits = {}
    for index, runs in batch.extract(PATTERN):
        encoded = [run.removeprefix(DATA_URL) for run in runs if is_base64(run)]
        if encoded:
            tokens = sum(map(batch.count, encoded))
            hits[index] = Hit(tokens, tokens)
    return hits


def spans(text: str, count: Count) -> list[Span]:
    """The runs that are base64, without `;base64,`."""
    found = []
    for match in _RUN.finditer(text):
        if is_base64(match[0]):
            prefix = len(DATA_URL) if match[0].startswith(DATA_URL) else 0
            found.append((match.start() + prefix, match.end()))
    return found


def is_base64(run: str) -> bool:
    """Whether a match of `PATTERN` is base64 rather than a path, a hash or a long identifier."""
    return run.startswith(DATA_URL) or (
        len(run) % 4 == 0
        and run.count("/") * 25 < len(run)
        and all(characters.search(run) for characters in _ALL_OF)
        and _HEXADECIMAL.fullmatch(run) is None
    )
