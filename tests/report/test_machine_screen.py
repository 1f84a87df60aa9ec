from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from rich.cells import cell_len

from headroom_cli.report.layout import to_markdown, to_text
from headroom_cli.report.screens import report
from headroom_cli.result import Run
from headroom_cli.source.discover import Discovery

UTC = ZoneInfo("UTC")
Made = tuple[Run, Discovery]
Snapshot = Callable[[str, str], None]


def screen(made: Made, width: int = 80, **options: Any) -> str:
    run, discovery = made
    return to_text(report(run, discovery, zone=UTC, **options), width).plain


@pytest.mark.parametrize("width", [80, 200])
def test_many_sessions_as_people_read_them(machine: Made, snapshot: Snapshot, width: int) -> None:
    text = screen(machine, width)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert len(text.splitlines()) <= 40
    snapshot(f"machine_{width}.txt", text + "\n")


def test_many_sessions_as_markdown(machine: Made, snapshot: Snapshot) -> None:
    run, discovery = machine
    snapshot("machine.md", to_markdown(report(run, discovery, zone=UTC)))


def test_models_without_a_price_or_usage_are_named_so(machine: Made) -> None:
    text = screen(machine)
    assert "glm-4.6                           1  no price" in text
    assert "No price is known for glm-4.6: 1 request in no cost" in text


def test_older_files_and_unread_ones_are_told(machine: Made) -> None:
    run, discovery = machine
    discovery.older_files, discovery.older_bytes = 12, 5_800_000_000
    text = screen((run, discovery))
    assert "not read: 12 older (5.8 GB; --since all)" in " ".join(text.split())
    assert "Not read: logs/settings.json: unknown format" in text


def test_machine_roots_lead_to_session_ids(machine: Made) -> None:
    run, discovery = machine
    discovery.roots = [Path("logs")]
    assert "next: headroom analyze 0f3c9a1e\n" in screen((run, discovery))


def test_logs_without_projects_are_listed_by_file(write: Any, analyse_paths: Any, chat_log: Any) -> None:
    write("evals/a/run.jsonl", chat_log())
    write("evals/b/run.jsonl", [{"role": "user", "content": "Another question."}, *chat_log()[4:]])
    text = screen(analyse_paths("evals"))
    assert "BY FILE" in text
    assert "a/run.jsonl" in text
    assert "2 conversations: openai-chat 2" in text
    assert "LARGEST SESSIONS" in text


def test_nothing_owned_still_says_so(machine: Made, analyse_paths: Any) -> None:
    from headroom_cli.selection import Selection

    made = analyse_paths(f"logs/{'0f3c9a1e-52b1-4c52-9d0e-3a4f8e6b2c11'}.jsonl", selection=Selection(since=2**52))
    text = screen(made)
    assert text.startswith("0 sessions\n")
    assert "AVOIDABLE  nothing found" in text


def test_files_that_claude_code_soon_deletes_are_counted(write: Any, analyse_paths: Any, claude_records: Any) -> None:
    log = write("projects/a/0f3c.jsonl", claude_records())
    run, discovery = analyse_paths(log)
    words = "Claude Code deletes 1 file of these within 7 days"
    old = replace(discovery.files[0], mtime=time.time() - 24 * 86_400)
    assert words not in screen((run, replace(discovery, files=[old])))
    assert words in screen((run, replace(discovery, files=[old], roots=[Path("projects")])))
    assert words not in screen((run, replace(discovery, roots=[Path("projects")])))
