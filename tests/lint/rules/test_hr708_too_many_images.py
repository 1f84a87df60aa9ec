from __future__ import annotations

from tests.lint.images import image, png
from tests.lint.support import of, user

ONE = image(png(10, 10))


def severities(number: int, model: str | None) -> list[str]:
    body = {} if model is None else {"model": model}
    return [f.severity for f in of("HR708", [user(*[ONE] * number)], **body)]


def test_what_models_take() -> None:
    assert severities(100, "claude-haiku-4-5") == []
    assert severities(101, "claude-haiku-4-5") == ["error"]
    assert severities(600, "claude-opus-4-8") == []
    assert severities(601, "claude-opus-4-8") == ["error"]
    assert severities(101, None) == ["warning"]
    assert severities(601, None) == ["error"]
    found = of("HR708", [user(*[ONE] * 601)])[0]
    assert found.api_error == "too many images and documents: 601 + 0 > 600"


def test_bedrock_is_sure_of_20_only() -> None:
    block = {"image": {"format": "png", "source": {"bytes": png(10, 10)}}}
    assert not of("HR708", [user(*[block] * 20)], "bedrock")
    found = of("HR708", [user(*[block] * 21)], "bedrock", model="anthropic.claude-opus-4-8")
    assert [(f.severity, f.refs) for f in found] == [("warning", ("A41", "B06"))]
