"""The text of results and the media in them: `waste.md` section 1, every vendor's shape."""

from __future__ import annotations

import base64
import struct
from hashlib import md5
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.model import Media
from headroom_cli.wire.results import arguments_text, call_text, dump, media_from_url, media_part, result_text

PNG_1X1 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "text", "json", "source", "data", "url", "image_url", "format", "bytes"])
            | st.text(max_size=5),
            inner
            | st.sampled_from(
                ["text", "image", "image_url", "input_image", "base64", "data:image/png;base64,/9j/", "/9j/4A=="]
            ),
            max_size=4,
        )
    ),
    max_leaves=20,
)


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("ok, 3 passed", "ok, 3 passed"),
        ("", ""),
        (None, ""),
        ([], ""),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "input_text", "text": "a"}, {"type": "output_text", "text": "b"}], "a\nb"),
        ([{"text": "a"}, {"json": {"n": 1, "ok": True}}], 'a\n{"n": 1, "ok": true}'),
        ([{"type": "tool_reference", "tool_name": "x"}, {"type": "text", "text": "a"}, None, 7], "a"),
        (["a", "b"], "a\nb"),
        ({"type": "input_text", "text": "whole"}, "whole"),
        ({"n": 1, "é": [None]}, '{"n": 1, "\\u00e9": [null]}'),
        ({"text": "x"}, '{"text": "x"}'),
        (7, "7"),
        (False, "false"),
    ],
)
def test_text_of_a_result(content: Any, text: str) -> None:
    assert result_text(content) == (text, [])


def test_images_in_a_result_become_media() -> None:
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG_1X1}}
    text, media = result_text([{"type": "text", "text": "shot"}, block], line=4)
    assert text == "shot"
    assert media == [Media("image/png", 70, 1, 1, md5(PNG_1X1.encode()).hexdigest()[:16], raw=block, line=4)]


@pytest.mark.parametrize(
    ("part", "mime", "size"),
    [
        (
            {"type": "image_url", "image_url": {"url": "data:image/png;base64," + PNG_1X1, "detail": "low"}},
            "image/png",
            70,
        ),
        ({"type": "image_url", "image_url": "https://example.org/a.png"}, "image/*", 0),
        ({"type": "input_image", "image_url": "data:image/png;base64," + PNG_1X1}, "image/png", 70),
        ({"type": "input_image", "file_id": "file-1"}, "image/*", 0),
        ({"type": "image"}, "image/*", 0),
        ({"type": "image", "data": PNG_1X1, "mimeType": "image/png"}, "image/png", 70),
        ({"type": "input_audio", "input_audio": {"data": b64(b"RIFF1234"), "format": "wav"}}, "audio/wav", 8),
        (
            {
                "type": "file",
                "file": {"file_data": "data:application/pdf;base64," + b64(b"%PDF-1"), "filename": "a.pdf"},
            },
            "application/pdf",
            6,
        ),
        ({"type": "input_file", "file_id": "file-2"}, "application/octet-stream", 0),
        ({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "abé"}}, "text/plain", 4),
        (
            {"type": "document", "source": {"type": "url", "url": "https://example.org/a.pdf"}},
            "application/octet-stream",
            0,
        ),
        ({"image": {"format": "png", "source": {"bytes": PNG_1X1}}}, "image/png", 70),
        (
            {"image": {"format": "png", "source": {"bytes": {"__bytes_encoded__": True, "data": PNG_1X1}}}},
            "image/png",
            70,
        ),
        ({"image": {"format": "png", "source": {"bytes": base64.b64decode(PNG_1X1)}}}, "image/png", 70),
        ({"document": {"format": "pdf", "name": "a", "source": {"bytes": b64(b"%PDF-1")}}}, "application/pdf", 6),
        ({"inlineData": {"mimeType": "image/webp", "data": b64(b"abc")}}, "image/webp", 3),
        ({"fileData": {"mimeType": "video/mp4", "fileUri": "gs://bucket/a.mp4"}}, "video/mp4", 0),
    ],
)
def test_media_in_every_shape(part: dict[str, Any], mime: str, size: int) -> None:
    media = media_part(part)
    assert media is not None
    assert (media.mime, media.bytes) == (mime, size)
    assert (media.digest is None) == (size == 0)


def test_the_same_bytes_have_the_same_digest_in_every_dialect() -> None:
    shapes: list[dict[str, Any]] = [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64," + PNG_1X1}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG_1X1}},
        {"image": {"format": "png", "source": {"bytes": base64.b64decode(PNG_1X1)}}},
        {"inlineData": {"mimeType": "image/png", "data": PNG_1X1}},
    ]
    assert len({media.digest for shape in shapes if (media := media_part(shape))}) == 1


@pytest.mark.parametrize("part", [{"type": "text", "text": "x"}, {"type": 5}, {}, {"type": "tool_use"}, {"image": "x"}])
def test_what_is_no_media(part: dict[str, Any]) -> None:
    assert media_part(part) is None


def jpeg(width: int, height: int) -> bytes:
    exif = b"\xff\xe1" + struct.pack(">H", 60_000) + bytes(59_998)
    frame = b"\xff\xc2" + struct.pack(">HBHH", 17, 8, height, width) + bytes(10)
    return b"\xff\xd8" + exif + frame + bytes(200_000)


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 1920, 1080) + bytes(99), (1920, 1080)),
        (b"GIF89a" + struct.pack("<HH", 320, 200) + bytes(99), (320, 200)),
        (jpeg(4032, 3024), (4032, 3024)),
        (b"RIFF" + bytes(4) + b"WEBPVP8X" + bytes(8) + b"\x1f\x03\x00" + b"\x57\x02\x00" + bytes(9), (800, 600)),
        (
            b"RIFF" + bytes(4) + b"WEBPVP8L" + bytes(4) + b"\x2f" + struct.pack("<I", 799 | 599 << 14) + bytes(9),
            (800, 600),
        ),
        (b"RIFF" + bytes(4) + b"WEBPVP8 " + bytes(4) + bytes(6) + struct.pack("<HH", 800, 600) + bytes(9), (800, 600)),
        (b"%PDF-1.7 and so on, long enough to hold a header", (None, None)),
        (b"\xff\xd8\xff\xff\xff", (None, None)),
    ],
)
def test_pixels_from_the_head(data: bytes, size: tuple[int | None, int | None]) -> None:
    media = media_from_url("data:image/x;base64," + b64(data))
    assert (media.width, media.height) == size
    assert media.bytes == len(data)


def test_broken_data_urls_degrade() -> None:
    assert media_from_url("data:image/png;base64").bytes == 0
    assert media_from_url("data:image/png;base64,").bytes == 0
    assert media_from_url("data:,hello") == Media("image/*", 5, digest=md5(b"hello").hexdigest()[:16])
    assert media_from_url("data:image/png;base64,####\ud800").width is None


def test_arguments_and_call_text() -> None:
    assert call_text("read", '{"path":"a.py"}') == 'read({"path":"a.py"})'
    assert call_text("read", {"path": "a.py", "lines": 3}) == 'read({"lines": 3, "path": "a.py"})'
    assert call_text("status", {}) == "status({})"
    assert call_text("", None) == "()"
    assert arguments_text([1, "é"]) == '[1, "\\u00e9"]'


def test_what_cannot_be_dumped_gives_nothing() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert dump(deep) == ""
    assert result_text({"a": deep}) == ("", [])


@given(JSON)
def test_any_value_has_a_text(value: Any) -> None:
    text, media = result_text(value)
    assert isinstance(text, str)
    assert all(isinstance(item, Media) and item.bytes >= 0 for item in media)
