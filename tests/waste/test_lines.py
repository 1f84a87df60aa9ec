"""Lines of files in results, free of numbers and wrappers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.waste.lines import Lines, may_hold, plain_lines, shown_lines, shown_text, some_lines

NAMES = [f"    self.{name} = {name}  # as it was given" for name in ("left", "right", "top", "bottom", "depth", "hue")]
SOURCE = "\n".join(NAMES)
STRIPPED = [name.strip() for name in NAMES]
REMINDER = "\n\n<system-reminder>\nConsider whether it would be considered malware.\n</system-reminder>\n"


def read(first: int, lines: list[str]) -> str:
    return "\n".join(f"{number:6}→{line}" for number, line in enumerate(lines, first))


class TestShown:
    @pytest.mark.parametrize(
        "text",
        [
            SOURCE,
            f"{SOURCE}\n\n",
            json.dumps({"output": SOURCE, "metadata": {"exit_code": 0}}, separators=(",", ":")),
            f"Chunk ID: 5b\nWall time: 0.05 seconds\nProcess exited with code 0\nOutput:\n{SOURCE}",
            SOURCE.replace("\n", "\r\n"),
        ],
    )
    def test_numbers_follow_from_the_first(self, text: str) -> None:
        lines = shown_lines(text, 10)
        assert lines.texts == STRIPPED
        assert lines.by_number == dict(enumerate(STRIPPED, 10))
        assert not lines.numbered

    @pytest.mark.parametrize(
        "text",
        [
            read(40, NAMES),
            read(40, NAMES) + REMINDER,
            read(40, NAMES).replace("→", "\t"),
            f"Here's the result of running `cat -n` on /w/a.py:\n{read(40, NAMES)}",
        ],
    )
    def test_numbers_in_the_text_tell_more(self, text: str) -> None:
        lines = shown_lines(text, 1)
        assert (lines.texts, lines.by_number) == (STRIPPED, dict(enumerate(STRIPPED, 40)))
        assert lines.numbered

    def test_matches_as_grep_writes_them(self) -> None:
        lines = shown_lines("7:first = 1\n8-second = 2\n--\n20:third = 3", None, matches=True)
        assert lines.by_number == {7: "first = 1", 8: "second = 2", 20: "third = 3"}
        assert shown_lines("first = 1\n--\nthird = 3", None, matches=True) == Lines(["first = 1", "third = 3"])
        assert shown_lines("7:first = 1", None).by_number is None

    def test_text_that_only_looks_wrapped(self) -> None:
        assert shown_text('{"output": no json') == '{"output": no json'
        assert shown_text('{"output":5}') == '{"output":5}'
        assert shown_text("Wall time: 5") == "Wall time: 5"
        assert shown_text("a\nOutput:\nb") == "a\nOutput:\nb"
        assert shown_text("see </system-reminder> here") == "see </system-reminder> here"


class TestWithin:
    def test_numbers_must_agree_where_both_are_known(self) -> None:
        assert shown_lines(SOURCE, 1).within(shown_lines(f"import os\n{SOURCE}", None))
        assert not shown_lines(SOURCE, 1).within(shown_lines(f"import os\n{SOURCE}", 1))
        assert shown_lines(SOURCE, 2).within(shown_lines(f"import os\n{SOURCE}", 1))
        assert shown_lines(read(2, NAMES), 1).within(shown_lines(f"import os\n{SOURCE}", 1))

    def test_every_line_must_be_there(self) -> None:
        assert plain_lines(SOURCE).within(plain_lines("\n\n".join(reversed(NAMES))))
        assert not plain_lines(f"{SOURCE}\nimport os").within(plain_lines(SOURCE))

    def test_closing_brackets_are_in_nothing(self) -> None:
        text = "x" * 199
        assert not plain_lines(text).within(plain_lines(text))
        assert plain_lines(text + "x").within(plain_lines(text + "x"))


lines_of_code = st.lists(st.sampled_from([*NAMES, "", "}", "--", "    return 12:30", "→", "7\tseven"]), max_size=30)


@given(lines_of_code, st.integers(0, 20), st.integers(0, 20), st.booleans(), st.booleans())
def test_a_sample_never_rules_out_what_is_there(
    lines: list[str], start: int, length: int, numbered: bool, later_numbered: bool
) -> None:
    part = lines[start : start + length]
    whole = read(1, lines) if numbered else "\n".join(lines)
    later = read(start + 1, part) + REMINDER if later_numbered else "\n".join(part)
    if shown_lines(later, start + 1).within(shown_lines(whole, 1)):
        assert may_hold(whole, some_lines(later))


@given(
    st.lists(st.sampled_from([*NAMES, 'say("\\t")', "\tü = 'é'", "a\x1b[0m/b", "7\tseven"]), max_size=9), st.booleans()
)
def test_nor_where_the_client_put_json_around(lines: list[str], ascii_only: bool) -> None:
    part = "\n".join(lines[2:6])
    whole = json.dumps({"output": "\n".join(lines)}, separators=(",", ":"), ensure_ascii=ascii_only)
    assert may_hold(whole, some_lines(part))
    assert may_hold(whole, some_lines(json.dumps({"output": part}, separators=(",", ":"))))
    assert not may_hold(whole, ["def area(self):"])


@given(st.text(max_size=200), st.booleans())
def test_nothing_raises(text: str, matches: bool) -> None:
    lines = shown_lines(text, 1, matches=matches)
    assert all(line and line == line.strip() for line in lines.texts)
    assert len(some_lines(text)) <= 3
