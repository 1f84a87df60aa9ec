from __future__ import annotations

from typing import Any

import pytest

from tests.lint.support import assistant, content, error_codes, gemini_call, gemini_response, of, text, user

CODE = "HR403"


@pytest.mark.parametrize("nothing", ["", []])
def test_a_user_must_say_something(nothing: Any) -> None:
    found = of(CODE, [{"role": "user", "content": nothing}])
    assert [(f.severity, f.refs) for f in found] == [("error", ("A23",))]
    assert found[0].api_error == "messages.0: user messages must have non-empty content"


@pytest.mark.parametrize("nothing", ["", []])
def test_the_assistant_need_not(nothing: Any) -> None:
    assert error_codes([user("a"), {"role": "assistant", "content": nothing}, user("b")]) == []


def test_other_hosts_want_content_of_the_assistant() -> None:
    empty = {"role": "assistant", "content": []}
    said = user({"text": "a"})
    assert [f.severity for f in of(CODE, [said, empty, said], "bedrock")] == ["error"]
    assert [f.severity for f in of(CODE, [user(text("a")), empty, user("b")], "strict", dialect="anthropic")] == [
        "warning"
    ]


def test_gemini_wants_parts() -> None:
    said = {"text": "x"}
    nothing: list[Any] = [[], [{}], None]
    for parts in nothing:
        found = of(CODE, [content("user", said), {"role": "model", "parts": parts}, content("user", said)], "gemini")
        assert [(f.severity, f.refs) for f in found] == [("error", ("G06",))]
    assert not of(CODE, [content("user", {"text": ""})], "gemini")


def test_gemini_parts_without_text() -> None:
    signed = {"text": "", "thoughtSignature": "c2ln"}
    messages = [content("user", {"text": "x"}), content("model", gemini_call()), content("user", gemini_response())]
    assert not of(CODE, [*messages, content("model", signed), content("user", {"text": "y"})], "gemini")


@pytest.mark.parametrize("provider", ["anthropic", "openai", "bedrock", "gemini"])
def test_a_request_without_messages(provider: str) -> None:
    assert [(f.severity, f.target) for f in of(CODE, [], provider)] == [("error", None)]
    assert not of(CODE, [], provider, as_="history")


def test_openai_takes_an_empty_string() -> None:
    assert not of(CODE, [user(""), assistant(""), user("b")], "openai")
    assert [f.severity for f in of(CODE, [{"role": "user", "content": []}], "openai")] == ["warning"]
