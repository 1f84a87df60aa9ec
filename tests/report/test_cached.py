from __future__ import annotations

from typing import Any

from headroom_cli.report.cached import cache_figures, rebuild_rows
from headroom_cli.report.summary import conversation_figures, totals
from tests.report.conftest import CODE, ClaudeLog, Write, analyse, chat


def paused() -> list[dict[str, Any]]:
    """A request that begins, one that goes on, two after 20 minutes and two hours, and one of another model."""
    log = ClaudeLog()
    log.user("Totals are off by one cent. Please find out why.")
    log.call("toolu_01", "Read", {"file_path": "/code/acme/src/billing.py"}, CODE, new=18_000)
    log.say("Rounded per line.", new=2_000)
    for pause in (20, 120):
        log.cached = 0
        log.minute += pause
        log.user("Go on.")
        log.say("Done.", new=21_000)
    log.cached, log.model = 0, "claude-haiku-4-5-20251001"
    log.say("Fixed.", new=21_500)
    for number, record in enumerate(log.records):
        hours, minutes = divmod(13 * 60 + int(record["timestamp"][14:].split(":")[0]), 60)
        record["timestamp"] = f"2026-11-12T{hours:02d}:{minutes:02d}:{number:02d}.000Z"
    return log.records


def test_rebuilds_by_cause_and_their_cost(write: Write) -> None:
    """Opus 4.5 per million: read $0.50, write $6.25, for an hour $10; Haiku 4.5: read $0.10, write $1.25."""
    run, _ = analyse(write("paused.jsonl", paused()), write("chat.jsonl", chat()))
    by_path = {figures["path"]: figures["cache"] for figures in conversation_figures(run.settled)}
    assert by_path["chat.jsonl"] is None
    cache = by_path["paused.jsonl"]
    assert cache == totals(run.settled, 2)["cache"] | {"by_state": cache["by_state"]}
    assert cache["by_state"] == {"hit": 1, "first": 1, "rebuilt": 3, "none": 0, "not_recorded": 0}
    expired, model = cache["rebuilds"]
    assert expired == {
        "cause": "expired",
        "requests": 2,
        "tokens": 20_000 + 21_000,
        "cost_usd_micros": 41_000 * 5.75,
        "avoidable_requests": 1,
        "avoidable_tokens": 20_000,
        "avoidable_cost_usd_micros": 20_000 * 5.75,
    }
    assert (model["cause"], model["tokens"], model["cost_usd_micros"]) == ("model", 21_000, 24_150)
    # 41,000 tokens of Opus before and after the first pause, of which 20,000 would have been read, then 21,000 again
    # and 21,500 of Haiku for $2 instead of $1.25.
    assert cache["all_1h_usd_micros"] == 62_000 * 3.75 - 20_000 * 9.5 + 21_500 * 0.75
    assert cache["all_5m_usd_micros"] == 0


def test_rebuilds_one_by_one(write: Write) -> None:
    run, _ = analyse(write("paused.jsonl", paused()))
    rows = rebuild_rows(run.settled).select("cache_cause", "line", "line_before", "cache_gap_seconds", "rebuilt_tokens")
    assert rows.rows() == [
        ("expired", 8, 6, 7_322, 21_000),
        ("expired", 6, 4, 1_322, 20_000),
        ("model", 9, 8, 61, 21_000),
    ]


def test_requests_without_a_price(write: Write) -> None:
    records = paused()
    for record in records:
        if "model" in record["message"]:
            record["message"]["model"] = "glm-4.6"
    run, _ = analyse(write("paused.jsonl", records))
    cache = cache_figures(run.settled.requests.lazy(), "conversation")[0]
    assert [(row["cause"], row["cost_usd_micros"]) for row in cache["rebuilds"]] == [
        ("expired", None),
        ("unknown", None),
    ]
    assert cache["all_1h_usd_micros"] is None
