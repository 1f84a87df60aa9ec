from __future__ import annotations

import pytest

from headroom_cli.tokens import get_tokenizer
from headroom_cli.waste.base import scan_texts
from headroom_cli.waste.html_noise import ELEMENTS, NAME, spans

COUNT = get_tokenizer().count_text


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in spans(text, COUNT)]


def flagged(text: str) -> int:
    hit = scan_texts([text], ["tool_result"], get_tokenizer())[0].get(NAME)
    return hit.tokens if hit else 0


def test_tokens_are_of_the_spans_joined() -> None:
    text = '<ul class="menu"><li>One</li><!-- two --><li>Three<br/></li></ul>'
    assert flagged(text) == COUNT('<ul class="menu"><li></li><!-- two --><li><br/></li></ul>')


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("if a < b and c > d: pass", []),
        ("List<T> Map<String, Integer> Vec<U> Option<S> Foo<A>", []),
        ("<Button onClick={go}>Go</Button>", []),
        ("<path d='M0 0'/><g>", []),
        ("x <b\n> y", ["<b\n>"]),
        ("<DIV><TABLE BORDER=0></TABLE></DIV>", ["<DIV>", "<TABLE BORDER=0>", "</TABLE>", "</DIV>"]),
        ("<div", []),
        ("<divider> <my-tag> <a:b>", []),
        ("<h1>T</h1><br><hr />", ["<h1>", "</h1>", "<br>", "<hr />"]),
        ("cat <<EOF > file <p>", ["<p>"]),
        ("<font><center></center></font>", ["<font>", "<center>", "</center>", "</font>"]),
    ],
)
def test_tags_are_those_of_html_elements(text: str, tags: list[str]) -> None:
    assert found(text) == tags
    assert flagged(text) == (COUNT("".join(tags)) if tags else 0)


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        ("<!-- <b>bold</b> --> <i>", ["<!-- <b>bold</b> -->", "<i>"]),
        ("<!-- a\n\nb -->", ["<!-- a\n\nb -->"]),
        ("--> <b> <!-- open", ["<b>"]),
        ("<!-- a --> --> <!-- open <p>", ["<!-- a -->", "<p>"]),
        ("<!-- a <!-- b --> c -->", ["<!-- a <!-- b -->"]),
        ("<!-->", []),
        ("<!---->", ["<!---->"]),
    ],
)
def test_no_character_counts_twice(text: str, comments: list[str]) -> None:
    assert found(text) == comments
    assert flagged(text) == (COUNT("".join(comments)) if comments else 0)


def test_offsets_are_characters() -> None:
    assert spans("é漢🚀<p>", COUNT) == [(3, 6)]


def test_elements_are_those_of_the_standard() -> None:
    assert {"a", "div", "h6", "svg", "math", "search", "marquee", "tt"} <= ELEMENTS
    assert not {"t", "string", "path", "button1", "h7"} & ELEMENTS
