from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.model import LeftBy, Part, Text, ToolCall, Waste
from headroom_cli.tokens import get_tokenizer
from headroom_cli.waste import reread
from tests.waste.session import Session

SOURCE = "\n".join(f"def {name}(self):\n    return self._{name}.copy()" for name in ("left", "right", "up", "down") * 4)
CHANGED = SOURCE.replace("copy", "clone")


class TestPasses:
    def test_same_content(self, session: Session) -> None:
        session.call(SOURCE, file_path="/w/shape.py")
        session.chat()
        session.call(SOURCE, "Bash", command="cat shape.py")
        (finding,) = session.found()
        assert (finding.block, finding.first_block, finding.cause) == (8, 2, "in_context")
        assert finding.tokens == get_tokenizer().count_text(SOURCE) + 4
        assert finding.request == 3

    def test_same_call_with_another_result(self, session: Session) -> None:
        session.call(SOURCE, file_path="/w/shape.py", limit=10)
        session.chat()
        session.call(CHANGED, limit=10, file_path="/w/shape.py")
        (finding,) = session.found()
        assert (finding.block, finding.first_block, finding.cause) == (8, 2, "changed")
        assert finding.avoidable_tokens == 0

    def test_a_repeat_counts_once_though_both_passes_see_it(self, session: Session) -> None:
        session.call(SOURCE, file_path="/w/shape.py")
        session.chat()
        session.call(SOURCE, file_path="/w/shape.py")
        assert [finding.block for finding in session.found()] == [8]

    @pytest.mark.parametrize(("rounds", "counted"), [(0, 0), (1, 1)])
    def test_three_steps_are_polling_and_four_are_not(self, session: Session, rounds: int, counted: int) -> None:
        session.call(SOURCE, file_path="/w/shape.py")
        session.answer(Text("Hm."))
        session.chat(rounds)
        session.call(SOURCE, file_path="/w/shape.py")  # steps apart: 3 and 5
        assert len(session.found()) == counted

    def test_polling_moves_the_serve_that_is_measured_from(self, session: Session) -> None:
        for _ in range(6):
            session.call(SOURCE, "Bash", command="make status")
        assert session.found() == []

    def test_gap_and_size_are_settings(self, session: Session) -> None:
        session.call(SOURCE, file_path="/w/shape.py")
        session.call(SOURCE, file_path="/w/shape.py")
        assert session.found() == []
        tokens = get_tokenizer().count_text(SOURCE) + 4
        assert [f.tokens for f in session.found(gap=1)] == [tokens]
        assert [f.tokens for f in session.found(gap=1, min_tokens=tokens)] == [tokens]
        assert session.found(gap=1, min_tokens=tokens + 1) == []

    def test_every_serve_but_the_first_counts(self, session: Session) -> None:
        for _ in range(4):
            session.call(SOURCE, file_path="/w/shape.py")
            session.chat()
        assert [(f.block, f.first_block) for f in session.found()] == [(8, 2), (14, 8), (20, 14)]

    def test_parallel_serves_are_one(self, session: Session) -> None:
        session.answer(ToolCall("a", "Read", {"file_path": "x"}), ToolCall("b", "Read", {"file_path": "x"}))
        session.result(SOURCE, "a")
        session.result(SOURCE, "b")
        assert session.found() == []

    def test_the_result_of_a_repeated_call_is_large_enough_or_not(self, session: Session) -> None:
        session.call(SOURCE, "Bash", command="make")
        session.chat()
        session.call("ok", "Bash", command="make")
        assert session.found() == []

    def test_results_of_no_call_are_grouped_too(self, session: Session) -> None:
        session.result(SOURCE, "gone_1")
        session.chat()
        session.result(SOURCE, "gone_2")
        (finding,) = session.found()
        assert (finding.cause, finding.request) == ("in_context", None)


class TestCauses:
    @pytest.mark.parametrize(
        ("left_by", "cause"),
        [
            ("compaction", "compacted"),
            ("rollback", "compacted"),
            ("rewind", "compacted"),
            ("clear", "cleared"),
            ("replacement", "cleared"),
        ],
    )
    def test_out_of_the_context(self, session: Session, left_by: LeftBy, cause: str) -> None:
        first = session.call(SOURCE, file_path="/w/shape.py")
        session.chat()
        session.leave(first, left_by)
        session.call(SOURCE, file_path="/w/shape.py")
        assert session.cause() == cause

    def test_what_leaves_after_the_repeat_was_still_there(self, session: Session) -> None:
        first = session.call(SOURCE, file_path="/w/shape.py")
        session.chat()
        session.call(SOURCE, file_path="/w/shape.py")
        session.leave(first, "compaction")
        session.chat()
        assert session.cause() == "in_context"

    def test_any_earlier_serve_in_the_context_will_do(self, session: Session) -> None:
        session.call(SOURCE, file_path="/w/shape.py")
        session.chat()
        second = session.call(SOURCE, file_path="/w/shape.py")
        session.chat()
        session.leave(second, "clear")
        session.call(SOURCE, file_path="/w/shape.py")
        assert [(f.cause, f.first_block) for f in session.found()] == [("in_context", 2), ("in_context", 2)]

    def test_a_serve_that_came_back_with_its_branch(self, session: Session) -> None:
        first = session.call(SOURCE, file_path="/w/shape.py")
        session.chat()
        session.leave(first, "rewind")
        session.call(SOURCE, file_path="/w/shape.py")
        last = session.log.messages[-1].parts[0]
        session.chat()
        session.leave(last, "rewind")
        session.tracker.enter([first])
        session.call(SOURCE, file_path="/w/shape.py")
        assert [(f.cause, f.first_block) for f in session.found()] == [("compacted", 2), ("in_context", 2)]

    def test_cleared_in_place(self, session: Session) -> None:
        session.call("[Old tool result content cleared]", "Bash", command="make")
        session.chat()
        session.call(SOURCE, "Bash", command="make")
        assert session.cause() == "cleared"

    @pytest.mark.parametrize(
        "marker", ["Retrieve more: hash=ab12", "Retrieve original: hash=ab12", "<<ccr:ab12,string,4.5KB>>"]
    )
    def test_compressed(self, session: Session, marker: str) -> None:
        session.call(f"[412 items compressed to 20. {marker}]", "Bash", command="make")
        session.chat()
        session.call(SOURCE, "Bash", command="make")
        assert session.cause() == "compressed"

    def test_replaced_by_a_compressed_result(self, session: Session) -> None:
        first = session.call(SOURCE, "Bash", command="make")
        session.chat()
        session.leave(first, "replacement")
        session.result("[compressed. Retrieve more: hash=ab12]", "toolu_1")
        session.call(SOURCE, "Bash", command="make")
        assert session.cause() == "compressed"

    def test_the_earlier_call_had_no_result(self, session: Session) -> None:
        session.answer(ToolCall("lost", "Bash", {"command": "make"}))
        session.say("Interrupted. Again.")
        session.chat()
        session.call(SOURCE, "Bash", command="make")
        (finding,) = session.found()
        assert (finding.cause, finding.first_block) == ("unanswered", None)

    def test_the_earlier_result_came_later(self, session: Session) -> None:
        session.answer(ToolCall("slow", "Bash", {"command": "make"}))
        session.chat()
        session.call(SOURCE, "Bash", command="make")
        session.chat()
        session.result(CHANGED, "slow")
        assert session.cause() == "unanswered"


class TestChanges:
    @pytest.mark.parametrize(
        ("name", "arguments"),
        [
            ("Edit", {"file_path": "/w/shape.py", "old_string": "copy", "new_string": "clone"}),
            ("Write", {"file_path": "/w/shape.py", "content": "x"}),
            ("MultiEdit", {"file_path": "/w/./shape.py", "edits": []}),
            ("str_replace_based_edit_tool", {"command": "str_replace", "path": "/w/shape.py"}),
            ("apply_patch", {"input": "*** Begin Patch\n*** Update File: shape.py\n@@\n-a\n+b\n*** End Patch"}),
            ("shell", {"command": ["apply_patch", "*** Begin Patch\n*** Update File: w/shape.py\n*** End Patch"]}),
            ("shell", {"command": ["bash", "-lc", "cat gen.py > /w/shape.py"]}),
            ("Bash", {"command": "echo x >> shape.py"}),
            ("Bash", {"command": "sed -i 's/copy/clone/' shape.py"}),
        ],
    )
    @pytest.mark.parametrize("text", [SOURCE, CHANGED])
    def test_written_in_between(self, session: Session, name: str, arguments: dict[str, Any], text: str) -> None:
        session.call(SOURCE, file_path="/w/shape.py")
        session.call("ok", name, **arguments)
        session.chat()
        session.call(text, file_path="/w/shape.py")
        assert session.cause() == "after_change"

    @pytest.mark.parametrize(
        ("name", "arguments", "error"),
        [
            ("Edit", {"file_path": "/w/other.py"}, None),
            ("Edit", {"file_path": "/w/shape.py"}, True),
            ("str_replace_based_edit_tool", {"command": "view", "path": "/w/shape.py"}, None),
            ("Bash", {"command": "make 2>&1 > /dev/null"}, None),
            ("Bash", {"command": "wc -l shape.py"}, None),
        ],
    )
    def test_not_written(self, session: Session, name: str, arguments: dict[str, Any], error: bool | None) -> None:
        session.call(SOURCE, file_path="/w/shape.py")
        session.call("ok", name, error=error, **arguments)
        session.chat()
        session.call(SOURCE, file_path="/w/shape.py")
        assert session.cause() == "in_context"

    def test_written_before_or_after_does_not_matter(self, session: Session) -> None:
        session.call("ok", "Edit", file_path="/w/shape.py")
        session.call(SOURCE, file_path="/w/shape.py")
        session.chat()
        session.call(SOURCE, file_path="/w/shape.py")
        session.call("ok", "Edit", file_path="/w/shape.py")
        assert session.cause() == "in_context"

    def test_a_change_comes_before_compaction(self, session: Session) -> None:
        first = session.call(SOURCE, file_path="/w/shape.py")
        session.call("ok", "Edit", file_path="/w/shape.py")
        session.chat()
        session.leave(first, "compaction")
        session.call(SOURCE, file_path="/w/shape.py")
        assert session.cause() == "after_change"


def test_thousands_of_repeats_are_not_quadratic() -> None:
    session = Session()
    for number in range(3_000):
        serve = session.call(SOURCE, file_path="/w/shape.py")
        session.call("ok", "Edit", file_path="/w/shape.py")
        session.chat(1)
        if number % 2:
            session.leave(serve, "clear")
    assert len(session.found()) == 2_999


moves = st.lists(
    st.tuples(
        st.sampled_from(["read", "edit", "say", "clear", "compact", "lost"]),
        st.sampled_from(["a.py", "b.py"]),
        st.sampled_from([SOURCE, CHANGED, "small"]),
    ),
    max_size=25,
)


@settings(deadline=None, max_examples=60)
@given(moves)
def test_findings_are_results_once_each_with_a_known_cause(history: list[tuple[str, str, str]]) -> None:
    session = Session()
    results: list[Part] = []
    for move, path, text in history:
        if move == "read":
            results.append(session.call(text, file_path=path))
        elif move == "edit":
            session.call("ok", "Edit", file_path=path)
        elif move == "say":
            session.chat(1)
        elif move == "lost":
            session.answer(ToolCall(None, "Read", {"file_path": path}))
        elif results:
            session.leave(results[-1], "clear" if move == "clear" else "compaction")
    found = session.found()
    assert len({finding.block for finding in found}) == len(found)
    for finding in found:
        assert finding.tokens >= reread.MIN_TOKENS
        assert finding.cause in ("in_context", "after_change", "cleared", "compacted", "changed", "unanswered")
        assert finding.first_block is None or finding.first_block < finding.block


class TestContent:
    """What of a repeat that differs could have been spared."""

    LINES = tuple(f"{name}: ready since monday morning" for name in "abcdefghij")

    def repeat(
        self,
        session: Session,
        later: Iterable[str],
        between: dict[str, Any] | None = None,
        command: str = "cat status.txt",
    ) -> Waste:
        session.call("\n".join(self.LINES), "Bash", command=command)
        session.chat()
        if between:
            session.call("done", **between)
        session.call("\n".join(later), "Bash", command=command)
        (finding,) = session.found()
        return finding

    def test_one_line_of_ten_is_new(self, session: Session) -> None:
        finding = self.repeat(session, [*self.LINES[:9], "j: failed since monday evening!"])
        assert (finding.cause, finding.confidence) == ("in_context", "medium")
        # Nine lines of 31 characters stood there before, of 310 in all.
        assert finding.avoidable_tokens == int(finding.tokens * 0.9)

    def test_three_lines_of_ten_are_news(self, session: Session) -> None:
        finding = self.repeat(session, [*self.LINES[:7], *["failed, see the log of the worker"] * 3])
        assert (finding.cause, finding.avoidable_tokens) == ("changed", 0)

    @pytest.mark.parametrize(
        "between",
        [
            {"name": "Bash", "command": "git fetch && git rebase origin/main"},
            {"name": "Bash", "command": "ruff format src"},
            {"name": "Task", "prompt": "Write the tests"},
        ],
    )
    def test_what_may_have_written_anything_explains_a_difference(
        self, session: Session, between: dict[str, Any]
    ) -> None:
        finding = self.repeat(session, [*self.LINES[:9], "j: failed since monday evening!"], between)
        assert (finding.cause, finding.avoidable_tokens) == ("after_change", 0)

    def test_equal_content_tells_that_nothing_was_written(self, session: Session) -> None:
        finding = self.repeat(session, self.LINES, {"name": "Bash", "command": "git checkout main"})
        assert (finding.cause, finding.confidence) == ("in_context", "high")
        assert finding.avoidable_tokens == finding.tokens

    def test_a_command_that_answers_otherwise_brought_news(self, session: Session) -> None:
        finding = self.repeat(session, [*self.LINES[:9], "j: failed since monday evening!"], command="./status.sh")
        assert (finding.cause, finding.avoidable_tokens) == ("changed", 0)

    def test_times_and_counters_are_no_news(self, session: Session) -> None:
        session.call("\n".join(f"ok  {line} in 1.2s" for line in self.LINES), "Bash", command="make test")
        session.chat()
        session.call("\n".join(f"ok  {line} in 14.07s" for line in self.LINES), "Bash", command="make test")
        (finding,) = session.found()
        assert (finding.cause, finding.confidence) == ("in_context", "medium")
        assert finding.avoidable_tokens == finding.tokens

    @pytest.mark.parametrize("command", ["make test", "git diff --stat", "pytest -q tests/test_shape.py"])
    def test_a_test_after_a_write_is_work_even_if_it_says_the_same(self, session: Session, command: str) -> None:
        finding = self.repeat(session, self.LINES, {"name": "Edit", "file_path": "/w/shape.py"}, command)
        assert (finding.cause, finding.avoidable_tokens) == ("after_change", 0)

    def test_a_search_after_a_write_is_work_a_page_of_the_web_is_not(self, session: Session) -> None:
        for name in ("Grep", "WebFetch"):
            session.call(name + "\n".join(self.LINES), name, query="area")
        session.chat()
        session.call("ok", "Edit", file_path="/w/shape.py")
        for name in ("Grep", "WebFetch"):
            session.call(name + "\n".join(self.LINES), name, query="area")
        assert [finding.cause for finding in session.found()] == ["after_change", "in_context"]

    def test_a_test_without_a_write_between_is_a_repeat(self, session: Session) -> None:
        finding = self.repeat(session, self.LINES, {"name": "Read", "file_path": "/w/shape.py"}, "make test")
        assert (finding.cause, finding.avoidable_tokens) == ("in_context", finding.tokens)
