"""A figure of two sides: rate, median, difference, and how far the sessions of the two lie apart."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from statistics import median
from typing import Literal

import polars as pl

Unit = Literal["count", "tokens", "usd_micros", "share"]
Better = Literal["less", "more"]
Verdict = Literal["better", "worse", "mixed", "same"]
Size = Literal["negligible", "small", "medium", "large"]

LEAST_SESSIONS = 5
"""Under this many sessions on a side, nothing is said about an effect."""

_SIZES: tuple[tuple[float, Size], ...] = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"))


@dataclass(frozen=True, slots=True)
class Measure:
    """A column of sessions over another (None: over their number), times `scale`. `better`: None if neither is."""

    name: str
    column: str
    unit: Unit
    better: Better | None = None
    per: str | None = None
    scale: int = 1


@dataclass(frozen=True, slots=True)
class Values:
    """A measure of one side, over the `sessions` in which it is known.

    `rate` is the sum of the column over the sum of what it is measured by; `median` is that of the sessions' own rates.
    """

    total: int
    rate: float | None
    median: float | None
    sessions: int


@dataclass(frozen=True, slots=True)
class Effect:
    """Cliff's delta: how much oftener a session of B lies above one of A than below it, from -1 to 1."""

    delta: float
    size: Size


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure of both sides. `effect` is None where a side has too few sessions to tell."""

    measure: Measure
    a: Values
    b: Values
    effect: Effect | None

    @property
    def difference(self) -> float | None:
        """B's rate less A's."""
        return None if self.a.rate is None or self.b.rate is None else self.b.rate - self.a.rate

    @property
    def change(self) -> float | None:
        """The difference as a part of A's rate; None where A's is 0 or one is not known."""
        return None if self.difference is None or not self.a.rate else self.difference / self.a.rate

    @property
    def differs(self) -> bool:
        """Whether the rates differ, or are known on one side only."""
        return self.a.rate != self.b.rate

    @property
    def verdict(self) -> Verdict | None:
        """What the difference means: `mixed` where rates and most sessions say opposite things, None if nothing."""
        if self.difference is None:
            return None
        if self.difference == 0:
            return "same"
        if self.measure.better is None:
            return None
        if self.effect and self.effect.size != "negligible" and self.effect.delta * self.difference < 0:
            return "mixed"
        return "better" if (self.difference < 0) == (self.measure.better == "less") else "worse"


def measured(measure: Measure, a: pl.DataFrame, b: pl.DataFrame) -> Measured:
    """A measure of the sessions of two sides, a row each; those where it is not known are left out."""
    values_a, each_a = _values(measure, a)
    values_b, each_b = _values(measure, b)
    enough = min(len(each_a), len(each_b)) >= LEAST_SESSIONS
    return Measured(measure, values_a, values_b, effect_of(each_a, each_b) if enough else None)


def effect_of(a: list[float], b: list[float]) -> Effect:
    """The effect between two lists, neither of them empty; thresholds of Romano et al. (2006)."""
    ordered = sorted(a)
    below = sum(bisect_left(ordered, value) for value in b)
    above = sum(len(a) - bisect_right(ordered, value) for value in b)
    delta = (below - above) / (len(a) * len(b))
    return Effect(delta, next((size for limit, size in _SIZES if abs(delta) < limit), "large"))


def _values(measure: Measure, sessions: pl.DataFrame) -> tuple[Values, list[float]]:
    by = pl.col(measure.per) if measure.per else pl.lit(1)
    known = sessions.select(part=measure.column, whole=by).drop_nulls()
    total, whole = int(known["part"].sum()), int(known["whole"].sum())
    each = [measure.scale * part / by for part, by in known.iter_rows() if by]
    rate = measure.scale * total / whole if whole else None
    return Values(total, rate, median(each) if each else None, len(each)), each
