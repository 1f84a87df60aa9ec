from __future__ import annotations

from typing import Any

from tests.lint.support import item, of, user


def tool(name: str = "a", **more: Any) -> dict[str, Any]:
    return {"name": name, "input_schema": {"type": "object"}, **more}


SEARCH = {"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"}


def test_all_tools_or_the_search_are_deferred() -> None:
    found = of("HR603", [user("x")], tools=[tool(defer_loading=True), tool("b", defer_loading=True)])
    assert [(f.severity, f.refs, f.at, f.message) for f in found] == [
        ("error", ("A44",), ("tools",), "all tools are deferred")
    ]
    deferred = [tool(), {**SEARCH, "defer_loading": True}]
    assert [f.message for f in of("HR603", [user("x")], tools=deferred)] == ["the tool search itself is deferred"]


def test_healthy_twins() -> None:
    for tools in ([], [tool()], [tool(defer_loading=True), SEARCH], [tool(), tool("b", defer_loading=True)], [None]):
        assert not of("HR603", [user("x")], tools=tools)


def test_responses_demand_a_search() -> None:
    function = {"type": "function", "name": "shell", "parameters": {"type": "object"}}
    deferred = {**function, "defer_loading": True}
    found = of("HR603", [item("user")], "openai-responses", tools=[function, deferred])
    assert [(f.refs, f.message) for f in found] == [
        (("R14",), "1 tool is deferred, and there is no tool_search to find them")
    ]
    assert not of("HR603", [item("user")], "openai-responses", tools=[deferred, {"type": "tool_search"}])
