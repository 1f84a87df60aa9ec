"""The recipes of docs/lint-in-ci.md, run as CI runs them: red on a broken history, green once it is repaired."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

ROOT = Path(__file__).parents[2]
BASH = shutil.which("bash")
HISTORY = [
    {"role": "user", "content": "What does order 4411 cost?"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_01", "name": "get_order", "input": {}}]},
    {"role": "user", "content": "never mind"},
]  # fmt: skip
CONFIGURATION = """
[lint]
include = ["tests/golden/**/*.json"]
"""

pytestmark = pytest.mark.skipif(BASH is None or sys.platform == "win32", reason="steps of CI are written for a shell")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A scratch repository with a history that is refused, and a `headroom` on the path."""
    root = tmp_path / "repository"
    golden = root / "tests" / "golden"
    golden.mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "headroom.toml").write_text(CONFIGURATION)
    (golden / "fine.json").write_text(json.dumps({"messages": HISTORY[:1]}))
    (golden / "refund.json").write_text(json.dumps({"messages": HISTORY}, indent=2))
    (root / "package.json").write_text('{"name": "acme"}')
    command = tmp_path / "bin" / "headroom"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m headroom_cli "$@"\n')
    command.chmod(0o755)
    return root


def shell(repository: Path, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a step as a runner does: a shell that stops at the first failure, in the repository."""
    binaries = f"{repository.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [str(BASH), "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=repository,
        env={**os.environ, "PATH": binaries, "GITHUB_WORKSPACE": str(repository), **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def repair(repository: Path) -> None:
    assert shell(repository, "headroom lint --fix").returncode == 0


def recipe(language: str, mark: str) -> Any:
    """The code of the recipe that holds `mark`, from the page."""
    page = (ROOT / "docs" / "lint-in-ci.md").read_text("utf-8")
    (code,) = [code for code in re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL) if mark in code]
    return yaml.safe_load(code) if language == "yaml" else code


def commands(lines: list[str]) -> list[str]:
    """The lines of a recipe that run headroom; what installs it is not repeated here."""
    return [line[line.index("headroom lint") :] for line in lines if "headroom lint" in line]


def line_of_call(repository: Path) -> int:
    """The line on which the call that nothing answers begins."""
    text = (repository / "tests" / "golden" / "refund.json").read_text()
    return text[: text.rindex("{", 0, text.index('"tool_use"'))].count("\n") + 1


def test_the_action_annotates_the_line_and_fails_until_it_is_repaired(repository: Path, tmp_path: Path) -> None:
    steps = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["runs"]["steps"]
    (step,) = [step for step in steps if step["name"] == "Lint histories"]
    summary, report = tmp_path / "summary.md", tmp_path / "headroom.sarif"
    variables = dict.fromkeys(step["env"], "") | {
        "HEADROOM": "headroom",
        "SARIF": str(report),
        "GITHUB_STEP_SUMMARY": str(summary),
    }
    red = shell(repository, step["run"], **variables)
    assert (red.returncode, red.stderr) == (1, "")
    place = f"file=tests/golden/refund.json,line={line_of_call(repository)},col=9"
    (error,) = [line for line in red.stdout.splitlines() if line.startswith("::error")]
    assert error == f"::error {place},title=HR101 unanswered-call::get_order (toolu_01) has no result"
    assert "| HR101 unanswered-call | error |" in summary.read_text()
    (result,) = [r for r in json.loads(report.read_text())["runs"][0]["results"] if r["level"] == "error"]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == line_of_call(repository)
    repair(repository)
    green = shell(repository, step["run"], **variables)
    assert green.returncode == 0 and "::error" not in green.stdout
    assert all(r["level"] != "error" for r in json.loads(report.read_text())["runs"][0]["results"])


def test_the_inputs_of_the_action(repository: Path, tmp_path: Path) -> None:
    steps = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["runs"]["steps"]
    variables = dict.fromkeys(steps[1]["env"], "") | {"HEADROOM": "headroom", "PATHS": "tests/golden/fine.json\n"}
    assert shell(repository, steps[1]["run"], **variables).returncode == 0
    strict = shell(
        repository, steps[1]["run"], **variables | {"PATHS": "tests/golden\npackage.json", "PROVIDER": "openai"}
    )
    assert strict.returncode == 2
    assert "::error file=package.json,title=headroom lint::not checked: unknown format (keys: name)" in strict.stdout


def test_the_workflow(repository: Path) -> None:
    steps = recipe("yaml", "name: transcripts")["jobs"]["lint"]["steps"]
    (line,) = commands([step.get("run", "") for step in steps])
    assert shell(repository, line).returncode == 1
    repair(repository)
    assert shell(repository, line).returncode == 0


def test_the_hooks_before_a_commit(repository: Path) -> None:
    (shipped,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    (local,) = recipe("yaml", "repo: local")["repos"][0]["hooks"]
    assert {name: local[name] for name in ("id", "entry", "files", "pass_filenames")} == {
        name: shipped[name] for name in ("id", "entry", "files", "pass_filenames")
    }
    assert re.search(shipped["files"], "tests/golden/refund.json") and not re.search(shipped["files"], "a.py")
    assert shell(repository, shipped["entry"]).returncode == 1
    repair(repository)
    assert shell(repository, shipped["entry"]).returncode == 0


def test_gitlab(repository: Path) -> None:
    job = recipe("yaml", "codequality")["transcripts"]
    quality, tests = commands(job["script"])
    assert shell(repository, quality).returncode == 0
    assert shell(repository, tests).returncode == 1
    reports = job["artifacts"]["reports"]
    (issue,) = [i for i in json.loads((repository / reports["codequality"]).read_text()) if i["severity"] == "major"]
    assert issue["location"] == {"path": "tests/golden/refund.json", "lines": {"begin": line_of_call(repository)}}
    (suite,) = ElementTree.parse(repository / reports["junit"]).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    repair(repository)
    assert shell(repository, "\n".join((quality, tests))).returncode == 0


def test_a_baseline_lets_what_is_known_pass_and_nothing_new(repository: Path) -> None:
    (line,) = commands(recipe("sh", "--write-baseline").splitlines())
    assert shell(repository, line).returncode == 0
    (repository / "headroom.toml").write_text(CONFIGURATION + 'baseline = ".headroom-baseline.json"\n')
    assert shell(repository, "headroom lint").returncode == 0
    new = json.dumps({"messages": HISTORY}).replace("toolu_01", "toolu_02")
    (repository / "tests" / "golden" / "new.json").write_text(new)
    done = shell(repository, "headroom lint --format concise")
    assert done.returncode == 1 and "new.json" in done.stdout and "refund.json" not in done.stdout
