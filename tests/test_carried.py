"""What blocks cost to enter and to be sent again, by hand: claude-opus-4-5 at $5, $0.50 read, $6.25 write a million."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from headroom_cli.analysis import Analyser
from headroom_cli.run import analyse_files
from headroom_cli.settle import Settled
from headroom_cli.source.discover import discover

HEAD = {"sessionId": "5e55", "version": "2.1.5", "cwd": "/code/acme"}
PAGE = "\n".join(f"{number} apples and pears on the table of room {number * 7}" for number in range(40))


def line(number: int, role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        **HEAD, "type": role, "uuid": f"m{number}", "parentUuid": f"m{number - 1}" if number else None,
        "timestamp": f"2026-11-20T10:{number:02}:00.000Z", "message": {"role": role, "content": content, **more},
    }  # fmt: skip


def answer(number: int, usage: tuple[int, int, int], model: str = "claude-opus-4-5-20251101") -> dict[str, Any]:
    """A response with one call; `usage` is fresh input, cache writes and cache reads."""
    fresh, written, read = usage
    call = {"type": "tool_use", "id": f"toolu_{number}", "name": "Read", "input": {"file_path": f"/code/acme/{number}"}}
    counted = {"input_tokens": fresh, "cache_creation_input_tokens": written, "cache_read_input_tokens": read}
    return line(
        number, "assistant", [call], id=f"msg_01Abcdefgh{number}", model=model, stop_reason="tool_use",
        usage={**counted, "output_tokens": 20},
    )  # fmt: skip


def result(number: int, text: str) -> dict[str, Any]:
    content = [{"type": "tool_result", "tool_use_id": f"toolu_{number - 1}", "content": text}]
    return line(number, "user", content)


def settled(tmp_path: Path, *lines: dict[str, Any]) -> Settled:
    log = tmp_path / "5e55.jsonl"
    log.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return analyse_files(discover([str(log)]).files, Analyser()).settled


def rates(blocks: pl.DataFrame) -> list[tuple[str, int, float | None, float | None]]:
    """Kind, times sent, and micro-dollars of a token when it entered and when it was sent again."""
    dollars = blocks.with_columns(pl.col("entry_rate", "carry_rate") / 1_000_000)
    return dollars.select("kind", "times_sent", "entry_rate", "carry_rate").rows()


def test_a_token_costs_what_the_requests_paid_that_saw_it(tmp_path: Path) -> None:
    found = settled(
        tmp_path,
        line(0, "user", "Count the apples."),
        answer(1, (0, 1000, 0)),
        result(2, "forty"),
        answer(3, (0, 500, 1000)),  # what was sent before is read from the cache
        result(4, "forty-one"),
        answer(5, (100, 1500, 0)),  # the cache is gone: all is written anew, the last 100 tokens are fresh input
        result(6, "never sent"),
    )
    rebuilt = (1500 * 6.25 + 100 * 5) / 1600
    assert rates(found.blocks) == [
        ("user", 3, 6.25, pytest.approx(0.5 + rebuilt, abs=1e-6)),
        ("tool_call", 2, 6.25, pytest.approx(rebuilt, abs=1e-6)),
        ("tool_result", 2, 6.25, pytest.approx(rebuilt, abs=1e-6)),
        ("tool_call", 1, pytest.approx(rebuilt, abs=1e-6), 0.0),
        ("tool_result", 1, pytest.approx(rebuilt, abs=1e-6), 0.0),
        ("tool_call", 0, None, None),
        ("tool_result", 0, None, None),
    ]


def test_what_is_read_beyond_what_was_sent_before_enters_at_the_price_of_the_cache(tmp_path: Path) -> None:
    found = settled(tmp_path, line(0, "user", "Count the apples."), answer(1, (100, 0, 900)))
    assert rates(found.blocks)[0] == ("user", 1, (900 * 0.5 + 100 * 5) / 1000, 0.0)


def test_blocks_never_cost_more_than_the_input_of_their_requests(tmp_path: Path) -> None:
    found = settled(
        tmp_path,
        line(0, "user", PAGE),
        answer(1, (40, 0, 0)),
        result(2, PAGE),
        answer(3, (90, 0, 0)),
    )
    paid = found.requests["cost_usd_micros_input"].sum()
    rate = pl.col("entry_rate") + pl.col("carry_rate")
    cost = found.blocks.select((pl.col("tokens").cast(pl.Int64) * rate).sum() / 1_000_000).item()
    assert paid == 130 * 5 and cost == pytest.approx(paid, rel=1e-3)


def test_findings_cost_what_their_blocks_do(tmp_path: Path) -> None:
    lines = [line(0, "user", "Read it."), answer(1, (0, 2000, 0)), result(2, PAGE)]
    for number in range(3, 11, 2):
        lines += [answer(number, (0, 100, 2000 + 100 * number)), result(number + 1, f"page {number}")]
    again = {**answer(11, (0, 100, 3200))}
    again["message"]["content"][0]["input"] = {"file_path": "/code/acme/1"}
    lines += [again, result(12, PAGE), answer(13, (0, 800, 3300)), result(14, "end"), answer(15, (0, 10, 4100))]
    found = settled(tmp_path, *lines)
    (finding,) = found.waste.filter(pl.col("signal") == "reread").iter_rows(named=True)
    tokens = finding["avoidable_tokens"]
    assert finding["cause"] == "in_context" and tokens == finding["exclusive_tokens"] > 400
    assert finding["times_sent"] == 2
    assert finding["avoidable_cost_usd_micros"] == finding["cost_usd_micros"] == round(tokens * (6.25 + 0.5))


def test_without_a_price_there_is_no_cost(tmp_path: Path) -> None:
    found = settled(tmp_path, line(0, "user", "Count."), answer(1, (0, 1000, 0), model="glm-4.6"))
    assert rates(found.blocks)[0] == ("user", 1, None, None)
