from __future__ import annotations

import pytest

from tests.lint.support import calls, of, text, tool, user

CODE = "HR410"
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}


def test_an_image_of_a_tool() -> None:
    found = of(CODE, [user("a"), calls("c1"), tool("c1", [text("x"), IMAGE])], "openai")
    assert [(f.severity, f.refs, f.at, f.call_ids) for f in found] == [("error", ("O14",), ("content", 1), ("c1",))]
    assert found[0].api_error is not None
    assert "with role 'tool'" in found[0].api_error


@pytest.mark.parametrize("role", ["assistant", "system"])
def test_an_image_of_others(role: str) -> None:
    assert [f.severity for f in of(CODE, [{"role": role, "content": [IMAGE]}, user("a")], "openai")] == ["error"]


def test_the_user_may_send_images() -> None:
    assert not of(CODE, [{"role": "user", "content": [text("a"), IMAGE]}], "openai")
    assert not of(CODE, [user("a"), calls("c1"), tool("c1", [text("x")])], "openai")


def test_other_hosts_may_take_it() -> None:
    messages = [user("a"), calls("abcdefghi"), tool("abcdefghi", [IMAGE])]
    assert [f.severity for f in of(CODE, messages, "openai", model="qwen3-vl")] == ["warning"]
    assert [(f.severity, f.refs) for f in of(CODE, messages, "mistral")] == [("warning", ("M08",))]
