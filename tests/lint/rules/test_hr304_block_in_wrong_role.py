from __future__ import annotations

import pytest

from tests.lint.support import (
    assistant,
    bedrock_result,
    bedrock_use,
    error_codes,
    findings,
    of,
    text,
    tool_result,
    tool_use,
    user,
)

CODE = "HR304"
THOUGHT = {"type": "thinking", "thinking": "t", "signature": "s"}
SERVER = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}


@pytest.mark.parametrize("block", [tool_use("t1"), SERVER, THOUGHT])
def test_calls_and_thinking_are_not_the_users(block: dict[str, object]) -> None:
    found = of(CODE, [user(text("a"), block)])
    assert [(f.severity, f.refs, f.target.raw) for f in found] == [("error", ("A08",), block)]  # type: ignore[union-attr]
    assert not of(CODE, [user("a"), assistant(block)])


def test_results_are_not_the_assistants() -> None:
    found = of(CODE, [user("a"), assistant(tool_use("t1"), tool_result("t1"))])
    assert [f.message for f in found] == ["a tool_result block in a message of the assistant"]
    assert found[0].call_ids == ("t1",)


def test_results_of_server_tools_are() -> None:
    done = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    mcp = {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "content": []}
    assert not of(CODE, [user("a"), assistant(SERVER, done, mcp)])


def test_results_of_tools_that_bedrock_runs_are_the_assistants() -> None:
    called = {"toolUse": {"toolUseId": "a", "name": "nova_code_interpreter", "input": {}, "type": "server_tool_use"}}
    done = {"toolResult": {"toolUseId": "a", "content": [], "type": "nova_code_interpreter_result"}}
    assert error_codes([user({"text": "x"}), assistant(called, done), user({"text": "y"})], "bedrock") == []


def test_bedrock_and_strict_hosts() -> None:
    assert of(CODE, [user(bedrock_use("a"))], "bedrock")
    assert of(CODE, [user({"text": "x"}), assistant(bedrock_use("a"), bedrock_result("a"))], "bedrock")
    assert "D05" in of(CODE, [user("x"), assistant(tool_use("a"), tool_result("a"))], "strict")[0].refs


def test_a_host_of_another_model_that_answers_its_own_call_is_doubted_once() -> None:
    served = {"type": "server_tool_use", "id": "call_1", "name": "webReader", "input": {}}
    history = [user("a"), assistant(served, tool_result("call_1"), text("b")), user("c"), assistant("d")]
    found = findings(history, as_="history", model="glm-4.7")
    assert [(f.rule.code, f.severity) for f in found] == [(CODE, "warning")]
    assert [(f.rule.code, f.severity) for f in findings(history, as_="history")] == [(CODE, "error")]
