"""A series of sizes as one line of bars."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

_BARS = "▁▂▃▄▅▆▇█"
RESET = "|"


def sparkline(values: Sequence[int], width: int, resets: Collection[int] = ()) -> str:
    """Bars for `values` in order, at most `width` wide; a `|` before each value whose position is in `resets`.

    Where there are more values than room, neighbours share a bar: that of the largest. Values never share one across
    a reset, unless there are more resets than room.
    """
    if not values or width <= 0:
        return ""
    starts = sorted({position for position in resets if 0 < position < len(values)})
    if len(starts) > width // 3:
        starts = []
    top = max(values)
    runs = [values[a:b] for a, b in zip([0, *starts], [*starts, len(values)], strict=True)]
    room = width - len(starts)
    return RESET.join(_bars(run, _share(run, values, room, len(runs)), top) for run in runs)


def _share(run: Sequence[int], values: Sequence[int], room: int, runs: int) -> int:
    """The columns that a run gets: all that it needs, or its share of what is there, at least one."""
    if len(values) <= room:
        return len(run)
    return max(1, min(len(run), len(run) * (room - runs) // len(values) + 1))


def _bars(run: Sequence[int], columns: int, top: int) -> str:
    edges = [index * len(run) // columns for index in range(columns + 1)]
    peaks = [max(run[a:b]) for a, b in pairwise(edges)]
    return "".join(_BARS[min(peak * len(_BARS) // top, len(_BARS) - 1)] if top > 0 else _BARS[0] for peak in peaks)
