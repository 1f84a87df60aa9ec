from __future__ import annotations

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.report.safely import json_bytes


@given(st.recursive(st.text() | st.integers(0, 9), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_whoever_reads_it_gets_the_same(value: object) -> None:
    assert json.loads(json_bytes(value)) == value
    assert orjson.loads(json_bytes(value, orjson.OPT_INDENT_2)) == value


@pytest.mark.parametrize(
    "obeyed", ["\x1b", "\x7f", "\x80", "\x9b", "\x9f", "\u061c", "\u200f", "\u2028", "\u202e", "\u2069"]
)
def test_what_a_terminal_may_obey_is_escaped(obeyed: str) -> None:
    written = json_bytes({f"a{obeyed}": f"{obeyed}é→🙂"})
    assert obeyed.encode() not in written
    assert "é→🙂".encode() in written
