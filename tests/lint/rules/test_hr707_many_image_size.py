from __future__ import annotations

from tests.lint.images import image, png
from tests.lint.support import assistant, of, tool_result, tool_use, user

LARGE, SMALL = image(png(3840, 2160)), image(png(2000, 1500))


def test_the_21st_image_makes_an_old_one_fail() -> None:
    found = of("HR707", [user(LARGE), user(*[SMALL] * 20)])
    assert [(f.severity, f.refs, f.message) for f in found] == [
        ("error", ("A40",), "the image has 3840 x 2160 pixels; with 21 images, 2000 a side are the most")
    ]
    assert found[0].entry is not None and found[0].entry.index == 0


def test_images_in_results_count() -> None:
    messages = [user(*[SMALL] * 20), assistant(tool_use("t1")), user(tool_result("t1", [LARGE]))]
    assert [f.at for f in of("HR707", messages)] == [("content", 0, "source")]


def test_healthy_twins() -> None:
    assert not of("HR707", [user(LARGE, *[SMALL] * 19)])
    assert not of("HR707", [user(*[SMALL] * 30)])
    document = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"}}
    assert not of("HR707", [user(LARGE, *[SMALL] * 19, document)])


def test_bedrock_counts_documents() -> None:
    large = {"image": {"format": "png", "source": {"bytes": png(3840, 2160)}}}
    document = {"document": {"format": "pdf", "name": "d", "source": {"bytes": "JVBE"}}}
    assert of("HR707", [user(large, *[document] * 20)], "bedrock")
    assert not of("HR707", [user(large, *[document] * 19)], "bedrock")
