from __future__ import annotations

from tests.lint.images import image, jpeg, png
from tests.lint.support import of, user

MOST = 5 * 2**20


def test_too_many_bytes() -> None:
    found = of("HR706", [user(image(png(10, 10, size=MOST + 1)))])
    assert [(f.severity, f.refs, f.message) for f in found] == [
        ("error", ("A39",), "the image has 5,242,881 bytes; 5,242,880 are the most")
    ]
    assert found[0].api_error == "image exceeds 5 MB maximum: 5242881 bytes > 5242880 bytes"


def test_between_the_image_and_its_base64() -> None:
    found = of("HR706", [user(image(png(10, 10, size=4 * 2**20)))])
    assert [f.severity for f in found] == ["warning"]
    assert not of("HR706", [user(image(png(10, 10, size=3_900_000)))])


def test_too_many_pixels() -> None:
    assert [f.message for f in of("HR706", [user(image(png(8001, 10)))])] == [
        "the image has 8001 x 10 pixels; 8000 a side are the most"
    ]
    assert of("HR706", [user(image(jpeg(10, 9000, exif=60_000), "image/jpeg"))])
    assert not of("HR706", [user(image(png(8000, 8000)))])
