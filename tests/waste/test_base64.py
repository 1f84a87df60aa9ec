from __future__ import annotations

import base64
import random

import pytest

from headroom_cli.tokens import get_tokenizer
from headroom_cli.waste.base import scan_texts
from headroom_cli.waste.base64 import NAME, is_base64, spans

COUNT = get_tokenizer().count_text
ENCODED = base64.b64encode(random.Random(7).randbytes(60)).decode()  # 80 characters, no padding
PADDED = base64.b64encode(random.Random(8).randbytes(61)).decode()  # 84 characters, `==`
WRAPPED = base64.encodebytes(random.Random(9).randbytes(114)).decode()  # two lines of 76 characters


def flagged(text: str) -> int:
    hit = scan_texts([text], ["tool_result"], get_tokenizer())[0].get(NAME)
    return hit.tokens if hit else 0


def test_figures_are_run_by_run() -> None:
    text = f"key: {ENCODED}\nkey: {PADDED}\n"
    assert flagged(text) == COUNT(ENCODED) + COUNT(PADDED)
    assert [text[start:end] for start, end in spans(text, COUNT)] == [ENCODED, PADDED]


def test_lines_of_mime_base64_are_runs() -> None:
    assert flagged(WRAPPED) == sum(map(COUNT, WRAPPED.split()))


@pytest.mark.parametrize(
    "text",
    [
        "/usr/local/lib/python3/site-packages/Some/Package/module/sub/file1",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855",
        "x" * 52,
        "thisIsAVeryLongIdentifierWithoutAnyDigitWhichIsNotEncoded" + "abc",
        ENCODED[:49],
        ENCODED[:-1],
        "A1b2" * 11 + "////" + "A1b2",
    ],
)
def test_other_long_words_are_not_base64(text: str) -> None:
    assert flagged(text) == 0


@pytest.mark.parametrize("run", ["A" * 50, "QUJD" * 13 + "Q", "0" * 61])
def test_data_urls_count_as_they_stand(run: str) -> None:
    text = f"<img src='data:image/png;base64,{run}'/>"
    assert flagged(text) == COUNT(run)
    assert spans(text, COUNT) == [(text.index(run), text.index(run) + len(run))]


def test_short_data_urls_are_left_alone() -> None:
    assert flagged("data:image/gif;base64,R0lGODlhAQABAAAAACw=") == 0


def test_slashes_are_fewer_than_one_in_25() -> None:
    assert is_base64("A1b+" * 12 + "A1/b")  # 1 in 52
    assert is_base64("A1b+" * 12 + "A//b")  # 2 in 52
    assert is_base64("A1b+" * 18 + "///b")  # 3 in 76
    assert not is_base64("A1b+" * 17 + "///b")  # 3 in 72


def test_offsets_are_characters() -> None:
    text = "é漢🚀 " + ENCODED
    assert spans(text, COUNT) == [(4, 84)]
    assert flagged(text) == COUNT(ENCODED)
