from __future__ import annotations

import pytest

from headroom_cli.tokens import get_tokenizer
from headroom_cli.waste.ansi_noise import NAME, spans
from headroom_cli.waste.base import scan_texts

COUNT = get_tokenizer().count_text


def flagged(text: str) -> int:
    hit = scan_texts([text], ["tool_result"], get_tokenizer())[0].get(NAME)
    return hit.tokens if hit else 0


@pytest.mark.parametrize(
    ("text", "noise"),
    [
        ("\x1b[1;31merror\x1b[0m: no", ["\x1b[1;31m", "\x1b[0m"]),
        ("\x1b[2K\x1b[1Gdone", ["\x1b[2K\x1b[1G"]),
        ("\x1b[?25lhidden\x1b[?25h", ["\x1b[?25l", "\x1b[?25h"]),
        ("\x1b]8;;https://example.org\x07link\x1b]8;;\x07", ["\x1b]8;;https://example.org\x07", "\x1b]8;;\x07"]),
        ("\x1b]0;title\x1b\\text", ["\x1b]0;title\x1b\\"]),
        ("\x1b(Btext\x1b7\x1b8", ["\x1b(B", "\x1b7\x1b8"]),
        ("10%\r20%\r100%\nnext", ["10%\r20%\r"]),
        ("one\r\ntwo\r\n", []),
        ("one\r\r\ntwo\r", []),
        ("a\rb\r\nc", ["a\r"]),
        ("⠋ build\n⠙ build\n", ["⠋", "⠙"]),
        ("\x1b[32m50%\x1b[0m\r100%", ["\x1b[32m50%\x1b[0m\r"]),
        ("plain", []),
    ],
)
def test_what_a_terminal_would_act_on(text: str, noise: list[str]) -> None:
    assert [text[start:end] for start, end in spans(text, COUNT)] == noise
    assert flagged(text) == (COUNT("".join(noise)) if noise else 0)


def test_offsets_are_characters() -> None:
    assert spans("é漢🚀\x1b[0m", COUNT) == [(3, 7)]
