from __future__ import annotations

from tests.lint.support import assistant, of, tool_result, tool_use, user

TOOLS = [{"name": "bash", "input_schema": {"type": "object"}}]
GONE = [
    user("x"),
    assistant(tool_use("t1", "gone"), tool_use("t2", "bash"), tool_use("t3", "gone")),
    user(tool_result("t1"), tool_result("t2"), tool_result("t3")),
]


def test_one_warning_for_each_tool() -> None:
    found = of("HR606", GONE, tools=TOOLS)
    assert [(f.severity, f.refs, f.call_ids, f.message) for f in found] == [
        ("warning", ("A12",), ("t1", "t3"), "gone is called 2 times, but this request does not declare it")
    ]


def test_healthy_twins() -> None:
    assert not of("HR606", GONE, tools=[*TOOLS, {"name": "gone"}])
    assert not of("HR606", GONE, as_="history", tools=TOOLS)
    assert not of("HR606", GONE, tools=[])  # HR604 speaks of these
    assert not of("HR606", GONE)
