from __future__ import annotations

from tests.lint.support import assistant, of, text, tool_result, tool_use, user

THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "EqQBCkYIBRgC"}
LOOP = [user("x"), assistant(THOUGHT, tool_use("t1")), user(tool_result("t1"))]


def test_thinking_in_an_open_loop_is_found() -> None:
    found = of("HR507", LOOP, model="claude-sonnet-4-5")
    assert [(f.severity, f.refs) for f in found] == [("error", ("A32",))]
    assert (found[0].api_error or "").startswith("messages.1.content.0: When thinking is disabled")
    for model in ("alias", "claude-opus-4-8", "claude-haiku-5-5"):
        found = of("HR507", LOOP, model=model, thinking={"type": "disabled"})
        assert [f.severity for f in found] == ["warning"]


def test_models_that_think_by_default_and_unknown_ones_are_healthy() -> None:
    assert not of("HR507", LOOP, model="claude-opus-5")
    assert not of("HR507", LOOP, model="claude-fable-5-1")
    assert not of("HR507", LOOP, model="alias")
    assert not of("HR507", LOOP)
    assert not of("HR507", LOOP, model="claude-sonnet-4-5", thinking={"type": "enabled", "budget_tokens": 1024})
    assert not of("HR507", LOOP, model="claude-opus-4-8", thinking={"type": "adaptive"})


def test_turns_before_the_last_prompt_are_healthy() -> None:
    closed = [*LOOP, assistant(THOUGHT, text("done")), user("y")]
    assert not of("HR507", closed, model="claude-sonnet-4-5")
    assert not of("HR507", LOOP, as_="history", model="claude-sonnet-4-5")
