from __future__ import annotations

import base64
import importlib
import json
import pkgutil
import re
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli import waste
from headroom_cli.tokens import get_tokenizer, replace_surrogates
from headroom_cli.waste.base import CLAIM_ORDER, ContentSignal, content_signals, one_by_one, scan_texts
from headroom_cli.waste.claims import detect

CASES = Path(__file__).parents[1] / "cases" / "waste"
SECTIONS = ["What it does", "Why it matters", "Known problems", "Example", "Fix", "References"]
SIGNALS = list(content_signals().items())


def kind_of(signal: ContentSignal) -> str:
    return min(signal.KINDS - {"assistant", "rag"})


def test_every_content_signal_is_found_and_in_the_order_of_claims() -> None:
    modules = [importlib.import_module(f"{waste.__name__}.{m.name}") for m in pkgutil.iter_modules(waste.__path__)]
    names = {module.NAME for module in modules if hasattr(module, "scan")}
    assert names == set(content_signals())
    assert list(content_signals()) == [name for name in CLAIM_ORDER if name in names]
    assert len(names) == 8


@pytest.mark.parametrize(("name", "signal"), SIGNALS)
def test_page_has_its_sections_and_its_example_is_true(name: str, signal: ContentSignal) -> None:
    page = signal.__doc__ or ""
    assert re.match(r"[A-Z][^\n]*\.\n\n## What it does\n", page)
    assert re.findall("^## (.*)", page, re.MULTILINE)[: len(SECTIONS)] == SECTIONS
    example = re.search(r"## Example\n```python\n(.*?)\n```\nFlagged: ([\d,]+) tokens; avoidable: ([\d,]+)", page, re.S)
    assert example
    text = eval(example[1], {"json": json, "base64": base64})
    hit = scan_texts([text], [kind_of(signal)], get_tokenizer())[0][name]
    assert (hit.tokens, hit.avoidable) == (int(example[2]), int(example[3]))


@pytest.mark.parametrize(("name", "signal"), SIGNALS)
def test_spans_measure_what_scan_flags(name: str, signal: ContentSignal) -> None:
    count = get_tokenizer().count_text
    example = re.search(r"```python\n(.*?)\n```", signal.__doc__ or "", re.S)
    assert example
    text = "before\n" + eval(example[1], {"json": json, "base64": base64}) + "\nafter"
    hit = scan_texts([text], [kind_of(signal)], get_tokenizer())[0][name]
    spans = signal.spans(text, count)
    assert signal.measure(text, spans, count) == hit.tokens
    assert hit.spans is None or list(hit.spans) == spans
    assert spans == sorted(spans)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


def results(case: str) -> Iterator[str]:
    history = json.loads((CASES / f"{case}.jsonl").read_text().splitlines()[0])
    for message in history["messages"]:
        content = message["content"]
        if message["role"] == "tool":
            yield content
        elif isinstance(content, list):
            for part in content:
                result = part.get("toolResult", part)
                if part.get("type") == "tool_result" or "toolResult" in part:
                    inner = result["content"]
                    yield inner if isinstance(inner, str) else "\n".join(item["text"] for item in inner)


@pytest.mark.parametrize(
    "case", ["openai_json_payload", "anthropic_json_payload", "bedrock_json_payload", "openai_html_base64_whitespace"]
)
def test_cases_are_exact(case: str) -> None:
    expected = json.loads((CASES / "expected.json").read_text())[case]["waste"]
    texts = list(results(case))
    assert texts
    hits = scan_texts(texts, ["tool_result"] * len(texts), get_tokenizer())
    for name in ("json_bloat", "html_noise", "base64"):
        assert sum(found[name].tokens for found in hits if name in found) == expected[name]


def test_kinds_decide_which_signals_look() -> None:
    text = "It is 2026-11-30.\x1b[0m"
    kinds = ["system", "tool_result", "user", "assistant", "rag", "tool_call", "thinking", "image", "unknown"]
    found = scan_texts([text] * len(kinds), kinds, get_tokenizer())
    assert [list(hits) for hits in found] == [["dynamic_date"], *[["ansi_noise"]] * 4, [], [], [], []]


def test_hits_stay_with_their_texts() -> None:
    texts = ["", "plain", "\x1b[1mbold\x1b[0m", "", "<p>text</p>", "x"]
    found = scan_texts(texts, ["user"] * 6, get_tokenizer())
    assert [list(hits) for hits in found] == [[], [], ["ansi_noise"], [], ["html_noise"], []]


def test_counter_may_be_anything_that_counts() -> None:
    class Characters:
        def count_text(self, text: str, /) -> int:
            return len(text)

    assert scan_texts(["<p>text</p>" + " " * 9], ["user"], Characters())[0]["html_noise"].tokens == 7
    assert scan_texts(["<p>text</p>" + " " * 9], ["user"], Characters())[0]["whitespace"].tokens == 8


def test_one_by_one_counts_equal_pieces_as_often_as_they_stand() -> None:
    counted = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    assert one_by_one("ab-ab-c", [(0, 2), (3, 5), (6, 7)], count) == 5
    assert counted == ["ab", "c"]


UNITS = [
    *("{", "[", "[[[[", '"', '{"', '{"a":', "[{", "[{},", '[{"a":1},', '[{"a":1,"b":[{', '{"a":1}\n', '\\"'),
    *("<", "<!--", "<!--<b>", "<b>", "<a ", "-->", "<!--a-->", "a", "a ", "http://", ";base64,", "A1a+", "a1B/c"),
    *(" ", "\t", " \t", " \n", "\n", "\n\n\na", "\x1b[", "\x1b]", "\x1b[31m", "\x1b]0;", "\r", "a\r", "\r\n\r", "⠋"),
    *("1→", "     1→\n", "2026-01-01", "12:30 ", "May 1, ", "1234567890 ", "a line that is long enough\n"),
]


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("kind", ["tool_result", "system"])
def test_pathological_megabytes_take_no_time(unit: str, kind: str) -> None:
    text = (unit * (1_000_000 // len(unit) + 1))[:1_000_000]
    tokenizer = get_tokenizer()
    started = time.process_time()
    tokens = tokenizer.count_text(text)
    claims = detect([text], [kind], [tokens + 4], tokenizer)[0]
    assert time.process_time() - started < 3  # at most 0.5 s on a quiet machine
    assert sum(claim.exclusive for claim in claims) <= tokens + 4


PIECES = st.sampled_from(
    [
        *UNITS,
        "<div>",
        "</div>",
        '"k": 1}',
        "]",
        "word ",
        "A1b2" * 20,
        "ab12cd34" * 13,
        "\x1b[0m",
        "Jan 1, 2026",
        "é漢",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(PIECES, st.integers(1, 30)), max_size=25), st.sampled_from(["user", "system"]))
def test_any_text_can_be_scanned(pieces: list[tuple[str, int]], kind: str) -> None:
    text = "".join(piece * times for piece, times in pieces)
    tokenizer = get_tokenizer()
    count = tokenizer.count_text
    for name, hit in scan_texts([text], [kind], tokenizer)[0].items():
        assert 0 <= hit.avoidable <= hit.tokens
        assert hit.tokens > 0
        spans = content_signals()[name].spans(text, count)
        assert content_signals()[name].measure(text, spans, count) == hit.tokens
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert all(end <= start for (_, end), (start, _) in pairwise(spans))


@given(st.text(st.characters(codec=None), max_size=100))
def test_text_without_surrogates_never_fails(text: str) -> None:
    clean = replace_surrogates(text)
    assert len(scan_texts([clean, clean], ["user", "system"], get_tokenizer())) == 2
