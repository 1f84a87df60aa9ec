"""What programs read of lint: valid, complete, and never steered by the text of a log."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from headroom_cli.lint.diagnostic import Diagnostic
from headroom_cli.lint.run import CheckedFile, LintRun, lint_files
from headroom_cli.parallel import KILLED
from headroom_cli.report.lint import concise, github, gitlab, junit, sarif
from headroom_cli.report.lint import json as as_json
from headroom_cli.report.lint.text import report
from headroom_cli.source.discover import discover

HOSTILE = "x\n::error file=a.py,line=1::owned\r\n##[error]owned\x1b[31m\x1b]0;t\x07]]>&<b>%0A\u202e`|[a](b)\x00\ud800"
CASES = Path(__file__).parents[2] / "cases" / "lint"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "repository"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    return root


def broken(name: str = "read") -> list[Any]:
    """A history with two errors: a call without a result, and a result without a call."""
    return [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": f"call-{name}", "name": name, "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"other-{name}", "content": name}]},
        {"role": "assistant", "content": name},
        {"role": "user", "content": "bye"},
    ]


def write(root: Path, name: str, messages: list[Any]) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"messages": messages}, indent=1))
    return path


@pytest.fixture
def hostile(repository: Path) -> LintRun:
    """Findings in whose names, ids, texts and paths somebody tried everything."""
    write(repository, "logs/\x1b[31m::error::%0A]]>,x.json", broken(HOSTILE))
    write(repository, "logs/plain.json", broken(HOSTILE))
    (repository / "logs" / "##[error]no.json").write_text('{"name": 1}')
    run = lint_files(discover([repository / "logs"], golden=True).files)
    assert sum(diagnostic.severity == "error" for diagnostic in run.diagnostics) == len(run.diagnostics) > 9
    odd = replace(run.diagnostics[0], message=HOSTILE, api_error=HOSTILE, pointer=HOSTILE, line=0, column=0)
    run.diagnostics.append(odd)
    return run


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from strings(key)
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def is_harmless(text: str) -> bool:
    return not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)


def test_sarif_has_what_code_scanning_asks_for(repository: Path, hostile: LintRun) -> None:
    hostile.diagnostics[1] = replace(hostile.diagnostics[1], baselined=True)
    log = json.loads(sarif.document(hostile))
    (run,) = log["runs"]
    assert (log["version"], run["automationDetails"]["id"]) == ("2.1.0", "headroom-lint/")
    assert len(run["results"]) == len(hostile.diagnostics)
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
        uri = place["artifactLocation"]["uri"]
        assert not uri.startswith("/") and re.fullmatch(r"[\w./%~-]+", uri)
        assert (repository / unquote(uri)).exists()
        assert place["region"]["startLine"] >= 1 and place["region"]["startColumn"] >= 1
        related = [each["physicalLocation"]["region"] for each in result.get("relatedLocations", ())]
        assert all(region["startLine"] >= 1 for region in related)
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["partialFingerprints"]["headroomHistory/v1"]
        assert result["level"] in ("error", "warning", "note")
        assert is_harmless(result["message"]["text"]) and "](" not in result["message"]["text"]
    assert [r["suppressions"][0]["status"] for r in run["results"] if "suppressions" in r] == ["accepted"]
    assert all(rule["help"]["markdown"] and rule["shortDescription"]["text"] for rule in rules)
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("1 file not checked: unknown format")


def test_sarif_without_a_finding_and_with_too_many(repository: Path, tmp_path: Path) -> None:
    path = write(repository, "fine.json", [{"role": "user", "content": "hi"}])
    run = lint_files(discover([path]).files)
    (empty,) = json.loads(sarif.document(run))["runs"]
    assert (empty["results"], empty["tool"]["driver"]["rules"]) == ([], [])
    assert empty["invocations"][0]["executionSuccessful"] is True
    warning = Diagnostic("HR102", "orphan-result", (), "warning", "high", "anthropic", "w", str(path), 1, 1)
    outside = replace(warning, path=str(tmp_path / "elsewhere.json"))
    run.diagnostics = [warning] * 5002 + [replace(warning, severity="error"), outside, outside]
    (full,) = json.loads(sarif.document(run))["runs"]
    assert len(full["results"]) == 5000 and full["results"][0]["level"] == "error"
    assert [n["message"]["text"] for n in full["invocations"][0]["toolExecutionNotifications"]] == [
        "2 findings in files outside of the repository left out",
        "3 findings left out: no more than 5,000 are taken",
    ]


def test_findings_about_the_run_are_told_apart(repository: Path) -> None:
    one = Diagnostic("HR002", "unused-ignore", (), "warning", "high", "", "nothing in a is ignored by HR1")
    run = LintRun(diagnostics=[one, replace(one, message="nothing in b is ignored by HR1")])
    (told,) = json.loads(sarif.document(run))["runs"]
    assert len({r["partialFingerprints"]["headroomHistory/v1"] for r in told["results"]}) == 2
    assert {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in told["results"]} == {
        "headroom.toml"
    }
    issues = json.loads(gitlab.document(run))
    assert len({issue["fingerprint"] for issue in issues}) == 2


def workflow_commands(lines: list[str]) -> list[str]:
    """The lines that a runner takes for commands."""
    text = "\n".join(lines)
    return [line for line in text.split("\n") if line.lstrip().startswith("::") or "##[" in line]


def test_no_text_of_a_log_is_a_command_of_the_runner(hostile: LintRun) -> None:
    lines = github.lines(hostile, infos=True, verbose=True)
    commands = workflow_commands(lines)
    assert (
        len(commands) == 10
        and commands[-1] == f"::error title=headroom lint::+ {len(hostile.new) - 9} more, see the log"
    )
    for command in commands[:-1]:
        kind, _, rest = command[2:].partition(" ")
        properties, _, message = rest.partition("::")
        assert kind in ("error", "warning", "notice")
        names = [item.partition("=")[0] for item in properties.split(",")]
        assert names in (["file", "line", "col", "title"], ["file", "title"])
        assert "%25" in message or "%" not in message
    assert is_harmless("".join(lines))
    assert any("::error" in line and not line.startswith("::") for line in lines)  # told in the report, after a mark


def test_nine_of_each_kind_are_annotated_and_the_rest_counted(repository: Path) -> None:
    path = str(repository / "a.json")
    one = Diagnostic("HR101", "unanswered-call", (), "warning", "high", "anthropic", "unanswered", path, 3, 4)
    found = [replace(one, line=line) for line in range(1, 11)]
    errors = [replace(one, severity="error", confidence="low"), *(replace(one, severity="error"),) * 30]
    run = LintRun(files=[CheckedFile(path, True, "anthropic", 1, (), 0, None)], diagnostics=[*found, *errors])
    commands = workflow_commands(github.lines(run))
    assert commands[0] == "::error file=a.json,line=3,col=4,title=HR101 unanswered-call::unanswered"
    assert [command.partition(" ")[0] for command in commands] == ["::error"] * 10 + ["::warning"] * 10
    assert commands[9] == "::error title=headroom lint::+ 22 more, see the log"
    assert commands[19].endswith("::unanswered")  # ten warnings need no count


def test_files_that_had_to_be_checked_fail_in_every_format(repository: Path) -> None:
    killed = CheckedFile(str(repository / "big.jsonl"), False, "", 0, (), 0, KILLED)
    named = CheckedFile(str(repository / "a.json"), True, "", 0, (), 0, "unknown format")
    walked = replace(named, path=str(repository / "b.json"), named=False)
    run = LintRun(files=[killed, named, walked])
    assert run.refused == [killed, named]
    assert workflow_commands(github.lines(run)) == [
        f"::error file=big.jsonl,title=headroom lint::not checked: {KILLED}",
        "::error file=a.json,title=headroom lint::not checked: unknown format",
    ]
    suite = ElementTree.fromstring(junit.document(run, ("error",)))[0]
    assert (suite.get("tests"), suite.get("errors"), suite.get("skipped")) == ("3", "2", "1")
    run.unknown_files = "skip"
    assert run.refused == [killed]
    run.unknown_files = "error"
    assert run.refused == [killed, named, walked]
    assert json.loads(sarif.document(run))["runs"][0]["invocations"][0]["executionSuccessful"] is False


def test_the_summary_of_a_step_is_one_table(hostile: LintRun, tmp_path: Path) -> None:
    place = tmp_path / "summary.md"
    place.write_text("before\n")
    github.write_summary(hostile, str(place))
    text = place.read_text()
    assert text.startswith("before\n### headroom lint\n")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + sum(d.severity != "info" for d in hostile.new)
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}
    assert "<b>" not in text and "[a](b)" not in text and is_harmless(text)


def test_the_summary_keeps_within_its_limit(repository: Path) -> None:
    one = Diagnostic("HR101", "unanswered-call", (), "error", "high", "x", "\u4e2d" * 1000, str(repository / "a.json"))
    text = github.summary(LintRun(diagnostics=[one] * 2000))
    assert 900_000 < len(text.encode()) <= 1 << 20
    assert re.search(r"and 1,\d{3} findings more, see the log", text)


def test_gitlab_has_an_issue_each_with_a_fingerprint_of_its_own(repository: Path, hostile: LintRun) -> None:
    shutil.copy(repository / "logs" / "plain.json", repository / "logs" / "copy.json")
    run = lint_files(discover([repository / "logs"], golden=True).files)
    issues = json.loads(gitlab.document(run))
    assert len(issues) == len(run.new) == len({issue["fingerprint"] for issue in issues})
    assert issues == json.loads(gitlab.document(run))
    for issue in issues:
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert issue["location"]["lines"]["begin"] >= 1
        assert issue["location"]["path"].startswith("logs/")
    assert all(map(is_harmless, strings(json.loads(gitlab.document(hostile)))))


def test_junit_has_a_case_for_each_history(repository: Path) -> None:
    write(repository, "a.json", [{"role": "user", "content": "hi"}])
    rows = [{"messages": [{"role": "user", "content": "hi"}]}, {"messages": broken()}]
    (repository / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = lint_files(discover([repository], golden=True).files)
    (suite,) = ElementTree.fromstring(junit.document(run, ("error",)))
    cases = [(c.get("classname"), (c.get("name") or "")[:17], [child.tag for child in c]) for c in suite]
    assert cases == [
        ("a.json", "history at line 1", []),
        ("rows.jsonl", "history at line 1", []),
        ("rows.jsonl", "history at line 2", ["failure"]),
    ]
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    failure = suite[2][0]
    assert (failure.get("type") or "").startswith("HR10") and "API says" in (failure.text or "")


def test_junit_is_xml_whatever_the_log_says(hostile: LintRun) -> None:
    data = junit.document(hostile, ("error",))
    root = ElementTree.fromstring(data)
    assert is_harmless(data.decode().replace("\n", ""))
    assert sum(len(suite) for suite in root) == int(root[0].get("tests") or 0)


def test_json_and_lines_hold_what_the_log_says_harmlessly(hostile: LintRun) -> None:
    found = json.loads(as_json.document(hostile))["diagnostics"]
    assert len(found) == len(hostile.diagnostics)
    assert found[-1]["message"] == HOSTILE.replace("\ud800", "?")  # data: JSON escapes it
    lines = concise.lines(hostile, infos=True, verbose=True)
    assert is_harmless("".join(lines)) and not any("\n" in line for line in lines)
    for width in (80, 120):
        assert is_harmless(report(hostile, width=width, infos=True, verbose=True).plain.replace("\n", ""))
