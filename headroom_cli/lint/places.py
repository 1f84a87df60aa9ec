"""Where a value lies in its file: line, column and JSON Pointer, found in a second pass over files with findings.

Readers keep values, not positions. Here a record is read again, the value is found in it by equality, and its position
by walking the text down to it. The cost is linear in the records looked at, whatever they hold.
"""

from __future__ import annotations

import io
import json
import re
from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from json.decoder import scanstring  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from headroom_cli.lint.history import Pointer
from headroom_cli.source.decode import scrub, to_text
from headroom_cli.source.stream import DEFAULT_LIMITS, Limits, Unreadable, lines_within, open_source, pass_lines

_BOM = b"\xef\xbb\xbf"
_BLANK = b"\0 \t\r\n"
_SPACE = re.compile(r"[ \t\r\n]*")
_GAP = re.compile("[\\s,\0\ufeff\x1e]*")
_START = re.compile(r"[{\[]")
_TELLING = ("type", "role", "id", "call_id", "tool_use_id", "tool_call_id", "name")
_CONTENT = frozenset({"content", "text", "output", "arguments", "input"})
_LEAST_EMBEDDED = 8

_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(
    strict=False,
    parse_int=lambda digits: int(digits) if len(digits) < 400 else float(digits),
    parse_constant=lambda _: None,
).scan_once  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Place:
    """A position: 1-based line and column (in characters; 0: unknown), and the pointer from the file's value.

    In a file of lines the pointer starts at the record on the line. A value inside a string that holds JSON has the
    place of the string; `inside` leads on from there.
    """

    line: int
    column: int
    pointer: str
    inside: str = ""


@dataclass(slots=True, eq=False)
class Wanted:
    """A value to be found: in a record on `line`, equal to `needle`, there `path` leads on. `nth` of equal ones."""

    line: int
    needle: Any
    path: Pointer = ()
    nth: int = 0


class _Lines:
    """The lines of a text whose first one is line `first` of the file; looked for once, when they are asked for."""

    def __init__(self, text: str, first: int) -> None:
        self.text = text
        self.first = first

    @cached_property
    def _starts(self) -> array[int]:
        starts = array("q", [0])
        while (end := self.text.find("\n", starts[-1])) >= 0:
            starts.append(end + 1)
        return starts

    def place(self, offset: int) -> tuple[int, int]:
        """The line of the file, and the 1-based column."""
        line = bisect_right(self._starts, offset) - 1
        return self.first + line, offset - self._starts[line] + 1


class _Record(NamedTuple):
    """A value in a text: where it begins, and what leads to it from the value of the file."""

    lines: _Lines
    start: int
    value: Any
    base: Pointer


@dataclass(slots=True, eq=False)
class _Needle:
    value: Any
    hits: list[tuple[int, Pointer, Pointer | None]] = field(default_factory=list)  # record, path, path in a string


def pointer_text(path: Pointer) -> str:
    """The JSON Pointer (RFC 6901) of keys and indices."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in path)


def locate(source: str | Path | BinaryIO, wanted: Sequence[Wanted], limits: Limits = DEFAULT_LIMITS) -> list[Place]:
    """The places of values in one file, in the order asked for. What is not found has its line, and column 1."""
    places = [Place(max(each.line, 1), 1, pointer_text(each.path)) for each in wanted]
    groups: dict[int, list[int]] = {}
    for number, each in enumerate(wanted):
        if each.line > 0:
            groups.setdefault(each.line, []).append(number)
    try:
        for line, records in _records(source, set(groups), limits):
            numbers = groups.get(line, [])
            for number, place in zip(numbers, _in_records(records, [wanted[n] for n in numbers]), strict=True):
                places[number] = place
    except (Unreadable, OSError):
        pass  # gone or changed since it was read: lines are all there is to say
    return places


def _records(source: str | Path | BinaryIO, lines: set[int], limits: Limits) -> Iterator[tuple[int, list[_Record]]]:
    """The records that begin on each of these lines, as `source.records` reads them."""
    if not lines:
        return
    if not isinstance(source, str | Path):
        source.seek(0)
    opened = open_source(source, limits)
    try:
        stream = opened.lines
        within = lines_within(stream, limits.line_bytes)
        number, line = 0, b""
        for number, line in enumerate(within, 1):
            if number == 1:
                line = line.removeprefix(_BOM)
            if line.strip(_BLANK):
                break
        first = _loads(line)
        if not isinstance(first, dict) and line.lstrip(_BLANK)[:1] in (b"{", b"["):
            rest = stream.read(limits.document_bytes)
            if first is None or not rest.strip():
                text = to_text(line + rest)
                if _value_at(text, _GAP.match(text).end()) is not None:  # type: ignore[union-attr]
                    yield from _in_document(text, number, lines)
                    return
            following: Iterator[bytes] = chain(io.BytesIO(rest + next(within, b"")), within)
        else:
            following = within
        for wanted in sorted(lines):
            if wanted > number and line:
                if following is within:
                    pass_lines(stream, wanted - number - 1)
                else:
                    deque(islice(following, wanted - number - 1), maxlen=0)
                line, number = next(following, b""), wanted
            if wanted == number and line:
                yield number, _on_line(to_text(line), number)
    finally:
        opened.close()


def _on_line(text: str, number: int) -> list[_Record]:
    """The values on a line, which may begin with what is no JSON."""
    records: list[_Record] = []
    lines = _Lines(text, number)
    position = 0
    while (start := _START.search(text, position)) is not None:
        found = _value_at(text, start.start())
        if found is None:
            if records or position:
                break
            position = start.end()
            if (second := text.find('{"', position)) < 0:
                break
            position = second
            continue
        records.append(_Record(lines, start.start(), found[0], ()))
        position = found[1]
    return records


def _in_document(text: str, first_line: int, lines: set[int]) -> Iterator[tuple[int, list[_Record]]]:
    """The records of a text that is JSON as a whole, with the places of array elements in their pointers."""
    shared = _Lines(text, first_line)
    position, counted, line = 0, 0, first_line
    element: int | None = None
    group: list[_Record] = []
    of = 0
    while (position := _GAP.match(text, position).end()) < len(text):  # type: ignore[union-attr]
        line += text.count("\n", counted, position)
        counted = position
        if element is not None and text[position] == "]":
            element, position = None, position + 1
            continue
        if element is None and text[position] == "[":
            inner = _GAP.match(text, position + 1).end()  # type: ignore[union-attr]
            if text[inner : inner + 1] in ("{", "["):
                element, position = 0, inner
                continue
        found = _value_at(text, position)
        if found is None:
            break
        if line in lines:
            if group and of != line:
                yield of, group
                group = []
            of = line
            group.append(_Record(shared, position, found[0], () if element is None else (element,)))
        element = None if element is None else element + 1
        position = found[1]
    if group:
        yield of, group


def _value_at(text: str, start: int) -> tuple[Any, int] | None:
    try:
        value, end = _scan(text, start)
    except (StopIteration, json.JSONDecodeError, RecursionError):
        return None
    return value, end


def _loads(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None


def _in_records(records: list[_Record], wanted: list[Wanted]) -> list[Place]:
    """The places of values that lie in some of these records."""
    needles: dict[int, _Needle] = {}
    for each in wanted:
        needles.setdefault(id(each.needle), _Needle(each.needle))
    table = _table(needles.values())
    for number, record in enumerate(records):
        _find(scrub(record.value), table, number)
    missing = [needle for needle in needles.values() if not needle.hits and isinstance(needle.value, dict | list)]
    if missing:
        for number, record in enumerate(records):
            _find_embedded(scrub(record.value), missing, number)
    tries: dict[int, dict[str | int, Any]] = {}
    aims: list[tuple[int, Pointer, Pointer | None]] = []
    for each in wanted:
        hits = needles[id(each.needle)].hits
        if not hits:
            aims.append((0, (), None))
            continue
        number, path, inside = _chosen(hits, each.nth)
        full = path if inside is not None else path + each.path
        aims.append((number, full, None if inside is None else inside + each.path))
        _plant(tries.setdefault(number, {}), full)
    offsets = {number: _offsets(records[number], trie) for number, trie in tries.items()}
    places = []
    for each, (number, path, inside) in zip(wanted, aims, strict=True):
        if not records:
            places.append(Place(each.line, 1, pointer_text(each.path)))
            continue
        record = records[number]
        known = offsets.get(number, {(): record.start})
        deep = path
        while deep not in known:
            deep = deep[:-1]
        line, column = record.lines.place(known[deep])
        pointer = pointer_text(record.base + deep)
        places.append(Place(line, column, pointer, pointer_text(inside) if inside else ""))
    return places


def _chosen(hits: list[tuple[int, Pointer, Pointer | None]], nth: int) -> tuple[int, Pointer, Pointer | None]:
    """The n-th of equal values; content rather than what happens to equal it."""
    if len(hits) > 1:
        hits = [hit for hit in hits if not _CONTENT.isdisjoint(hit[1])] or hits
    return hits[min(nth, len(hits) - 1)]


def _signature(value: Any) -> object:
    """What equal values have in common and few others share."""
    if isinstance(value, dict):
        marks = tuple(mark if isinstance(mark := value.get(key), str) else None for key in _TELLING)
        text = value.get("text", value.get("content"))
        return (len(value), marks, len(text) if isinstance(text, str | list) else None)
    if isinstance(value, list):
        return ("list", len(value), _signature(value[0]) if value and isinstance(value[0], dict) else None)
    return value if isinstance(value, str | int | float | type(None)) else id(value)


def _table(needles: Iterable[_Needle]) -> dict[object, list[_Needle]]:
    table: dict[object, list[_Needle]] = {}
    for needle in needles:
        table.setdefault(_signature(needle.value), []).append(needle)
    return table


def _find(value: Any, table: dict[object, list[_Needle]], number: int) -> None:
    """Note every place in a record where a needle lies."""
    pending: list[tuple[Any, tuple[Any, Any] | None]] = [(value, None)]  # paths as links to what they came from
    while pending:
        node, link = pending.pop()
        for needle in table.get(_signature(node), ()):
            if type(needle.value) is type(node) and needle.value == node:
                needle.hits.append((number, _unlinked(link), None))
        if isinstance(node, dict):
            pending += reversed([(child, (key, link)) for key, child in node.items()])
        elif isinstance(node, list):
            pending += reversed([(child, (index, link)) for index, child in enumerate(node)])


def _find_embedded(value: Any, missing: list[_Needle], number: int) -> None:
    """Look for needles in strings that hold JSON."""
    pending: list[tuple[Any, tuple[Any, Any] | None]] = [(value, None)]
    while pending:
        node, link = pending.pop()
        if isinstance(node, str):
            if len(node) < _LEAST_EMBEDDED or node.lstrip()[:1] not in ("{", "["):
                continue
            probes = [_Needle(needle.value) for needle in missing]
            _find(_loads(node.encode("utf-8", "replace")), _table(probes), number)
            for needle, probe in zip(missing, probes, strict=True):
                if probe.hits and not needle.hits:
                    needle.hits.append((number, _unlinked(link), probe.hits[0][1]))
        elif isinstance(node, dict):
            pending += reversed([(child, (key, link)) for key, child in node.items()])
        elif isinstance(node, list):
            pending += reversed([(child, (index, link)) for index, child in enumerate(node)])


def _unlinked(link: tuple[Any, Any] | None) -> Pointer:
    path = []
    while link is not None:
        path.append(link[0])
        link = link[1]
    return tuple(reversed(path))


def _plant(trie: dict[str | int, Any], path: Pointer) -> None:
    for token in path:
        trie = trie.setdefault(token, {})


def _offsets(record: _Record, trie: dict[str | int, Any]) -> dict[Pointer, int]:
    """Where the values lie that the paths of `trie` lead to, as far as the record has them."""
    found: dict[Pointer, int] = {}
    _walk(record.lines.text, record.start, trie, (), found)
    return found


def _walk(text: str, start: int, trie: dict[str | int, Any], path: Pointer, found: dict[Pointer, int]) -> int:
    """Note where the value at `start` lies and those below it; gives its end. Of equal keys the last one counts."""
    found[path] = start
    opening = text[start]
    if not trie or opening not in "{[":
        return _scan(text, start)[1]
    at = _after_space(text, start + 1)
    index = 0
    while text[at] not in "}]":
        if text[at] == ",":
            at = _after_space(text, at + 1)
        token: str | int = index
        if opening == "{":
            token, at = scanstring(text, at + 1, False)
            at = _after_space(text, _after_space(text, at) + 1)
        below = trie.get(token)
        at = _scan(text, at)[1] if below is None else _walk(text, at, below, (*path, token), found)
        at = _after_space(text, at)
        index += 1
    return at + 1


def _after_space(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]
