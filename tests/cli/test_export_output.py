"""Where `headroom export` writes to: never over what it reads, never half of it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

SAMPLE = Path(__file__).parents[2] / "sample_transcripts" / "openai-chat" / "support-4411.jsonl"


def export(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "headroom_cli", "export", *arguments, "-q"]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_a_table_never_takes_the_place_of_a_log_that_is_read(tmp_path: Path) -> None:
    shutil.copy(SAMPLE, tmp_path / "log.jsonl")
    done = export("log.jsonl", "-f", "csv", "--table", "conversations", "-o", "./log.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert "./log.jsonl is one of the logs that are read" in done.stderr
    assert (tmp_path / "log.jsonl").read_bytes() == SAMPLE.read_bytes()


def test_a_table_takes_the_place_of_an_older_one_at_once(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("old")
    assert export(str(SAMPLE), "-f", "csv", "--table", "conversations", "-o", "x.csv", cwd=tmp_path).returncode == 0
    assert (tmp_path / "x.csv").read_text("utf-8").startswith("conversation_id,")
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]
