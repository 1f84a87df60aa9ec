from __future__ import annotations

import pytest

from headroom_cli.tokens import get_tokenizer
from headroom_cli.waste.base import scan_texts
from headroom_cli.waste.line_numbers import NAME, spans

COUNT = get_tokenizer().count_text


def numbered(first: int, last: int, form: str = "{:6}→") -> str:
    return "".join(form.format(number) + "code here\n" for number in range(first, last + 1))


def flagged(text: str) -> int:
    hit = scan_texts([text], ["tool_result"], get_tokenizer())[0].get(NAME)
    if hit:
        assert hit.avoidable == 0
    return hit.tokens if hit else 0


@pytest.mark.parametrize("form", ["{:6}→", "{:6}\t", "{}→", "{}\t"])
def test_prefixes_of_reads_and_cat(form: str) -> None:
    text = numbered(98, 103, form) + "\n<system-reminder>x</system-reminder>"
    prefixes = [form.format(number) for number in range(98, 104)]
    assert flagged(text) == sum(map(COUNT, prefixes))
    assert [text[start:end] for start, end in spans(text, COUNT)] == prefixes


def test_several_runs_in_one_text() -> None:
    text = numbered(1, 4) + "...\n" + numbered(40, 44) + numbered(7, 8)
    kept = [f"{number:6}→" for number in (1, 2, 3, 4, 40, 41, 42, 43, 44)]
    assert flagged(text) == sum(map(COUNT, kept))
    assert [text[start:end] for start, end in spans(text, COUNT)] == kept


@pytest.mark.parametrize(
    "text", [numbered(1, 2), "12\tapples\n7\tpears\n9\tplums\n", "1. one\n2. two\n3. three\n", "a.py:1: x\na.py:2: y\n"]
)
def test_other_numbers_are_not_line_numbers(text: str) -> None:
    assert flagged(text) == 0
    assert spans(text, COUNT) == []


def test_runs_do_not_reach_from_text_to_text() -> None:
    hits = scan_texts([numbered(1, 2), numbered(3, 4), numbered(5, 7)], ["user"] * 3, get_tokenizer())
    assert [NAME in hit for hit in hits] == [False, False, True]
