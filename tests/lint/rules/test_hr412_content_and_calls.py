from __future__ import annotations

from tests.lint.support import assistant, calls, of, tool, user

CODE = "HR412"
ID = "abcdefghi"
BOTH = [user("x"), calls(ID, content="let me look"), tool(ID), user("y")]


def test_older_models_take_one_of_the_two() -> None:
    found = of(CODE, BOTH, "mistral", model="open-mixtral-8x7b")
    assert [(f.severity, f.refs) for f in found] == [("error", ("M05",))]


def test_of_others_it_is_said_with_may_and_once() -> None:
    found = of(CODE, [*BOTH[:3], *BOTH[1:]], "mistral", model="mistral-large-latest")
    assert [(f.severity, f.message) for f in found] == [
        ("warning", "2 assistant messages have both a content and calls; older models may refuse that")
    ]


def test_neither_is_refused_by_all() -> None:
    for nothing in ({"content": ""}, {"content": None}, {}, {"content": "", "tool_calls": []}):
        found = of(
            CODE, [user("x"), {"role": "assistant", **nothing}, user("y")], "mistral", model="mistral-large-latest"
        )
        assert [f.severity for f in found] == ["error"]


def test_one_of_the_two_is_fine() -> None:
    assert not of(CODE, [user("x"), calls(ID), tool(ID), assistant("done"), user("y")], "mistral")
    assert not of(CODE, [user("x"), calls(ID, content=""), tool(ID), user("y")], "mistral")
    assert not of(CODE, [user("x"), {"role": "assistant", "content": "", "prefix": True}], "mistral")
