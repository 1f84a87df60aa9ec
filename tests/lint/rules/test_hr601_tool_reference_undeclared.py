from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.lint.support import assistant, findings_in, of, text, tool_result, tool_use, user

CASES = Path(__file__).parents[2] / "cases" / "lint"
BASH = {"name": "bash", "input_schema": {"type": "object"}}
GONE = {"type": "tool_reference", "tool_name": "mcp__gone__x"}


def history(*found: dict[str, Any]) -> list[dict[str, Any]]:
    return [user("x"), assistant(tool_use("t1", "bash")), user(tool_result("t1", [*found]))]


def test_references_of_a_search_by_the_client() -> None:
    found = of("HR601", history({"type": "tool_reference", "tool_name": "bash"}, GONE), tools=[BASH])
    assert [(f.severity, f.refs, f.at, f.call_ids) for f in found] == [
        ("error", ("A12",), ("content", 1, "tool_name"), ("t1",))
    ]
    assert found[0].api_error == "Tool reference 'mcp__gone__x' not found in available tools"
    assert found[0].fix is not None and found[0].fix.kind == "neutralize"


def test_references_of_a_search_by_the_provider() -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "tool_search_tool_regex", "input": {}}
    result = {
        "type": "tool_search_tool_result",
        "tool_use_id": "srvtoolu_1",
        "content": {"type": "tool_search_tool_search_result", "tool_references": [GONE]},
    }
    messages = [user("x"), assistant(search, result, text("y")), user("z")]
    found = of("HR601", messages, tools=[BASH])
    assert [(f.at, f.fix and f.fix.kind) for f in found] == [(("content", "tool_references", 0, "tool_name"), "drop")]


def test_the_retrieval_tool() -> None:
    call = tool_use("t1", "headroom_retrieve", hash="ab12")
    messages = [user("x"), assistant(call), user(tool_result("t1", "stored")), assistant("y"), user("z")]
    found = of("HR601", messages, tools=[BASH])
    assert [(f.severity, f.call_ids, [r.note for r in f.related]) for f in found] == [
        ("error", ("t1",), ["what it retrieved"])
    ]
    assert not of("HR606", messages, tools=[BASH])
    assert not of("HR601", messages, tools=[BASH, {"name": "headroom_retrieve"}])
    served = [user("x"), assistant(tool_use("t1", "mcp__headroom__headroom_retrieve")), user(tool_result("t1"))]
    assert of("HR601", served, tools=[BASH])
    log = findings_in(CASES / "A12-retrieve-undeclared.jsonl", "anthropic")
    assert [f.rule.code for f in log if f.severity == "error"] == ["HR601"]


def test_a_request_without_tools_declares_none() -> None:
    assert of("HR601", history(GONE), tools=[])
    assert of("HR601", history(GONE), model="claude-opus-4-8", max_tokens=9)


def test_nothing_is_said_where_the_tools_are_not_known() -> None:
    assert not of("HR601", history(GONE))
    assert not of("HR601", history(GONE), as_="history", model="claude-opus-4-8")
    assert not of("HR601", history(GONE), tools=[BASH, {"type": "mcp_toolset", "mcp_server_name": "s"}])
    assert not of("HR601", history(GONE), model="claude-opus-4-8", mcp_servers=[{"type": "url", "name": "s"}])


def test_tools_may_be_added_on_the_way() -> None:
    added = {"role": "system", "content": [{"type": "tool_addition", "tool": {"name": "mcp__gone__x"}}]}
    messages = [user("x"), added, *history(GONE)[1:]]
    assert not of("HR601", messages, tools=[BASH])


def test_hostile_values() -> None:
    values: list[Any] = [None, 7, [], {"type": "tool_reference"}, {"type": "tool_reference", "tool_name": ["x"]}]
    for bad in values:
        assert not of("HR601", history(bad), tools=[BASH, None, 7, {"name": 3}])
