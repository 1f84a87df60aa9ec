from __future__ import annotations

import pytest

from tests.lint.support import assistant, calls, error_codes, of, text, tool, tool_result, tool_use, user

CODE = "HR401"


def test_an_empty_block_beside_a_call() -> None:
    found = of(CODE, [user("x"), assistant(text(""), tool_use("t1")), user(tool_result("t1"))])
    assert [(f.severity, f.refs, f.target.path) for f in found] == [("error", ("A21",), ("content", 0))]  # type: ignore[union-attr]
    assert found[0].fix is not None
    assert (found[0].fix.kind, found[0].fix.safe) == ("drop", True)


def test_of_the_user_and_of_the_system_prompt() -> None:
    assert of(CODE, [user(text(""), text("a"))])
    found = of(CODE, [user("a")], system=[text("s"), text("")])
    assert [(f.target, f.at) for f in found] == [(None, ("system", 1))]


@pytest.mark.parametrize(
    "messages",
    [
        [user("x"), {"role": "assistant", "content": []}, user("y")],
        [user("x"), assistant(""), user("y")],
        [user("x"), assistant(tool_use("t1")), user(tool_result("t1", ""))],
        [user("x"), assistant(tool_use("t1")), user(tool_result("t1", []))],
        [user("x"), assistant(tool_use("t1")), user(tool_result("t1", [text("")]))],
        [user("x"), assistant(tool_use("t1")), user(tool_result("t1", " "))],
        [user("x"), assistant({"type": "thinking", "thinking": "", "signature": "s"}, text("a")), user("y")],
        [user("x"), assistant(text("\n\n"), tool_use("t1")), user(tool_result("t1"))],
    ],
)
def test_what_anthropic_takes(messages: list[dict[str, object]]) -> None:
    assert error_codes(messages, tools=[{"name": "f", "input_schema": {}}]) == []


def test_an_empty_system_string_is_fine() -> None:
    assert error_codes([user("x")], system="") == []


def test_compatible_hosts_take_no_empty_text_at_all() -> None:
    for messages in (
        [user("x"), assistant(""), user("y")],
        [user("x"), calls("c1"), tool("c1", ""), user("y")],
        [user("x"), assistant(text("")), user("y")],
    ):
        assert ["D04" in f.refs for f in of(CODE, messages, "strict")] == [True]
    assert of(CODE, [user("x"), assistant(tool_use("t")), user(tool_result("t", [text("")]))], "strict")


def test_an_empty_string_beside_calls_is_fine_for_them() -> None:
    assert not of(CODE, [user("x"), calls("c1", content=""), tool("c1")], "strict")


def test_openai_takes_empty_strings() -> None:
    assert error_codes([user("x"), assistant(""), user("y"), calls("c1"), tool("c1", "")], "openai") == []
