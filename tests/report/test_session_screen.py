from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from rich.cells import cell_len

from headroom_cli.report.layout import to_markdown, to_text
from headroom_cli.report.screens import report
from headroom_cli.result import Run
from headroom_cli.source.discover import Discovery

BERLIN = ZoneInfo("Europe/Berlin")
Made = tuple[Run, Discovery]
Snapshot = Callable[[str, str], None]


def screen(made: Made, width: int = 80, **options: Any) -> str:
    run, discovery = made
    return to_text(report(run, discovery, zone=options.pop("zone", ZoneInfo("UTC")), **options), width).plain


@pytest.mark.parametrize("width", [80, 200])
def test_session_as_people_read_it(session: Made, snapshot: Snapshot, width: int) -> None:
    text = screen(session, width, zone=BERLIN)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert len(text.splitlines()) <= 50
    snapshot(f"session_{width}.txt", text + "\n")


def test_session_as_markdown(session: Made, snapshot: Snapshot) -> None:
    run, discovery = session
    snapshot("session.md", to_markdown(report(run, discovery, zone=BERLIN)))


def test_paid_for_adds_up_by_hand(session: Made) -> None:
    # Opus 4.5: 136,500 read at $0.50/M, 21,500 written at $6.25/M, 24 fresh at $5/M, 320 out at $25/M = $0.210745;
    # Haiku 4.5: 9,000 at $0.10, 9,500 at $1.25, 6 at $1, 80 at $5 per million = $0.013181. Together $0.223926.
    text = screen(session)
    assert "cache reads       145,500    $0.07   31 %" in text
    assert "total             176,930    $0.22" in text
    assert "of it 1 subagent   18,586    $0.01    6 %" in text
    assert "at least: 1 count not final" in text


def test_findings_name_place_cause_and_earlier_line(session: Made) -> None:
    text = screen(session)
    assert "Read src/billing.py: unchanged, still in context, as in line 3" in text
    assert "logs/0f3c9a1e-52b1-4c52-9d0e-3a4f8e6b2c11.jsonl:11" in text
    assert "1 reread, after a change (424)" in text


def test_limit_and_verbose_change_rows_not_figures(session: Made) -> None:
    short = screen(session, limit=1)
    assert "1 more: --limit 2, or --format json" in short
    assert "AVOIDABLE  $0.01 of $0.22 (4 %), 1.1k of 2.3k tokens entered (46 %)" in short
    assert "AVOIDABLE  $0.01 of $0.22 (4 %), 1.1k of 2.3k tokens entered (46 %)" in screen(session, verbose=True)


def test_without_usage_what_was_sent_is_an_estimate(write: Any, analyse_paths: Any, chat_log: Any) -> None:
    text = screen(analyse_paths(write("chat.jsonl", chat_log())))
    assert text.startswith("chat.jsonl\n")
    assert "PAID FOR" not in text
    assert "AVOIDABLE  nothing found" in text
    assert "WORST" not in text
    assert "No usage is recorded" in text
    assert "no times recorded   2 requests (implied by answers)" in text
    # The system prompt (7 tokens and 4 of framing) was sent with both requests.
    assert "  system                    11       2    22   27 %" in text


def test_unknown_model_has_no_price_and_shares_of_tokens(write: Any, analyse_paths: Any, claude_records: Any) -> None:
    records = json.loads(json.dumps(claude_records()).replace("claude-opus-4-5-20251101", "glm-4.6"))
    text = screen(analyse_paths(write("log.jsonl", records)))
    assert "no price is known" in text
    assert "No price is known for glm-4.6: 8 requests in no cost" in text
    assert "$" not in text
    assert "cache reads   136,500   86 %" in text


def test_zero_usage_is_said_and_prices_nothing(write: Any, analyse_paths: Any, claude_records: Any) -> None:
    records = claude_records()
    for record in records:
        if "usage" in record["message"]:
            record["message"]["usage"] = dict.fromkeys(record["message"]["usage"], 0)
    text = screen(analyse_paths(write("log.jsonl", records)))
    assert "Usage is recorded as zero throughout" in text
    assert "PAID FOR" not in text


def test_copies_are_told_and_not_counted(write: Any, analyse_paths: Any, claude_records: Any) -> None:
    records = claude_records()
    write("a/first.jsonl", records[:9])
    write("a/second.jsonl", records)
    text = screen(analyse_paths("a"))
    assert "8 requests" in text
    assert "in 1 copy of this history: counted in no total" in text


def test_text_from_logs_is_harmless(write: Any, analyse_paths: Any, claude_records: Any) -> None:
    evil = "\x1b[31mred\x07\u202e[bold]\r\n::error::x"
    records = json.loads(
        json.dumps(claude_records())
        .replace("/code/acme/src/billing.py", json.dumps(evil + "/work.py")[1:-1])
        .replace('"gitBranch": "main"', f'"gitBranch": {json.dumps(evil)}')
        .replace('"version": "2.1.138"', f'"version": {json.dumps(evil)}')
        .replace("claude-opus-4-5-20251101", json.dumps("m" + evil)[1:-1])
    )
    made = analyse_paths(write("log.jsonl", records))
    text = screen(made)
    assert not set("\x1b\x07\u202e\r") & set(text)
    assert not any(line.startswith("::") for line in text.splitlines())
    assert "[bold]" in text


def test_older_files_are_told(session: Made) -> None:
    run, discovery = session
    discovery.older_files, discovery.older_bytes = 12, 5_800_000_000
    assert "Not read: 12 older files, 5.8 GB (--since all)" in screen((run, discovery))
    assert "Not read: 12 older files" in screen((run, discovery), dimensions=["model"])


def test_threads_of_one_session_are_one_report(write: Any, analyse_paths: Any, claude_records: Any) -> None:
    records = claude_records()
    resumed = json.loads(json.dumps(records[:1]).replace("main-", "resumed-"))
    write("a/first.jsonl", records)
    write("a/second.jsonl", resumed)
    text = screen(analyse_paths("a"))
    assert "1 other thread: 0 requests of these, counted in" in text


def test_what_lint_finds_is_told_where_it_was_asked(session: Made) -> None:
    run, discovery = session
    assert "lint:" not in screen(session)
    assert "lint: 0 errors, 0 warnings\n" in screen((replace(run, lint=(0, 0)), discovery))
    assert "lint: 1 error, 2 warnings (headroom lint tells)\n" in screen((replace(run, lint=(1, 2)), discovery))
