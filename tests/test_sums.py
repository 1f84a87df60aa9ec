"""Every view of the sample transcripts adds up to the same totals: groups, conversations, findings and tables."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from headroom_cli.cli.app import app
from headroom_cli.report.dimensions import DIMENSIONS

SAMPLES = Path(__file__).resolve().parent.parent / "sample_transcripts"


def run(*arguments: str) -> str:
    outcome = CliRunner().invoke(app, [*arguments, "--quiet"])
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def analyze(*arguments: str) -> str:
    return run("analyze", str(SAMPLES), "--limit", "0", *arguments)


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(analyze("--format", "json", "--no-cache"))
    return made


@pytest.fixture(scope="module")
def expected(report: dict[str, Any]) -> dict[str, int]:
    """The totals under the names that groups have."""
    totals, usage, waste = report["totals"], report["totals"]["usage"], report["totals"]["waste"]
    names = ("input_tokens", "cache_read_input_tokens", "cache_write_input_tokens", "output_tokens")
    return {name: usage[name] for name in names} | {
        "requests": totals["requests"],
        "cost_usd_micros": totals["cost_usd_micros"],
        "entered_tokens": totals["tokens"]["total"],
        "sent_tokens": totals["tokens"]["sent"],
        "findings": sum(signal["findings"] for signal in waste["by_signal"].values()),
        "flagged_tokens": waste["flagged"],
        "avoidable_tokens": waste["avoidable"],
        "carried_tokens": waste["carried"],
        "avoidable_cost_usd_micros": waste["avoidable_cost_usd_micros"],
    }


def total(rows: list[dict[str, Any]], name: str) -> int:
    return sum(int(row[name]) for row in rows if row[name] not in (None, ""))


@pytest.mark.parametrize("by", [*DIMENSIONS, "session,model,day", "project,signal"])
def test_groups_add_up(by: str, expected: dict[str, int]) -> None:
    for rows in (
        json.loads(analyze("--format", "json", "--by", by))["groups"],
        list(csv.DictReader(io.StringIO(analyze("--format", "csv", "--by", by)))),
    ):
        sums = {name: total(rows, name) for name in expected if name in rows[0]}
        assert sums == {name: expected[name] for name in sums}
        assert "avoidable_cost_usd_micros" in sums


def test_conversations_and_findings_add_up(report: dict[str, Any]) -> None:
    totals, conversations = report["totals"], report["conversations"]
    assert (
        totals["cost_usd_micros"] == sum(totals["cost_parts"].values()) == total(conversations, "cost_usd_micros") > 0
    )
    findings = [finding for conversation in conversations for finding in conversation["findings"]]
    for name, key in (
        ("flagged", "exclusive_tokens"),
        ("avoidable", "avoidable_tokens"),
        ("cost_usd_micros", "cost_usd_micros"),
        ("avoidable_cost_usd_micros", "avoidable_cost_usd_micros"),
    ):
        assert (
            totals["waste"][name]
            == total([conversation["waste"] for conversation in conversations], name)
            == total(list(totals["waste"]["by_signal"].values()), key)
            == total(findings, key)
        ), name


def test_exported_tables_add_up(tmp_path: Path, expected: dict[str, int]) -> None:
    run("export", str(SAMPLES), "--output", str(tmp_path / "x"))
    tables = {
        name: pl.read_parquet(tmp_path / "x" / name / "*.parquet")
        for name in ("requests", "conversations", "daily", "blocks", "waste")
    }
    assert tables["requests"].height == expected["requests"]
    for name in ("requests", "conversations", "daily"):
        sums = {column: tables[name][column].sum() for column in expected if column in tables[name].columns}
        assert sums == {column: expected[column] for column in sums}, name
        assert "cost_usd_micros" in sums
    assert tables["blocks"]["tokens"].sum() == expected["entered_tokens"]
    assert tables["blocks"]["sent_tokens"].sum() == expected["sent_tokens"]
    waste = tables["waste"].rename({"exclusive_tokens": "flagged_tokens"})
    names = ("flagged_tokens", "avoidable_tokens", "carried_tokens", "avoidable_cost_usd_micros")
    assert {name: waste[name].sum() for name in names} == {name: expected[name] for name in names}
