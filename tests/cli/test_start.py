"""What a command loads before it works: nothing that it does not need, so that it starts at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"polars", "tiktoken", "quicktok", "genai_prices", "yaml", "multiprocessing"}
CHAT = {"messages": [{"role": "user", "content": "hi"}]}


def loaded(*arguments: str) -> set[str]:
    """The modules that a command loads."""
    command = [sys.executable, "-X", "importtime", "-m", "headroom_cli", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["lint", "--help"], ["cache"], ["rules"]])
def test_what_reads_no_logs_loads_nothing_heavy(arguments: list[str]) -> None:
    modules = loaded(*arguments)
    assert "headroom_cli.version" in modules
    assert modules.isdisjoint(HEAVY)


def test_lint_loads_what_reads_yaml_only_where_there_is_some(tmp_path: Path) -> None:
    (tmp_path / "chat.json").write_text(json.dumps(CHAT))
    for options in ([], ["--jobs", "2"], ["--no-cache"], []):  # the last one answers from the cache
        modules = loaded("lint", str(tmp_path), *options)
        assert "headroom_cli.lint.engine" in modules
        assert modules.isdisjoint(HEAVY)
    (tmp_path / "cassette.yaml").write_text("interactions:\n- request: {body: x}\n")
    assert loaded("lint", str(tmp_path)) & HEAVY == {"yaml"}
