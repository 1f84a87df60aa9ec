"""The generated logs: the same bytes for a seed, sizes as asked, the shapes and proportions of real logs."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from benchmarks.decode import decode
from benchmarks.floor import floor, line_texts, log_files
from benchmarks.generate import generate, main
from benchmarks.lint import LintRow, lint_lines
from benchmarks.measure import Sample
from benchmarks.run import Row, growth, table


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    generate(folder, 14, seed=7)
    return folder


def lines(folder: Path) -> list[dict[str, Any]]:
    return [orjson.loads(raw) for path in log_files(folder) for raw in path.read_bytes().splitlines()]


def digest(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in log_files(folder)
    }


def test_same_seed_same_bytes_other_seed_other_bytes(tmp_path: Path) -> None:
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        generate(tmp_path / name, 2, seed)
    assert digest(tmp_path / "a") == digest(tmp_path / "b")
    assert not set(digest(tmp_path / "a").values()) & set(digest(tmp_path / "c").values())


def test_a_larger_set_begins_with_the_smaller_one(logs: Path, tmp_path: Path) -> None:
    generate(tmp_path, 18, seed=7)
    small, large = digest(logs), digest(tmp_path)
    cut = [name for name, value in small.items() if large.get(name) != value]
    assert len(cut) <= 4  # the last log of each family, and perhaps a subagent file


def test_size_and_families(logs: Path) -> None:
    for family, megabytes in (("claude", 9.8), ("codex", 2.8), ("openai", 1.4)):
        assert sum(path.stat().st_size for path in log_files(logs / family)) == pytest.approx(megabytes * 1e6, rel=0.02)


def test_claude_lines_are_what_the_client_writes(logs: Path) -> None:
    found = lines(logs / "claude")
    kinds = Counter(line["type"] for line in found)
    assert kinds["assistant"] > kinds["user"] > kinds["file-history-snapshot"] > 0
    assert kinds["progress"] > 0
    responses: dict[str, list[dict[str, Any]]] = {}
    for line in found:
        if line["type"] == "assistant":
            responses.setdefault(line["message"]["id"], []).append(line)
    assert any(len(parts) > 2 for parts in responses.values())
    for parts in responses.values():
        counters = {(p["requestId"], p["message"]["usage"]["cache_read_input_tokens"]) for p in parts}
        assert len(counters) == 1  # usage is repeated, not spread
    blocks = [
        block
        for line in found
        if line["type"] in ("user", "assistant") and isinstance(line["message"]["content"], list)
        for block in line["message"]["content"]
    ]
    calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
    results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    assert len(results) == len(set(results))
    assert set(results) <= calls
    assert len(calls) - len(results) < 8  # the cut end of a file


def test_codex_counts_repeat_and_add_up(logs: Path) -> None:
    for path in log_files(logs / "codex"):
        events = [orjson.loads(raw) for raw in path.read_bytes().splitlines()]
        payloads = [e["payload"] for e in events if e.get("type") == "event_msg"]
        counts = [payload["info"] for payload in payloads if payload["type"] == "token_count"]
        total, repeats, new = 0, 0, 0
        for info in counts:
            if info["total_token_usage"]["total_tokens"] == total:
                repeats += 1
                continue
            new += info["last_token_usage"]["total_tokens"]
            total = info["total_token_usage"]["total_tokens"]
        assert new == total
        assert repeats > len(counts) / 10


def test_share_of_distinct_text(logs: Path) -> None:
    texts = {text for line in lines(logs) for _, text in line_texts(line)}
    share = sum(len(text.encode()) for text in texts) / sum(p.stat().st_size for p in log_files(logs))
    assert 0.11 < share < 0.24


def test_floor_counts_each_distinct_text_once(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"role":"user","content":"hello world"}\n'
        '{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",'
        '"function":{"name":"f","arguments":"{}"}}]}\n'
        '{"role":"tool","tool_call_id":"c1","content":"hello world"}\n'
    )
    figures = floor(tmp_path)
    assert (figures["lines"], figures["texts"], figures["text_chars"]) == (3, 2, len("hello world") + len("f({})"))
    assert figures["tokens"] == 2 + 3  # "hello", " world"; "f", "({", "})"


def test_main_refuses_a_folder_of_other_things(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "diary.txt").write_text("mine")
    assert main(["--mb", "1", "--out", str(tmp_path)]) == 2
    assert (tmp_path / "diary.txt").exists()
    assert "something else" in capsys.readouterr().err


def test_table_and_growth() -> None:
    def row(megabytes: float, seconds: float) -> Row:
        return Row(megabytes, "tiktoken", Sample(2.0, 2.0, 80), Sample(seconds, seconds, 150), seconds / 2, seconds / 2)

    rows = [row(10, 0.7), row(100, 2.8)]
    assert table(rows)[2].split()[:6] == ["100", "tiktoken", "2.00", "2.80", "1.40", "1.40"]
    assert table(rows)[2].endswith("target 1.5: met")
    assert growth(rows, start=0.4) == ["growth, tiktoken: 10 to 100 MB is x10.0 in bytes, x8.0 in time"]


def test_decode_and_the_lines_of_lint(logs: Path) -> None:
    assert decode(logs) == len(lines(logs))
    told = lint_lines([LintRow(99.4, 0.2, 0.5, 2.5, 0.3, 0.35, 60), LintRow(99.4, 0.2, 0.7, 3.5, 0.3, 0.35, 60)])
    assert told[1].split() == ["99", "0.20", "0.50", "2.50", "0.30", "0.35", "60", "target", "3.0:", "met"]
    assert told[2].endswith("MISSED")
