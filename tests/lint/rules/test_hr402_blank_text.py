from __future__ import annotations

import pytest

from tests.lint.support import (
    assistant,
    bedrock_result,
    bedrock_use,
    error_codes,
    of,
    text,
    tool_result,
    tool_use,
    user,
)

CODE = "HR402"
SAID = {"text": "x"}


@pytest.mark.parametrize("blank", [user("\n"), user(text(" ")), user(text(" "), text("\t")), assistant(text("\n\n"))])
def test_a_message_of_nothing_but_white_space(blank: dict[str, object]) -> None:
    found = of(CODE, [user("x"), blank, user("y")])
    assert [(f.severity, f.refs) for f in found] == [("error", ("A22",))]


@pytest.mark.parametrize(
    "messages",
    [
        [user(text(" "), text("ok"))],
        [user(text("hi"), text(" "))],
        [user("x"), assistant(text("\n\n"), tool_use("t1")), user(tool_result("t1"), text(" "))],
    ],
)
def test_blank_text_beside_something_is_fine(messages: list[dict[str, object]]) -> None:
    assert error_codes(messages, tools=[{"name": "f", "input_schema": {}}]) == []


def test_a_blank_system_prompt() -> None:
    assert [f.at for f in of(CODE, [user("x")], system="  ")] == [("system",)]
    assert of(CODE, [user("x")], system=[text(" ")])
    assert not of(CODE, [user("x")], system=[text(" "), text("s")])
    assert not of(CODE, [user("x")], system="")


@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_bedrock_takes_no_blank_text_at_all(blank: str) -> None:
    messages = [user(SAID), assistant({"text": blank}, bedrock_use("a")), user(bedrock_result("a"))]
    found = of(CODE, messages, "bedrock")
    assert [(f.severity, f.refs) for f in found] == [("error", ("B04",))]
    assert found[0].api_error is not None
    assert "messages.1.content.0 is blank" in found[0].api_error


def test_claude_on_bedrock_may_take_white_space_beside_content() -> None:
    claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
    found = of(CODE, [user({"text": "a"}, {"text": "\n"}, {"text": "b"})], "bedrock", model=claude)
    assert [f.severity for f in found] == ["warning"]
    assert [f.severity for f in of(CODE, [user({"text": "\n"})], "bedrock", model=claude)] == ["error"]


def test_bedrock_for_a_history_in_anthropics_form() -> None:
    messages = [user("x"), assistant(text(" "), tool_use("a")), user(tool_result("a"))]
    assert of(CODE, messages, "bedrock", dialect="anthropic")
    assert of(CODE, messages, "strict")
    assert not of(CODE, [user("x"), assistant("a"), user("y")], "bedrock", dialect="anthropic")


def test_a_chat_message_of_white_space_is_fine() -> None:
    assert not of(CODE, [user("x"), assistant(" "), user("y")], "openai")
    assert not of(CODE, [user("x"), assistant(" "), user("y")], "strict", dialect="openai")
