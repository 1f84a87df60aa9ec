from __future__ import annotations

from typing import Any

from headroom_cli.report.layout import to_text
from headroom_cli.report.paid import paid_for
from headroom_cli.report.summary import totals
from tests.waste.test_cache_rebuilt import HELD, paused


def test_rebuilds_and_other_times_to_live_are_told(write: Any, analyse_paths: Any) -> None:
    run, _ = analyse_paths(write("a.jsonl", paused(40)))
    figures = totals(run.settled, 1)
    text = to_text([paid_for(figures)], 80).plain
    # 101,000 of 203,500 written tokens had been in the cache before the pause.
    assert figures["usage"]["cache_write_input_tokens"] == 2 * HELD + 3500
    assert "cache writes  203,500" in text and "50 % of them rebuilds" in text
    (saved,) = run.settled.waste.filter(signal="cache_rebuilt")["avoidable_cost_usd_micros"]
    assert abs(saved - (101_000 * 9.5 - 203_500 * 3.75)) <= 4
    # 101,000 tokens at $6.25, which would have been $0.50.
    assert "Cache: 1 rebuild cost $0.58 more than reading it; $0.20 less if all were kept" in text


def test_without_rebuilds_nothing_is_said(write: Any, analyse_paths: Any) -> None:
    run, _ = analyse_paths(write("a.jsonl", paused(1)[:4]))
    text = to_text([paid_for(totals(run.settled, 1))], 80).plain
    assert "rebuilds" not in text and "less if" not in text
