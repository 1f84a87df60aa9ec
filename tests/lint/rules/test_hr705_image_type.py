from __future__ import annotations

from typing import Any

from tests.lint.images import gif, image, jpeg, png, webp
from tests.lint.support import assistant as answer
from tests.lint.support import of, tool_result, tool_use, user


def found(block: dict[str, Any], **more: Any) -> list[tuple[str, str]]:
    return [(f.severity, f.message) for f in of("HR705", [user(block)], **more)]


def test_a_type_that_the_bytes_deny() -> None:
    assert found(image(jpeg(3, 2))) == [("error", "the image is image/jpeg, not image/png")]
    assert found(image(png(3, 2), "image/svg+xml")) == [("error", "the image is image/png, not image/svg+xml")]
    first = of("HR705", [user(image(webp(3, 2)))])[0]
    assert first.fix is not None and (first.fix.kind, first.fix.what) == ("set", "set the media type image/webp")
    assert first.at == ("source",)


def test_images_in_results() -> None:
    messages = [user("x"), answer(tool_use("t1")), user(tool_result("t1", [image(gif(3, 2))]))]
    assert [f.at for f in of("HR705", messages)] == [("content", 0, "source")]


def test_what_is_no_image() -> None:
    assert found(image("")) == [("error", "the image has no data")]
    assert found(image("JVBERi0xLjcK")) == [("error", "the data is no image that a provider takes")]
    assert found(image("[removed]")) == [("error", "the data is no image that a provider takes")]
    assert found(image("[removed]"), as_="history") == [("warning", "the data is no image that a provider takes")]


def test_healthy_twins() -> None:
    assert found(image(png(3, 2))) == []
    assert found(image(jpeg(3, 2), "image/jpeg")) == []
    assert found({"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}) == []
    assert found({"type": "image", "source": {"type": "file", "file_id": "file_1"}}) == []
    pdf = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"}}
    assert found(pdf) == []


def test_bedrock() -> None:
    block = {"image": {"format": "png", "source": {"bytes": jpeg(3, 2)}}}
    assert [(f.severity, f.at) for f in of("HR705", [user(block)], "bedrock")] == [("error", ("image", "source"))]
    block = {"image": {"format": "jpeg", "source": {"bytes": "<14 bytes>"}}}
    assert [f.severity for f in of("HR705", [user(block)], "bedrock")] == ["warning"]
