"""JSON text with some of its values changed: what was not changed stays byte for byte, white space included."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

from headroom_cli.lint.history import Pointer
from headroom_cli.repair.draft import Origins

_SPACE = re.compile(r"[ \t\r\n]*")
_STEP = re.compile(r"\n([ \t]+)\S")
_FIRST_KEY = re.compile(r'\{[ \t\r\n]*"(?:[^"\\]|\\.)*"[ \t\r\n]*:(?P<gap> ?)')
_HEAD = 4096
_LONGEST_LEAD = 10_000  # characters
_scan = json.JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]


class NotJson(ValueError):  # noqa: N818 - a kind of text, not of trouble
    """The text is not what it was taken for."""


class Span(NamedTuple):
    """A value and where its text begins and ends."""

    start: int
    end: int
    value: Any


class _Member(NamedTuple):
    key: str
    start: int
    value: Span


def value_at(text: str, start: int) -> Span:
    """The value whose text begins at a position; raises `NotJson`."""
    try:
        value, end = _scan(text, start)
    except (StopIteration, ValueError, RecursionError) as error:
        raise NotJson(str(error)) from None
    return Span(start, end, value)


def is_compact(text: str, start: int) -> bool:
    """Whether the JSON at a position is written without spaces: nothing stands between its first key and the value."""
    first = _FIRST_KEY.search(text, start)
    return first is not None and not first["gap"]


def positions(text: str, start: int, pointers: Iterable[Pointer]) -> dict[Pointer, int]:
    """Where the values begin that pointers lead to from the value at `start`; those that are there."""
    found: dict[Pointer, int] = {}
    tree: dict[Any, Any] = {}
    for pointer in pointers:
        branch = tree
        for token in pointer:
            branch = branch.setdefault(token, {})
    _descend(text, start, tree, (), found)
    return found


class Sources:
    """The texts that values were read from: there a container is found again that stands in another place now."""

    def __init__(self, texts: Iterable[tuple[str, int, Any]]) -> None:
        """Each text, where the value in it begins, and that value."""
        self._texts = list(texts)
        self._starts: dict[tuple[int, Pointer], int] = {}

    def find(self, value: Any) -> tuple[str, int] | None:
        """The text that a container comes from, and where it begins there."""
        place = self._places.get(id(value))
        return None if place is None else (self._texts[place[0]][0], self._start(*place))

    @cached_property
    def _places(self) -> dict[int, tuple[int, Pointer]]:
        """The way to each container, by its identity."""
        found: dict[int, tuple[int, Pointer]] = {}
        for number, (_, _, value) in enumerate(self._texts):
            pending: list[tuple[Any, Pointer]] = [(value, ())]
            while pending:
                node, pointer = pending.pop()
                found[id(node)] = (number, pointer)
                children = node.items() if isinstance(node, dict) else enumerate(node)
                pending += [(child, (*pointer, key)) for key, child in children if isinstance(child, dict | list)]
        return found

    def _start(self, number: int, pointer: Pointer) -> int:
        """Where a container begins; what is read on the way to it is read once."""
        text, start, _ = self._texts[number]
        if not pointer:
            return start
        if (number, pointer) not in self._starts:
            holder = self._start(number, pointer[:-1])
            inside = (
                ((member.key, member.value.start) for member in _members(text, holder))
                if text[holder] == "{"
                else ((place, item.start) for place, item in enumerate(_items(text, holder)))
            )
            self._starts.update(((number, (*pointer[:-1], key)), begin) for key, begin in inside)
        return self._starts[number, pointer]


def rewrite(text: str, start: int, old: Any, new: Any, origins: Origins, sources: Sources | None = None) -> str:
    """The text of `new`, which was made from `old`: the value whose text begins at `start`.

    `origins` knows which containers in `new` were copied from which old ones; all others are the old ones, or new.
    Old ones at a new place are written as they stand in `sources`, by default this text.
    """
    return _Writer(text, start, origins, sources or Sources([(text, start, old)])).value(start, old, new)


def write(new: Any, text: str, start: int, origins: Origins, sources: Sources) -> str:
    """The text of a new value on one line, in the form of the one that begins at `start`."""
    return _Writer(text, start, origins, sources).new(new, None)


def _descend(text: str, start: int, tree: dict[Any, Any], path: Pointer, found: dict[Pointer, int]) -> None:
    found[path] = start
    if not tree:
        return
    if text[start] == "{":
        for member in _members(text, start):
            if member.key in tree:
                _descend(text, member.value.start, tree[member.key], (*path, member.key), found)
    elif text[start] == "[":
        for number, item in enumerate(_items(text, start)):
            if number in tree:
                _descend(text, item.start, tree[number], (*path, number), found)


def _skip(text: str, position: int) -> int:
    return _SPACE.match(text, position).end()  # type: ignore[union-attr]


def _members(text: str, start: int) -> list[_Member]:
    found: list[_Member] = []
    position = _skip(text, start + 1)
    while text[position : position + 1] not in ("}", ""):
        key = value_at(text, position)
        value = value_at(text, _skip(text, _skip(text, key.end) + 1))
        found.append(_Member(str(key.value), position, value))
        position = _next(text, value.end)
    return found


def _items(text: str, start: int) -> list[Span]:
    found: list[Span] = []
    position = _skip(text, start + 1)
    while text[position : position + 1] not in ("]", ""):
        value = value_at(text, position)
        found.append(value)
        position = _next(text, value.end)
    return found


def _next(text: str, end: int) -> int:
    position = _skip(text, end)
    return _skip(text, position + 1) if text[position : position + 1] == "," else position


class _Writer:
    def __init__(self, text: str, start: int, origins: Origins, sources: Sources) -> None:
        self._text = text
        self._origins = origins
        self._sources = sources
        head = text[start : start + _HEAD]
        self._compact = is_compact(text, start)
        self._ascii = text.isascii()
        step = _STEP.search(head)
        self._step = step[1] if step else "  "
        self._newline = "\r\n" if "\r\n" in head else "\n"

    def value(self, start: int, old: Any, new: Any) -> str:
        if new is not old and self._origins.of(new) is old:
            if isinstance(old, dict) and isinstance(new, dict):
                return self._object(start, old, new)
            if isinstance(old, list) and isinstance(new, list):
                return self._array(start, old, new)
        if new is old:
            return self._text[start : value_at(self._text, start).end]
        return self.new(new, self._indent_at(start))

    def _object(self, start: int, old: dict[str, Any], new: dict[str, Any]) -> str:
        known: dict[str, _Member] = {}
        for member in _members(self._text, start):
            known.pop(member.key, None)  # of equal keys the last counts
            known[member.key] = member
        number = {key: position for position, key in enumerate(known)}
        indent = self._indent_at(next(iter(known.values())).start) if known else None
        written: list[tuple[int | None, str]] = []
        for key, value in new.items():
            found = known.get(key)
            if found is None:
                words = json.dumps(key, ensure_ascii=self._ascii) + (":" if self._compact else ": ")
                written.append((None, words + self.new(value, indent)))
            elif value is old[key]:
                written.append((number[key], self._text[found.start : found.value.end]))
            else:
                head = self._text[found.start : found.value.start]
                written.append((number[key], head + self.value(found.value.start, old[key], value)))
        spans = [Span(member.start, member.value.end, None) for member in known.values()]
        return self._joined(start, spans, written)

    def _array(self, start: int, old: list[Any], new: list[Any]) -> str:
        spans = _items(self._text, start)
        places: dict[int, list[int]] = {}
        for number in range(len(old) - 1, -1, -1):
            places.setdefault(id(old[number]), []).append(number)
        indent = self._indent_at(spans[0].start) if spans else None
        written: list[tuple[int | None, str]] = []
        for item in new:
            known = places.get(id(self._origins.of(item)))
            if known:
                # Equal strings and numbers may be one object in several places: any of them has the same text.
                number = known.pop() if len(known) > 1 else known[0]
                span = spans[number]
                same = item is old[number]
                written.append(
                    (number, self._text[span.start : span.end] if same else self.value(span.start, old[number], item))
                )
            else:
                written.append((None, self.new(item, indent)))
        return self._joined(start, spans, written)

    def _joined(self, start: int, spans: list[Span], written: list[tuple[int | None, str]]) -> str:
        """Parts within their brackets: the gaps between old neighbours stay, new gaps look like the first."""
        text = self._text
        opening, closing = ("{", "}") if text[start] == "{" else ("[", "]")
        if not written:
            return opening + closing
        plain = "," if self._compact else ", "
        if not spans:
            return opening + plain.join(part for _, part in written) + closing
        lead = text[start : spans[0].start]
        end = _skip(text, spans[-1].end)
        usual = text[spans[0].end : spans[1].start] if len(spans) > 1 else "," + lead[1:] if lead[1:] else plain
        pieces = [lead]
        before: int | None = None
        for position, (number, part) in enumerate(written):
            if position:
                neighbours = before is not None and number == before + 1
                pieces.append(text[spans[number - 1].end : spans[number].start] if neighbours and number else usual)
            pieces.append(part)
            before = number
        return "".join([*pieces, text[spans[-1].end : end], closing])

    def _indent_at(self, position: int) -> str | None:
        """The white space that the line of a value begins with; None where the value does not begin its line."""
        # Nothing but blanks and a key may stand before it; a document on one line is not looked through for each value.
        line = self._text.rfind("\n", max(0, position - _LONGEST_LEAD), position) + 1
        lead = self._text[line:position]
        white = lead[: len(lead) - len(lead.lstrip(" \t"))]
        rest = lead[len(white) :]
        return white if line and (not rest or (rest[0] == '"' and rest.rstrip()[-1:] == ":")) else None

    def new(self, value: Any, indent: str | None) -> str:
        """The text of a value that did not stand here: on lines with this indent, or on one where it is None."""
        if not isinstance(value, dict | list) or not value:
            return json.dumps(value, ensure_ascii=self._ascii)
        origin = self._origins.of(value)
        if (found := self._sources.find(origin)) is not None:
            return _Writer(*found, self._origins, self._sources).value(found[1], origin, value)
        inner = None if indent is None else indent + self._step
        if isinstance(value, dict):
            colon = ":" if self._compact else ": "
            parts = [json.dumps(key, ensure_ascii=self._ascii) + colon + self.new(value[key], inner) for key in value]
        else:
            parts = [self.new(item, inner) for item in value]
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        if inner is None:
            return opening + ("," if self._compact else ", ").join(parts) + closing
        line = self._newline + inner
        return f"{opening}{line}{f',{line}'.join(parts)}{self._newline}{indent}{closing}"
