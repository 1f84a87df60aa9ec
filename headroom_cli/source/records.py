"""A log file as a stream of records: bytes -> lines -> objects, with physical line numbers and nothing hidden.

Lines end at byte `\\n` only. A line that cannot be read is counted and passed over, never the end of a file. Memory is
one block and one line, within `Limits.line_bytes`; only a file that is one JSON document is held whole, within
`Limits.document_bytes`.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from headroom_cli.model import Damage
from headroom_cli.source.decode import (
    INCOMPLETE,
    MAX_NESTING,
    NESTED,
    NOT_OBJECT,
    NULLS,
    Broken,
    decode,
    document,
    to_text,
    too_deep,
)
from headroom_cli.source.stream import (
    DEFAULT_LIMITS,
    Compression,
    Limits,
    Unreadable,
    open_source,
    over_limit,
    rest_of,
    rest_of_line,
)

__all__ = ["DEFAULT_LIMITS", "Limits", "Record", "Records", "Unreadable"]

TRUNCATED = "truncated last line"
TRUNCATED_DOCUMENT = "truncated JSON document"

UTF_16 = "UTF-16 text, not UTF-8"
BINARY = "not text"
LFS_POINTER = "a Git LFS pointer; the file itself was not fetched"
NO_JSON = "no JSON in it"
HARDLY_JSON = "hardly any JSON in it"

_BOM = b"\xef\xbb\xbf"
_BLANK = b"\0 \t\r\n"
_LFS_MAGIC = b"version https://git-lfs.github.com/spec/"
_BINARY_MAGIC = (b"PK\x03\x04", b"SQLite format 3\0", b"PAR1", b"%PDF", b"\x7fELF", b"\x89PNG")
_CONTROL = bytes(set(range(32)) - set(b"\0\t\n\f\r\x08\x1b\x1e"))
_SAMPLE = 4096
_HOPELESS = 10_000  # damaged lines, and a hundred for each record: not a log
_HARDLY = 100
_SHALLOW = 2 * MAX_NESTING  # bytes: a level takes two of them, so a line of this length has no more levels
_LOOK_AHEAD = 1000  # blank lines passed over while looking for the second line


class Record(NamedTuple):
    """A decoded object or array and the 1-based physical line on which it begins; several may share a line."""

    line: int
    value: Any


class Records:
    """The records of one log. Iterating opens it, decodes, and fills the attributes; raises `Unreadable`.

    `damaged`: what could not be read, in line order. `records`: how many were given. `bytes`: size on disk.
    `replaced`: by line, the strings in which U+FFFD took the place of lone surrogates.
    """

    def __init__(self, path: str | Path | BinaryIO, *, limits: Limits = DEFAULT_LIMITS) -> None:
        self.path = path
        self.limits = limits
        self.damaged: list[Damage] = []
        self.replaced: dict[int, list[str]] = {}
        self._reset()

    def _reset(self) -> None:
        self.damaged.clear()
        self.replaced.clear()
        self.records = 0
        self.bytes = 0
        self.compression: Compression | None = None
        self._line = 0  # of the last record
        self._overlong = ""  # why the last line over the limit was not read
        self._endless = 0  # that line, if the file ended in it

    def __iter__(self) -> Iterator[Record]:
        self._reset()
        opened = open_source(self.path, self.limits)
        self.compression = opened.compression
        self.bytes = opened.bytes
        try:
            yield from self._file(opened.lines)
            if opened.stream.failure:
                self._ended_early(opened.stream.failure)
            elif self._overlong and not self.records:
                raise Unreadable(self._overlong)
        finally:
            self.bytes = opened.bytes
            opened.close()

    def _file(self, buffer: io.BufferedReader) -> Iterator[Record]:
        sample = buffer.peek(_SAMPLE)[:_SAMPLE]
        _refuse_binary(sample)
        if sample.startswith(_BOM):
            buffer.read(len(_BOM))
        lines: Iterator[bytes] = iter(partial(buffer.readline, self.limits.line_bytes + 1), b"")
        number, line = 0, b""
        longest = self.limits.line_bytes
        for number, line in enumerate(lines, 1):  # to the first line with anything on it
            if len(line) > longest:
                return self._lines(number, chain([line], lines), buffer)
            if line.strip(_BLANK):
                break
            if b"\0" in line:
                self._damage(number, NULLS)
        else:
            return iter(())
        # Does the file consist of lines, or is it one document? The first two lines tell.
        ahead = [line]
        value = _loads(line)
        if line.lstrip(_BLANK)[:1] in (b"{", b"[") and not isinstance(value, dict):
            for following in islice(lines, _LOOK_AHEAD):
                ahead.append(following)
                if following.strip():
                    break
            if value is None and _continues(line, ahead[-1]):
                return self._document(number, ahead, buffer, lines)
            if isinstance(value, list) and not b"".join(ahead[1:]).strip() and _holds_records(value):
                return chain.from_iterable(self._one(number, element) for element in value)
        return self._lines(number, chain(ahead, lines), buffer)

    def _lines(self, number: int, lines: Iterable[bytes], buffer: io.BufferedReader) -> Iterator[Record]:
        """The records on these lines; `buffer` holds the rest of the last one where it is longer than the limit."""
        loads, deep, new = orjson.loads, too_deep, tuple.__new__
        longest = self.limits.line_bytes
        for number, line in enumerate(lines, number):  # noqa: B020 - counting goes on from there
            size = len(line)
            if size > longest:
                size, ends = rest_of_line(buffer, line)
                self._overlong = over_limit("line", size, longest)
                self._endless = 0 if ends else number
                self._damage(number, self._overlong)
                continue
            try:
                value = loads(line)
            except orjson.JSONDecodeError:
                yield from self._troubled(number, line)
                continue
            if (type(value) is dict or type(value) is list) and (size <= _SHALLOW or not deep(value)):
                self.records += 1
                self._line = number
                yield new(Record, (number, value))
            else:
                yield from self._one(number, value)

    def _one(self, number: int, value: Any) -> Iterator[Record]:
        if not isinstance(value, dict | list):
            self._damage(number, NOT_OBJECT)
        elif too_deep(value):
            self._damage(number, NESTED)
        else:
            self.records += 1
            self._line = number
            yield Record(number, value)

    def _troubled(self, number: int, line: bytes) -> Iterator[Record]:
        """What the ladder finds on a line that is not one JSON value."""
        replaced: list[str] = []
        values, damage = decode(line, replaced)
        if replaced:
            self.replaced[number] = replaced
        for value in values:
            yield from self._one(number, value)
        if damage is not None:
            torn = not line.endswith(b"\n") and line.lstrip(_BLANK)[:1] in (b"{", b"[")
            self._damage(number, TRUNCATED if torn else damage)

    def _document(
        self, number: int, ahead: list[bytes], buffer: io.BufferedReader, lines: Iterator[bytes]
    ) -> Iterator[Record]:
        """A file that seems to be JSON as a whole; where it is not, it is read by lines after all."""
        begin = b"".join(ahead)
        by_lines = isinstance(_loads(ahead[-1].rstrip(b", \t\r\n")), dict | list)
        longest = self.limits.document_bytes
        data = begin + buffer.read(max(0, longest - len(begin)))
        if buffer.peek(1):
            if not by_lines:
                raise Unreadable(over_limit("JSON document", len(data) + rest_of(buffer), longest))
            data += next(lines, b"")
            yield from self._lines(number, chain(io.BytesIO(data), lines), buffer)
            return
        first = True
        replaced: list[str] = []
        for line, value in document(to_text(data), replaced):
            if replaced:
                self.replaced.setdefault(number + line - 1, []).extend(replaced)
                replaced.clear()
            if not isinstance(value, Broken):
                yield from self._one(number + line - 1, value)
            elif first and by_lines:
                yield from self._lines(number, io.BytesIO(data), buffer)
                return
            else:
                cut = value.last and value.reason == INCOMPLETE
                self._damage(number + line - 1, TRUNCATED_DOCUMENT if cut else value.reason)
            first = False

    def _damage(self, number: int, reason: str) -> None:
        self.damaged.append(Damage(number, reason))
        if len(self.damaged) >= _HOPELESS and len(self.damaged) > _HARDLY * self.records:
            raise Unreadable(HARDLY_JSON if self.records else NO_JSON)

    def _ended_early(self, failure: str) -> None:
        last = self.damaged[-1] if self.damaged else None
        if not self.records and (last is None or last.line == self._endless):
            raise Unreadable(failure)
        if last is not None and (last.reason in (TRUNCATED, TRUNCATED_DOCUMENT) or last.line == self._endless):
            last.reason = failure
        else:
            self._damage(max([self._line, *(damage.line for damage in self.damaged[-1:])]) + 1, failure)


def _loads(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None


def _continues(first: bytes, second: bytes) -> bool:
    """True if the second line may continue a JSON value that the first one begins."""
    return first.rstrip()[-1:] in (b"{", b"[", b",", b":") or second.lstrip()[:1] in (b"}", b"]", b",", b":")


def _holds_records(value: list[Any]) -> bool:
    return bool(value) and isinstance(value[0], dict | list)


def _refuse_binary(sample: bytes) -> None:
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable(UTF_16)
    if sample.startswith(_BINARY_MAGIC):
        raise Unreadable(BINARY)
    if sample.startswith(_LFS_MAGIC):
        raise Unreadable(LFS_POINTER)
    nulls = sample.count(b"\0")
    if nulls * 5 > len(sample) * 2 and b"\0\0" not in sample:
        raise Unreadable(UTF_16)
    text = sample.translate(None, b"\0")
    control = len(text) - len(text.translate(None, _CONTROL))
    if control > 8 and control * 20 > len(text):
        raise Unreadable(BINARY)
