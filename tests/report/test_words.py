from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.report.words import days, duration, local, period, plain, share, short, size, usd, whole

UTC = ZoneInfo("UTC")
NOON = 1_794_484_800_000_000  # Thu 12 Nov 2026 12:00 UTC
HOUR = 3_600_000_000


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (999, "999"), (1000, "1.0k"), (9_949, "9.9k"), (9_950, "10k"), (999_499, "999k"), (999_500, "1.00 M"),
     (3_700_000, "3.70 M"), (999_500_000, "1.00 G")],
)  # fmt: skip
def test_short(number: int, text: str) -> None:
    assert short(number) == text


def test_money_keeps_two_telling_digits() -> None:
    assert [usd(n) for n in (0, 50, 150, 4_999, 5_000, 13_710_000, 1_284_000_000)] == [
        "$0.00", "<$0.0001", "$0.0001", "$0.0050", "$0.01", "$13.71", "$1,284",
    ]  # fmt: skip


def test_shares_sizes_and_counts() -> None:
    assert [share(n, 1000) for n in (0, 4, 5, 410, 1000)] == ["0 %", "<1 %", "0 %", "41 %", "100 %"]
    assert share(1, 0) == ""
    assert [size(n) for n in (12, 1_500, 153_000, 8_100_000_000)] == ["12 B", "1.5 KB", "153 KB", "8.1 GB"]
    assert whole(11_204_310) == "11,204,310"


def test_times() -> None:
    assert period(NOON, NOON + HOUR, UTC) == "Thu 12 Nov 2026 12:00-13:00 UTC"
    assert period(NOON, NOON, UTC) == "Thu 12 Nov 2026 12:00 UTC"
    assert period(NOON, NOON + 24 * HOUR, UTC) == "Thu 12 Nov 2026 12:00 - Fri 13 Nov 2026 12:00 UTC"
    assert days(NOON, NOON + 24 * HOUR, UTC) == "12 Nov - 13 Nov 2026, UTC"
    assert days(NOON, NOON + 9_000 * HOUR, UTC) == "12 Nov 2026 - 22 Nov 2027, UTC"
    assert days(NOON, NOON, UTC) == "12 Nov 2026, UTC"
    minutes = [duration(n * 1_000_000) for n in (45, 960, 9_900, 273_600)]
    assert minutes == ["45 s", "16 min", "2 h 45 min", "3 d 4 h"]


@given(st.integers(-(2**63), 2**63 - 1))
def test_no_time_is_out_of_range(microseconds: int) -> None:
    for zone in (UTC, ZoneInfo("Pacific/Kiritimati"), ZoneInfo("Etc/GMT+12")):
        assert 1 <= local(microseconds, zone).year <= 9999


@given(st.text(max_size=300))
def test_plain_text_is_one_harmless_line(text: str) -> None:
    line = plain(text, 60)
    assert len(line) <= 60
    assert line.isprintable()
