from __future__ import annotations

from tests.lint.support import assistant, of, text, tool_result, tool_use, user

CODE = "HR409"
REFERENCE = {"type": "tool_reference", "tool_name": "a"}
CALL = [user("x"), assistant(tool_use("t1", "ToolSearch"))]


def test_references_and_text_in_one_result() -> None:
    found = of(CODE, [*CALL, user(tool_result("t1", [REFERENCE, text("1 tool")]))])
    assert [(f.severity, f.refs, f.at) for f in found] == [("error", ("A34",), ("content", 1))]


def test_text_beside_the_result_is_fine() -> None:
    assert not of(CODE, [*CALL, user(tool_result("t1", [REFERENCE, REFERENCE]), text("Tool loaded."))])
    assert not of(CODE, [*CALL, user(tool_result("t1", [text("none")]))])
    assert not of(CODE, [*CALL, user(tool_result("t1", "none"))])


def test_a_part_that_is_none() -> None:
    assert [f.at for f in of(CODE, [*CALL, user(tool_result("t1", [REFERENCE, None]))])] == [("content", 1)]
