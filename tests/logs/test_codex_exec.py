from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.logs.formats.codex_exec import FORMAT, read
from headroom_cli.model import Reading, Text, Thinking, ToolCall, ToolResult
from headroom_cli.source.records import Record

THREAD = "019a0000-0000-7000-8000-00000000abcd"


def run(*values: Any) -> tuple[list[Any], Reading]:
    reading = Reading("x.jsonl")
    return read([Record(n, value) for n, value in enumerate(values, 1)], "x.jsonl", reading), reading


def item(kind: str, item_id: str, stage: str = "completed", **fields: Any) -> dict[str, Any]:
    return {"type": f"item.{stage}", "item": {"id": item_id, "type": kind, **fields}}


def usage(input_tokens: int, cached: int, output: int, reasoning: int = 0) -> dict[str, Any]:
    return {
        "type": "turn.completed",
        "usage": {
            "input_tokens": input_tokens,
            "cached_input_tokens": cached,
            "output_tokens": output,
            "reasoning_output_tokens": reasoning,
        },
    }


def test_one_turn() -> None:
    conversations, reading = run(
        {"type": "thread.started", "thread_id": THREAD},
        {"type": "turn.started"},
        item("reasoning", "item_0", text="**Listing files**"),
        item("command_execution", "item_1", "started", command="ls", aggregated_output="", status="in_progress"),
        item("command_execution", "item_1", command="ls", aggregated_output="a.txt\n", exit_code=0, status="completed"),
        item("agent_message", "item_2", text="There is one file."),
        usage(24763, 24448, 122),
    )
    (conversation,) = conversations
    assert conversation.log_format == "codex-exec" == FORMAT.name
    assert conversation.session_id == THREAD
    assert [m.role for m in conversation.messages] == ["assistant", "assistant", "tool", "assistant"]
    thinking, call, result, text = (m.parts[0] for m in conversation.messages)
    assert isinstance(thinking, Thinking) and thinking.text == "**Listing files**"
    assert isinstance(call, ToolCall) and call.name == "command_execution" and call.arguments == {"command": "ls"}
    assert isinstance(result, ToolResult) and (result.call_id, result.text, result.is_error) == (
        "item_1",
        "a.txt\n",
        False,
    )
    assert isinstance(text, Text) and text.line == 6
    (request,) = conversation.requests
    assert request.source == "recorded"
    assert (request.usage.input_tokens, request.usage.cache_read_input_tokens) == (24763, 24448)
    assert (request.usage.uncached_input_tokens, request.usage.output_tokens) == (315, 122)
    assert [m.request for m in conversation.messages] == [0, 0, None, 0]
    assert "cannot" not in "".join(reading.notes)
    assert any("one request" in note for note in conversation.notes)
    assert reading.unknown == {}


def test_usage_is_cumulative() -> None:
    (conversation,), _ = run(
        {"type": "thread.started", "thread_id": THREAD},
        item("agent_message", "item_0", text="one"),
        usage(1000, 0, 50, 10),
        item("agent_message", "item_1", text="two"),
        usage(3500, 900, 80, 15),
        usage(3500, 900, 80, 15),
        item("agent_message", "item_2", text="three"),
        usage(700, 0, 5),
    )
    got = [
        (r.usage.input_tokens, r.usage.cache_read_input_tokens, r.usage.output_tokens) for r in conversation.requests
    ]
    assert got == [(1000, 0, 50), (2500, 900, 30), (700, 0, 5)]
    assert [r.usage.reasoning_output_tokens for r in conversation.requests] == [10, 5, 0]
    assert len({r.key for r in conversation.requests}) == 3


def test_failures_tools_and_what_never_completed() -> None:
    (conversation,), reading = run(
        {"type": "thread.started", "thread_id": THREAD},
        item(
            "mcp_tool_call",
            "item_0",
            server="docs",
            tool="find",
            arguments={"q": 1},
            result={"content": [{"type": "text", "text": "hit"}]},
        ),
        item("mcp_tool_call", "item_1", server="docs", tool="find", arguments={}, error={"message": "timed out"}),
        item("command_execution", "item_2", command="false", aggregated_output="", exit_code=1, status="failed"),
        item("file_change", "item_3", changes=[{"path": "a", "kind": "add"}], status="completed"),
        item("command_execution", "item_4", "started", command="sleep 9", status="in_progress"),
        item("hologram", "item_5"),
        {"type": "turn.failed", "error": {"message": "stream disconnected"}},
        {"type": "error", "message": "stream disconnected"},
    )
    parts = [m.parts[0] for m in conversation.messages]
    calls = [p for p in parts if isinstance(p, ToolCall)]
    assert [(c.name, c.server, c.type) for c in calls] == [
        ("find", "docs", "mcp"),
        ("find", "docs", "mcp"),
        ("command_execution", None, "function"),
        ("file_change", None, "server"),
        ("command_execution", None, "function"),
    ]
    results = [p for p in parts if isinstance(p, ToolResult)]
    assert [(r.call_id, r.text, r.is_error) for r in results] == [
        ("item_0", "hit", False),
        ("item_1", "timed out", True),
        ("item_2", "", True),
    ]
    assert reading.unknown == {"item:hologram": 1}
    (request,) = conversation.requests
    assert (request.stop_reason, request.usage, request.source) == ("failed", None, "implied")
    assert "no usage is recorded" in conversation.notes


def test_old_events_are_named_and_nothing_else() -> None:
    conversations, reading = run(
        {"id": "0", "msg": {"type": "task_started"}}, {"id": "0", "msg": {"type": "agent_message", "message": "hi"}}
    )
    assert conversations == []
    assert reading.unknown == {"msg:task_started": 1, "msg:agent_message": 1}


def test_two_runs_in_one_file() -> None:
    conversations, _ = run(
        {"type": "thread.started", "thread_id": "a" * 36},
        usage(10, 0, 1),
        {"type": "thread.started", "thread_id": "b" * 36},
        usage(20, 0, 2),
    )
    assert [c.session_id for c in conversations] == ["a" * 36, "b" * 36]
    assert [c.requests[0].usage.input_tokens for c in conversations] == [10, 20]


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
TYPES = st.sampled_from(["thread.started", "item.started", "item.completed", "turn.completed", "turn.failed", "x"])
ITEMS = st.sampled_from(["agent_message", "reasoning", "command_execution", "mcp_tool_call", "file_change", "x"])
FIELDS = ("id", "text", "command", "aggregated_output", "exit_code", "status", "tool", "server", "result", "error")
ITEM = st.fixed_dictionaries({"type": ITEMS | JUNK}, optional=dict.fromkeys(FIELDS, JUNK))
EVENT = st.fixed_dictionaries({"type": TYPES | JUNK, "item": ITEM | JUNK, "usage": JUNK, "thread_id": JUNK})


@settings(max_examples=200, deadline=None)
@given(st.lists(EVENT | JUNK, max_size=6))
def test_any_events_are_survived(events: list[Any]) -> None:
    conversations, _ = run(*events)
    for conversation in conversations:
        assert [r.index for r in conversation.requests] == list(range(len(conversation.requests)))
