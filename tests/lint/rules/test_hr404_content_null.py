from __future__ import annotations

from typing import Any

import pytest

from tests.lint.support import assistant, calls, function_call, function_output, item, of, tool, user

CODE = "HR404"


@pytest.mark.parametrize("role", ["system", "developer", "user", "tool", "assistant"])
@pytest.mark.parametrize("given", [{}, {"content": None}])
def test_a_content_is_wanted(role: str, given: dict[str, Any]) -> None:
    messages = [user("a"), calls("c1"), tool("c1"), {"role": role, "tool_call_id": "c1", **given}]
    found = of(CODE, messages, "openai")
    assert [(f.severity, f.refs, f.entry.index) for f in found] == [("error", ("O09",), 3)]  # type: ignore[union-attr]
    assert found[0].at == (("content",) if given else ())


@pytest.mark.parametrize(
    "instead",
    [
        calls("c1"),
        {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "assistant", "content": None, "refusal": "no"},
        {"role": "assistant", "content": None, "audio": {"id": "a"}},
    ],
)
def test_the_assistant_may_have_something_else(instead: dict[str, Any]) -> None:
    assert not of(CODE, [user("a"), instead], "openai")


def test_null_is_no_substitute() -> None:
    assert of(CODE, [user("a"), {"role": "assistant", "content": None, "tool_calls": None}], "openai")


@pytest.mark.parametrize("content", ["", [], "x"])
def test_empty_is_not_null(content: Any) -> None:
    assert not of(CODE, [user("a"), {"role": "assistant", "content": content}], "openai")


@pytest.mark.parametrize("content", [7, {"text": "x"}, True])
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_neither_text_nor_a_list(provider: str, content: Any) -> None:
    found = of(CODE, [{"role": "user", "content": content}], provider)
    assert [f.severity for f in found] == ["error"]
    assert found[0].api_error is not None
    assert "array" in found[0].api_error


def test_anthropic_wants_it_of_every_message() -> None:
    assert [f.refs for f in of(CODE, [user("a"), {"role": "assistant", "content": None}])] == [("A43",)]


def test_mistral_has_its_own_word_for_the_assistant() -> None:
    assert not of(CODE, [user("a"), {"role": "assistant", "content": None}, user("b")], "mistral")
    assert of(CODE, [{"role": "user", "content": None}], "mistral")


def test_items_have_no_content() -> None:
    assert not of(CODE, [item("user"), function_call("c"), function_output("c")], "strict")


def test_histories_that_are_converted_are_not_judged() -> None:
    assert not of(CODE, [user("a"), calls("c1"), tool("c1"), assistant("b")], dialect="openai")
