from __future__ import annotations

import json
from typing import Any

import pytest

from headroom_cli.tokens import get_tokenizer
from headroom_cli.waste.base import Hit, scan_texts
from headroom_cli.waste.json_bloat import NAME, columnar, spans

COUNT = get_tokenizer().count_text
ROWS = [{"id": i, "level": "INFO", "service": "billing", "took_ms": i * 7} for i in range(60)]
OBJECT = {"name": "café", "tags": [f"tag number {i}" for i in range(200)], "ratio": 0.25}


def found(text: str) -> Hit | None:
    return scan_texts([text], ["tool_result"], get_tokenizer())[0].get(NAME)


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def test_array_of_records_is_best_in_columns() -> None:
    text = json.dumps(ROWS, indent=2)
    table = compact([["id", "level", "service", "took_ms"], *([r[k] for k in r] for r in ROWS)])
    assert COUNT(table) < COUNT(compact(ROWS))
    assert found(text) == Hit(COUNT(text), COUNT(text) - COUNT(table), [(0, len(text))])


def test_object_is_best_minified() -> None:
    text = json.dumps(OBJECT, indent=4)
    assert found(text) == Hit(COUNT(text), COUNT(text) - COUNT(compact(OBJECT)), [(0, len(text))])


def test_minified_json_is_flagged_but_not_avoidable() -> None:
    text = compact(OBJECT)
    assert found(text) == Hit(COUNT(text), 0, [(0, len(text))])


def test_json_between_other_text() -> None:
    inner = json.dumps(OBJECT, indent=1)
    text = f"def f(x): {{'a': x}} and {{ not json }} [1, 2]\nresult é: {inner}\nand {json.dumps(ROWS)} done {{"
    first = text.index(inner)
    second = text.index('[{"id"')
    end = second + len(json.dumps(ROWS))
    assert spans(text, COUNT) == [(first, first + len(inner)), (second, end)]
    hit = found(text)
    assert hit is not None
    assert hit.tokens == COUNT(inner) + COUNT(json.dumps(ROWS))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ROWS[:3]),  # too short
        json.dumps({"text": "x" * 600}),  # 600 characters, few tokens
        json.dumps(list(range(2000))),  # an array, but not of objects
        json.dumps([{"a": 1}, 2] * 300),  # not only of objects
        json.dumps(ROWS)[:-1].replace("[{", "[ {"),  # cut off: each record by itself is small
        json.dumps(ROWS).replace('"', "'"),  # Python, not JSON
        "".join(json.dumps(row) + "\n" for row in ROWS),  # JSON Lines
        json.dumps(OBJECT).replace("0.25", "NaN"),
        "function f() { if (x) { return {a: 1}; } }\n" * 200,
        json.dumps(json.dumps(ROWS)),  # inside a string
    ],
)
def test_what_is_not_flagged(text: str) -> None:
    assert found(text) is None
    assert spans(text, COUNT) == []


def test_more_than_500_characters_and_more_than_500_tokens() -> None:
    def sized(words: int) -> str:
        return json.dumps({"text": " the" * words})

    exact = next(words for words in range(400, 600) if COUNT(sized(words)) == 500)
    assert found(sized(exact)) is None
    assert found(sized(exact + 1)) == Hit(
        501, COUNT(sized(exact + 1)) - COUNT(compact({"text": " the" * (exact + 1)})), [(0, len(sized(exact + 1)))]
    )


def test_numbers_are_not_rounded() -> None:
    # One digit less would be a shorter, but a different number.
    numbers = "[1.0000000000000001, 12345678901234567890123, 1e400, -0, 1.10]"
    text = '{"n": [' + ", ".join([numbers] * 40) + "]}"
    hit = found(text)
    assert hit is not None
    assert hit.avoidable == COUNT(text) - COUNT(text.replace(" ", ""))


def test_repeated_keys_are_flagged_but_not_avoidable() -> None:
    text = '{"a": 1, "a": 2, "rows": ' + json.dumps(ROWS, indent=2) + "}"
    assert found(text) == Hit(COUNT(text), 0, [(0, len(text))])


def test_escaped_surrogates_and_deep_nesting_are_not_avoidable() -> None:
    lone = json.dumps({"s": "\ud800", "rows": ROWS}, indent=2)
    deep = '{"a": ' * 300 + json.dumps(OBJECT, indent=2) + "}" * 300
    for text in (lone, deep):
        assert found(text) == Hit(COUNT(text), 0, [(0, len(text))])


def test_failed_starts_are_bounded() -> None:
    text = '{"a": x} ' * 199 + json.dumps(OBJECT)
    assert found(text) is not None
    assert found('{"a": x} ' * 200 + json.dumps(OBJECT)) is None


def test_columnar() -> None:
    assert columnar([{"a": 1, "b": [{"c": 2}, {"c": 3}]}, {"b": [], "a": 4}]) == [
        ["a", "b"],
        [1, [["c"], [2], [3]]],
        [4, []],
    ]
    others: list[Any] = [[{"a": 1}], [{"a": 1}, {"b": 1}], [{}, {}], [1, 2], [], {"a": []}]
    for other in others:
        assert columnar(other) == other
