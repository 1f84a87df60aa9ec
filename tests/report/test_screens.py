from __future__ import annotations

import csv
import io
import sys
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from rich.cells import cell_len

from headroom_cli.report.rows_csv import conversations_csv, csv_text
from headroom_cli.report.screens import show
from headroom_cli.result import Run
from headroom_cli.source.discover import Discovery

UTC = ZoneInfo("UTC")
Made = tuple[Run, Discovery]


def test_pipe_has_no_colour_and_keeps_to_80_columns(
    session: Made, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    show(*session, "table", (), zone=UTC)
    output = capsys.readouterr().out
    assert "\x1b" not in output
    assert max(len(line) for line in output.splitlines()) <= 80


def test_columns_sets_the_width(
    machine: Made, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    show(*machine, "table", (), zone=UTC)
    assert any("BY MODEL" in line and "BY SOURCE" in line for line in capsys.readouterr().out.splitlines())


@pytest.mark.parametrize(("color", "environment"), [(False, {}), (None, {"NO_COLOR": "1"})])
def test_colour_can_be_refused(
    session: Made,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    color: bool | None,
    environment: dict[str, str],
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    show(*session, "table", (), zone=UTC, color=color)
    assert "\x1b[3" not in capsys.readouterr().out


def test_a_terminal_without_block_characters_gets_plain_ones(session: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, "cp1252"))
    show(*session, "table", (), zone=UTC)
    sys.stdout.flush()
    assert b"context  18k ########" in buffer.getvalue()


def test_csv_has_a_row_a_conversation(machine: Made) -> None:
    run, _ = machine
    rows = list(csv.DictReader(io.StringIO(conversations_csv(run, None))))
    assert len(rows) == 4
    main = next(row for row in rows if row["kind"] == "main" and row["project"] == "acme")
    assert (main["requests"], main["input_tokens"], main["cost_usd_micros"]) == ("8", "158024", "210745")
    assert main["output_is_lower_bound"] == "true"
    assert main["started_at"] == "2026-11-12T13:01:00.000Z"
    assert len(list(csv.DictReader(io.StringIO(conversations_csv(run, 1))))) == 1


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "  =1", "\t=1", "\r=1", "\u00a0=1", "\uff1d1", "\u2003+1"]
)
def test_csv_text_is_never_a_formula(text: str) -> None:
    rows = list(csv.reader(io.StringIO(csv_text(["name", "number"], [(text, -5)]))))
    assert rows[1][0].startswith("'")
    assert rows[1][1] == "-5"


def test_markdown_goes_out_as_utf8(session: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, "cp1252"))
    show(*session, "markdown", (), zone=UTC)
    text = buffer.getvalue().decode("utf-8")
    assert text.startswith("## acme (main)\n")
    assert "|  | tokens | cost | share | at API list prices |" in text


def test_any_width_holds(machine: Made, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    for width in (0, 1, 60, 80, 81, 99, 100, 120, 500):
        monkeypatch.setenv("COLUMNS", str(width))
        show(*machine, "table", (), zone=UTC)
        assert max(len(line) for line in capsys.readouterr().out.splitlines()) <= max(width, 80)


@pytest.mark.parametrize("seed", range(12))
def test_whatever_stands_in_a_log_a_report_comes_out(
    seed: int, write: Any, analyse_paths: Any, claude_records: Any, chat_log: Any, capsysbinary: Any, monkeypatch: Any
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    random = Random(seed)
    for name, records in (("a.jsonl", claude_records()), ("b.jsonl", chat_log()), ("c.jsonl", claude_records())):
        write(f"logs/{name}", [_mutated(record, random) for record in records])
    run, discovery = analyse_paths("logs")
    forms: list[tuple[str, list[str]]] = [
        ("table", []),
        ("table", ["day", "tool"]),
        ("markdown", []),
        ("csv", []),
        ("csv", ["path"]),
    ]
    for form, dimensions in forms:
        show(run, discovery, form, dimensions, zone=UTC)
        text = capsysbinary.readouterr().out.decode("utf-8")
        assert not set("\x1b\u202e\x07") & set(text)
        assert form != "table" or max(cell_len(line) for line in text.splitlines()) <= 80


def _mutated(value: Any, random: Random) -> Any:
    """`value` with some of what it holds replaced by what no client writes."""
    if random.random() < 0.02:
        return random.choice(
            [None, True, -1, 2**60, 1e308, "\x1b[31m\x07", "=1+1", "\u202e", "漢字" * 50, "x" * 3000, [], {}]
        )
    if isinstance(value, dict):
        return {key: _mutated(item, random) for key, item in value.items()}
    return [_mutated(item, random) for item in value] if isinstance(value, list) else value
