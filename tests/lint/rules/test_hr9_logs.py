"""HR901 to HR903: what the log itself lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headroom_cli.lint.base import Finding
from headroom_cli.lint.engine import Selection, known_rules, rule_page
from tests.lint.support import Raw, findings_in


def log(tmp_path: Path, text: str) -> list[Finding]:
    path = tmp_path / "log.jsonl"
    path.write_text(text)
    return [finding for finding in findings_in(path, "anthropic") if finding.rule.code.startswith("HR9")]


def line(uuid: str, parent: str | None, *content: Raw, id: str = "", version: str = "2.1.40") -> Raw:
    message: Raw = {"role": "user", "content": [*content]}
    if id:
        message = {"role": "assistant", "id": id, "model": "claude-opus-4-5", "content": [*content]}
    return {
        "type": message["role"],
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "s",
        "version": version,
        "message": message,
    }


def said(text: str) -> Raw:
    return {"type": "text", "text": text}


def call(number: int) -> Raw:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "Read", "input": {}}


def result(number: int) -> Raw:
    return {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "x"}


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("code", ["HR901", "HR902", "HR903"])
def test_example_of_each_page(tmp_path: Path, code: str) -> None:
    language, block = rule_page(known_rules()[code]).split("```", 1)[1].split("```")[0].split("\n", 1)
    if language == "json":
        decoder, rows = json.JSONDecoder(), []
        while block.strip():
            value, end = decoder.raw_decode(block.lstrip())
            rows.append(value)
            block = block.lstrip()[end:]
        block = lines(*rows)
    assert [finding.rule.code for finding in log(tmp_path, block)] == [code]


GOOD = [line("u1", None, said("hi")), line("a1", "u1", said("hello"), id="msg_1"), line("u2", "a1", said("go on"))]


def test_a_sound_log_is_silent(tmp_path: Path) -> None:
    assert log(tmp_path, lines(*GOOD)) == []


def test_a_torn_last_line_is_info(tmp_path: Path) -> None:
    (found,) = log(tmp_path, lines(*GOOD) + '{"type": "user", "uu')
    assert (found.severity, found.line, found.refs) == ("info", 4, ("L08",))
    assert found.message == "the record cannot be read: truncated last line"


def test_a_broken_record_in_the_middle_is_a_warning(tmp_path: Path) -> None:
    (found,) = log(tmp_path, lines(*GOOD[:2]) + "{broken\n" + lines(GOOD[2]))
    assert (found.severity, found.line, found.refs) == ("warning", 3, ())


def test_many_broken_records_are_summed_up(tmp_path: Path) -> None:
    found = log(tmp_path, lines(*GOOD) + "{broken\n" * 60)
    assert len(found) == 51
    assert (found[-1].message, found[-1].line) == ("10 more records cannot be read", 54)


def test_damage_is_told_once_for_a_file_of_several_conversations(tmp_path: Path) -> None:
    rows = [{"messages": [{"role": "user", "content": text}]} for text in ("one", "two", "three")]
    assert [finding.line for finding in log(tmp_path, lines(*rows) + "{broken\n" + lines(rows[0]))] == [4]


def test_a_parent_that_is_missing(tmp_path: Path) -> None:
    rows = [*GOOD, line("a2", "gone", said("yes"), id="msg_2"), line("u3", "gone2", said("ok"))]
    (found,) = log(tmp_path, lines(*rows))
    assert (found.rule.code, found.severity, found.line) == ("HR902", "warning", 4)
    assert found.message.endswith("; so do 1 more")


def test_a_file_that_begins_in_the_middle_is_info(tmp_path: Path) -> None:
    rows = [line("u1", "before", said("hi")), *GOOD[1:]]
    (found,) = log(tmp_path, lines(*rows))
    assert (found.rule.code, found.severity, found.line) == ("HR902", "info", 1)


def parallel(version: str) -> list[Raw]:
    rows = [
        line("u1", None, said("read both")),
        line("a1", "u1", call(1), id="msg_1"),
        line("a2", "a1", call(2), id="msg_1"),
        line("r1", "a1", result(1)),
        line("r2", "a2", result(2)),
        line("a3", "r2", said("done"), id="msg_2"),
    ]
    return [{**row, "version": version} for row in rows]


def test_parallel_results_beside_the_chain(tmp_path: Path) -> None:
    (found,) = log(tmp_path, lines(*parallel("2.1.84")))
    assert (found.rule.code, found.line, found.refs) == ("HR903", 4, ("L02",))
    assert found.message.startswith("1 result of a parallel call stands beside the chain")
    assert "HR903" not in {rule.code for rule in Selection().rules()}


@pytest.mark.parametrize("version", ["2.1.85", "2.2.0", "3.0.0", "", "unknown"])
def test_versions_that_find_them_are_silent(tmp_path: Path, version: str) -> None:
    assert log(tmp_path, lines(*parallel(version))) == []


def test_calls_one_after_the_other_are_silent(tmp_path: Path) -> None:
    rows = parallel("2.1.40")
    rows[2]["parentUuid"], rows[3]["parentUuid"] = "r1", "a1"
    rows[2], rows[3] = rows[3], rows[2]
    rows[3]["message"]["id"] = "msg_9"
    assert log(tmp_path, lines(*rows)) == []


def of_a_branch(*rows: Raw) -> str:
    return lines(*({**row, "isSidechain": True, "agentId": "a1b2c3"} for row in rows))


def test_a_gap_in_what_nobody_resumes_is_info(tmp_path: Path) -> None:
    gap = [*GOOD, line("a2", "lost", said("well"), id="msg_2"), line("u3", "a2", said("so"))]
    assert [(found.rule.code, found.severity) for found in log(tmp_path, lines(*gap))] == [("HR902", "warning")]
    assert [(found.rule.code, found.severity) for found in log(tmp_path, of_a_branch(*gap))] == [("HR902", "info")]


@pytest.mark.parametrize(
    ("first", "code"),
    [
        ([line("a1", "elsewhere", said("done"), id="msg_1")], "HR302"),
        ([line("u1", "elsewhere", result(1))], "HR102"),
    ],
)
def test_a_branch_begins_where_its_thread_was(tmp_path: Path, first: list[Raw], code: str) -> None:
    begin = first[0]["uuid"]
    rest = [line("u2", begin, said("Sum it up.")), line("a2", "u2", said("It is done."), id="msg_2")]
    path = tmp_path / "log.jsonl"
    path.write_text(of_a_branch(*first, *rest))
    told = [(found.rule.code, found.severity) for found in findings_in(path, "anthropic")]
    assert (code, "info") in told and not {severity for _, severity in told} - {"info"}
