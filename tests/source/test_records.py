from __future__ import annotations

import gzip
import io
import json
import os
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.model import Damage
from headroom_cli.source.cassettes import Cassette
from headroom_cli.source.records import DEFAULT_LIMITS, Limits, Record, Records, Unreadable
from headroom_cli.source.stream import EXPANDS, limits_for

SMALL = Limits(line_bytes=1000, document_bytes=1000, expanded_bytes=1 << 20, expanded_free=1 << 16, expanded_ratio=10)
MEGABYTE = Limits(line_bytes=1_000_000, document_bytes=1_000_000)


def read(data: bytes, limits: Limits | None = None) -> tuple[list[tuple[int, Any]], list[tuple[int, str]]]:
    records = Records(io.BytesIO(data), limits=limits or Limits())
    got = [(record.line, record.value) for record in records]
    assert records.records == len(got)
    assert [damage.line for damage in records.damaged] == sorted(damage.line for damage in records.damaged)
    return got, [(damage.line, damage.reason) for damage in records.damaged]


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


@pytest.mark.parametrize("data", [b"", b"\n", b"\r\n\r\n", b"\xef\xbb\xbf", b"   "])
def test_nothing_in_it(data: bytes) -> None:
    assert read(data) == ([], [])


def test_lines_with_their_numbers() -> None:
    data = b'\xef\xbb\xbf\n{"a":1}\r\n\n[{"b":2}]\n3\nnull\n{"c":3}{"d":4}\n{"e":5}'
    assert read(data) == (
        [(2, {"a": 1}), (4, [{"b": 2}]), (7, {"c": 3}), (7, {"d": 4}), (8, {"e": 5})],
        [(5, "not an object"), (6, "not an object")],
    )


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\r"])
def test_only_a_newline_ends_a_line(separator: str) -> None:
    data = f'{{"a":"x{separator}y"}}\n{{"b":1}}\n'.encode()
    assert read(data) == ([(1, {"a": f"x{separator}y"}), (2, {"b": 1})], [])


def test_damage_never_ends_a_file() -> None:
    data = b'{"a":1}\n{"b":"torn\n{"c":"x{"d":1}\n\0\0\n' + b"[" * 100_000 + b'\n{"e":1}\n{"f":'
    assert read(data) == (
        [(1, {"a": 1}), (3, {"d": 1}), (6, {"e": 1})],
        [
            (2, "incomplete record"),
            (3, "part of the line is not JSON"),
            (4, "only null bytes"),
            (5, "nested too deeply"),
            (7, "truncated last line"),
        ],
    )


def test_first_line_is_torn() -> None:
    assert read(b'"x"},"uuid":"u"}\n{"b":1}\n') == ([(2, {"b": 1})], [(1, "not valid JSON")])
    # These look as if one document went on in the second line.
    assert read(b'{"a":[\n{"b":1}\n{"c":1}\n') == ([(2, {"b": 1}), (3, {"c": 1})], [(1, "incomplete record")])
    assert read(b'{"a":"x,\n{"b":1}\n') == ([(2, {"b": 1})], [(1, "incomplete record")])


def test_event_stream() -> None:
    data = b'event: message_start\ndata: {"type":"message_start"}\n\n: ping\nid: 3\ndata: {"n":1}\n\ndata: [DONE]\n'
    assert read(data) == ([(2, {"type": "message_start"}), (6, {"n": 1})], [])


def test_document_of_one_object_and_lines_appended_to_it() -> None:
    data = b'{\n  "sessionId": "s",\n  "messages": [\n    {"id": 1}\n  ]\n}\n{"$set": {"x": 1}}\n'
    assert read(data) == ([(1, {"sessionId": "s", "messages": [{"id": 1}]}), (7, {"$set": {"x": 1}})], [])
    damaged = data + b'{"y": undefined}\n{"z": 1}\n'
    assert read(damaged) == ([*read(data)[0], (9, {"z": 1})], [(8, "not valid JSON")])


def test_document_of_an_array() -> None:
    data = b'\n[\n  {"role": "user"},\n  {\n    "role": "assistant"\n  },\n  7\n]\n'
    assert read(data) == ([(3, {"role": "user"}), (4, {"role": "assistant"})], [(7, "not an object")])


def test_array_on_the_only_line_is_a_document_and_on_one_of_many_a_record() -> None:
    assert read(b'[{"a":1},{"b":2}]\n\n') == ([(1, {"a": 1}), (1, {"b": 2})], [])
    assert read(b'[{"a":1}]\n[{"b":2}]\n') == ([(1, [{"a": 1}]), (2, [{"b": 2}])], [])
    assert read(b'[{"a":1}]\n\n{"b":2}\n') == ([(1, [{"a": 1}]), (3, {"b": 2})], [])
    assert read(b"[1,2]") == ([(1, [1, 2])], [])


def test_document_that_is_cut_off() -> None:
    assert read(b'[\n  {"a": 1},\n  {"b": "x') == ([(2, {"a": 1})], [(3, "truncated JSON document")])
    assert read(b'{\n  "a": 1,\n  "b": [2,\n') == ([], [(1, "truncated JSON document")])


def test_document_beyond_the_limit() -> None:
    element = {"role": "user", "content": "x" * 40_000}
    array = ("[\n" + ",\n".join(json.dumps(element) for _ in range(50)) + "\n]\n").encode()
    got, damage = read(array, MEGABYTE)  # one element a line: read by lines
    assert got == [(number, element) for number in range(2, 52)]
    assert [line for line, _ in damage] == [1, 52]
    with pytest.raises(Unreadable) as refused:
        read(json.dumps([element] * 50, indent=2).encode(), MEGABYTE)
    assert refused.value.reason == "JSON document of 3 MB is over the limit of 1 MB; --max-line 3MB reads it"


def test_cassette_beyond_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "cassette.yaml"
    path.write_text("interactions:\n- request:\n    body: " + "x" * 1_000_000, "utf-8")
    with pytest.raises(Unreadable) as refused:
        list(Cassette(path, limits=MEGABYTE))
    assert refused.value.reason == "YAML document of 2 MB is over the limit of 1 MB; --max-line 2MB reads it"
    assert len(list(Cassette(path, limits=limits_for(2_000_000)))) == 1


def test_line_beyond_the_limit_is_damage_and_says_what_reads_it() -> None:
    long = {"long": "x" * 2_500_000}
    data = lines({"a": 1}, long, {"b": 2}) + b'{"cut": "' + b"y" * 1_000_000
    told = "line of {} MB is over the limit of 1 MB; --max-line {}MB reads it"
    assert read(data, MEGABYTE) == (
        [(1, {"a": 1}), (3, {"b": 2})],
        [(2, told.format(3, 3)), (4, told.format(2, 2))],
    )
    assert read(data, limits_for(3_000_000)) == (
        [(1, {"a": 1}), (2, long), (3, {"b": 2})],
        [(4, "truncated last line")],
    )


@pytest.mark.parametrize(("size", "passes"), [(999_999, True), (1_000_000, True), (1_000_001, False)])
@pytest.mark.parametrize("before", [b"", b'{"first":1}\n', b"\n"])
@pytest.mark.parametrize("behind", [b"", b'\n{"last":1}\n'])
def test_the_longest_line_that_passes(size: int, passes: bool, before: bytes, behind: bytes) -> None:
    end = b"\n" if behind else b""
    line = b'{"n":"' + b"x" * (size - 8 - len(end)) + b'"}'
    number = before.count(b"\n") + 1
    if not passes and not before.strip() and not behind:
        with pytest.raises(Unreadable, match="line of 2 MB is over the limit"):
            read(before + line, MEGABYTE)
        return
    got, damage = read(before + line + behind, MEGABYTE)
    assert [line for line, _ in got] == [
        *([1] if before.strip() else []),
        *([number] if passes else []),
        *([number + 1] if behind else []),
    ]
    assert [line for line, _ in damage] == ([] if passes else [number])


@pytest.mark.parametrize("piece", [b" ", b"\0", b"1", b"[", b'"'])
def test_what_a_long_line_begins_with_is_not_taken_for_all_of_it(piece: bytes) -> None:
    data = piece * 3_000_000 + b"\n" + lines({"a": 1})
    told = "line of 4 MB is over the limit of 1 MB; --max-line 4MB reads it"
    assert read(data, MEGABYTE) == ([(2, {"a": 1})], [(1, told)])
    behind = lines({"a": 1}) + b'{"b": 2}' + piece * 3_000_000 + b"\n" + lines({"c": 3})
    assert read(behind, MEGABYTE) == ([(1, {"a": 1}), (3, {"c": 3})], [(2, told)])


def test_limits_for_longer_lines_hold_for_documents_too() -> None:
    assert (DEFAULT_LIMITS.line_bytes, DEFAULT_LIMITS.document_bytes) == (64_000_000, 256_000_000)
    assert (limits_for(10_000_000).line_bytes, limits_for(10_000_000).document_bytes) == (10_000_000, 256_000_000)
    assert (limits_for(300_000_000).line_bytes, limits_for(300_000_000).document_bytes) == (300_000_000, 300_000_000)


@pytest.mark.parametrize("size", [1 << 20, (1 << 20) + 1, 3 << 20])
def test_lines_longer_than_a_block(size: int) -> None:
    values = [{"a": "x" * size}, {"b": 1}, {"c": "y" * size}]
    assert read(lines(*values)) == ([(1, values[0]), (2, values[1]), (3, values[2])], [])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ('{"a":1}'.encode("utf-16"), "UTF-16 text, not UTF-8"),
        ('{"a":"some text"}'.encode("utf-16-be"), "UTF-16 text, not UTF-8"),
        ('{"a":"some text"}'.encode("utf-16-le"), "UTF-16 text, not UTF-8"),
        (bytes(range(256)) * 40, "not text"),
        (b"\x89PNG\r\n\x1a\n", "not text"),
        (b"SQLite format 3\0" + b"\0" * 100, "not text"),
        (b"PK\x03\x04", "not text"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:10559b\nsize 812\n",
            "a Git LFS pointer; the file itself was not fetched",
        ),
        (b"some prose\n" * 20_000, "no JSON in it"),
        (b"\x1f\x8b", "compressed data is cut off"),
        (b"\x1f\x8b\x99\x99 and more", "compressed data is damaged"),
        (b"\x28\xb5\x2f\xfd", "compressed data is cut off"),
        (b"\x28\xb5\x2f\xfd\x08" + b"\xff" * 20, "compressed data is damaged"),
    ],
)
def test_unreadable(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as unreadable:
        read(data)
    assert unreadable.value.reason == reason


def test_hardly_any_json() -> None:
    with pytest.raises(Unreadable, match="hardly any JSON in it"):
        read(lines({"a": 1}) + b"some prose\n" * 20_000)
    rows = (lines({"a": 1}) + b"some prose\n" * 99) * 150  # that much is a log between other output
    got, damage = read(rows)
    assert (len(got), len(damage)) == (150, 14_850)


def test_unreadable_paths(tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "none.jsonl", "no such file"), (tmp_path, "is a directory")):
        with pytest.raises(Unreadable) as unreadable:
            list(Records(path))
        assert unreadable.value.reason == reason or sys.platform == "win32"
    with pytest.raises(Unreadable):
        list(Records("a\0b"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="everything is open to root")
def test_permission_denied(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{}\n")
    path.chmod(0)
    with pytest.raises(Unreadable, match="permission denied"):
        list(Records(path))


def zstd_stream(data: bytes) -> bytes:
    """As a streaming writer leaves it: a frame that does not say how much it holds."""
    compressor = zstandard.ZstdCompressor().compressobj()
    return compressor.compress(data) + compressor.flush()


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress, zstd_stream])
@pytest.mark.parametrize("name", ["log.jsonl", "log.gz"])
def test_compression_is_known_by_magic_and_frames_follow_each_other(tmp_path: Path, compress: Any, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(compress(lines({"a": 1}, {"b": 2})) + compress(lines({"c": 3})))
    records = Records(path)
    assert list(records) == [(1, {"a": 1}), (2, {"b": 2}), (3, {"c": 3})]
    assert records.bytes == path.stat().st_size
    assert records.compression == ("gzip" if compress is gzip.compress else "zstd")
    assert records.damaged == []


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress, zstd_stream])
def test_compressed_data_that_is_cut_off_or_damaged(compress: Any) -> None:
    data = b"".join(json.dumps({"n": n, "x": os.urandom(300).hex()}).encode() + b"\n" for n in range(2000))
    packed = compress(data)
    got, damage = read(packed[: len(packed) * 3 // 4])
    assert 500 < len(got) < 2000
    assert [value["n"] for _, value in got] == list(range(len(got)))
    assert damage == [(len(got) + 1, "compressed data is cut off")]
    got, damage = read(compress(lines({"a": 1})) + packed[:-200] + b"\xff" * 200)
    assert got[0] == (1, {"a": 1})
    assert damage[-1][1] in ("compressed data is damaged", "compressed data is cut off")
    got, damage = read(compress(lines({"a": 1})) + b"junk after the data")
    assert got == [(1, {"a": 1})]
    assert damage == [(2, "compressed data is damaged")]


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress, zstd_stream])
def test_bombs_stop_at_the_limit(compress: Any) -> None:
    packed = compress(lines({"a": 1}) + (b" " * 63 + b"\n") * (1 << 20))
    got, damage = read(packed, SMALL)
    assert got == [(1, {"a": 1})]
    assert damage == [(2, EXPANDS)]


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress, zstd_stream])
@pytest.mark.parametrize("stuff", [b"\0", b" ", b"x", b"[", b"{},"])
def test_bomb_without_a_newline_takes_bounded_memory(compress: Any, stuff: bytes) -> None:
    size = (96 << 20) // len(stuff)
    packed = compress(lines({"a": 1}) + b"[" + stuff * size)
    bare = compress(b"[" + stuff * size)
    limits = Limits(line_bytes=1_000_000, expanded_free=64 << 20, expanded_ratio=1)
    tracemalloc.start()
    try:
        assert read(packed, limits) == ([(1, {"a": 1})], [(2, EXPANDS)])
        with pytest.raises(Unreadable) as refused:
            read(bare, limits)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert refused.value.reason == EXPANDS
    assert peak < 40_000_000


def test_a_file_is_read_up_to_the_size_it_had(tmp_path: Path) -> None:
    path = tmp_path / "growing.jsonl"
    path.write_bytes(lines({"n": 0}, {"n": 1}))
    records = Records(path)
    got = []
    for record in records:
        got.append(record.value["n"])
        with path.open("ab") as file:
            file.write(lines({"n": len(got) + 1}))
    assert got == [0, 1]
    assert records.bytes == 18
    assert [record.value["n"] for record in records] == [0, 1, 2, 3]  # reading again starts anew
    assert records.records == 4


@pytest.mark.parametrize(("there", "asked"), [("a.jsonl.zst", "a.jsonl"), ("a.jsonl", "a.jsonl.zst")])
def test_the_twin_of_a_file_that_was_renamed(tmp_path: Path, there: str, asked: str) -> None:
    data = lines({"a": 1})
    (tmp_path / there).write_bytes(zstandard.compress(data) if there.endswith(".zst") else data)
    assert list(Records(tmp_path / asked)) == [Record(1, {"a": 1})]


def test_a_pipe_that_gives_little_at_a_time() -> None:
    class Slow(io.RawIOBase):
        def __init__(self, data: bytes) -> None:
            self.data = data

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            buffer[: len(self.data[:1])] = self.data[:1]
            taken, self.data = len(self.data[:1]), self.data[1:]
            return taken

    data = lines({"a": 1}, {"b": "\u2028é"})
    for packed in (data, gzip.compress(data), zstandard.compress(data)):
        records = Records(Slow(packed))  # type: ignore[arg-type]
        assert list(records) == [(1, {"a": 1}), (2, {"b": "\u2028é"})]
        assert records.bytes == len(packed)


def test_a_source_that_fails_midway() -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() >= 16:
                raise OSError("gone")
            return super().read(min(8, size or 8))

    records = Records(Failing(lines({"a": 1}, {"b": 2}, {"c": 3})))
    assert [record.line for record in records] == [1, 2]
    assert records.damaged == [Damage(3, "read error")]


def test_abandoning_the_iteration_closes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines({"a": 1}, {"b": 2}))
    iterator = iter(Records(path))
    next(iterator)
    del iterator  # a ResourceWarning would be an error
    path.unlink()


json_objects = st.dictionaries(
    st.text(),
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)


@given(st.lists(json_objects), st.booleans(), st.sampled_from([b"\n", b"\r\n"]), st.booleans())
def test_what_is_written_one_a_line_comes_back(values: list[Any], ascii_only: bool, end: bytes, final: bool) -> None:
    data = end.join(json.dumps(value, ensure_ascii=ascii_only).encode() for value in values) + (end if final else b"")
    assert read(data) == ([(number, value) for number, value in enumerate(values, 1)], [])


@given(st.lists(json_objects, min_size=2), st.sampled_from([None, 1, 2]))
def test_an_array_gives_what_its_elements_would(values: list[Any], indent: int | None) -> None:
    got, damage = read(json.dumps(values, indent=indent).encode())
    assert [value for _, value in got] == values
    assert damage == []


@given(
    st.binary(max_size=200)
    | st.lists(st.sampled_from([b'{"a":', b"1", b"}", b"[", b"]", b"\n", b",", b'"', b"\0", b"data: "])).map(b"".join)
)
def test_any_bytes(data: bytes) -> None:
    for each in (data, b"\n" + data, lines({"a": 1}) + data, gzip.compress(data), zstandard.compress(data)[:-1]):
        try:
            got, _ = read(each, SMALL)
        except Unreadable:
            continue
        assert all(isinstance(value, dict | list) for _, value in got)


@given(st.lists(st.tuples(json_objects, st.binary(max_size=20)), max_size=8))
def test_good_lines_survive_bad_neighbours(pairs: list[tuple[dict[str, Any], bytes]]) -> None:
    good = [{"type": "x", "value": value} for value, _ in pairs]
    data = b"".join(
        json.dumps(value).encode() + b"\n" + noise.replace(b"\n", b"") + b"\n"
        for value, (_, noise) in zip(good, pairs, strict=True)
    )
    try:
        got, _ = read(lines({"first": 1}) + data)
    except Unreadable:
        return  # a sample with that many control characters is not text
    found = dict(reversed(got))
    assert [found[2 * number + 2] for number in range(len(good))] == good
