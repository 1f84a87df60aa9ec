from __future__ import annotations

from typing import Any

import pytest

from tests.lint.support import assistant, calls, content, function_call, function_output, item, of, tool, user

CODE = "HR309"
BOT = {"role": "bot", "content": "b"}


@pytest.mark.parametrize("provider", ["anthropic", "openai", "mistral", "strict"])
def test_a_role_that_nobody_knows(provider: str) -> None:
    found = of(CODE, [user("a"), BOT, user("c")], provider)
    assert [(f.severity, f.entry.index, f.at) for f in found] == [("error", 1, ("role",))]  # type: ignore[union-attr]


@pytest.mark.parametrize("raw", [{"content": "a"}, "a", 7, None, ["a"], {"role": None}, {"role": ["user"]}])
def test_no_role_at_all(raw: Any) -> None:
    found = of(CODE, [raw], "openai")
    assert [f.message for f in found] == ([] if raw is None else ["a message has no role"])


def test_each_provider_has_its_own() -> None:
    developer = {"role": "developer", "content": "d"}
    assert not of(CODE, [developer, user("a")], "openai")
    assert of(CODE, [developer, user("a")], "mistral")
    assert of(CODE, [{"role": "system", "content": [{"text": "s"}]}, user({"text": "a"})], "bedrock")
    assert of(CODE, [content("assistant", {"text": "a"})], "gemini")
    assert not of(CODE, [{"parts": [{"text": "a"}]}, content("model", {"text": "b"})], "gemini")


def test_only_messages_among_items_have_roles() -> None:
    items = [item("developer"), item("user"), function_call("c"), function_output("c"), {"type": "reasoning"}, "text"]
    assert not of(CODE, items, "openai-responses")
    assert [f.entry.index for f in of(CODE, [item("user"), item("tool")], "openai-responses")] == [1]  # type: ignore[union-attr]
    assert not of(CODE, items, "strict")


def test_histories_that_are_converted_are_not_judged() -> None:
    assert not of(CODE, [user("a"), calls("c1"), tool("c1"), assistant("b")], dialect="openai")
    assert not of(CODE, [user("a"), BOT], "gemini", dialect="openai")
