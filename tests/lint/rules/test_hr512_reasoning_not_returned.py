from __future__ import annotations

from typing import Any

from tests.lint.support import (
    assistant,
    calls,
    function_call,
    function_output,
    item,
    of,
    tool,
    tool_result,
    tool_use,
    user,
)

USER = {"role": "user", "content": "x"}


def test_a_call_without_its_reasoning_content() -> None:
    messages = [USER, calls("c1"), tool("c1"), calls("c2"), tool("c2")]
    found = of("HR512", messages, "openai", model="deepseek-v4")
    assert [(f.severity, f.refs, f.call_ids) for f in found] == [("warning", ("D01",), ("c1", "c2"))]
    assert of("HR512", messages, "strict", dialect="openai", model="mimo-v2")


def test_healthy_twins() -> None:
    messages = [USER, calls("c1"), tool("c1")]
    kept = [USER, {**calls("c1"), "reasoning_content": "hm"}, tool("c1")]
    assert not of("HR512", kept, "openai", model="deepseek-v4")
    assert not of("HR512", messages, "openai", model="gpt-5.2")
    assert not of("HR512", messages, "openai", model="deepseek-reasoner")
    assert not of("HR512", messages, "openai")
    assert not of("HR512", [*messages, {"role": "assistant", "content": "y"}, USER], "openai", model="deepseek-v4")
    assert not of("HR512", messages, "openai", as_="training", model="deepseek-v4")
    done = [*messages, {"role": "assistant", "content": "y"}]
    assert not of("HR512", done, "openai", as_="history", model="deepseek-v4")


def test_each_call_item_needs_reasoning_of_its_own() -> None:
    def reasoning(**more: Any) -> dict[str, Any]:
        return {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "s"}], **more}

    full = reasoning(content=[{"type": "reasoning_text", "text": "t"}])
    outputs = [function_output("a"), function_output("b")]
    both = [item("user"), full, function_call("a"), full, function_call("b"), *outputs]
    one = [item("user"), full, function_call("a"), function_call("b"), *outputs]
    summary = [item("user"), reasoning(), function_call("a"), function_output("a")]
    assert not of("HR512", both, "openai-responses")
    assert [f.call_ids for f in of("HR512", one, "openai-responses")] == [("b",)]
    assert [f.refs for f in of("HR512", summary, "openai-responses")] == [("R16",)]
    # OpenAI itself: its models, and what only it encrypts.
    assert not of("HR512", one, "openai-responses", model="gpt-5.2")
    sealed = [item("user"), reasoning(encrypted_content="gAAA"), function_call("a"), function_call("b"), *outputs]
    assert not of("HR512", sealed, "openai-responses")


def test_the_shape_of_anthropic() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": ""}
    messages = [user("x"), assistant(tool_use("t1")), user(tool_result("t1"))]
    assert [(f.severity, f.refs) for f in of("HR512", messages, model="deepseek-v4")] == [("warning", ("D01",))]
    kept = [user("x"), assistant(thought, tool_use("t1")), user(tool_result("t1"))]
    assert not of("HR512", kept, model="deepseek-v4")
    assert not of("HR512", messages, model="claude-opus-4-8")
    assert not of("HR512", messages)
