from __future__ import annotations

from tests.lint.support import assistant, calls, error_codes, of, tool, user

CODE = "HR405"


def test_also_beside_a_content() -> None:
    found = of(CODE, [user("a"), {**assistant("x"), "tool_calls": []}, user("b")], "openai")
    assert [(f.severity, f.refs, f.at) for f in found] == [("error", ("O10",), ("tool_calls",))]


def test_without_a_content_it_is_told_of_once() -> None:
    assert error_codes([user("a"), {"role": "assistant", "content": None, "tool_calls": []}], "openai") == ["HR405"]


def test_null_and_real_calls_are_fine() -> None:
    assert not of(CODE, [user("a"), {**assistant("x"), "tool_calls": None}, user("b")], "openai")
    assert not of(CODE, [user("a"), calls("c1"), tool("c1")], "openai")


def test_empty_tools_on_strict_hosts() -> None:
    assert [f.at for f in of(CODE, [user("a")], "strict", tools=[])] == [("tools",)]
    assert not of(CODE, [user("a")], "openai", tools=[])


def test_mistral_takes_an_empty_list() -> None:
    assert not of(CODE, [user("a"), {**assistant("x"), "tool_calls": []}, user("b")], "mistral")
