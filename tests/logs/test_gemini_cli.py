from __future__ import annotations

import io
import json
from typing import Any

from headroom_cli.logs import read_stream
from headroom_cli.model import Interval, Reading, Thinking, ToolCall, ToolResult, Usage

T = "2026-01-10T10:00:0{}.000Z"
CALL = {
    "id": "list-1",
    "name": "list_directory",
    "args": {"path": "."},
    "result": [{"functionResponse": {"id": "list-1", "name": "list_directory", "response": {"output": "a.py"}}}],
    "status": "success",
}


def message(number: int, kind: str, content: str, **more: Any) -> dict[str, Any]:
    return {"id": f"id-{number}", "timestamp": T.format(number), "type": kind, "content": content, **more}


TOKENS = {"input": 100, "output": 10, "cached": 60, "thoughts": 5, "tool": 0, "total": 115}
THOUGHTS = [{"subject": "Plan", "description": "Look."}]
MESSAGES = [
    message(1, "user", "list"),
    message(2, "gemini", "", toolCalls=[CALL], thoughts=THOUGHTS, tokens=TOKENS, model="g"),
    message(3, "info", "update available"),
    message(4, "gemini", "one file", tokens={**TOKENS, "input": 130}, model="g"),
]
HEADER = {"sessionId": "s-1", "projectHash": "h", "startTime": T.format(0), "lastUpdated": T.format(9)}


def read(data: str) -> Reading:
    return read_stream(io.BytesIO(data.encode()))


def test_one_document() -> None:
    reading = read(json.dumps({**HEADER, "messages": MESSAGES}, indent=2))
    (conversation,) = reading.conversations
    assert (reading.log_format, conversation.session_id, conversation.client) == ("gemini-cli", "s-1", "Gemini CLI")
    assert [(m.role, m.origin, m.key) for m in conversation.messages] == [
        ("user", "human", "id-1"),
        ("assistant", "model", "id-2"),
        ("tool", "tool", "id-2:results"),
        ("assistant", "model", "id-4"),
    ]
    thinking, call = conversation.messages[1].parts
    assert isinstance(thinking, Thinking)
    assert (thinking.text, thinking.context) == ("Plan\nLook.", ())
    assert isinstance(call, ToolCall)
    assert (call.id, call.arguments, call.context) == ("list-1", {"path": "."}, (Interval(1),))
    result = conversation.messages[2].parts[0]
    assert isinstance(result, ToolResult)
    assert (result.call_id, result.text, result.is_error) == ("list-1", "a.py", False)
    assert conversation.requests[0].usage == Usage(
        input_tokens=100,
        uncached_input_tokens=40,
        cache_read_input_tokens=60,
        output_tokens=15,
        reasoning_output_tokens=5,
    )
    assert [r.key for r in conversation.requests] == ["id-2", "id-4"]
    assert (conversation.started_at, conversation.ended_at) == (1_768_039_200_000_000, 1_768_039_209_000_000)
    assert reading.unknown == {}


def test_lines_with_updates_and_a_rewind() -> None:
    rows = [
        HEADER,
        MESSAGES[0],
        {**MESSAGES[1], "toolCalls": [], "tokens": None},
        MESSAGES[1],
        {"$set": {"lastUpdated": T.format(5)}},
        MESSAGES[3],
        {"$rewindTo": "id-4"},
        message(5, "gemini", "again", tokens=TOKENS, model="g"),
    ]
    (conversation,) = read("".join(json.dumps(row) + "\n" for row in rows)).conversations
    assert [(m.key, m.line, m.parts[-1].context) for m in conversation.messages] == [
        ("id-1", 2, (Interval(0),)),
        ("id-2", 4, (Interval(1),)),
        ("id-2:results", 4, (Interval(1),)),
        ("id-4", 6, ()),
        ("id-5", 8, (Interval(3),)),
    ]
    assert len(conversation.requests) == 3


def test_failed_calls_and_results_as_text() -> None:
    failed = {"id": "x", "name": "run", "args": {}, "result": "no such file", "status": "error"}
    (conversation,) = read(
        json.dumps({**HEADER, "messages": [MESSAGES[0], {**MESSAGES[1], "toolCalls": [failed]}]})
    ).conversations
    result = conversation.messages[2].parts[0]
    assert isinstance(result, ToolResult)
    assert (result.call_id, result.text, result.is_error) == ("x", "no such file", True)


def test_a_session_of_warnings_is_no_conversation() -> None:
    reading = read(json.dumps({**HEADER, "messages": [message(1, "warning", "w")]}))
    assert (reading.conversations, reading.skipped) == ([], "no conversation in it")
