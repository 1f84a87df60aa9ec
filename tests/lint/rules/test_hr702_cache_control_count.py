from __future__ import annotations

from typing import Any

from tests.lint.support import assistant, bedrock_result, bedrock_use, of, text, tool_result, tool_use, user

MARK: dict[str, Any] = {"cache_control": {"type": "ephemeral"}}
SYSTEM = [{"type": "text", "text": "s", **MARK}]
TOOLS = [{"name": "f", **MARK}]


def marked(value: str) -> dict[str, Any]:
    return {**text(value), **MARK}


def test_five_markers_over_tools_system_and_messages() -> None:
    messages = [
        user(marked("1")),
        assistant(tool_use("t1")),
        user(tool_result("t1", [marked("inside")]), marked("2")),
    ]
    found = of("HR702", messages, system=SYSTEM, tools=TOOLS)
    assert [(f.severity, f.refs, f.message) for f in found] == [
        ("error", ("A35",), "5 cache markers; at most 4 are taken")
    ]
    assert found[0].api_error == "A maximum of 4 blocks with cache_control may be provided. Found 5."
    assert not of("HR702", messages, system=SYSTEM)


def test_one_on_the_request_itself_counts_by_hearsay() -> None:
    messages = [user(marked("1"), marked("2"), marked("3"), marked("4"))]
    assert not of("HR702", messages)
    assert [f.severity for f in of("HR702", messages, **MARK)] == ["warning"]


def test_bedrock_counts_cache_points() -> None:
    point = {"cachePoint": {"type": "default"}}
    messages = [
        user({"text": "x"}, point),
        assistant(bedrock_use("a"), point),
        user(bedrock_result("a"), point),
    ]
    tools = {"tools": [{"toolSpec": {"name": "f"}}, point]}
    assert not of("HR702", messages, "bedrock", toolConfig=tools)
    found = of("HR702", messages, "bedrock", toolConfig=tools, system=[{"text": "s"}, point])
    assert [f.refs for f in found] == [("A35",)]


def test_hostile_markers() -> None:
    values: list[Any] = [None, 7, [], "ephemeral"]
    messages = [user(*({**text("x"), "cache_control": value} for value in values * 3))]
    assert not of("HR702", messages, system=[None, 7], tools=[[]])
