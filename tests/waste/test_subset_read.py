from __future__ import annotations

import json
from typing import Any

import pytest

from headroom_cli.model import LeftBy, ToolCall
from tests.waste.session import Session, numbered, source, tokens

READ = {"file_path": "/w/shape.py"}
EDIT = {"file_path": "/w/shape.py", "old_string": "self.side_3", "new_string": "self.left"}


def read_all(session: Session) -> None:
    session.tool("Read", READ, numbered(1, 40))


def read_part(session: Session) -> None:
    session.tool("Read", {**READ, "offset": 21, "limit": 10}, numbered(21, 30))


def test_a_part_of_what_stands_before(session: Session) -> None:
    read_all(session)
    session.chat()
    read_part(session)
    (finding,) = session.waste("subset_read")
    assert (finding.block, finding.first_block, finding.request, finding.cause) == (8, 2, 3, None)
    assert finding.tokens == finding.exclusive_tokens == finding.avoidable_tokens == tokens(numbered(21, 30))
    assert finding.confidence == "high"


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("Bash", {"command": "sed -n '21,30p' shape.py"}, source(21, 30)),
        ("Bash", {"command": "cd /w && head -30 shape.py | tail -10"}, source(21, 30)),
        ("Bash", {"command": "nl -ba /w/shape.py | sed -n '21,30p'"}, numbered(21, 30).replace("→", "\t")),
        (
            "shell",
            json.dumps({"command": ["bash", "-lc", "sed -n 21,30p shape.py"], "workdir": "/w"}),
            json.dumps({"output": source(21, 30), "metadata": {"exit_code": 0}}, separators=(",", ":")),
        ),
        ("str_replace_editor", {"command": "view", "path": "/w/shape.py", "view_range": [21, 30]}, numbered(21, 30)),
        (
            "Read",
            {**READ, "offset": 21, "limit": 10},
            f"{numbered(21, 30)}\n\n<system-reminder>\nx\n</system-reminder>\n",
        ),
    ],
)
def test_whatever_reads(session: Session, name: str, arguments: Any, text: str) -> None:
    read_all(session)
    session.tool(name, arguments, text)
    (finding,) = session.waste("subset_read")
    assert (finding.avoidable_tokens, finding.confidence) == (tokens(text), "high")


def test_a_search_also_tells_where_nothing_matches(session: Session) -> None:
    read_all(session)
    text = "\n".join(f"{number}:{source(number, number)}" for number in range(7, 15))
    session.tool("Grep", {"pattern": "side", "path": "/w/shape.py", "output_mode": "content", "-n": True}, text)
    (finding,) = session.waste("subset_read")
    assert (finding.tokens, finding.avoidable_tokens, finding.confidence) == (tokens(text), 0, "low")


def test_who_asks_for_numbers_that_were_not_there_may_need_them(session: Session) -> None:
    session.tool("Bash", {"command": "cat /w/shape.py"}, source(1, 40))
    text = numbered(21, 30).replace("→", "\t")
    session.tool("Bash", {"command": "nl -ba /w/shape.py | sed -n 21,30p"}, text)
    (finding,) = session.waste("subset_read")
    assert (finding.tokens, finding.avoidable_tokens, finding.confidence) == (tokens(text), 0, "low")


def test_the_latest_of_several_larger_reads_is_the_evidence(session: Session) -> None:
    read_all(session)
    session.tool("Read", {**READ, "offset": 11, "limit": 25}, numbered(11, 35))
    read_part(session)
    assert [(f.block, f.first_block) for f in session.waste("subset_read")] == [(4, 2), (6, 4)]


class TestNot:
    def test_lines_beyond_the_earlier_read(self, session: Session) -> None:
        session.tool("Read", {**READ, "limit": 25}, numbered(1, 25))
        read_part(session)
        assert session.waste("subset_read") == []

    def test_two_reads_that_hold_it_only_together(self, session: Session) -> None:
        session.tool("Read", {**READ, "limit": 25}, numbered(1, 25))
        session.tool("Read", {**READ, "offset": 26}, numbered(26, 40))
        read_part(session)
        assert session.waste("subset_read") == []

    def test_another_file_with_the_same_lines(self, session: Session) -> None:
        session.tool("Read", {"file_path": "/w/old/shape.py"}, numbered(1, 40))
        read_part(session)
        assert session.waste("subset_read") == []

    def test_the_same_lines_at_other_numbers(self, session: Session) -> None:
        read_all(session)
        moved = "\n".join(f"{number:6}→{source(number - 1, number - 1)}" for number in range(22, 32))
        session.tool("Read", {**READ, "offset": 22, "limit": 10}, moved)
        assert session.waste("subset_read") == []

    def test_one_line_differs(self, session: Session) -> None:
        read_all(session)
        session.tool("Read", {**READ, "offset": 21, "limit": 10}, numbered(21, 30).replace("side_27", "side_x"))
        assert session.waste("subset_read") == []

    @pytest.mark.parametrize(
        ("name", "arguments"),
        [
            ("Edit", EDIT),
            ("Write", {"file_path": "/w/shape.py", "content": "x"}),
            ("Bash", {"command": "sed -i s/a/b/ shape.py"}),
            ("Bash", {"command": "git checkout main"}),
            ("Bash", {"command": "mise run fmt"}),
            ("Task", {"prompt": "Tidy up"}),
        ],
    )
    def test_something_may_have_changed_the_file(self, session: Session, name: str, arguments: Any) -> None:
        read_all(session)
        session.tool(name, arguments)
        read_part(session)
        assert session.waste("subset_read") == []

    def test_an_edit_that_failed_asks_for_a_fresh_look(self, session: Session) -> None:
        read_all(session)
        session.tool("Edit", EDIT, "<tool_use_error>File has been modified since read</tool_use_error>", error=True)
        read_part(session)
        assert session.waste("subset_read") == []

    def test_an_edit_of_another_file_does_not_matter(self, session: Session) -> None:
        read_all(session)
        session.tool("Edit", {**EDIT, "file_path": "/w/circle.py"})
        read_part(session)
        assert len(session.waste("subset_read")) == 1

    @pytest.mark.parametrize("left_by", ["compaction", "rewind", "clear"])
    def test_the_earlier_read_is_gone(self, session: Session, left_by: LeftBy) -> None:
        earlier = session.tool("Read", READ, numbered(1, 40))
        session.chat()
        session.leave(earlier, left_by)
        read_part(session)
        assert session.waste("subset_read") == []

    def test_both_were_asked_for_at_once(self, session: Session) -> None:
        session.answer(ToolCall("a", "Read", READ), ToolCall("b", "Read", {**READ, "offset": 21, "limit": 10}))
        session.result(numbered(1, 40), "a")
        session.result(numbered(21, 30), "b")
        assert session.waste("subset_read") == []

    def test_small_ones(self, session: Session) -> None:
        read_all(session)
        session.tool("Read", {**READ, "offset": 21, "limit": 2}, numbered(21, 22))
        assert session.waste("subset_read") == []

    def test_errors(self, session: Session) -> None:
        session.tool("Read", READ, numbered(1, 40), error=True)
        read_part(session)
        assert session.waste("subset_read") == []

    def test_equal_reads_are_rereads(self, session: Session) -> None:
        read_all(session)
        session.chat()
        read_all(session)
        assert session.waste("subset_read") == []


def test_a_thousand_reads_of_one_file_take_no_time(session: Session) -> None:
    for number in range(1000):
        session.tool("Read", {**READ, "offset": number, "limit": 9}, numbered(number, number + 8))
    assert session.waste("subset_read") == []
