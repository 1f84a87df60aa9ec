"""Rates, medians and effects, by hand, and what must hold for any figures."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.report.compare.measures import Effect, Measure, Values, effect_of, measured

COST = Measure("cost", "cost", "usd_micros", "less")
SHARE = Measure("share", "read", "share", "more", per="input")
PER_100 = Measure("findings", "found", "count", "less", per="requests", scale=100)

sizes = st.lists(st.integers(0, 50), min_size=1, max_size=12)


def costs(*values: int | None) -> pl.DataFrame:
    return pl.DataFrame({"cost": values}, schema={"cost": pl.Int64})


def test_delta_counts_pairs() -> None:
    """Of 25 pairs, B's is larger in 1 + 2 + 3 + 4 + 5, smaller in 3 + 2 + 1."""
    assert effect_of([1, 2, 3, 4, 5], [2, 3, 4, 5, 6]) == Effect((15 - 6) / 25, "medium")


@pytest.mark.parametrize(
    ("above", "size"),
    [(0, "negligible"), (146, "negligible"), (147, "small"), (329, "small"), (330, "medium"), (474, "large")],
)
def test_thresholds_of_the_words(above: int, size: str) -> None:
    b = [2.0] * above + [1.0] * (1000 - above)
    assert effect_of([1.0], b) == Effect(above / 1000, size)  # type: ignore[arg-type]
    assert effect_of(b, [1.0]) == Effect(-above / 1000, size)  # type: ignore[arg-type]


def test_what_is_not_known_is_left_out() -> None:
    found = measured(COST, costs(10, None, 20), costs(None))
    assert found.a == Values(total=30, rate=15, median=15, sessions=2)
    assert found.b == Values(total=0, rate=None, median=None, sessions=0)
    assert (found.difference, found.change, found.verdict, found.effect) == (None, None, None, None)
    assert found.differs


def test_a_share_is_of_the_sums_not_of_the_sessions() -> None:
    a = pl.DataFrame({"read": [90, 0], "input": [100, 10]})
    b = pl.DataFrame({"read": [50, 0], "input": [100, 0]})
    found = measured(SHARE, a, b)
    assert (found.a.rate, found.a.median, found.a.sessions) == (90 / 110, 0.45, 2)
    assert (found.b.rate, found.b.median, found.b.sessions) == (0.5, 0.5, 1)
    assert found.verdict == "worse"


def test_per_hundred() -> None:
    found = measured(
        PER_100, pl.DataFrame({"found": [3], "requests": [60]}), pl.DataFrame({"found": [0], "requests": [8]})
    )
    assert (found.a.rate, found.b.rate, found.change, found.verdict) == (5, 0, -1, "better")
    assert found.effect is None, "one session a side"


def test_rates_and_most_sessions_may_say_opposite_things() -> None:
    """One session of B costs 1,000; the other five less than any of A."""
    found = measured(COST, costs(10, 10, 10, 10, 10), costs(5, 5, 5, 5, 5, 1000))
    assert found.difference == 1025 / 6 - 10
    assert found.effect == Effect((5 - 25) / 30, "large")
    assert found.verdict == "mixed"


def test_from_nothing_there_is_no_change_in_per_cent() -> None:
    found = measured(COST, costs(0), costs(4))
    assert (found.difference, found.change, found.verdict) == (4, None, "worse")


@given(sizes)
def test_nothing_differs_from_itself(values: list[int]) -> None:
    found = measured(COST, costs(*values), costs(*values))
    assert (found.difference, found.verdict, found.differs) == (0, "same", False)
    assert found.effect is None if len(values) < 5 else found.effect == Effect(0, "negligible")


@given(sizes, sizes)
def test_sides_exchanged_mirror(a: list[int], b: list[int]) -> None:
    one, other = measured(COST, costs(*a), costs(*b)), measured(COST, costs(*b), costs(*a))
    assert one.difference is not None and other.difference is not None
    assert one.difference == -other.difference
    mirror = {"better": "worse", "worse": "better"}
    assert other.verdict == mirror.get(str(one.verdict), one.verdict)
    if one.effect is None:
        assert other.effect is None
    else:
        assert other.effect == Effect(-one.effect.delta, one.effect.size)


@given(sizes, sizes)
def test_delta_is_the_mean_sign_of_all_pairs(a: list[int], b: list[int]) -> None:
    signs = [(y > x) - (y < x) for x in a for y in b]
    assert effect_of([*map(float, a)], [*map(float, b)]).delta == sum(signs) / len(signs)
