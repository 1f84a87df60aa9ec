"""Rebuilt caches as findings, by hand: claude-opus-4-5 at $5, $0.50 read, $6.25 and $10 write a million."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from headroom_cli.analysis import Analyser, Settings
from headroom_cli.run import analyse_files
from headroom_cli.settle import Settled
from headroom_cli.source.discover import discover
from tests.test_carried import answer, line, rates, result, settled

HELD = 100_000
"""Tokens in the cache before the pause."""


def at(minute: int, record: dict[str, Any]) -> dict[str, Any]:
    """The record at a minute after ten, with its cache writes for five minutes."""
    record["timestamp"] = f"2026-11-20T{10 + minute // 60:02}:{minute % 60:02}:00.000Z"
    usage = record["message"].get("usage")
    if usage:
        written = usage["cache_creation_input_tokens"]
        usage["cache_creation"] = {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0}
    return record


def paused(minutes: int) -> list[dict[str, Any]]:
    return [
        at(0, line(0, "user", "Go.")),
        at(0, answer(1, (0, HELD, 0))),
        at(1, result(2, "one")),
        at(1, answer(3, (0, 1000, HELD))),
        at(1 + minutes, result(4, "two")),
        at(1 + minutes, answer(5, (0, HELD + 2000, 0))),
        at(2 + minutes, result(6, "three")),
        at(2 + minutes, answer(7, (0, 500, HELD + 2000))),
    ]


def found(of: Settled) -> list[dict[str, Any]]:
    return of.waste.filter(pl.col("signal") == "cache_rebuilt").to_dicts()


def test_an_expired_cache_costs_what_an_hour_would_have_spared(tmp_path: Path) -> None:
    (finding,) = found(settled(tmp_path, *paused(40)))
    rebuilt = HELD + 1000
    written = HELD + 1000 + HELD + 2000 + 500
    # An hour's writes cost $3.75 a million more, and the rebuilt tokens would have been read at $0.50 instead.
    saved = rebuilt * (10 - 0.5) - written * 3.75
    assert finding["avoidable_cost_usd_micros"] == finding["cost_usd_micros"] == pytest.approx(saved, abs=4)
    assert (finding["cause"], finding["tokens"], finding["confidence"]) == ("expired", rebuilt, "medium")
    assert (finding["line"], finding["first_line"], finding["summary"]) == (6, 4, "a pause of 40 min")
    assert (finding["exclusive_tokens"], finding["avoidable_tokens"]) == (0, 0)


def test_the_same_money_is_not_claimed_by_blocks_too(tmp_path: Path) -> None:
    of = settled(tmp_path, *paused(40))
    (finding,) = found(of)
    saved = finding["avoidable_cost_usd_micros"]
    _, _, entry, carried = rates(of.blocks)[0]
    # Sent again three times: read, rebuilt (less what the finding claims), read.
    assert entry == 6.25 and carried == pytest.approx(0.5 + 6.25 - saved / (HELD + 1000) + 0.5, abs=1e-5)


@pytest.mark.parametrize("minutes", [3, 90])
def test_what_an_hour_would_not_have_spared_is_no_finding(tmp_path: Path, minutes: int) -> None:
    assert found(settled(tmp_path, *paused(minutes))) == []


def test_where_an_hours_writes_cost_more_there_is_no_finding(tmp_path: Path) -> None:
    lines = paused(40)
    for number in range(8, 20, 2):
        lines += [at(43, result(number, "more")), at(43, answer(number + 1, (0, 40_000, HELD)))]
    assert found(settled(tmp_path, *lines)) == []


def test_several_share_what_would_have_been_saved(tmp_path: Path) -> None:
    again = [
        at(80, result(8, "four")),
        at(80, answer(9, (0, HELD + 3000, 0))),
    ]
    of = settled(tmp_path, *paused(40), *again)
    costs = [finding["avoidable_cost_usd_micros"] for finding in found(of)]
    assert len(costs) == 2 and sum(costs) == -of.requests["all_1h_usd_micros"].sum()


def test_it_can_be_ignored(tmp_path: Path) -> None:
    settled(tmp_path, *paused(40))
    analyser = Analyser(settings=Settings(ignored_signals=frozenset({"cache_rebuilt"})))
    assert found(analyse_files(discover([str(tmp_path)]).files, analyser).settled) == []


def test_without_a_price_there_is_no_finding(tmp_path: Path) -> None:
    lines = paused(40)
    for each in lines:
        if each["type"] == "assistant":
            each["message"]["model"] = "glm-4.6"
    assert found(settled(tmp_path, *lines)) == []
