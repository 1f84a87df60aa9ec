"""Strands, SWE-agent and Agent Framework."""

from __future__ import annotations

import io
import json
from typing import Any

from headroom_cli.logs import read_stream
from headroom_cli.model import Reading, ToolCall, ToolResult


def read(rows: list[Any]) -> Reading:
    return read_stream(io.BytesIO(b"".join(json.dumps(row).encode() + b"\n" for row in rows)))


def test_strands_rows() -> None:
    def row(number: int, role: str, block: dict[str, Any], **more: Any) -> dict[str, Any]:
        created = f"2026-01-10T10:00:0{number}+00:00"
        return {"message": {"role": role, "content": [block]}, "message_id": number, "created_at": created, **more}

    use = {"toolUse": {"toolUseId": "t1", "name": "ls", "input": {}}}
    back = {"toolResult": {"toolUseId": "t1", "status": "success", "content": [{"text": "a.py"}]}}
    redacted = {"role": "user", "content": [{"text": "[redacted]"}]}
    rows = [row(0, "user", {"text": "secret"}, redact_message=redacted), row(1, "assistant", use), row(2, "user", back)]
    reading = read(rows)
    (conversation,) = reading.conversations
    assert (reading.log_format, conversation.dialect) == ("strands", "bedrock")
    assert conversation.messages[0].parts[0].text == "[redacted]"  # type: ignore[attr-defined]
    assert [(m.role, m.line, m.request) for m in conversation.messages] == [
        ("user", 1, None),
        ("assistant", 2, 0),
        ("user", 3, None),
    ]
    assert conversation.ended_at == 1_768_039_202_000_000


def test_swe_agent_trajectory() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "open", "arguments": '{"path": "a"}'}}
    history = [
        {"role": "system", "content": "s", "agent": "main"},
        {"role": "user", "content": "fix", "agent": "main"},
        {"role": "assistant", "content": "I open it.", "thought": "t", "agent": "main", "tool_calls": [call]},
        {"role": "tool", "content": "text", "agent": "main", "tool_call_ids": ["call_1"]},
    ]
    stats = {"model_stats": {"tokens_sent": 714, "tokens_received": 24, "api_calls": 1}}
    reading = read([{"environment": "e", "trajectory": [{}], "history": history, "info": stats}])
    (conversation,) = reading.conversations
    assert (reading.log_format, conversation.agent_name) == ("swe-agent", "main")
    result = conversation.messages[3].parts[0]
    assert isinstance(result, ToolResult)
    assert (result.call_id, result.text) == ("call_1", "text")
    assert conversation.notes == ["usage of the whole run: 714 tokens sent, 24 received"]


def test_agent_framework_rows() -> None:
    def message(role: str, *contents: dict[str, Any]) -> dict[str, Any]:
        return {"role": {"value": role}, "contents": list(contents), "author_name": None, "message_id": None}

    def text(value: str) -> dict[str, Any]:
        return {"type": "text", "text": value, "annotations": None}

    calls = [
        {"type": "function_call", "call_id": f"c{k}", "name": "get", "arguments": "{}", "exception": None} for k in "12"
    ]
    results = [{"type": "function_result", "call_id": f"c{k}", "result": {"n": k}, "exception": None} for k in "12"]
    messages = [
        message("user", text("q")),
        message("assistant", *calls),
        message("tool", *results),
        message("assistant", text("a")),
    ]
    rows = [{"id": "0", "config": {"assistant": {"model": "gpt-4.1"}}, "messages": messages}, {"id": "1", "error": "x"}]
    reading = read(rows)
    (conversation,) = reading.conversations
    assert (reading.log_format, conversation.model, reading.unknown) == ("agent-framework", "gpt-4.1", {"error": 1})
    assert [m.role for m in conversation.messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert [p.id for p in conversation.messages[1].parts if isinstance(p, ToolCall)] == ["c1", "c2"]
    shown = [p for m in conversation.messages[2:4] for p in m.parts if isinstance(p, ToolResult)]
    assert [(p.call_id, p.text) for p in shown] == [("c1", '{"n": "1"}'), ("c2", '{"n": "2"}')]
