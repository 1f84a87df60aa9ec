from __future__ import annotations

from tests.lint.support import assistant, bedrock_use, of, text, tool_result, tool_use, user

CODE = "HR408"
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
CALL = [user("x"), assistant(tool_use("t1"))]
SHOT = {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}


def test_an_error_with_an_image() -> None:
    found = of(CODE, [*CALL, user(tool_result("t1", [text("no"), IMAGE], is_error=True))])
    assert [(f.severity, f.refs, f.at, f.call_ids) for f in found] == [("error", ("A33",), ("content", 1), ("t1",))]


def test_errors_of_text_and_images_of_success_are_fine() -> None:
    assert not of(CODE, [*CALL, user(tool_result("t1", [text("no")], is_error=True))])
    assert not of(CODE, [*CALL, user(tool_result("t1", "no", is_error=True))])
    assert not of(CODE, [*CALL, user(tool_result("t1", [IMAGE], is_error=False))])
    assert not of(CODE, [*CALL, user(tool_result("t1", [IMAGE]))])


def bedrock(status: str, *parts: object) -> list[dict[str, object]]:
    result = {"toolResult": {"toolUseId": "a", "status": status, "content": [*parts]}}
    return [user({"text": "x"}), assistant(bedrock_use("a")), user(result)]


def test_bedrock() -> None:
    found = of(CODE, bedrock("error", {"text": "no"}, SHOT), "bedrock")
    assert [(f.refs, f.at) for f in found] == [(("B07",), ("toolResult", "content", 1))]
    assert not of(CODE, bedrock("success", SHOT), "bedrock")
    assert not of(CODE, bedrock("error", {"text": "no"}, {"json": {}}), "bedrock")
