from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from headroom_cli.library import find_tool_units
from headroom_cli.model import Message, Part, Text, ToolCall, ToolResult
from headroom_cli.pairing import pair, tool_units


def history(*messages: tuple[Any, Sequence[Part]]) -> list[Message]:
    return [Message(index, role, list(parts)) for index, (role, parts) in enumerate(messages)]


def answers(messages: list[Message]) -> list[tuple[int | None, int | None]]:
    return [(entry.call_message, entry.result_message) for entry in pair(messages)]


def call(call_id: str | None, name: str = "f") -> ToolCall:
    return ToolCall(call_id, name, "{}")


def result(call_id: str | None, name: str | None = None) -> ToolResult:
    return ToolResult(call_id, "r", name=name)


def test_whatever_stands_between() -> None:
    messages = history(
        ("assistant", [call("a"), call("b")]),
        ("user", [Text("Hurry.")]),
        ("assistant", [Text("Yes."), call("c")]),
        ("tool", [result("c")]),
        ("tool", [result("b")]),
        ("tool", [result("a")]),
    )
    assert answers(messages) == [(0, 5), (0, 4), (2, 3)]
    assert tool_units(pair(messages)) == [(0, [4, 5]), (2, [3])]


def test_unanswered_calls_and_orphans() -> None:
    messages = history(("tool", [result("x")]), ("assistant", [call("a")]), ("tool", [result("y")]))
    assert answers(messages) == [(1, None), (None, 0), (None, 2)]
    assert tool_units(pair(messages)) == []


def test_a_result_answers_no_later_call() -> None:
    messages = history(("tool", [result("a")]), ("assistant", [call("a")]))
    assert answers(messages) == [(1, None), (None, 0)]


def test_ids_that_repeat_turn_by_turn() -> None:
    messages = history(
        ("assistant", [call("call_0")]),
        ("tool", [result("call_0")]),
        ("assistant", [call("call_0")]),
        ("tool", [result("call_0")]),
    )
    assert answers(messages) == [(0, 1), (2, 3)]


def test_an_interrupted_call_keeps_nothing_of_a_later_turn() -> None:
    messages = history(
        ("assistant", [call("call_0")]),
        ("user", [Text("Stop. Do this instead.")]),
        ("assistant", [call("call_0")]),
        ("tool", [result("call_0")]),
    )
    assert answers(messages) == [(0, None), (2, 3)]


@pytest.mark.parametrize("items", [False, True])
def test_ids_that_repeat_within_a_turn_are_matched_in_order(items: bool) -> None:
    calls: list[Part] = [call("call_0"), call("call_0")]
    said = [("assistant", [part]) for part in calls] if items else [("assistant", calls)]
    messages = history(*said, ("tool", [result("call_0")]), ("tool", [result("call_0")]))
    assert answers(messages) == ([(0, 2), (1, 3)] if items else [(0, 1), (0, 2)])


def test_calls_that_a_server_answers_in_the_same_turn() -> None:
    messages = history(
        ("assistant", [call("m", "mcp"), result("m"), call("m", "mcp"), result("m")]),
        ("assistant", [call("m", "mcp")]),
        ("tool", [result("m")]),
    )
    assert answers(messages) == [(0, 0), (0, 0), (1, 2)]


def test_without_ids_the_name_decides() -> None:
    messages = history(
        ("assistant", [call(None, "ls"), call(None, "cat")]),
        ("tool", [result(None, "cat")]),
        ("tool", [result(None, "ls")]),
    )
    assert answers(messages) == [(0, 2), (0, 1)]


def test_one_message_with_all_results_stands_once() -> None:
    messages = history(("assistant", [call("a"), call("b")]), ("user", [result("a"), result("b")]))
    assert tool_units(pair(messages)) == [(0, [1])]


def test_many_open_calls_are_not_searched() -> None:
    count = 20_000
    messages = history(
        *[("assistant", [call("same")]) for _ in range(count)], *[("tool", [result("same")]) for _ in range(count)]
    )
    assert len(tool_units(pair(messages))) == count


def test_units_of_a_chat_with_a_remark_between() -> None:
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "k", "function": {"name": "f"}}]},
        {"role": "user", "content": "And?"},
        {"role": "tool", "tool_call_id": "k", "content": "done"},
        {"role": "assistant", "function_call": {"name": "old", "arguments": "{}"}, "content": None},
        {"role": "function", "name": "old", "content": "done"},
    ]
    assert find_tool_units(messages) == [(0, [2]), (3, [4])]
