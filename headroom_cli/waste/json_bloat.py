r"""JSON that could be said in fewer tokens.

## What it does
Flags each part of a text that parses as a JSON object, or as an array of objects, and is longer than 500 characters
and 500 tokens. The text is read from left to right, the outermost value counts; a place where parsing fails is passed
over, so braces in code are not JSON. What is avoidable are its tokens less those of the shortest of two forms that lose
nothing, numbers as they were written: minified (no blanks, no `\u` escapes that UTF-8 does not need), and columnar,
where every array of two or more objects with the same keys becomes `[[keys], [values], [values], ...]`.

## Why it matters
Pretty-printed records repeat every key and pad every line. The model needs the values; keys said once are enough.

## Known problems
At most 200 failed places are tried, and they may not make the parser read more than four times the length of the text;
what comes after is not looked at. Objects that repeat a key, or nest deeper than 250 levels, are flagged, but nothing
of them is avoidable. JSON Lines are many small objects and are not flagged.

## Example
```python
json.dumps([{"id": i, "level": "INFO", "service": "billing", "took_ms": i * 7} for i in range(40)], indent=2)
```
Flagged: 1362 tokens; avoidable: 1029.

## Fix
Print with `jq -c` or `separators=(",", ":")`, select the fields that matter, or print a table.

## References
- RFC 8259
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import orjson

from headroom_cli.waste.base import TEXT_KINDS, Batch, Count, Hit, one_by_one
from headroom_cli.waste.spans import Span

NAME = "json_bloat"
KINDS = TEXT_KINDS
MIN_CHARACTERS = 500
MIN_TOKENS = 500
MAX_FAILED_STARTS = 200
MAX_FAILED_SHARE = 4
PATTERN = r'\{\s*"(?s:[^"\\]|\\.)*"\s*:'

# A long object has a key; what opens it must look like JSON, which few braces in code do.
_START = re.compile(r'\{\s*+"|\[\s*+\{\s*+["}]')

measure = one_by_one


class _RepeatedKeys:
    """An object that repeats a key: decoding it would lose something."""


def scan(batch: Batch) -> dict[int, Hit]:
    """Count the JSON of each text, and the JSON in its shortest form."""
    hits = {}
    for index in batch.matching(PATTERN):
        text = batch.texts[index]
        if len(text) <= MIN_CHARACTERS:
            continue
        found = list(_values(text, batch.count, batch.sizes[index] if batch.sizes else None))
        if found:
            tokens = sum(size for _, _, size, _ in found)
            needed = sum(shortest(value, text[start:end], size, batch.count) for start, end, size, value in found)
            hits[index] = Hit(tokens, tokens - needed, [(start, end) for start, end, _, _ in found])
    return hits


def spans(text: str, count: Count) -> list[Span]:
    """The values that are long enough."""
    return [(start, end) for start, end, _, _ in _values(text, count)]


def shortest(value: Any, written: str, tokens: int, count: Count) -> int:
    """Tokens of the shortest lossless form of a decoded value; `tokens`, its size as `written`, if there is none."""
    try:
        minified = orjson.dumps(value).decode()
    except TypeError:
        # Repeated keys, lone surrogates, or too deep.
        return tokens
    if minified != written:
        tokens = min(tokens, count(minified))
    if "},{" not in minified:
        # No array has two objects.
        return tokens
    table = orjson.dumps(columnar(value)).decode()
    return tokens if table == minified else min(tokens, count(table))


def columnar(value: Any) -> Any:
    """`value` with every array of objects that share their keys as a list of the keys and lists of values."""
    if isinstance(value, dict):
        return {key: columnar(item) if isinstance(item, (dict, list)) else item for key, item in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) > 1 and isinstance(value[0], dict) and value[0]:
        keys = value[0].keys()
        if all(isinstance(item, dict) and item.keys() == keys for item in value):
            return [list(keys), *([columnar(item[key]) for key in keys] for item in value)]
    return [columnar(item) if isinstance(item, (dict, list)) else item for item in value]


def _values(text: str, count: Count, whole: int | None = None) -> Iterator[tuple[int, int, int, Any]]:
    """Start, end, tokens and decoded form of each value that is long enough; `whole` are the tokens of the text."""
    failed = position = 0
    budget = MAX_FAILED_SHARE * len(text)
    while failed < MAX_FAILED_STARTS and budget > 0 and (match := _START.search(text, position)):
        start = match.start()
        try:
            value, end = _DECODER.raw_decode(text, start)
            is_candidate = not isinstance(value, list) or all(isinstance(item, _OBJECT) for item in value)
        except (ValueError, RecursionError) as error:
            end = getattr(error, "pos", len(text))
            is_candidate = False
        if not is_candidate:
            failed += 1
            budget -= end - start
            position = start + 1
            continue
        position = end
        if end - start > MIN_CHARACTERS:
            size = whole if whole is not None and end - start == len(text) else count(text[start:end])
            if size > MIN_TOKENS:
                yield start, end, size, value


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any] | _RepeatedKeys:
    decoded = dict(pairs)
    return decoded if len(decoded) == len(pairs) else _RepeatedKeys()


def _not_json(constant: str) -> NoReturn:
    raise ValueError(constant)


_OBJECT = (dict, _RepeatedKeys)
# Fragments are written back as they were read: no number is rounded.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=orjson.Fragment, parse_int=orjson.Fragment, parse_constant=_not_json
)
