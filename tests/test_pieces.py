from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headroom_cli import pieces
from headroom_cli.pieces import O200K_PIECE, Pieces, extract_all
from headroom_cli.tokens import RUN_LIMIT, Tokenizer
from tests.test_tokens import backend

TRICKY = "aAbB1é漢\u0301\u00aa²Ⅷ \t\n\r\x0b\u0085\u00a0\u2028\u3000\x1c_/'(\"→🚀\u0130ß"
WORDS = [
    "don't",
    "it'S",
    "HTTPServer",
    "camelCase",
    "  ",
    "\r\n",
    "};\n/",
    "1234567",
    "x'",
    " 's",
    "→import",
    "été",
    "漢字",
]


def alone(text: str) -> int:
    return backend("tiktoken").count_text(text)


@settings(max_examples=1000, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text("a1(⚠\ufe0f\n/ ", max_size=12),
            st.text("aB\u0301' \t\n", max_size=12),
            st.text("漢é²a.\u2028\u3000 \n", max_size=12),
            st.text(TRICKY, max_size=60),
            st.text(max_size=40),
            st.lists(st.sampled_from(WORDS)).map("".join),
        ),
        min_size=1,
        max_size=8,
    )
)
@example(["", "a", ""])
@example([" ⚠\ufe0f\n", "(\u0301\n \n"])
@example(["a  \n b", "a \t b", "  (x", "\u0301\u0301A\u0301", "'s's't"])
def test_pieces_add_up_to_the_tokens_of_their_text(texts: list[str]) -> None:
    assert Pieces(alone).count_many(texts) == list(map(alone, texts))


@settings(max_examples=300, deadline=None)
@given(st.text(TRICKY, max_size=200))
def test_a_text_is_cut_into_all_of_its_pieces(text: str) -> None:
    import polars as pl

    (found,) = extract_all(pl.Series([text]), O200K_PIECE)
    assert "".join(found) == text


@pytest.mark.parametrize("plane", range(0, 0x30000, 0x8000))
def test_letters_of_all_scripts(plane: int) -> None:
    """A class of characters that Polars and tiktoken saw otherwise would move a cut."""
    characters = [chr(code) for code in range(plane, plane + 0x8000) if not 0xD800 <= code < 0xE000]
    texts = [
        "".join(f"a{c}B1{c} {c}\n{c}{c}  {c}/'s {c}" for c in characters[start : start + 64])
        for start in range(0, len(characters), 64)
    ]
    assert Pieces(alone).count_many(texts) == list(map(alone, texts))


class Counting:
    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, text: str) -> int:
        self.seen.append(text)
        return alone(text)


def test_each_piece_is_counted_once() -> None:
    count = Counting()
    counted = Pieces(count)
    assert counted.count_many(["the cat", "the dog  the cat"]) == [2, 5]
    assert sorted(count.seen) == ["  the", " cat", " dog", "the"]
    assert counted.count_many(["the cat", " dog"]) == [2, 1]
    assert len(count.seen) == 4


def test_texts_that_repeat_little_are_counted_whole() -> None:
    noise = random.Random(5)
    texts = [" ".join(f"{noise.randrange(10**6):06}x" for _ in range(1000)) for _ in range(3)]
    whole = ["".join(chr(noise.randrange(0x4E00, 0x9FA5)) + "。" for _ in range(900)) for _ in range(2)]
    count = Counting()
    counted = Pieces(count)
    assert counted.count_many(whole) == list(map(alone, whole))
    assert count.seen == whole
    assert counted.count_many(texts) == list(map(alone, texts))


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "_KEPT_CHARACTERS", 10)
    count = Counting()
    counted = Pieces(count)
    for _ in range(2):
        assert counted.count_many(["some words here"]) == [3]
    assert count.seen == ["some", " words", " here"] * 2


def test_many_long_and_broken_texts_count_as_they_do_alone() -> None:
    tokenizer: Tokenizer = backend("tiktoken")
    texts = ["x" * (RUN_LIMIT + 5) + " end", "a\ud800b", "", "\ud83d\ude00! " * 3000, " " * (2 * RUN_LIMIT)]
    assert tokenizer.count_many(texts) == list(map(tokenizer.count_text, texts))
