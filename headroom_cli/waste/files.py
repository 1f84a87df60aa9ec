"""Which calls of a history read and write which files, in order."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from headroom_cli.waste.access import Shown, shown_file
from headroom_cli.waste.given import Given
from headroom_cli.waste.paths import changes_tree, normalised, same_path, written_paths


class Touch(NamedTuple):
    """A call that shows a part of a file, or that writes it (then `shown` is None)."""

    call: int
    path: str
    shown: Shown | None = None


@dataclass(slots=True)
class Files:
    """The touches of each file, by the last name of its path, for one file is spelled in many ways.

    `writers` are the calls that write a file, `upheavals` those that may have written any number that they do not name.
    """

    touches: dict[str, list[Touch]] = field(default_factory=dict)
    upheavals: list[int] = field(default_factory=list)
    writers: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, calls: Iterable[tuple[int, Given]]) -> Files:
        """From the index of each call and what it was given, in order."""
        files = cls()
        for call, given in calls:
            written = written_paths(given)
            if written:
                files.writers.append(call)
            for path in written:
                files._add(Touch(call, path))
            shown = shown_file(given)
            if shown is not None:
                files._add(Touch(call, shown.path, shown))
            elif changes_tree(given):
                files.upheavals.append(call)
        return files

    def upheaval(self, after: int, before: int) -> bool:
        """Whether a call between these two blocks may have written anything."""
        return bisect_right(self.upheavals, after) < bisect_left(self.upheavals, before)

    def any_write(self, after: int, before: int) -> bool:
        """Whether a call between these two blocks writes any file, or may have."""
        return self.upheaval(after, before) or bisect_right(self.writers, after) < bisect_left(self.writers, before)

    def last_upheaval(self, before: int) -> int:
        """The last call before this block that may have written anything; -1 if there is none."""
        position = bisect_left(self.upheavals, before)
        return self.upheavals[position - 1] if position else -1

    def writes(self, path: str, after: int, before: int) -> Iterator[int]:
        """The calls between these two blocks that write the file at `path`."""
        there = self.touches.get(_last_name(path), [])
        between = there[bisect_right(there, after, key=_call) : bisect_left(there, before, key=_call)]
        return (touch.call for touch in between if touch.shown is None and same_path(touch.path, path))

    def _add(self, touch: Touch) -> None:
        self.touches.setdefault(_last_name(touch.path), []).append(touch)


def _last_name(path: str) -> str:
    return normalised(path).rpartition("/")[2]


def _call(touch: Touch) -> int:
    return touch.call
