from __future__ import annotations

import json
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.tokens import get_tokenizer
from headroom_cli.waste.base import Hit, scan_texts
from headroom_cli.waste.claims import claim, detect
from headroom_cli.waste.spans import Span, merge, subtract

COUNT = get_tokenizer().count_text


def test_one_signal_claims_its_figure() -> None:
    text = "\x1b[31mred\x1b[0m"
    tokens = COUNT("\x1b[31m\x1b[0m")
    claims = detect([text], ["tool_result"], [COUNT(text) + 4], get_tokenizer())[0]
    assert [(c.signal, c.tokens, c.exclusive, c.avoidable) for c in claims] == [("ansi_noise", tokens, tokens, tokens)]


def test_base64_in_a_tag_is_claimed_once() -> None:
    encoded = "Ab1+" * 20
    text = f'<img src="data:image/png;base64,{encoded}">'
    claims = detect([text], ["tool_result"], [COUNT(text) + 4], get_tokenizer())[0]
    assert [(c.signal, c.tokens, c.exclusive) for c in claims] == [
        ("base64", COUNT(encoded), COUNT(encoded)),
        ("html_noise", COUNT(text), COUNT('<img src="data:image/png;base64,">')),
    ]


def test_json_bloat_saves_at_most_what_is_its_own() -> None:
    text = json.dumps([{"name": f"<b>{i}</b>", "value": i} for i in range(60)], indent=4)
    html, bloat = (
        c for c in detect([text], ["user"], [COUNT(text) + 4], get_tokenizer())[0] if c.signal != "repetition"
    )
    assert (html.signal, bloat.signal) == ("html_noise", "json_bloat")
    assert html.exclusive == html.tokens == COUNT("<b></b>" * 60)
    assert bloat.tokens == COUNT(text)
    assert bloat.avoidable <= bloat.exclusive <= bloat.tokens
    assert html.exclusive + bloat.exclusive <= COUNT(text) + 4


def test_a_block_gives_no_more_than_it_has() -> None:
    text = "<p>" * 10
    assert claim({"html_noise": Hit(30, 30)}, text, 12, COUNT) == [("html_noise", 30, 12, 12, "high", None)]
    assert claim({"html_noise": Hit(30, 30)}, text, 0, COUNT) == [("html_noise", 30, 0, 0, "high", None)]


def test_markup_of_a_numbered_file_is_not_avoidable() -> None:
    page = "".join(f"{number:6}→<li>item {number}</li>\n" for number in range(1, 9))
    html, numbers = detect([page], ["tool_result"], [COUNT(page) + 4], get_tokenizer())[0]
    assert (html.signal, html.exclusive, html.avoidable, html.confidence) == (
        "html_noise",
        COUNT("<li></li>" * 8),
        0,
        "low",
    )
    assert (numbers.signal, numbers.confidence) == ("line_numbers", "high")


def test_nothing_found_is_nothing_claimed() -> None:
    assert detect([], [], [], get_tokenizer()) == []
    assert detect(["plain text", ""], ["user", "user"], [6, 0], get_tokenizer()) == [[], []]


def test_at_risk_is_handed_on() -> None:
    text = "Today is 2026-11-30. Be brief."
    (found,) = detect([text], ["system"], [COUNT(text) + 4], get_tokenizer())[0]
    assert (found.signal, found.tokens, found.avoidable) == ("dynamic_date", COUNT("2026-11-30"), 0)
    assert found.at_risk == COUNT(". Be brief.")


PIECES = st.sampled_from(
    [
        "<div class='a'>",
        "<!-- note -->",
        "\x1b[31m",
        "10%\r",
        "    \t\t    \t",
        "\n\n\n\n\n",
        "   12→",
        "a line that is long enough to count\n",
        "<p>another line, marked up, that is long</p>\n",
        ";base64," + "QUJD" * 20,
        "Zm9v1" * 16,
        json.dumps([{"id": i, "text": "<i>some</i>    words"} for i in range(40)], indent=1),
        "words ",
        "é漢",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(PIECES, st.integers(1, 6)), min_size=1, max_size=10), st.integers(0, 50))
def test_claims_never_exceed_the_block(pieces: list[tuple[str, int]], framing: int) -> None:
    text = "".join(piece * times for piece, times in pieces)
    tokens = COUNT(text) + framing
    claims = detect([text], ["tool_result"], [tokens], get_tokenizer())[0]
    assert sum(c.exclusive for c in claims) <= tokens
    for c in claims:
        assert 0 <= c.avoidable <= c.exclusive <= c.tokens
    if claims:
        assert claims[0].exclusive == min(claims[0].tokens, tokens)


@settings(max_examples=30, deadline=None)
@given(st.lists(PIECES, min_size=2, max_size=6))
def test_claims_do_not_depend_on_the_order_of_hits(pieces: list[str]) -> None:
    text = "".join(pieces)
    hits = scan_texts([text], ["user"], get_tokenizer())[0]
    tokens = COUNT(text) + 4
    results = [claim(dict(order), text, tokens, COUNT) for order in list(permutations(hits.items()))[:24]]
    assert all(result == results[0] for result in results)


def as_set(spans: list[Span]) -> set[int]:
    return {character for start, end in spans for character in range(start, end)}


SPANS = st.lists(st.integers(0, 60), unique=True, max_size=16).map(
    lambda cuts: list(zip(sorted(cuts)[::2], sorted(cuts)[1::2], strict=False))
)


@given(SPANS, SPANS)
def test_spans_are_sets_of_characters(spans: list[Span], others: list[Span]) -> None:
    free = subtract(spans, others)
    both = merge(spans, others)
    assert as_set(free) == as_set(spans) - as_set(others)
    assert as_set(both) == as_set(spans) | as_set(others)
    for result in (free, both):
        assert result == sorted(result)
        assert sum(end - start for start, end in result) == len(as_set(result))


def test_touching_spans_keep_apart_in_subtract_and_join_in_merge() -> None:
    assert subtract([(0, 2), (2, 4)], []) == [(0, 2), (2, 4)]
    assert merge([(0, 2)], [(2, 4), (5, 6)]) == [(0, 4), (5, 6)]
    assert subtract([(0, 10)], [(0, 2), (4, 6), (9, 12)]) == [(2, 4), (6, 9)]
