"""Budgets as a CI job holds them: exit codes, formats, and where limits come from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_endings import headroom
from tests.report.test_budget import reading_twice


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in reading_twice()))
    return str(path)


def test_beyond_a_budget_the_exit_code_is_1(log: str) -> None:
    kept = headroom("analyze", log, "--max-cost", "1")
    assert kept.returncode == 0 and b"BUDGET  kept" in kept.stdout
    done = headroom("analyze", log, "--max-cost", "0.01")
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"BUDGET  1 conversation beyond the budget" in done.stdout
    assert b"cost $0.02, $0.01 allowed" in done.stdout


def test_formats_for_machines(log: str) -> None:
    done = headroom("analyze", log, "--max-context", "2k", "--format", "json")
    (breach,) = json.loads(done.stdout)["budget"]["breaches"]
    assert (done.returncode, breach["kind"], breach["value"], breach["line"]) == (1, "context", 2100, 14)
    done = headroom("analyze", log, "--max-context", "2k", "--format", "sarif")
    assert done.returncode == 1 and json.loads(done.stdout)["version"] == "2.1.0"
    assert done.stderr == b"headroom: 1 conversation beyond the budget\n"
    done = headroom("analyze", log, "--max-context", "2k", "--format", "github")
    assert done.returncode == 1 and b"a context of 2.1k tokens" in done.stdout
    done = headroom("analyze", log, "--format", "sarif")
    assert done.returncode == 2 and b"tells of budgets" in done.stderr


def test_limits_of_the_configuration_hold_unless_the_command_line_gives_its_own(log: str, tmp_path: Path) -> None:
    config = tmp_path / "budget.toml"
    config.write_text('[analyze.budget]\nmax-cost = 0.01\nmax-context = "150k"\n')
    assert headroom("analyze", log, "--config", str(config)).returncode == 1
    assert headroom("analyze", log, "--config", str(config), "--max-cost", "2.5").returncode == 0
    config.write_text('[analyze.budget]\nmax-avoidable = "ten"\n')
    done = headroom("analyze", log, "--config", str(config))
    assert done.returncode == 2 and b"cannot read 'ten'; write a share, as in 10%" in done.stderr
