"""A unified diff of two versions of a file, in time by its lines: a log may change in ten thousand places."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

CONTEXT_LINES = 3
MOST_COMPARED = 250_000
"""A stretch without a line that both versions hold once is compared pair by pair up to this many pairs."""


class Change(NamedTuple):
    """The lines [start, stop) of the old version that became [new_start, new_stop) of the new one."""

    start: int
    stop: int
    new_start: int
    new_stop: int


def print_diff(path: str, before: bytes, after: bytes) -> None:
    """A unified diff on standard output; on a terminal without what could steer it."""
    from headroom_cli.report.words import plain

    name = path.replace("\\", "/").lstrip("/").encode("utf-8", "surrogateescape")
    safe = sys.stdout.isatty()
    sys.stdout.flush()
    for line in unified(before, after, name):
        shown = line
        if safe:
            shown = plain(line.rstrip(b"\n").decode("utf-8", "surrogateescape"), 2000).encode() + b"\n"
        sys.stdout.buffer.write(shown)
    sys.stdout.buffer.flush()


def unified(before: bytes, after: bytes, name: bytes) -> Iterator[bytes]:
    """The lines of a unified diff, as `diff -u` and `git apply` read it; none where nothing differs."""
    old, new = _lines(before), _lines(after)
    found = changes(old, new)
    if not found:
        return
    yield b"--- a/" + name + b"\n"
    yield b"+++ b/" + name + b"\n"
    for hunk in _hunks(found):
        first, last = hunk[0], hunk[-1]
        lead = min(CONTEXT_LINES, first.start)
        stop = min(last.stop + CONTEXT_LINES, len(old))
        new_stop = last.new_stop + stop - last.stop
        ranges = _range(first.start - lead, stop), _range(first.new_start - lead, new_stop)
        yield b"@@ -%s +%s @@\n" % ranges
        at = first.start - lead
        for change in hunk:
            yield from _marked(b" ", old[at : change.start])
            yield from _marked(b"-", old[change.start : change.stop])
            yield from _marked(b"+", new[change.new_start : change.new_stop])
            at = change.stop
        yield from _marked(b" ", old[at:stop])


def changes(old: list[bytes], new: list[bytes]) -> list[Change]:
    """Where two lists of lines differ, in order.

    Lines that both hold exactly once and in the same order are what the two are laid side by side by (the longest
    such chain, as in patience diff); only what lies between two of them is compared line by line.
    """
    found: list[Change] = []
    for (start, new_start), (stop, new_stop) in pairwise([(-1, -1), *_anchors(old, new), (len(old), len(new))]):
        found.extend(_between(old, new, Change(start + 1, stop, new_start + 1, new_stop)))
    return found


def _anchors(old: list[bytes], new: list[bytes]) -> list[tuple[int, int]]:
    """The longest chain of lines that are in each version once, as their places in both."""
    numbers, others = Counter(old), Counter(new)
    places = {line: place for place, line in enumerate(new) if others[line] == 1}
    pairs = [(place, places[line]) for place, line in enumerate(old) if numbers[line] == 1 and line in places]
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [index]
    chain = []
    index = last[-1] if last else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]


def _between(old: list[bytes], new: list[bytes], room: Change) -> Iterator[Change]:
    start, stop, new_start, new_stop = room
    while start < stop and new_start < new_stop and old[start] == new[new_start]:
        start, new_start = start + 1, new_start + 1
    while start < stop and new_start < new_stop and old[stop - 1] == new[new_stop - 1]:
        stop, new_stop = stop - 1, new_stop - 1
    if start == stop and new_start == new_stop:
        return
    if not 0 < (stop - start) * (new_stop - new_start) <= MOST_COMPARED:
        yield Change(start, stop, new_start, new_stop)
        return
    matcher = SequenceMatcher(None, old[start:stop], new[new_start:new_stop], autojunk=False)
    for tag, from_, to, new_from, new_to in matcher.get_opcodes():
        if tag != "equal":
            yield Change(start + from_, start + to, new_start + new_from, new_start + new_to)


def _hunks(found: list[Change]) -> Iterator[list[Change]]:
    """Changes that share a hunk: their context meets."""
    hunk = [found[0]]
    for change in found[1:]:
        if change.start - hunk[-1].stop > 2 * CONTEXT_LINES:
            yield hunk
            hunk = []
        hunk.append(change)
    yield hunk


def _range(start: int, stop: int) -> bytes:
    """A hunk's range as the format writes it: 1-based, a length of 1 left out, an empty one after the line before."""
    length = stop - start
    if length == 1:
        return b"%d" % (start + 1)
    return b"%d,%d" % (start + 1 if length else start, length)


def _marked(mark: bytes, lines: list[bytes]) -> Iterator[bytes]:
    for line in lines:
        if line.endswith(b"\n"):
            yield mark + line
        else:
            yield mark + line + b"\n"
            yield b"\\ No newline at end of file\n"


def _lines(data: bytes) -> list[bytes]:
    """The lines with their `\\n`, split at nothing else."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]
