from __future__ import annotations

from tests.lint.support import calls, of, tool, user

CODE = "HR308"
CALL = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
RESULT = {"role": "function", "name": "f", "content": "r"}


def test_one_finding_at_the_first_such_message() -> None:
    found = of(CODE, [user("a"), CALL, RESULT, CALL, RESULT], "openai")
    assert [(f.severity, f.refs, f.entry.index) for f in found] == [("warning", ("O13",), 1)]  # type: ignore[union-attr]
    assert found[0].message == "4 parts of the history are in the form that tool_calls replaced"


def test_a_function_message_needs_a_name() -> None:
    found = of(CODE, [user("a"), CALL, {"role": "function", "content": "r"}], "openai")
    assert [(f.entry.index, f.api_error) for f in found] == [  # type: ignore[union-attr]
        (2, "Missing required parameter: 'messages[2].name'.")
    ]


def test_a_mixture_is_named() -> None:
    found = of(CODE, [user("a"), CALL, RESULT, calls("c1"), tool("c1")], "openai")
    assert "mixed with the new one" in found[0].message


def test_tool_calls_are_fine() -> None:
    assert not of(CODE, [user("a"), calls("c1"), tool("c1")], "openai")
    assert not of(CODE, [user("a"), {**calls("c1"), "function_call": None}, tool("c1")], "openai")
