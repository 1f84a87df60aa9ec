r"""Values in the cached prefix that change.

## What it does
Flags dates, times, epochs and UUIDs in system text and in tool schemas. The pattern is the page's last section. Tokens
are those of the values, one by one; `at_risk` is what stands after the first of them in the same text: what a cache
loses if the value is another one in the next request.

## Why it matters
A provider's prompt cache holds a prefix. One changed character in the system prompt makes every token after it, the
tools and the whole history, new input at full price.

## Known problems
A date that never changes costs nothing; so nothing is avoidable by itself. The cost is priced where the prefix is seen
to have changed.

## Example
```python
"You are a helpful agent. Today is 2026-11-30 and it is 14:05:09. Use the tools below."
```
Flagged: 11 tokens; avoidable: 0.

## Fix
Move the date to the end of the prompt or into the first user message; round it to the day.

## References
- https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
- https://platform.openai.com/docs/guides/prompt-caching

## Pattern
Any of these, between word boundaries (`MONTH` is a name of a month, or its first three letters):

- UUIDs: `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`
- dates, with a time behind them or not: `20[0-9]{2}-[01][0-9]-[0-3][0-9]`, `[0-9]{1,2}/[0-9]{1,2}/20[0-9]{2}`,
  `MONTH [0-9]{1,2}(?:st|nd|rd|th)?,? 20[0-9]{2}`, `[0-9]{1,2} MONTH 20[0-9]{2}`
- times: `[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?`, with `AM`, `PM`, `Z` or an offset
- epochs in seconds or milliseconds: `1[0-9]{9}(?:[0-9]{3})?`
"""

from __future__ import annotations

import re

from headroom_cli.waste.base import PREFIX_KINDS, Batch, Count, Hit, one_by_one
from headroom_cli.waste.spans import Span

NAME = "dynamic_date"
KINDS = PREFIX_KINDS

_MONTH = (
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:tember)?|Oct(?:ober)?"
    "|Nov(?:ember)?|Dec(?:ember)?)"
)
_TIME = r"[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?(?: ?[AaPp][Mm]\b|Z\b|[+-][0-9]{2}:?[0-9]{2}\b)?"
_DATE = (
    r"(?:20[0-9]{2}-[01][0-9]-[0-3][0-9]|[0-9]{1,2}/[0-9]{1,2}/20[0-9]{2}"
    rf"|{_MONTH} [0-9]{{1,2}}(?:st|nd|rd|th)?,? 20[0-9]{{2}}|[0-9]{{1,2}} {_MONTH} 20[0-9]{{2}})"
)
_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b"
PATTERN = rf"\b(?:{_UUID}|{_DATE}(?:(?:T|, ?| at | ){_TIME}|\b)|{_TIME}\b|1[0-9]{{9}}(?:[0-9]{{3}})?\b)"

_VALUE = re.compile(PATTERN, re.ASCII)

measure = one_by_one


def scan(batch: Batch) -> dict[int, Hit]:
    """Count the values of each text, and what stands after the first."""
    hits = {}
    for index in batch.matching(f"(?-u:{PATTERN})"):
        text = batch.texts[index]
        found = spans(text, batch.count)
        if found:
            hits[index] = Hit(one_by_one(text, found, batch.count), 0, found, batch.count(text[found[0][1] :]))
    return hits


def spans(text: str, count: Count) -> list[Span]:
    """The dates, times, epochs and UUIDs of the text."""
    return [match.span() for match in _VALUE.finditer(text)]
