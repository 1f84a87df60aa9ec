from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.source.decode import (
    INCOMPLETE,
    MAX_NESTING,
    NESTED,
    NOT_JSON,
    NOT_OBJECT,
    NULLS,
    PARTLY,
    Broken,
    decode,
    document,
    scrub,
    too_deep,
)


@pytest.mark.parametrize(
    ("line", "values", "damage"),
    [
        # Rung 1: orjson, once what surrounds the value is gone.
        (b'{"a":1}\r\n', [{"a": 1}], None),
        (b'\0\0\0{"a":1}\0', [{"a": 1}], None),
        (b'\xef\xbb\xbf{"a":1}', [{"a": 1}], None),
        (b"  \t\r\n", [], None),
        (b"\0\0\0\n", [], NULLS),
        (b"3\n", [], NOT_OBJECT),
        (b'"text"', [], NOT_OBJECT),
        # Event streams: the data is the record, the rest is punctuation.
        (b'data: {"a":1}\n', [{"a": 1}], None),
        (b'data:{"a":1}\n', [{"a": 1}], None),
        (b"data: [DONE]\n", [], None),
        (b"data:\n", [], None),
        (b"event: message_start\n", [], None),
        (b": keep-alive\n", [], None),
        (b"id: 7\n", [], None),
        (b"retry: 100\n", [], None),
        # Rung 2: repaired bytes.
        (b'{"a":"x\\ud83d"}', [{"a": "x\ufffd"}], None),
        (b'{"\\ud83d":1}', [{"\ufffd": 1}], None),
        (b'{"a":"\xed\xa0\xbd\xed\xb8\x80"}', [{"a": "\U0001f600"}], None),
        (b'{"a":"\xed\xa0\xbd"}', [{"a": "\ufffd"}], None),
        (b'{"a":"caf\xe9"}', [{"a": "caf\ufffd"}], None),
        (b'{"a":"b\x01c\td"}', [{"a": "b\x01c\td"}], None),
        (b'{"a":NaN,"b":-Infinity}', [{"a": None, "b": None}], None),
        (b'{"a":18446744073709551616,"b":NaN}', [{"a": 18446744073709551616, "b": None}], None),
        # Rung 3: several objects on one line.
        (b'{"a":1}{"b":2}', [{"a": 1}, {"b": 2}], None),
        (b'{"a":1}\0\0{"b":2} [3]', [{"a": 1}, {"b": 2}, [3]], None),
        (b'{"a":1},', [{"a": 1}], None),
        # Rung 4: salvage.
        (b'{"m":{"c":"torn{"type":"user","m":{"k":1}}', [{"type": "user", "m": {"k": 1}}], PARTLY),
        (b'{"m":tr{"type":"user"}', [{"type": "user"}], PARTLY),
        (b'{"m":1,{"type":"user"}', [{"type": "user"}], PARTLY),
        (b'{"m":"\\u12{"type":"user"}', [{"type": "user"}], PARTLY),
        (b'12:30 INFO {"type":"user"}', [{"type": "user"}], PARTLY),
        (b'{"a":1}{"b":"torn{"c":3}', [{"a": 1}, {"c": 3}], PARTLY),
        (b'{"a":1}{"b":', [{"a": 1}], PARTLY),
        # The inside of a broken record is not a record.
        (b'{"a": undefined, "b": {"c": 1}}', [], NOT_JSON),
        (b'{"a": undefined, "b": [{"c": 1}, {"d": 2}]}', [], NOT_JSON),
        (b'"},"uuid":"u","usage":{"in":1}}', [], NOT_JSON),
        (b'{"a":{"b":1}', [], INCOMPLETE),
        (b'{"a":{"b":1},"c":"d', [], INCOMPLETE),
        (b'{"a":{"b":1},"c":tru', [], INCOMPLETE),
        (b"{'a': 1}", [], NOT_JSON),
        (b"hello", [], NOT_JSON),
    ],
)
def test_ladder(line: bytes, values: list[Any], damage: str | None) -> None:
    assert decode(line) == (values, damage)


def test_whole_numbers_of_thousands_of_digits_are_no_error() -> None:
    (value,), damage = decode(b'{"n":' + b"9" * 5000 + b',"x":NaN}')
    assert value["n"] == float("inf")
    assert damage is None


@pytest.mark.parametrize("depth", [MAX_NESTING + 1, 990, 1025, 100_000])
@pytest.mark.parametrize(("opens", "closes"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_deep_nesting_is_damage(depth: int, opens: bytes, closes: bytes) -> None:
    assert decode(opens * depth + b"1" + closes * depth) == ([], NESTED)
    assert decode(opens * depth + b"NaN" + closes * depth) == ([], NESTED)


def test_nesting_up_to_the_limit_is_read_and_can_be_written() -> None:
    line = b'{"a":' * MAX_NESTING + b"1" + b"}" * MAX_NESTING
    (value,), damage = decode(line)
    assert damage is None
    assert orjson.dumps(value) == line
    assert not too_deep(value)
    assert too_deep([value])


@pytest.mark.parametrize("piece", [b'{"', b'{"a":', b"[", b'"', b"\\", b"{", b'{"a":1}', b"\xed\xa0\xbd", b'{"a":"{'])
def test_bad_lines_cost_linear_time(piece: bytes) -> None:
    # Quadratic behaviour on 2 MB would take hours, not seconds.
    decode(piece * (2_000_000 // len(piece)))
    list(document((piece.decode("utf-8", "replace") + "\n") * (1_000_000 // len(piece))))


def test_scrub_joins_halves_and_replaces_the_rest() -> None:
    assert scrub({"a": ["\ud83d\ude00", "\ud83d", "é"], "\udc00": 1}) == {
        "a": ["\U0001f600", "\ufffd", "é"],
        "\ufffd": 1,
    }


def test_document_gives_elements_with_their_lines() -> None:
    text = '\n[\n  {"a": 1}, {"b": 2},\n  {\n    "c": [1]\n  }\n]\n{"d": 4}\n'
    assert list(document(text)) == [(3, {"a": 1}), (3, {"b": 2}), (4, {"c": [1]}), (8, {"d": 4})]


def test_document_of_lists_and_scalars() -> None:
    assert list(document('[\n[1],\n2,\n{"a":1}]')) == [(2, [1]), (3, 2), (4, {"a": 1})]
    assert list(document("[1,\n2]")) == [(1, [1, 2])]
    assert list(document("[\n]")) == [(1, [])]


def test_document_that_is_cut_off() -> None:
    cut = (3, Broken(INCOMPLETE, last=True))
    assert list(document('[\n{"a": 1},\n{"b": ')) == [(2, {"a": 1}), cut]
    assert list(document('[\n{"a": 1},\n{"b": 2}')) == [(2, {"a": 1}), (3, {"b": 2}), cut]


def test_document_goes_on_after_a_broken_value() -> None:
    values = [{"n": n, "inner": [{}, {"k": [n]}]} for n in range(5)]
    for indent in (1, 2, "\t"):
        text = json.dumps(values, indent=indent).replace('"n": 2', '"n": undefined')
        got = list(document(text))
        assert [value for _, value in got] == [*values[:2], Broken(NOT_JSON, last=False), *values[3:]]
        lines = text.split("\n")
        assert all(lines[line - 1].strip() == "{" for line, _ in got)
    text = "\n".join(json.dumps(value, indent=1) for value in values).replace('"n": 2,', '"n": 2')
    assert [value for _, value in document(text)] == [*values[:2], Broken(NOT_JSON, last=False), *values[3:]]
    text = json.dumps({"a": 1, "b": 2}, indent=1).replace("1,", "1")
    assert list(document(text)) == [(1, Broken(NOT_JSON, last=True))]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), json_values))
def test_the_slow_rungs_agree_with_json(value: dict[str, Any]) -> None:
    line = json.dumps(value).encode()
    assert decode(line) == ([value], None)
    assert decode(line + line) == ([value, value], None)
    assert decode(b"x " + line)[0] in ([value], [])  # `{}` alone is not looked for


@given(st.binary())
def test_any_bytes_give_an_answer_that_can_be_written(line: bytes) -> None:
    values, _ = decode(line)
    orjson.dumps(values, option=orjson.OPT_NON_STR_KEYS)


@given(st.dictionaries(st.text(), json_values), st.integers(0, 10_000), st.binary(max_size=3))
def test_damaged_records_never_raise(value: dict[str, Any], cut: int, noise: bytes) -> None:
    line = json.dumps(value).encode()
    at = cut % (len(line) + 1)
    values, _ = decode(line[:at] + noise + line[at:])
    assert all(isinstance(each, dict | list) for each in values)
    assert decode(line[:at]).values in ([], [value])
