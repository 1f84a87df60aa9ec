from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from headroom_cli.cli.exits import USAGE, Ending
from headroom_cli.cli.shared import moment

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def micros(*args: int) -> int:
    return int(datetime(*args, tzinfo=UTC).timestamp()) * 1_000_000  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("all", None),
        ("30d", micros(2026, 10, 21, 12)),
        ("12h", micros(2026, 11, 20)),
        ("90m", micros(2026, 11, 20, 10, 30)),
        ("2w", micros(2026, 11, 6, 12)),
        ("2026-11-01", micros(2026, 10, 31, 23)),
        ("2026-07-01T09:30", micros(2026, 7, 1, 7, 30)),
        ("2026-11-01T09:30:00+00:00", micros(2026, 11, 1, 9, 30)),
    ],
)
def test_points_in_time_in_berlin(text: str, expected: int | None) -> None:
    assert moment(text, ZoneInfo("Europe/Berlin"), "--since", now=NOW) == expected


@pytest.mark.parametrize("text", ["", "yesterday", "5y", "2026-13-01", "999999w", "-3d", "1" * 400 + "d"])
def test_what_is_no_time_is_wrong_usage(text: str) -> None:
    with pytest.raises(Ending) as ending:
        moment(text, UTC, "--since", now=NOW)
    assert ending.value.code == USAGE
    assert ending.value.message.startswith("--since: cannot read")
