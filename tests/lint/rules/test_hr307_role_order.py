from __future__ import annotations

from tests.lint.support import assistant, calls, content, error_codes, gemini_call, gemini_response, of, tool, user

CODE = "HR307"
SYSTEM = {"role": "system", "content": "s"}
ID = "abcdefghi"


def test_gemini_calls_follow_the_user_or_responses() -> None:
    said, call, response = {"text": "x"}, gemini_call(), gemini_response()
    broken = [content("user", said), content("model", said), content("model", call), content("user", response)]
    assert [(f.severity, f.refs, f.entry.index) for f in of(CODE, broken, "gemini")] == [("error", ("G02",), 2)]  # type: ignore[union-attr]
    assert [f.severity for f in of(CODE, broken, "gemini", model="gemini-3-flash-preview")] == ["warning"]
    healthy = [
        content("user", said),
        content("model", said, call),
        content("user", response),
        content("model", call),
        content("user", response),
    ]
    assert not of(CODE, healthy, "gemini")
    assert not of(CODE, [content("user", said), content("model", said), content("model", said)], "gemini")


def test_mistral_system_messages_stand_before_prompts() -> None:
    assert [f.refs for f in of(CODE, [user("a"), assistant("b"), SYSTEM, user("c")], "mistral")] == [("M03",)]
    assert of(CODE, [user("a"), calls(ID), tool(ID), SYSTEM, user("c")], "mistral")
    assert not of(CODE, [SYSTEM, user("a"), assistant("b"), user("c"), SYSTEM, user("d")], "mistral")


def test_mistral_tools_follow_the_assistant_or_tools() -> None:
    late = [user("a"), calls(ID), user("b"), tool(ID), assistant("c"), user("d")]
    assert [(f.entry.index, f.api_error) for f in of(CODE, late, "mistral")] == [  # type: ignore[union-attr]
        (3, "Unexpected role 'tool' after role 'user'")
    ]
    assert not of(CODE, [user("a"), calls(ID, "abcdefgh2"), tool(ID), tool("abcdefgh2"), user("b")], "mistral")


def test_an_orphan_is_told_of_once() -> None:
    assert error_codes([user("a"), tool(ID)], "mistral") == ["HR102"]


def test_others_have_no_such_order() -> None:
    assert not of(CODE, [user("a"), assistant("b"), SYSTEM, user("c")], "openai")
