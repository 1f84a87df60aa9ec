from __future__ import annotations

from tests.lint.support import assistant, of, text, tool_result, tool_use, user

THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "EqQBCkYIBRgC"}
ENABLED = {"type": "enabled", "budget_tokens": 2000}


def test_a_loop_that_opens_with_a_call_is_found() -> None:
    messages = [user("x"), assistant(tool_use("t1")), user(tool_result("t1"))]
    found = of("HR502", messages, thinking=ENABLED)
    assert [f.refs for f in found] == [("A27",)]
    assert "Expected `thinking` or `redacted_thinking`, but found `tool_use`" in (found[0].api_error or "")


def test_text_before_the_call_does_not_help() -> None:
    messages = [user("x"), assistant(text("ok"), tool_use("t1")), user(tool_result("t1"))]
    assert "but found `text`" in (of("HR502", messages, thinking=ENABLED)[0].api_error or "")


def test_only_the_turn_that_opened_the_loop_counts() -> None:
    messages = [
        user("x"),
        assistant(THOUGHT, tool_use("t1")),
        user(tool_result("t1")),
        assistant(tool_use("t2")),
        user(tool_result("t2")),
    ]
    assert not of("HR502", messages, thinking=ENABLED)


def test_earlier_loops_and_answers_may_lack_thinking() -> None:
    closed = [user("x"), assistant(tool_use("t1")), user(tool_result("t1")), assistant("done"), user("y")]
    assert not of("HR502", closed, thinking=ENABLED)
    again = [*closed, assistant(THOUGHT, tool_use("t2")), user(tool_result("t2"))]
    assert not of("HR502", again, thinking=ENABLED)


def test_other_settings_and_logs_are_not_judged() -> None:
    messages = [user("x"), assistant(tool_use("t1")), user(tool_result("t1"))]
    for thinking in ({"type": "adaptive"}, {"type": "disabled"}, None, ["enabled"], {"type": ["enabled"]}):
        assert not of("HR502", messages, thinking=thinking)
    assert not of("HR502", messages)
    assert not of("HR502", messages, as_="history", thinking=ENABLED)


def test_newer_models_may_answer_without_thinking() -> None:
    messages = [user("x"), assistant(tool_use("t1")), user(tool_result("t1"))]
    for model, severity in (("claude-opus-4-5", "error"), ("claude-opus-4-6", "warning"), ("alias", "error")):
        assert [f.severity for f in of("HR502", messages, model=model, thinking=ENABLED)] == [severity]
