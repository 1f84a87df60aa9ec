from __future__ import annotations

import pytest

from headroom_cli.tokens import get_tokenizer
from headroom_cli.waste.base import scan_texts
from headroom_cli.waste.repetition import NAME, spans

COUNT = get_tokenizer().count_text


def flagged(text: str) -> int:
    hit = scan_texts([text], ["tool_result"], get_tokenizer())[0].get(NAME)
    return hit.tokens if hit else 0


LINES = [
    "2026-03-01T10:00:{:02}Z WARN retrying request",
    "warning: unused variable `count` in src/main.rs:{}",
    "commit 9f8e7d{:02} merged into the branch of release",
    "worker 0x7ffe{:04} has stopped responding",
    "   indented line that says the same thing",
]


@pytest.mark.parametrize("line", LINES)
def test_lines_beyond_the_third_are_flagged(line: str) -> None:
    lines = [line.format(number) + "\n" for number in range(10, 17)]
    text = "start\n" + "".join(lines)
    assert flagged(text) == COUNT("".join(lines[3:]))
    assert "".join(text[start:end] for start, end in spans(text, COUNT)) == "".join(lines[3:])


@pytest.mark.parametrize("line", LINES)
def test_three_times_are_free(line: str) -> None:
    assert flagged("".join(line.format(number) + "\n" for number in range(3))) == 0


def test_last_line_needs_no_newline() -> None:
    line = "the same line once again and again"
    text = "\n".join([line] * 5)
    assert spans(text, COUNT) == [(105, 140), (140, 174)]
    assert flagged(text) == COUNT(line + "\n" + line)


@pytest.mark.parametrize(
    "line",
    [
        "short line 1234",
        "}" * 30,
        "1.25, 3.50, 4.75, 8.00, 9.25, 1.125",
        "0xdeadbeef 0xfeedface 0xcafebabe 0x00",
        "-" * 40,
        "        return x",
    ],
)
def test_short_lines_and_rows_of_numbers_are_data(line: str) -> None:
    assert flagged(f"{line}\n" * 50) == 0


def test_lines_that_differ_in_a_word_differ() -> None:
    words = ["apple", "pears", "plums", "grape", "lemon", "melon"]
    assert flagged("".join(f"the basket holds some {word} now\n" for word in words)) == 0


def test_words_of_hexadecimal_letters_are_words() -> None:
    # Equal without hexadecimal digits, but not once masked.
    words = ["added", "faced", "decaf", "ceded", "faded", "caged"]
    assert flagged("".join(f"the function is {word} in this run\n" for word in words)) == 0


def test_lines_stand_between_others_and_offsets_are_characters() -> None:
    line = "é request 17 failed with a timeout\n"
    text = "".join(f"{word}\n{line}" for word in ["one", "two", "three", "four", "five"])
    found = spans(text, COUNT)
    assert [text[start:end] for start, end in found] == [line, line]
    assert found[0][0] == text.index("four") + 5


def test_lines_that_tell_something_new_are_flagged_but_not_avoidable() -> None:
    listing = "".join(f"-rw-r--r-- 1 dev dev {900 + n} Nov 12 10:{n:02} session-{n:04x}9b1c.jsonl\n" for n in range(8))
    ranges = "".join(f"acme/shop/basket.go:{n}.13{n},4{n}.2 3 1 covered\n" for n in range(10, 18))
    progress = "".join(f"2026-11-12 10:00:{n:02} uploading part {n} of 8 ({n * 12}%)\n" for n in range(8))
    found = scan_texts([listing, ranges, progress], ["tool_result"] * 3, get_tokenizer())
    hits = [hit["repetition"] for hit in found]
    assert [hit.tokens > 0 for hit in hits] == [True, True, True]
    assert [hit.avoidable for hit in hits[:2]] == [0, 0]
    assert hits[2].avoidable == hits[2].tokens
