from __future__ import annotations

import json
from typing import Any

import pytest

from headroom_cli.model import ToolCall
from tests.waste.session import Session, tokens

MISSING = "<tool_use_error>File does not exist.</tool_use_error>"
READ = {"file_path": "/w/setup.cfg"}
TEST = {"command": "pytest -q"}
FAILED = "Exit code 1\n3 failed, 40 passed in 1.52s"


def test_the_second_failure_and_all_later_ones(session: Session) -> None:
    for _ in range(3):
        session.tool("Read", READ, MISSING, error=True)
        session.tool("Grep", {"pattern": "version"}, "No matches found")
    findings = session.waste("failed_retry")
    assert [(f.block, f.first_block, f.request) for f in findings] == [(6, 2, 2), (10, 6, 4)]
    assert tokens(MISSING) == 18
    assert [(f.tokens, f.exclusive_tokens, f.avoidable_tokens) for f in findings] == [(18, 18, 18)] * 2


def test_times_do_not_make_a_failure_another_one(session: Session) -> None:
    session.tool("Bash", TEST, FAILED, error=True)
    session.tool("Bash", TEST, FAILED.replace("1.52", "1.61"), error=True)
    assert len(session.waste("failed_retry")) == 1


@pytest.mark.parametrize(
    "text",
    [
        MISSING,
        "Error: reservation not found",
        'Traceback (most recent call last):\n  File "x.py", line 3\nKeyError: 5',
        "Exit code 127\nmake: command not found",
        '{"output":"no such file\\n","metadata":{"exit_code":2,"duration_seconds":0.1}}',
    ],
)
def test_where_the_log_says_nothing_the_text_tells(session: Session, text: str) -> None:
    session.tool("shell", json.dumps({"command": ["make"]}), text)
    session.tool("shell", json.dumps({"command": ["make"]}), text)
    assert [f.tokens for f in session.waste("failed_retry")] == [tokens(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Errors are handled in errors.py",
        "The log says: Exit code 1",
        "Exit code 0",
        '{"output":"Error: in a log","metadata":{"exit_code":0,"duration_seconds":0.1}}',
    ],
)
def test_text_that_is_no_failure(session: Session, text: str) -> None:
    session.tool("shell", json.dumps({"command": ["make"]}), text)
    session.tool("shell", json.dumps({"command": ["make"]}), text)
    assert session.waste("failed_retry") == []


class TestNot:
    @pytest.mark.parametrize(
        ("name", "arguments"),
        [
            ("Edit", {"file_path": "/w/a.py", "old_string": "x", "new_string": "y"}),
            ("Bash", {"command": "pip install pytest-cov"}),
            ("Bash", {"command": "git checkout main"}),
            ("Bash", {"command": "touch setup.cfg"}),
            ("Task", {"prompt": "Fix it"}),
            ("create_project", {"name": "w"}),
        ],
    )
    def test_something_may_have_changed(self, session: Session, name: str, arguments: Any) -> None:
        session.tool("Bash", TEST, FAILED, error=True)
        session.tool(name, arguments)
        session.tool("Bash", TEST, FAILED, error=True)
        assert session.waste("failed_retry") == []

    def test_a_change_that_failed_explains_nothing(self, session: Session) -> None:
        session.tool("Bash", TEST, FAILED, error=True)
        session.tool("Edit", {"file_path": "/w/a.py"}, "String to replace not found", error=True)
        session.tool("Bash", TEST, FAILED, error=True)
        assert len(session.waste("failed_retry")) == 1

    def test_it_fails_in_another_way(self, session: Session) -> None:
        session.tool("Bash", TEST, FAILED, error=True)
        session.tool("Bash", TEST, "Exit code 1\nImportError: cannot import name 'shape'", error=True)
        assert session.waste("failed_retry") == []

    def test_other_arguments(self, session: Session) -> None:
        session.tool("Bash", TEST, FAILED, error=True)
        session.tool("Bash", {"command": "pytest -q -x"}, FAILED, error=True)
        assert session.waste("failed_retry") == []

    def test_it_worked_in_between(self, session: Session) -> None:
        session.tool("Read", READ, MISSING, error=True)
        session.tool("Read", READ, "[metadata]")
        session.tool("Read", READ, MISSING, error=True)
        assert session.waste("failed_retry") == []

    def test_a_human_spoke_in_between(self, session: Session) -> None:
        session.tool("Read", READ, MISSING, error=True)
        session.say("I have created it, try again.")
        session.tool("Read", READ, MISSING, error=True)
        assert session.waste("failed_retry") == []

    @pytest.mark.parametrize(
        "text",
        [
            "The user doesn't want to proceed with this tool use. The tool use was rejected.",
            "[Request interrupted by user for tool use]",
            "<tool_use_error>Sibling tool call errored</tool_use_error>",
        ],
    )
    def test_it_was_not_let_run(self, session: Session, text: str) -> None:
        session.tool("Read", READ, text, error=True)
        session.tool("Read", READ, text, error=True)
        assert session.waste("failed_retry") == []

    def test_it_waits(self, session: Session) -> None:
        for _ in range(2):
            session.tool("Bash", {"command": "sleep 5 && curl -sf localhost:8080"}, "Exit code 7", error=True)
        assert session.waste("failed_retry") == []

    def test_both_were_asked_for_at_once(self, session: Session) -> None:
        session.answer(ToolCall("a", "Read", READ), ToolCall("b", "Read", READ))
        session.result(MISSING, "a", error=True)
        session.result(MISSING, "b", error=True)
        assert session.waste("failed_retry") == []

    def test_a_compaction_took_the_failure_away(self, session: Session) -> None:
        failure = session.tool("Read", READ, MISSING, error=True)
        session.answer()
        session.leave(failure, "compaction")
        session.tool("Read", READ, MISSING, error=True)
        assert session.waste("failed_retry") == []

    def test_the_log_says_that_it_worked(self, session: Session) -> None:
        session.tool("Bash", TEST, FAILED, error=False)
        session.tool("Bash", TEST, FAILED, error=False)
        assert session.waste("failed_retry") == []
