"""Text of one line -> the objects on it: a ladder for what log writers, crashes and editors leave behind.

1. `orjson`, strict and fast.
2. `json` of the standard library over repaired bytes: lone surrogates, broken UTF-8, NaN, control characters.
3. Several objects on one line: the writer died between a record and its newline.
4. Salvage: a record behind a fragment of another, or behind the prefix that a logger puts before it.

Duplicate keys: the last one wins. NaN and Infinity become None, as JavaScript writes them.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

MAX_NESTING = 200
"""Levels of containers that a record may have: later stages recurse, and `orjson.dumps` gives up at 254."""

NOT_JSON = "not valid JSON"
NOT_OBJECT = "not an object"
INCOMPLETE = "incomplete record"
PARTLY = "part of the line is not JSON"
NESTED = "nested too deeply"
NULLS = "only null bytes"

_SSE_FIELDS = (b"event:", b"id:", b"retry:", b":")
# Between values: white space, a comma (arrays written one element a line), NULs, BOM, the RFC 7464 separator.
_GAP = re.compile("[\\s,\0\ufeff\x1e]*")
_OBJECT_START = re.compile(r'\{\s*"')


class Decoded(NamedTuple):
    """The objects and arrays of a line, and why something of it could not be read (None: all was, or it is blank)."""

    values: list[Any]
    damage: str | None = None


class Broken(NamedTuple):
    """Stands in a document for a value that is not JSON; `last`: nothing after it could be read."""

    reason: str
    last: bool


def _parse_int(digits: str) -> int | float:
    # Python refuses to convert thousands of digits; as a float they are infinite, and no count is.
    return int(digits) if len(digits) < 400 else float(digits)


_scan = json.JSONDecoder(strict=False, parse_int=_parse_int, parse_constant=lambda _: None).scan_once  # type: ignore[attr-defined]


def too_deep(value: Any) -> bool:
    """True if `value`, fresh from a decoder, has more than `MAX_NESTING` levels of containers.

    Steps from level to level within C: 1 us for an average record, a fifth of the time to count its brackets.
    """
    referents = gc.get_referents
    level = referents(value)
    for _ in range(MAX_NESTING):
        if not level:
            return False
        level = referents(*level)
    return bool(level)


def decode(line: bytes, replaced: list[str] | None = None) -> Decoded:
    """Decode a line that `orjson.loads` refused, or whose value is no object. Never raises.

    `replaced` as for `scrub`.
    """
    body = line.strip(b"\0 \t\r\n").removeprefix(b"\xef\xbb\xbf")
    if not body:
        return Decoded([], NULLS if b"\0" in line else None)
    if body.startswith(_SSE_FIELDS) or (body.startswith(b"data:") and body[5:].strip() in (b"[DONE]", b"")):
        return Decoded([])
    body = body.removeprefix(b"data:")
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return _objects(to_text(body).strip(), [] if replaced is None else replaced)
    if not isinstance(value, dict | list):
        return Decoded([], NOT_OBJECT)
    return Decoded([], NESTED) if too_deep(value) else Decoded([value])


def to_text(data: bytes) -> str:
    """UTF-8 text, whatever the bytes: surrogates pass (a later step joins or replaces them), the rest is replaced."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def scrub(value: Any, replaced: list[str] | None = None) -> Any:
    """The same value without lone surrogates (replaced by U+FFFD), so that every string can be encoded.

    What the strings with such replacements have become is added to `replaced`; halves that were joined are no loss.
    """
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            sound = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            if replaced is not None and sound.count("\ufffd") > value.count("\ufffd"):
                replaced.append(sound)
            return sound
        return value
    if isinstance(value, list):
        return [scrub(item, replaced) for item in value]
    if isinstance(value, dict):
        return {scrub(key, replaced): scrub(item, replaced) for key, item in value.items()}
    return value


class _Failure(Exception):  # noqa: N818
    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position


def _value_at(text: str, start: int, replaced: list[str]) -> tuple[Any, int]:
    """The value that begins at `start` and where it ends; raises `_Failure`."""
    try:
        value, end = _scan(text, start)
    except StopIteration as stop:
        position = stop.value
    except json.JSONDecodeError as error:
        position = len(text) if error.msg.startswith("Unterminated string") else error.pos
    except RecursionError:
        raise _Failure(NESTED, start) from None
    else:
        if too_deep(value):
            raise _Failure(NESTED, end)
        return scrub(value, replaced), end
    # A literal or an escape that the end of the text cuts is reported at its beginning.
    incomplete = position >= len(text) or text[position:].isalnum()
    raise _Failure(INCOMPLETE if incomplete else NOT_JSON, position)


def _objects(text: str, replaced: list[str]) -> Decoded:
    values: list[Any] = []
    damage: str | None = None
    sound = position = 0  # values[:sound] are kept if what follows turns out to be a piece of a broken record
    effort = 32 * len(text) + (1 << 20)  # each failed attempt costs its position, so bad lines stay linear
    while (position := _GAP.match(text, position).end()) < len(text):  # type: ignore[union-attr]
        failed_at = position
        if text[position] in "{[":
            try:
                value, position = _value_at(text, position, replaced)
            except _Failure as failure:
                failed_at = failure.position
                reason = failure.reason
            else:
                values.append(value)
                continue
        else:
            reason = NOT_JSON
        # A second failure: what was salvaged since the first may be the inside of a broken record.
        del values[sound if damage else len(values) :]
        sound = len(values)
        damage = PARTLY if values else damage or reason
        if reason != NOT_JSON:
            break
        effort -= failed_at + 1
        following = _OBJECT_START.search(text, max(position + 1, failed_at - 8))
        if following is None or effort < 0:
            break
        position = following.start()
    return Decoded(values, PARTLY if values and damage else damage)


def document(text: str, replaced: list[str] | None = None) -> Iterator[tuple[int, Any]]:
    """Values of a text that is JSON as a whole: pretty-printed objects, or an array whose elements are records.

    Yields each with the 1-based line on which it begins; an array of objects or arrays gives its elements. In the
    place of a broken value comes `Broken`, and reading goes on at the next line that begins like it. `replaced` as for
    `scrub`, filled before each value.
    """
    replaced = [] if replaced is None else replaced
    line, counted, position = 1, 0, 0
    within_array = False
    effort = 32 * len(text) + (1 << 20)
    while (position := _GAP.match(text, position).end()) < len(text):  # type: ignore[union-attr]
        line += text.count("\n", counted, position)
        counted = position
        if within_array and text[position] == "]":
            within_array = False
            position += 1
            continue
        if not within_array and text[position] == "[":
            first = _GAP.match(text, position + 1).end()  # type: ignore[union-attr]
            if text[first : first + 1] in ("{", "["):
                within_array = True
                position = first
                continue
        try:
            value, position = _value_at(text, position, replaced)
        except _Failure as failure:
            effort -= failure.position + 1
            resumed = _next_like(text, position) if effort > 0 else None
            yield line, Broken(failure.reason, last=resumed is None)
            if resumed is None:
                return
            position = resumed
        else:
            yield line, value
    if within_array:
        yield line, Broken(INCOMPLETE, last=True)


def _next_like(text: str, start: int) -> int | None:
    """Where the next value begins that is indented like the one at `start`, and so is none of its members."""
    indent = text[text.rfind("\n", 0, start) + 1 : start]
    if indent.strip() or len(indent) > 200:
        indent = ""
    following = re.compile(f"\n{indent}(?=[{{[])").search(text, start)
    return following.end() if following else None
