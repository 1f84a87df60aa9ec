from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.report.sparkline import RESET, sparkline


def test_each_value_has_a_bar() -> None:
    assert sparkline([1, 2, 3, 4, 5, 6, 7, 8], 20) == "▂▃▄▅▆▇██"
    assert sparkline([0, 4, 8], 20) == "▁▅█"
    assert sparkline([0, 0], 20) == "▁▁"


def test_resets_stand_before_what_follows_them() -> None:
    assert sparkline([4, 8, 2, 8], 20, {2}) == "▅█|▃█"
    assert sparkline([4, 8], 20, {0, 2, 9}) == "▅█"


def test_neighbours_share_the_bar_of_the_largest() -> None:
    assert sparkline([1, 8, 1, 1], 2) == "█▂"
    assert sparkline([], 10) == ""


@given(
    st.lists(st.integers(0, 10**6), max_size=300),
    st.integers(1, 80),
    st.sets(st.integers(-5, 310), max_size=40),
)
def test_never_wider_than_the_room(values: list[int], width: int, resets: set[int]) -> None:
    bars = sparkline(values, width, resets)
    assert len(bars) <= width
    assert bars.count(RESET) <= len(resets)
    if values and max(values) > 0:
        assert "█" in bars
