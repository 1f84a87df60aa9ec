from __future__ import annotations

from tests.lint.support import assistant, of, text, user

MARK = {"cache_control": {"type": "ephemeral"}}
THOUGHT = {"type": "thinking", "thinking": "t", "signature": "EqQB"}


def test_thinking_and_empty_text() -> None:
    messages = [user("x"), assistant({**THOUGHT, **MARK}, text("y")), user({**text(""), **MARK})]
    found = of("HR704", messages)
    assert [(f.severity, f.refs, f.at) for f in found] == [
        ("error", ("A37",), ("cache_control",)),
        ("warning", ("A37",), ("cache_control",)),
    ]


def test_an_empty_system_text() -> None:
    assert [f.at for f in of("HR704", [user("x")], system=[{**text(""), **MARK}])] == [("system", 0, "cache_control")]


def test_healthy_twins() -> None:
    messages = [user("x"), assistant(THOUGHT, {**text("y"), **MARK}), user({**text(" z"), **MARK})]
    assert not of("HR704", messages)
    assert not of("HR704", [user("x"), assistant({**THOUGHT, "cache_control": None}, text("y"))])
