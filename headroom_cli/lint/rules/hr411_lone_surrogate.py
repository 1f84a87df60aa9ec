"""# HR411 lone-surrogate

A text holds half of a character: a UTF-16 surrogate without its other half, `\\ud83d` alone.

## Why it is refused

No UTF-8 can hold it, so a strict parser refuses the whole request as invalid JSON: Anthropic, Bedrock, DeepSeek and
others. Others replace it, or may refuse it.

Typical cause: a text was cut by code units, in the middle of an emoji: by a compressor, a truncation, a preview.

It is looked for in the file's own bytes, where the text as read has U+FFFD in its place. Two halves that stand together
are a character, and a U+FFFD that was there before is no fault.

## Example

```json
{"model": "claude-haiku-4-5", "max_tokens": 100, "messages": [{"role": "user", "content": "cut \\ud83d"}]}
```

## What to do

Write U+FFFD instead, or drop the half (`--fix` writes U+FFFD).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.history import Block, Entry, Pointer

_FIX = Fix("set", "write U+FFFD in its place")
_HALF = re.compile("[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")
_STRICT = frozenset({"anthropic", "bedrock", "strict"})
_ERRORS = {
    "anthropic": "The request body is not valid JSON: no low surrogate in string: line 1 column N",
    "strict": "Failed to parse the request body as JSON: messages[N].content: lone leading surrogate in hex escape",
}

_Way = tuple[Any, str | int] | None  # the last step of the way to a value, and the way to what holds it


def check(check: Check) -> Iterator[Finding]:
    """The first such text of each entry, and of what stands beside the messages."""
    history = check.history
    if history.replaced is None:
        yield from _in_values(check)
    elif history.replaced:
        yield from _in_lines(check, {line: frozenset(texts) for line, texts in history.replaced.items()})


def _in_values(check: Check) -> Iterator[Finding]:
    """Strings that stand as they were given."""
    for entry in check.history.entries:
        yield from _first(check, entry, entry.raw, _is_broken)
    yield from _first(check, None, _around(check), _is_broken)


def _in_lines(check: Check, broken: dict[int, frozenset[str]]) -> Iterator[Finding]:
    """Strings that were broken in the file."""
    history = check.history
    for entry in history.entries:
        if history.anchor is not None or any(block.path for block in entry.blocks):
            if entry.line in broken:
                yield from _first(check, entry, entry.raw, broken[entry.line].__contains__)
            continue
        for block in entry.blocks:
            if block.line in broken:
                yield from _first(check, block, block.raw, broken[block.line].__contains__)
    if history.line in broken:
        yield from _first(check, None, _around(check), broken[history.line].__contains__)


def _around(check: Check) -> dict[str, Any]:
    """What stands beside the messages."""
    return {key: value for key, value in check.history.body.items() if key not in ("messages", "contents", "input")}


def _first(check: Check, target: Entry | Block | None, raw: Any, is_broken: Callable[[str], bool]) -> Iterator[Finding]:
    places = [way for way, text in _strings(raw) if is_broken(text)]
    if not places:
        return
    name = check.profile.name
    what = "a text holds" if len(places) == 1 else f"{len(places)} texts hold"
    certain = name in _STRICT
    yield check.finding(
        f"{what} half of a character (a lone surrogate)" + ("" if certain else ", which this provider may refuse"),
        target,
        at=_pointer(places[0]),
        severity="error" if certain else "warning",
        confidence="high" if certain else "medium",
        api_error=_ERRORS["strict" if name == "strict" else "anthropic"] if certain else None,
        fix=_FIX,
    )


def _is_broken(text: str) -> bool:
    return not text.isascii() and _HALF.search(text) is not None


def _strings(raw: Any) -> Iterator[tuple[_Way, str]]:
    """All strings in a value, with the way to each, in order."""
    stack: list[tuple[_Way, Any]] = [(None, raw)]
    while stack:
        way, value = stack.pop()
        if isinstance(value, str):
            yield way, value
        elif isinstance(value, dict):
            stack += [((way, key), item) for key, item in reversed(value.items())]
        elif isinstance(value, list):
            stack += [((way, place), value[place]) for place in range(len(value) - 1, -1, -1)]


def _pointer(way: _Way) -> Pointer:
    steps = []
    while way is not None:
        way, step = way
        steps.append(step)
    return tuple(reversed(steps))


RULE = Rule(
    code="HR411",
    name="lone-surrogate",
    summary="A text with half of a character.",
    refs={"*": ("A42",)},
    check=check,
)
