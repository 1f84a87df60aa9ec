from __future__ import annotations

import pytest

from headroom_cli.tokens import get_tokenizer
from headroom_cli.waste.base import scan_texts
from headroom_cli.waste.whitespace import NAME, spans

COUNT = get_tokenizer().count_text


def flagged(text: str) -> int:
    hit = scan_texts([text], ["tool_result"], get_tokenizer())[0].get(NAME)
    return hit.tokens if hit else 0


# o200k_base has tokens for 1 to 79 blanks, 1 to 20 tabs and 1 to 10 newlines.
@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("col            col\n\n\n\n\ncol", 0),
        ("a" + " " * 79 + "b", 0),
        ("a" + " " * 80 + "b", 1),
        ("a" + "\t" * 20 + "b", 0),
        ("a" + "\t" * 21 + "b", 1),
        ("a" + "\n" * 10 + "b", 0),
        ("a" + "\n" * 11 + "b", 1),
        (("a" + "\n" * 11) * 3, 3),
        ("no runs   here\n\n", 0),
    ],
)
def test_cost_beyond_the_first_character(text: str, tokens: int) -> None:
    assert flagged(text) == tokens


def test_mixed_blanks_and_tabs_are_one_run() -> None:
    run = " \t" * 10
    text = f"a{run}b"
    assert flagged(text) == COUNT(run) - COUNT(" ") > 0
    assert spans(text, COUNT) == [(1, 21)]


def test_runs_that_cost_nothing_are_not_spans() -> None:
    text = "é" + " " * 8 + "x" + " " * 100
    assert spans(text, COUNT) == [(10, 110)]
    assert flagged(text) == COUNT(" " * 100) - 1
