from __future__ import annotations

from typing import Any

import pytest

from headroom_cli.lint.images import media_of, real_type
from headroom_cli.lint.sent import history_of
from tests.lint.images import gif, image, jpeg, png, webp
from tests.lint.support import tool_result, user


def media(messages: list[Any], dialect: str = "anthropic") -> list[tuple[Any, ...]]:
    found = media_of(history_of(messages, dialect))
    return [(m.block.entry.index, m.at, m.kind, m.mime, m.size) for m in found]


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (png(3, 2), "image/png"),
        (jpeg(3, 2), "image/jpeg"),
        (gif(3, 2), "image/gif"),
        (webp(3, 2), "image/webp"),
        ("R0lGODlh", "image/gif"),
    ],
)
def test_the_first_bytes_tell_the_type(data: str, mime: str) -> None:
    assert real_type(data) == mime


def test_what_is_no_image() -> None:
    assert real_type("JVBERi0xLjcK") == ""
    assert real_type("UklGRgAAAABXQVZF") == ""
    assert real_type("[image removed]") is None
    assert real_type("…") is None


def test_images_in_messages_and_results() -> None:
    document = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"}}
    remote = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
    messages = [user(image(png(4000, 3000)), document), user(tool_result("t", ["x", image(gif(10, 20)), remote]))]
    assert media(messages) == [
        (0, ("source",), "image", "image/png", (4000, 3000)),
        (0, ("source",), "document", "application/pdf", None),
        (1, ("content", 1, "source"), "image", "image/png", (10, 20)),
        (1, ("content", 2, "source"), "image", "", None),
    ]


def test_bedrock() -> None:
    inner = {"image": {"format": "jpeg", "source": {"bytes": jpeg(640, 480, exif=60_000)}}}
    wrapped = {"image": {"format": "png", "source": {"bytes": {"__bytes_encoded__": True, "data": png(7, 5)}}}}
    messages = [user(wrapped), user({"toolResult": {"toolUseId": "a", "content": [inner, {"text": "x"}]}})]
    assert media(messages, "bedrock") == [
        (0, ("image", "source"), "image", "image/png", (7, 5)),
        (1, ("toolResult", "content", 0, "image", "source"), "image", "image/jpeg", (640, 480)),
    ]


def test_bytes_are_counted_from_the_length() -> None:
    found = media_of(history_of([user(image(png(1, 1, size=100)), image("QUI="))], "anthropic"))
    assert [m.bytes for m in found] == [100, 2]


@pytest.mark.parametrize("source", [None, [], "x", {}, {"type": "base64"}, {"type": "base64", "data": ["x"]}])
def test_hostile_sources(source: Any) -> None:
    assert media([user({"type": "image", "source": source})]) == [(0, ("source",), "image", "", None)]
