from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from headroom_cli.lint.baseline import Baseline, BaselineProblem, Known, read_baseline, write_baseline
from headroom_cli.lint.diagnostic import diagnostics
from headroom_cli.lint.engine import Selection
from headroom_cli.lint.patterns import PathPatterns, names_rule, relative_path, unknown_words
from headroom_cli.lint.places import pointer_text
from headroom_cli.lint.providers import PROFILES
from headroom_cli.lint.run import LintRun, Options, Sieve, lint_files
from headroom_cli.source.discover import discover

CASES = Path(__file__).parent.parent / "cases" / "lint"
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}]}
ORPHAN = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_9", "content": "ok"}]}
HELLO = {"role": "user", "content": "hello"}
DONE = {"role": "assistant", "content": "done"}
ONLY = Options(rules=Selection(("HR101", "HR102")).rules())


def write(path: Path, messages: list[Any], indent: int | None = 2) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"messages": messages}, indent=indent), "utf-8")
    return path


def lint(*paths: Path, **sieve: Any) -> LintRun:
    return lint_files(discover(paths).files, ONLY, Sieve(**sieve))


def codes(run: LintRun) -> list[str]:
    return [d.rule for d in run.new]


def test_files_conversations_and_histories_are_counted(tmp_path: Path) -> None:
    write(tmp_path / "a.json", [HELLO, CALL, RESULT, DONE])
    broken = write(tmp_path / "b.json", [ORPHAN, DONE])
    (tmp_path / "package.json").write_text('{"name": "acme", "version": "1.0.0"}')
    run = lint(tmp_path)
    assert run.summary() == {
        "files": 2, "conversations": 2, "requests": 2, "errors": 1, "warnings": 0, "infos": 0, "skipped": 1,
    }  # fmt: skip
    (found,) = run.diagnostics
    assert (found.rule, found.path, found.pointer) == ("HR102", str(broken), "/messages/0/content/0")
    line = broken.read_text().split("\n")[found.line - 1]
    assert line[found.column - 1 :] == "{" and found.message_index == 0
    assert found.conversation_id == run.files[1].histories[0].conversation_id


@pytest.mark.parametrize("case", json.loads((CASES / "cases.json").read_text()), ids=lambda case: case["file"])
def test_pointers_of_all_cases_lead_to_what_was_judged(case: dict[str, str]) -> None:
    path = CASES / case["file"]
    profile = PROFILES[case["provider"]]
    run = lint_files(discover([path]).files, Options([profile], case["as"], Selection(("ALL",)).rules()))  # type: ignore[arg-type]
    lines = path.read_text().split("\n")
    for found in run.diagnostics:
        value = json.loads("\n".join(lines)) if path.suffix == ".json" else json.loads(lines[found.line - 1])
        for token in found.pointer.split("/")[1:]:
            name = token.replace("~1", "/").replace("~0", "~")
            value = value[int(name)] if isinstance(value, list) else value[name]
        if found.column > 1:
            rest = "\n".join([lines[found.line - 1][found.column - 1 :], *lines[found.line :]])
            assert json.JSONDecoder().raw_decode(rest)[0] == value


def test_session_logs_have_the_line_of_the_block(tmp_path: Path) -> None:
    rows = [
        {"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s", "message": HELLO},
        {"type": "user", "uuid": "2", "parentUuid": "1", "sessionId": "s", "message": ORPHAN},
        {"type": "assistant", "uuid": "3", "parentUuid": "2", "sessionId": "s", "message": {**DONE, "id": "m"}},
    ]
    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (found,) = lint(path).diagnostics
    text = path.read_text().split("\n")[1]
    assert (found.line, found.pointer) == (2, "/message/content/0")
    assert text[found.column - 1 :].startswith('{"type": "tool_result"')


def test_fingerprints_survive_moved_lines_and_tell_equal_findings_apart(tmp_path: Path) -> None:
    before = lint(write(tmp_path / "a.json", [ORPHAN, DONE])).diagnostics
    after = lint(write(tmp_path / "a.json", [HELLO, DONE, ORPHAN, DONE], indent=None)).diagnostics
    assert [d.fingerprint for d in before] == [d.fingerprint for d in after]
    assert before[0].pointer != after[0].pointer
    twice = lint(write(tmp_path / "a.json", [ORPHAN, DONE, ORPHAN, DONE])).diagnostics
    assert [d.fingerprint for d in twice] == [before[0].fingerprint, f"{before[0].fingerprint}:2"]


KEPT = [ORPHAN, DONE, HELLO, DONE, HELLO, DONE]


def rewriting(path: Path, requests: int) -> Path:
    """A log of requests to whose history each adds two messages, and in which it rewrites those that it added before.

    Every one of them is judged; in all stand an orphan, and further down another that says the same.
    """
    tool = {"name": "read", "input_schema": {"type": "object"}}
    rows = []
    for number in range(requests):
        added = [{"role": role, "content": f"{n} of {number}"} for n in range(number) for role in ("user", "assistant")]
        body = {"model": "claude-opus-4-8", "tools": [tool], "messages": [*KEPT, *added, ORPHAN]}
        rows.append(json.dumps(body) + "\n")
    path.write_text("".join(rows), "utf-8")
    return path


def test_a_thing_that_stands_in_many_requests_is_told_once(tmp_path: Path) -> None:
    run = lint(rewriting(tmp_path / "log.jsonl", 4))
    assert run.histories == 4
    assert [(d.rule, d.line, d.pointer, d.history) for d in run.diagnostics] == [
        ("HR102", 1, "/messages/0/content/0", 0),
        ("HR102", 1, "/messages/6/content/0", 0),
    ]


def test_a_baseline_holds_when_more_requests_come(tmp_path: Path) -> None:
    log, place = rewriting(tmp_path / "log.jsonl", 2), tmp_path / "baseline.json"
    assert write_baseline(place, lint(log).diagnostics, None, date(2026, 11, 1)) == 2
    assert lint(rewriting(log, 4), baseline=read_baseline(place)).new == []


def test_ignored_expected_and_what_no_longer_holds(tmp_path: Path) -> None:
    write(tmp_path / "golden" / "orphan.json", [ORPHAN, DONE])
    write(tmp_path / "golden" / "healthy.json", [HELLO, DONE])
    write(tmp_path / "legacy" / "old.json", [ORPHAN, DONE])
    expects = PathPatterns({"golden/*.json": ["HR102"]}, tmp_path)
    ignores = PathPatterns({"legacy/*": ["orphan-result", "HR4"], "gone/*": ["HR1"]}, tmp_path)
    run = lint(tmp_path, ignores=ignores, expects=expects)
    assert (run.expected, run.ignored) == (1, 1)
    assert [(d.rule, d.severity, Path(d.path).name) for d in run.new] == [
        ("HR001", "error", "healthy.json"),
        ("HR002", "warning", ""),
    ]
    assert "HR4" in run.new[1].message
    whole = lint(tmp_path, ignores=ignores, expects=PathPatterns({"no/*": ["HR1"]}, tmp_path), complete=True)
    assert codes(whole) == ["HR102", "HR002", "HR002", "HR001"]


def test_a_baseline_marks_what_is_known_and_tells_what_is_gone(tmp_path: Path) -> None:
    log = write(tmp_path / "logs" / "a.json", [ORPHAN, DONE])
    place = tmp_path / "baseline.json"
    assert write_baseline(place, lint(log).diagnostics, None, date(2026, 11, 1)) == 1
    known = read_baseline(place)
    assert [(e.path, e.rule, e.since) for e in known.entries] == [("logs/a.json", "HR102", "2026-11-01")]
    write(log, [HELLO, DONE, ORPHAN, DONE, CALL, HELLO])
    run = lint(log, baseline=known)
    assert [(d.rule, d.baselined) for d in run.diagnostics] == [("HR102", True), ("HR101", False)]
    assert run.summary()["errors"] == 1
    write_baseline(place, run.diagnostics, known, date(2026, 12, 1))
    assert {e.rule: e.since for e in read_baseline(place).entries} == {"HR102": "2026-11-01", "HR101": "2026-12-01"}
    write(log, [HELLO, DONE])
    (stale,) = lint(log, baseline=read_baseline(place)).new
    assert (stale.rule, stale.severity) == ("HR003", "warning") and "logs/a.json" in stale.message
    assert not list(tmp_path.glob(".*.tmp"))


def test_each_entry_of_a_baseline_stands_for_one_finding(tmp_path: Path) -> None:
    log = write(tmp_path / "a.json", [ORPHAN, DONE])
    (one,) = lint(log).diagnostics
    entry = Known(one.fingerprint, "HR102", "a.json", "", "2026-11-01")
    write(log, [ORPHAN, DONE, ORPHAN, DONE])
    assert codes(lint(log, baseline=Baseline([entry], tmp_path))) == ["HR102"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema_version": "1", "findings": [{"rule": 1}]}', "[" * 5000])
def test_a_broken_baseline_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(BaselineProblem):
        read_baseline(tmp_path / "b.json")


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("tests/*.json", "tests/a.json", True),
        ("tests/*.json", "tests/deep/a.json", False),
        ("tests/**/*.json", "tests/deep/er/a.json", True),
        ("tests/**/*.json", "tests/a.json", True),
        ("tests/**", "tests/deep/a.json", True),
        ("a?.json", "deep/ab.json", True),
        ("./a.json", "a.json", True),
        ("*.json", "a.jsonl", False),
        ("a+(b).json", "a+(b).json", True),
    ],
)
def test_patterns(pattern: str, path: str, matches: bool, tmp_path: Path) -> None:
    patterns = PathPatterns({pattern: ["HR1"]}, tmp_path)
    assert bool(patterns.holding(str(tmp_path / path))) is matches


def test_words_for_rules() -> None:
    assert names_rule("HR1", "HR101", "unanswered-call") and names_rule("unanswered-call", "HR101", "unanswered-call")
    assert not names_rule("HR102", "HR101", "unanswered-call")
    assert unknown_words(["HR1", "ALL", "HR999", ""], ONLY.rules or ()) == ["HR999", ""]


def test_paths_outside_of_the_root_stay_whole(tmp_path: Path) -> None:
    assert relative_path(str(tmp_path / "a" / "b.json"), tmp_path / "a") == "b.json"
    assert relative_path(str(tmp_path / "c.json"), tmp_path / "a") == (tmp_path / "c.json").as_posix()


def test_lint_needs_neither_data_frames_nor_a_tokenizer(tmp_path: Path) -> None:
    write(tmp_path / "a.json", [ORPHAN, DONE])
    for form in ("text", "json", "sarif", "github", "junit"):
        command = [sys.executable, "-X", "importtime", "-m", "headroom_cli", "lint", str(tmp_path), "--exit-zero"]
        done = subprocess.run([*command, "--format", form], capture_output=True, text=True, timeout=60, check=True)
        loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
        assert "headroom_cli.lint.engine" in loaded
        assert loaded.isdisjoint({"polars", "tiktoken", "quicktok", "genai_prices"})


def test_nothing_in_memory_has_a_line() -> None:
    assert diagnostics([]) == []
    assert pointer_text(()) == ""
