"""Lines passed over in blocks are the lines that would have been read."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.source.stream import pass_lines


@given(
    data=st.lists(st.sampled_from([b"\n", b"\r\n", b"a", b"bc", b"\n\n"])).map(b"".join),
    read=st.integers(0, 2),
    number=st.integers(0, 30),
    block=st.sampled_from([1, 2, 3, 7, 64]),
)
def test_what_follows_is_what_follows_that_many_lines(data: bytes, read: int, number: int, block: int) -> None:
    lines = io.BytesIO(data)
    passed: io.BufferedReader = io.BufferedReader(io.BytesIO(data), block)
    for _ in range(read):
        assert passed.readline() == lines.readline()
    pass_lines(passed, number)
    for _ in range(number):
        lines.readline()
    assert passed.read() == lines.read()
