from __future__ import annotations

import io
import json
from typing import Any

from headroom_cli.logs import read_stream
from headroom_cli.model import Reading


def read(rows: list[Any]) -> Reading:
    return read_stream(io.BytesIO(b"".join(json.dumps(row).encode() + b"\n" for row in rows)))


def asked(custom_id: str, text: str) -> dict[str, Any]:
    body = {"model": "gpt-5-mini", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": text}]}
    return {"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions", "body": body}


def answered(custom_id: str, text: str, tokens: int) -> dict[str, Any]:
    body = {
        "id": f"chatcmpl-{custom_id}",
        "object": "chat.completion",
        "model": "gpt-5-mini",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1},
    }
    response = {"status_code": 200, "request_id": "r", "body": body}
    return {"id": f"batch_{custom_id}", "custom_id": custom_id, "response": response, "error": None}


def test_input_is_one_conversation_per_request() -> None:
    reading = read([asked("row-1", "a"), asked("row-2", "b")])
    assert reading.log_format == "openai-chat"
    assert [(c.session_id, len(c.messages), len(c.requests)) for c in reading.conversations] == [
        ("row-1", 2, 1),
        ("row-2", 2, 1),
    ]


def test_output_alone_has_the_answers_and_their_usage() -> None:
    reading = read([answered("row-2", "B", 20), answered("row-1", "A", 10)])
    usages = [c.requests[0].usage for c in reading.conversations]
    assert [usage.input_tokens for usage in usages if usage] == [20, 10]
    assert [c.session_id for c in reading.conversations] == ["row-2", "row-1"]
    assert [c.requests[0].key for c in reading.conversations] == ["chatcmpl-row-2", "chatcmpl-row-1"]


def test_both_in_one_file_are_joined_by_custom_id_in_any_order() -> None:
    rows = [asked("row-1", "a"), asked("row-2", "b"), answered("row-2", "B", 20), answered("row-1", "A", 10)]
    conversations = read(rows).conversations
    assert [[m.line for m in c.messages] for c in conversations] == [[1, 1, 1], [2, 2, 2]]
    assert [c.requests[0].usage.input_tokens for c in conversations if c.requests[0].usage] == [10, 20]


def test_errors_and_other_endpoints_are_counted() -> None:
    failed = {"id": "b", "custom_id": "x", "response": None, "error": {"code": "batch_expired"}}
    other = {"custom_id": "e", "method": "POST", "url": "/v1/embeddings", "body": {"model": "m", "input": ["a"]}}
    reading = read([asked("row-1", "a"), failed, other])
    assert len(reading.conversations) == 1
    assert reading.unknown == {"batch error": 1, "batch /v1/embeddings": 1}


def test_anthropic_batches() -> None:
    params = {"model": "claude-haiku-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "q"}]}
    message = {
        "id": "msg_batch0001",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-4-5",
        "content": [{"type": "text", "text": "a"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 8, "output_tokens": 2},
    }
    rows = [
        {"custom_id": "1", "params": params},
        {"custom_id": "1", "result": {"type": "succeeded", "message": message}},
        {"custom_id": "2", "result": {"type": "expired"}},
    ]
    reading = read(rows)
    (conversation,) = reading.conversations
    assert (conversation.log_format, [m.role for m in conversation.messages]) == ("anthropic", ["user", "assistant"])
    assert conversation.requests[0].stop_reason == "end_turn"
    assert reading.unknown == {"batch error": 1}
