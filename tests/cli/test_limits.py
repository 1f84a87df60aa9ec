"""Lines over the limit: every command passes over them, names what reads them, and reads them when told to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

COMMAND = [sys.executable, "-m", "headroom_cli"]
TOLD = "line of 3 MB is over the limit of 1 MB; --max-line 3MB reads it"


@pytest.fixture
def headroom(tmp_path: Path) -> Any:
    """Runs a command with a cache of its own."""
    environment = {**os.environ, "HEADROOM_CACHE_DIR": str(tmp_path / "cache")}

    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*COMMAND, *arguments], cwd=tmp_path, env=environment, capture_output=True, timeout=60, check=False
        )

    return run


@pytest.fixture
def log(tmp_path: Path) -> str:
    """A session whose second of four results is 2.5 MB."""
    rows: list[dict[str, Any]] = [{"role": "user", "content": "read the four files"}]
    for number in range(4):
        function = {"name": "read", "arguments": json.dumps({"file": number})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        rows.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = "x" * 2_500_000 if number == 1 else f"text {number}"
        rows.append({"role": "tool", "tool_call_id": f"call_{number}", "content": text})
    rows.append({"role": "assistant", "content": "done"})
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def test_analyze(log: str, headroom: Any, tmp_path: Path) -> None:
    limited = json.loads(headroom("analyze", log, "-f", "json", "--max-line", "1MB").stdout)
    assert limited["damaged"] == [{"path": log, "line": 5, "reason": TOLD}]
    assert limited["conversations"][0]["messages"] == 9
    whole = json.loads(headroom("analyze", log, "-f", "json").stdout)  # what the cache holds is of another limit
    assert whole["damaged"] == []
    assert whole["conversations"][0]["messages"] == 10
    (tmp_path / "headroom.toml").write_text('max-line = "1 mb"\n', "utf-8")
    assert json.loads(headroom("analyze", log, "-f", "json").stdout) == limited
    assert json.loads(headroom("analyze", log, "-f", "json", "--max-line", "1GB").stdout) == whole


def test_lint(log: str, headroom: Any) -> None:
    assert json.loads(headroom("lint", log, "-f", "json").stdout)["diagnostics"] == []
    limited = json.loads(headroom("lint", log, "-f", "json", "--max-line", "1MB").stdout)
    found = {diagnostic["rule"]: diagnostic for diagnostic in limited["diagnostics"]}
    assert found["HR901"]["message"] == f"the record cannot be read: {TOLD}"
    assert (found["HR901"]["line"], found["HR901"]["column"]) == (5, 1)
    assert found["HR101"]["line"] == 4  # the call whose result was passed over


def test_lint_of_standard_input(tmp_path: Path, headroom: Any) -> None:
    with (tmp_path / "zeros").open("w+b") as zeros:
        zeros.truncate(256_000_001)
        done = subprocess.run([*COMMAND, "lint", "-"], stdin=zeros, capture_output=True, timeout=60, check=False)
    assert done.returncode == 3
    assert b"standard input is over the limit for documents; write it to a file" in done.stderr


def test_export(log: str, headroom: Any, tmp_path: Path) -> None:
    for size, status, damaged in (("1MB", "partial", 1), ("64MB", "ok", 0)):
        assert headroom("export", log, "-o", "tables", "--max-line", size, "--update").returncode == 0
        (row,) = pl.read_parquet(tmp_path / "tables" / "files").to_dicts()
        assert (row["parse_status"], row["damaged_records"]) == (status, damaged)


def test_what_is_repaired_is_read_whole_or_not_at_all(log: str, headroom: Any, tmp_path: Path) -> None:
    session = tmp_path / "session.jsonl"
    with session.open("wb") as file:
        file.truncate(256_000_001)
    refused = headroom("repair", str(session))
    assert refused.returncode == 3
    assert b"file of 257 MB is over the limit of 256 MB; --max-line 257MB reads it" in refused.stderr
    fixed = headroom("lint", str(session), "--fix")
    assert b"file of 257 MB is over the limit of 256 MB; --max-line 257MB reads it" in fixed.stderr
    assert session.stat().st_size == 256_000_001
    before = Path(log).read_bytes()
    assert b"0 repairs in 0 files" in headroom("lint", log, "--fix", "--max-line", "1MB").stderr
    assert Path(log).read_bytes() == before


@pytest.mark.parametrize("command", ["analyze", "lint", "export", "repair"])
@pytest.mark.parametrize("size", ["0MB", "64", "64KB", "-1MB", "1TB", "", "1.5GB"])
def test_what_is_no_size(command: str, size: str, log: str, headroom: Any) -> None:
    done = headroom(command, log, f"--max-line={size}")
    assert done.returncode == 2
    assert f"headroom: max-line: cannot read {size!r}; write 64MB, or 1GB".encode() in done.stderr
