from __future__ import annotations

import io
import json
from typing import Any

from headroom_cli.logs import read_stream
from headroom_cli.model import Interval, Reading, ToolResult


def read(rows: list[Any]) -> Reading:
    return read_stream(io.BytesIO(b"".join(json.dumps(row).encode() + b"\n" for row in rows)))


def message(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


CALL = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}


def test_one_message_a_line_is_one_conversation() -> None:
    rows = [
        message("system", "s"),
        message("user", "q", timestamp="2026-01-01T00:00:00Z"),
        message("assistant", None, tool_calls=[CALL]),
        message("tool", "a.py", tool_call_id="c1"),
        message("assistant", "done", timestamp="2026-01-01T00:00:05Z"),
    ]
    reading = read(rows)
    assert reading.log_format == "openai-chat"
    (conversation,) = reading.conversations
    assert [(m.index, m.line, m.request) for m in conversation.messages] == [
        (0, 1, None),
        (1, 2, None),
        (2, 3, 0),
        (3, 4, None),
        (4, 5, 1),
    ]
    assert conversation.messages[3].parts[0].context == (Interval(1),)
    assert (conversation.started_at, conversation.ended_at) == (1_767_225_600_000_000, 1_767_225_605_000_000)
    assert all(len(m.key) == 32 for m in conversation.messages)


def test_a_system_line_begins_a_new_conversation() -> None:
    one = [message("system", "s"), message("system", "t"), message("user", "q"), message("assistant", "a")]
    conversations = read(one + one).conversations
    assert [len(c.messages) for c in conversations] == [4, 4]
    assert conversations[0].id != conversations[1].id
    assert [m.key for m in conversations[0].messages] == [m.key for m in conversations[1].messages]


def test_a_session_key_that_changes_begins_a_new_conversation() -> None:
    rows = [
        message("user", "q", session_id="one"),
        message("assistant", "a"),
        message("user", "q", session_id="two"),
        message("assistant", "a", session_id="two"),
    ]
    conversations = read(rows).conversations
    assert [(c.session_id, len(c.messages)) for c in conversations] == [("one", 2), ("two", 2)]


def test_one_responses_item_a_line() -> None:
    rows = [
        message("user", "q"),
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c1", "id": "fc_1", "status": "completed"},
        {"type": "function_call_output", "call_id": "c1", "output": "r"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
    ]
    (conversation,) = read(rows).conversations
    assert conversation.log_format == "openai-responses"
    assert [m.request for m in conversation.messages] == [None, 0, 0, None, 1]
    result = conversation.messages[3].parts[0]
    assert isinstance(result, ToolResult)
    assert (result.call_id, result.text, result.context) == ("c1", "r", (Interval(1),))


def test_one_list_a_line_is_one_conversation_each() -> None:
    rows = [[message("user", f"q{k}"), message("assistant", "a")] for k in range(3)]
    conversations = read(rows).conversations
    assert [[m.line for m in c.messages] for c in conversations] == [[1, 1], [2, 2], [3, 3]]


def test_gemini_contents_a_line() -> None:
    rows = [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": [{"text": "a"}]}]
    (conversation,) = read(rows).conversations
    assert (conversation.log_format, [m.role for m in conversation.messages]) == ("gemini", ["user", "assistant"])


def test_lines_that_are_no_messages_are_counted() -> None:
    rows = [message("user", "q"), {"note": 1}, message("assistant", "a"), {"type": "checkpoint"}]
    reading = read(rows)
    assert [m.line for m in reading.conversations[0].messages] == [1, 3, 4]
    assert reading.unknown == {"object": 1}


def test_usage_beside_a_message_is_that_of_its_request() -> None:
    usage = {"prompt_tokens": 30, "completion_tokens": 4, "total_tokens": 34}
    rows = [message("user", "q"), message("assistant", "a", usage=usage, model="gpt-5", timestamp=1_767_225_600)]
    (conversation,) = read(rows).conversations
    (request,) = conversation.requests
    assert request.usage is not None
    assert (request.usage.input_tokens, request.usage.output_tokens) == (30, 4)
    assert (request.source, request.model, request.timestamp) == ("recorded", "gpt-5", 1_767_225_600_000_000)
    (conversation,) = read([{"messages": rows}]).conversations
    assert conversation.requests[0].usage == request.usage


def test_rows_of_the_agents_sdk_store() -> None:
    items = [
        message("user", "q"),
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
    ]
    rows = [{"id": k, "session_id": "s", "message_data": json.dumps(item)} for k, item in enumerate(items)]
    (conversation,) = read(rows).conversations
    assert (conversation.session_id, conversation.dialect) == ("s", "openai-responses")
    assert [m.role for m in conversation.messages] == ["user", "assistant"]
