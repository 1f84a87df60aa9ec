from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from headroom_cli.carried import money
from headroom_cli.report.dimensions import DIMENSIONS, grouped, parse_dimensions
from headroom_cli.report.grouped import grouped_csv
from headroom_cli.report.layout import to_markdown, to_text
from headroom_cli.report.screens import report
from headroom_cli.report.summary import totals
from headroom_cli.result import Run
from headroom_cli.source.discover import Discovery
from headroom_cli.tokens import get_tokenizer

UTC = ZoneInfo("UTC")
Made = tuple[Run, Discovery]


@pytest.mark.parametrize("dimensions", [*[[name] for name in DIMENSIONS], ["project", "model"], ["tool", "signal"]])
def test_every_grouping_sums_to_the_totals(machine: Made, dimensions: list[str]) -> None:
    run, _ = machine
    figures = totals(run.settled, len(run.files))
    table = grouped(run.settled, dimensions, UTC)
    expected = {
        "requests": figures["requests"],
        "input_tokens": figures["usage"]["input_tokens"],
        "output_tokens": figures["usage"]["output_tokens"],
        "cost_usd_micros": figures["cost_usd_micros"],
        "entered_tokens": figures["tokens"]["total"],
        "sent_tokens": figures["tokens"]["sent"],
        "flagged_tokens": figures["waste"]["flagged"],
        "avoidable_tokens": figures["waste"]["avoidable"],
        "carried_tokens": figures["waste"]["carried"],
        "avoidable_cost_usd_micros": figures["waste"]["avoidable_cost_usd_micros"],
    }
    checked = [name for name in expected if name in table.columns]
    assert "avoidable_tokens" in checked
    assert {name: table[name].sum() for name in checked} == {name: expected[name] for name in checked}
    assert table.select(dimensions).is_duplicated().sum() == 0


def test_paths_of_requests_are_the_logs(machine: Made) -> None:
    run, _ = machine
    paths = set(grouped(run.settled, ["path"], UTC)["path"])
    assert paths == {str(file.path) for file in run.files if not file.skipped}


def test_days_follow_the_zone_and_stand_latest_first(
    machine: Made, write: Any, analyse_paths: Any, claude_records: Any
) -> None:
    run, _ = machine
    # 13:0x UTC is 18:3x to 18:50 in Kolkata and 01:0x to 02:1x of the next day in Kamchatka (UTC+12).
    assert grouped(run.settled, ["day"], ZoneInfo("Asia/Kamchatka"))["day"].to_list() == ["2026-11-13", None]
    hours = grouped(run.settled, ["hour"], ZoneInfo("Asia/Kolkata"))["hour"].to_list()
    assert hours == ["18", None]
    # A zone half an hour off: its midnight lies within an hour of UTC.
    records = claude_records()[:2]
    records[0]["timestamp"], records[1]["timestamp"] = "2026-11-12T18:20:00Z", "2026-11-12T18:40:00Z"
    late, _ = analyse_paths(write("late.jsonl", records))
    table = grouped(late.settled, ["day"], ZoneInfo("Asia/Kolkata"))
    assert table["day"].to_list() == ["2026-11-13", "2026-11-12"]
    assert table["requests"].to_list() == [1, 0]


def test_files_and_tools_have_no_requests(machine: Made) -> None:
    run, _ = machine
    table = grouped(run.settled, ["file"], UTC)
    assert "requests" not in table.columns
    row = table.filter(table["file"] == "/code/acme/src/billing.py").to_dicts()[0]
    count = get_tokenizer().count_text
    edit = '{"file_path": "/code/acme/src/billing.py", "new_string": "line.gross", "old_string": "line.net"}'
    calls = 3 * (count('Read({"file_path": "/code/acme/src/billing.py"})') + 10) + count(f"Edit({edit})") + 10
    # Three results of 424 tokens and one of 9, and the calls of these.
    assert row["entered_tokens"] == 3 * 424 + 9 + calls
    assert (row["reads"], row["writes"]) == (3, 1)
    assert datetime.fromtimestamp(row["last_written_at"] / 1e6, UTC).isoformat() == "2026-11-12T13:12:00+00:00"
    rows = run.settled.blocks.filter("own").select(money("tokens", "entry_rate") + money("tokens", "carry_rate"))
    assert table["context_cost_usd_micros"].sum() == rows.sum().item() > 0


def test_groups_as_people_read_them(machine: Made, snapshot: Callable[[str, str], None]) -> None:
    run, discovery = machine
    for width in (80, 200):
        sections = report(run, discovery, ["project", "model"], zone=UTC, width=width)
        text = to_text(sections, width).plain
        assert max(len(line) for line in text.splitlines()) <= width
        snapshot(f"by_project_model_{width}.txt", text + "\n")
    snapshot("by_tool.md", to_markdown(report(run, discovery, ["tool"], zone=UTC)))


def test_rows_beyond_the_limit_are_summed(machine: Made) -> None:
    run, discovery = machine
    text = to_text(report(run, discovery, ["tool"], zone=UTC, limit=2), 200).plain
    assert "others" in text
    assert len([line for line in text.splitlines() if line.startswith("  total")]) == 1


def test_csv_has_full_figures_and_no_total(machine: Made) -> None:
    run, _ = machine
    rows = list(csv.DictReader(io.StringIO(grouped_csv(run, ["model"], UTC, None))))
    by_model = {row["model"]: row for row in rows}
    assert by_model["claude-opus-4-5-20251101"]["cost_usd_micros"] == "210745"
    assert by_model["glm-4.6"]["cost_usd_micros"] == ""
    assert by_model["glm-4.6"]["input_tokens"] == "12003"


def test_unknown_dimension_names_the_nearest() -> None:
    assert parse_dimensions(["project, model", "day"]) == ["project", "model", "day"]
    with pytest.raises(ValueError, match="did you mean model"):
        parse_dimensions(["modell"])
