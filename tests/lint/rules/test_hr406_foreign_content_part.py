from __future__ import annotations

import pytest

from tests.lint.support import assistant, calls, of, text, tool, tool_result, tool_use, user

CODE = "HR406"


@pytest.mark.parametrize(
    "part",
    [
        tool_use("c1"),
        {"type": "thinking", "thinking": "t"},
        {"type": "input_text", "text": "x"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}},
    ],
)
def test_parts_that_chat_completions_do_not_know(part: dict[str, object]) -> None:
    found = of(CODE, [user("a"), {"role": "assistant", "content": [part]}, user("b")], "openai")
    assert [(f.severity, f.refs, f.target.raw) for f in found] == [("error", ("O17",), part)]  # type: ignore[union-attr]
    assert found[0].api_error is not None
    assert found[0].api_error.startswith(f"Invalid value: '{part['type']}'")


def test_blocks_and_calls_in_one_message() -> None:
    mixed = {**calls("c1"), "content": [tool_use("c1")]}
    assert [f.entry.index for f in of(CODE, [user("a"), mixed, tool("c1")], "openai")] == [1]  # type: ignore[union-attr]


def test_inside_a_tool_message() -> None:
    found = of(CODE, [user("a"), calls("c1"), tool("c1", [text("x"), {"type": "input_text", "text": "y"}])], "openai")
    assert [f.at for f in found] == [("content", 1)]


@pytest.mark.parametrize(
    "part",
    [text("x"), {"type": "image_url", "image_url": {"url": "data:"}}, {"type": "input_audio"}, {"type": "new_in_2027"}],
)
def test_own_and_new_parts_are_fine(part: dict[str, object]) -> None:
    assert not of(CODE, [{"role": "user", "content": [part]}], "openai")


@pytest.mark.parametrize("name", ["image_url", "input_text", "function_call"])
def test_parts_that_anthropic_does_not_know(name: str) -> None:
    found = of(CODE, [user(text("a"), {"type": name})])
    assert [f.severity for f in found] == ["error"]
    assert not of(CODE, [user(text("a"), {"type": "container_upload", "file_id": "f"})])


def test_inside_a_result() -> None:
    messages = [user("a"), assistant(tool_use("t")), user(tool_result("t", [{"type": "image_url"}]))]
    assert [f.at for f in of(CODE, messages)] == [("content", 0)]


def test_mistral_knows_thinking_of_the_assistant_only() -> None:
    thinking = {"type": "thinking", "thinking": [text("t")]}
    assert not of(CODE, [user("a"), {"role": "assistant", "content": [thinking, text("x")]}, user("b")], "mistral")
    found = of(CODE, [{"role": "system", "content": [thinking]}, user("b")], "mistral")
    assert [(f.severity, f.refs) for f in found] == [("warning", ("M08",))]
