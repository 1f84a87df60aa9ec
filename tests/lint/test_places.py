from __future__ import annotations

import gzip
import io
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.lint.places import Place, Wanted, _in_document, locate, pointer_text

MESSAGES = [
    {"role": "user", "content": "Wie spät ist es?"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "clock", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "noon"}]},
]
BODY: dict[str, Any] = {"model": "claude-opus-4-5", "max_tokens": 10, "messages": MESSAGES}


def place_of(text: str | bytes, wanted: Wanted) -> Place:
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return locate(io.BytesIO(data), [wanted])[0]


def test_in_a_pretty_printed_document() -> None:
    text = json.dumps(BODY, indent=2, ensure_ascii=False)
    place = place_of(text, Wanted(1, BODY, ("messages", 2, "content", 0, "tool_use_id")))
    lines = text.split("\n")
    assert lines[place.line - 1].strip() == '"tool_use_id": "t1",'
    assert lines[place.line - 1][place.column - 1 :] == '"t1",'
    assert place.pointer == "/messages/2/content/0/tool_use_id"


def test_the_lines_of_a_document_are_looked_for_once() -> None:
    text = json.dumps([{"n": number} for number in range(50)], indent=2)
    found = list(_in_document(text, 3, set(range(1, 200))))
    assert [line for line, _ in found] == list(range(4, 152, 3))
    assert len({id(record.lines) for _, records in found for record in records}) == 1
    assert found[9][1][0].lines.place(text.index('"n": 9')) == (32, 5)


def test_in_a_long_line_of_json_lines() -> None:
    first = json.dumps({"request": BODY, "response": None})
    second = json.dumps({"n": 1, "request": BODY, "response": None}, ensure_ascii=False)
    place = place_of(f"{first}\n{second}\n", Wanted(2, BODY, ("messages", 1, "content", 0)))
    assert (place.line, place.pointer) == (2, "/request/messages/1/content/0")
    assert second[place.column - 1 :].startswith('{"type": "tool_use"')


def test_columns_are_characters_not_bytes() -> None:
    line = '{"é": "ü€😀", "value": [1]}'
    assert place_of(line, Wanted(1, [1])) == Place(1, line.index("[") + 1, "/value")


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_in_a_compressed_file(compress: Any, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl.x"
    path.write_bytes(compress(b'{"a": 1}\n{"b": {"c": [true]}}\n'))
    assert locate(path, [Wanted(2, [True])]) == [Place(2, 13, "/b/c")]


def test_elements_of_a_document_that_is_an_array_have_their_index() -> None:
    text = json.dumps(MESSAGES, indent=1)
    line = next(n for n, t in enumerate(text.split("\n"), 1) if '"tool_result"' in t)
    start = text.split("\n").index(" {", text.split("\n").index(" {") + 5) + 1
    place = place_of(text, Wanted(start, MESSAGES[2], ("content", 0)))
    assert place.pointer == "/2/content/0"
    assert place.line == line - 1


def test_elements_of_an_array_on_one_line() -> None:
    text = json.dumps(MESSAGES)
    place = place_of(text, Wanted(1, MESSAGES[2], ("content", 0)))
    assert (place.pointer, text[place.column - 1 :][:22]) == ("/2/content/0", '{"type": "tool_result"')


def test_equal_values_on_one_line_are_told_apart_by_path_and_by_order() -> None:
    same = {"type": "text", "text": "x"}
    line = json.dumps({"message": {"content": [same, same]}})
    by_path = [place_of(line, Wanted(1, {"content": [same, same]}, ("content", n))) for n in (0, 1)]
    by_order = [place_of(line, Wanted(1, same, nth=n)) for n in (0, 1)]
    assert by_path == by_order
    assert [place.pointer for place in by_path] == ["/message/content/0", "/message/content/1"]
    assert by_path[0].column < by_path[1].column


def test_a_text_that_is_also_a_name_is_found_where_content_stands() -> None:
    line = json.dumps({"type": "user", "uuid": "1", "message": {"role": "user", "content": "user"}})
    assert place_of(line, Wanted(1, "user")).pointer == "/message/content"


def test_inside_a_string_that_holds_json() -> None:
    record = {"interactions": [{"request": {"body": json.dumps(BODY), "method": "POST"}}]}
    text = json.dumps(record, indent=2)
    place = place_of(text, Wanted(1, BODY, ("messages", 1)))
    assert (place.pointer, place.inside) == ("/interactions/0/request/body", "/messages/1")
    line = text.split("\n")[place.line - 1]
    assert line[place.column - 1 :].startswith('"{\\"model\\"')
    wrapped = json.dumps({"body": json.dumps({"params": BODY})})
    assert place_of(wrapped, Wanted(1, BODY, ("messages",))).inside == "/params/messages"


def test_of_equal_keys_the_last_one_counts() -> None:
    assert place_of('{"a": [1], "b": 0, "a": [2]}', Wanted(1, {"a": [2], "b": 0}, ("a", 0))) == Place(1, 26, "/a/0")


def test_pointers_escape() -> None:
    assert pointer_text(("a/b", "~", 0, "")) == "/a~1b/~0/0/"


def test_a_path_that_leads_nowhere_stops_where_it_can() -> None:
    assert place_of('{"input": "hi"}', Wanted(1, {"input": "hi"}, ("input", 0, "content"))) == Place(1, 11, "/input")


def test_what_is_not_there_has_its_line() -> None:
    assert place_of('{"a": 1}\n{"b": 2}\n', Wanted(2, {"c": 3}, ("x",))) == Place(2, 1, "")
    assert place_of('{"a": 1}\n', Wanted(7, {"c": 3}, ("x",))) == Place(7, 1, "/x")
    assert locate(Path("gone.jsonl"), [Wanted(3, {})]) == [Place(3, 1, "")]


def test_several_objects_on_a_line_and_a_prefix_before_them() -> None:
    assert place_of('{"a": 1}{"b": [2]}\n', Wanted(1, [2])) == Place(1, 15, "/b")
    assert place_of('[info] sent {"b": [2]}\n', Wanted(1, [2])) == Place(1, 19, "/b")
    assert place_of('data: {"b": [2]}\n', Wanted(1, [2])) == Place(1, 13, "/b")


def test_byte_order_mark_and_blank_lines_first() -> None:
    assert place_of(b'\xef\xbb\xbf{"a": [1]}\n', Wanted(1, [1])) == Place(1, 7, "/a")
    assert place_of(b'\n\n{\n "a": [1]\n}\n', Wanted(3, [1])) == Place(4, 7, "/a")
    assert place_of(b'\n\n{"a": [1]}\n', Wanted(3, [1])) == Place(3, 7, "/a")


def test_a_torn_first_line_does_not_hide_the_others() -> None:
    assert place_of(b'{"a": {"b"\n{"a": [1]}\n{"a": [2]}', Wanted(3, [2])) == Place(3, 7, "/a")


def test_lone_surrogates_and_numbers_beyond_all_bounds() -> None:
    line = '{"t": "\\ud800", "n": 1e999, "big": ' + "9" * 5000 + ', "v": {"w": null}}'
    assert place_of(line, Wanted(1, {"w": None})).pointer == "/v"


def test_deep_nesting_ends_quietly() -> None:
    assert place_of("[" * 100_000, Wanted(1, {"a": 1})) == Place(1, 1, "")
    deep = "[" * 150 + '{"a": 1}' + "]" * 150
    assert place_of('{"x": ' + deep + "}", Wanted(1, {"a": 1})).column == 157


def test_many_findings_in_one_record_cost_one_walk() -> None:
    body = {"messages": [{"role": "user", "content": str(n)} for n in range(20_000)]}
    places = locate(io.BytesIO(json.dumps(body).encode()), [Wanted(1, body, ("messages", n)) for n in range(20_000)])
    assert [place.pointer for place in places[:2]] == ["/messages/0", "/messages/1"]
    assert all(a.column < b.column for a, b in pairwise(places))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


def paths(value: Any) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = [()]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        found += [(key, *path) for path in paths(child)]
    return found


@given(value=st.dictionaries(st.text(max_size=3), JSON, min_size=1, max_size=4), indent=st.sampled_from([None, 0, 3]))
def test_each_place_is_where_the_value_is_written(value: dict[str, Any], indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    wanted = [Wanted(1, value, path) for path in paths(value)]
    lines = text.split("\n")
    for each, place in zip(wanted, locate(io.BytesIO(text.encode("utf-8", "surrogatepass")), wanted), strict=True):
        inner: Any = value
        for token in each.path:
            inner = inner[token]
        rest = "\n".join([lines[place.line - 1][place.column - 1 :], *lines[place.line :]])
        assert rest.startswith(json.dumps(inner, indent=None, ensure_ascii=False)[:1])
        assert json.JSONDecoder().raw_decode(rest)[0] == inner
        assert place.pointer == pointer_text(each.path)


@given(st.binary(max_size=200))
def test_whatever_the_bytes_nothing_is_raised(data: bytes) -> None:
    assert len(locate(io.BytesIO(data), [Wanted(1, {"a": 1}, ("b",)), Wanted(2, "x")])) == 2
