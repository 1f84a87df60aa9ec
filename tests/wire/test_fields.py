from __future__ import annotations

from headroom_cli.logs.codex.items import micros
from headroom_cli.wire.fields import microseconds_of


def test_times_beyond_the_calendar_are_unknown() -> None:
    assert microseconds_of("9999-12-31T23:59:59-14:00") is None
    assert microseconds_of("0001-01-01T00:00:00+14:00") is None
    assert microseconds_of("9999-12-31T23:59:59Z") == 253_402_300_799_000_000
    assert micros("9999-12-31T23:59:59-14:00") is None
