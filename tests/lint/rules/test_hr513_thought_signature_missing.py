from __future__ import annotations

from typing import Any

from tests.lint.support import content, gemini_call, gemini_response, of

PROMPT = content("user", {"text": "x"})


def signed(name: str = "f") -> dict[str, Any]:
    return {**gemini_call(name), "thoughtSignature": "CiQB"}


def answer(*names: str) -> dict[str, Any]:
    return content("user", *map(gemini_response, names))


def found(*contents: Any, **more: Any) -> list[tuple[str, str]]:
    return [(f.severity, f.message) for f in of("HR513", contents, "gemini", **more)]


def test_the_first_call_of_each_step_is_checked() -> None:
    history = [PROMPT, content("model", signed(), gemini_call("g")), answer("f", "g")]
    assert found(*history, model="gemini-3-pro") == []
    longer = [*history, content("model", gemini_call("h")), answer("h")]
    assert found(*longer, model="gemini-3-pro") == [
        ("error", "the call of h in the current turn has no thought signature")
    ]
    assert [s for s, _ in found(*longer)] == ["warning"]


def test_healthy_twins() -> None:
    history = [PROMPT, content("model", gemini_call()), answer("f")]
    assert found(*history, model="gemini-2.5-pro") == []
    assert found(*history, content("model", {"text": "y"}), PROMPT, model="gemini-3-pro") == []
    assert found(*history, content("model", {"text": "y"}), as_="history", model="gemini-3-pro") == []
    snake = content("model", {**gemini_call(), "thought_signature": "CiQB"})
    assert found(PROMPT, snake, answer("f"), model="gemini-3-pro") == []
