from __future__ import annotations

import json
from pathlib import Path

import pytest

from headroom_cli.report.budget import Breach, Budget, Verdict
from headroom_cli.report.budget_formats import sarif, workflow_commands

INSIDE = Breach("cost", 3_000_000, 2_500_000, "c0ffee", "logs/a b.jsonl", 7, "cost $3.00, $2.50 allowed")
OUTSIDE = Breach("context", 9, 1, "beef", "/elsewhere/x.jsonl", 2, "a context of 9 tokens, 1 allowed")


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.chdir(tmp_path)


def test_sarif_has_a_result_for_each_breach_in_the_repository() -> None:
    (run,) = json.loads(sarif(Verdict(Budget(cost=1), [INSIDE, OUTSIDE])))["runs"]
    (result,) = run["results"]
    assert run["automationDetails"] == {"id": "headroom-budget/"}
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["budget-context", "budget-cost"]
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("budget-cost", 1, "error")
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "logs/a%20b.jsonl", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 7, "startColumn": 1},
            }
        }
    ]
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "1 conversation outside of the repository left out"


def test_a_kept_budget_is_a_valid_log_without_results() -> None:
    (run,) = json.loads(sarif(Verdict(Budget(cost=1))))["runs"]
    assert run["results"] == [] and run["invocations"][0]["executionSuccessful"]
    assert workflow_commands(Verdict(Budget(cost=1))) == ["budget kept"]


def test_annotations_stand_on_the_line_and_are_never_forged() -> None:
    hostile = Breach("cost", 2, 1, "id", "logs/::error::x\n::warning::.jsonl", 3, "cost $2.00, $1.00 allowed")
    first, second, outside, *report = workflow_commands(Verdict(Budget(cost=1), [INSIDE, hostile, OUTSIDE]))
    assert outside.endswith("::/elsewhere/x.jsonl:2: a context of 9 tokens, 1 allowed")
    assert first == "::error file=logs/a b.jsonl,line=7,col=1,title=headroom budget::cost $3.00, $2.50 allowed"
    assert "\n" not in second and second.startswith("::error file=logs/%3A%3Aerror%3A%3Ax")
    assert len(report) == 3 and not any(line.lstrip().startswith("::") for line in report)
