from __future__ import annotations

import io
import json
from typing import Any

from headroom_cli.logs import read_stream
from headroom_cli.model import Reading, Text, ToolCall


def read(rows: list[Any]) -> Reading:
    return read_stream(io.BytesIO(b"".join(json.dumps(row).encode() + b"\n" for row in rows)))


def test_two_interleaved_chat_streams() -> None:
    def chunk(name: str, **more: Any) -> dict[str, Any]:
        return {"id": f"chatcmpl-{name}", "object": "chat.completion.chunk", "model": "gpt-5", "created": 1, **more}

    def delta(text: str) -> list[dict[str, Any]]:
        return [{"index": 0, "delta": {"content": text}}]

    usage = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
    rows = [
        chunk("first1", choices=delta("Hel")),
        chunk("second", choices=delta("Bye")),
        chunk("first1", choices=delta("lo")),
        chunk("first1", choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}]),
        chunk("first1", choices=[], usage=usage),
        chunk("second", choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}]),
    ]
    reading = read(rows)
    assert reading.log_format == "openai-chat"
    said = [[p.text for m in c.messages for p in m.parts if isinstance(p, Text)] for c in reading.conversations]
    assert said == [["Hello"], ["Bye"]]
    assert [c.requests[0].usage is not None for c in reading.conversations] == [True, False]


def test_responses_events_use_the_terminal_one() -> None:
    item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]}
    done = {"id": "resp_0001", "object": "response", "output": [item], "usage": {"input_tokens": 5, "output_tokens": 1}}
    rows = [
        {"type": "response.created", "sequence_number": 0, "response": {"id": "resp_0001", "output": []}},
        {"type": "response.output_text.delta", "sequence_number": 1, "output_index": 0, "delta": "hi"},
        {"type": "response.completed", "sequence_number": 2, "response": done},
    ]
    (conversation,) = read(rows).conversations
    assert conversation.requests[0].key == "resp_0001"
    assert [p.text for m in conversation.messages for p in m.parts if isinstance(p, Text)] == ["hi"]


def test_anthropic_events_in_an_envelope() -> None:
    usage_at_start = {"input_tokens": 7, "output_tokens": 1}
    start: dict[str, Any] = {"id": "msg_00001", "type": "message", "role": "assistant", "model": "m", "content": []}
    start["usage"] = usage_at_start
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hi"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ]
    for rows in (events, [{"event": e["type"], "data": e} for e in events]):
        (conversation,) = read(rows).conversations
        usage = conversation.requests[0].usage
        assert usage is not None
        assert (usage.input_tokens, usage.output_tokens, conversation.requests[0].stop_reason) == (7, 4, "end_turn")


def test_gemini_chunks_share_a_response() -> None:
    def chunk(text: str, tokens: int) -> dict[str, Any]:
        content = {"role": "model", "parts": [{"text": text}]}
        usage = {"promptTokenCount": 9, "candidatesTokenCount": tokens, "totalTokenCount": 9 + tokens}
        return {"candidates": [{"content": content}], "usageMetadata": usage, "responseId": "r-1", "modelVersion": "g"}

    (conversation,) = read([chunk("a", 1), chunk("b", 2)]).conversations
    usage = conversation.requests[0].usage
    assert usage is not None
    assert (len(conversation.requests), usage.input_tokens, usage.output_tokens) == (1, 9, 2)


def test_bedrock_events_follow_each_other() -> None:
    def delta(index: int, **fields: Any) -> dict[str, Any]:
        return {"contentBlockDelta": {"contentBlockIndex": index, "delta": fields}}

    start = {"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "t1", "name": "ls"}}}}
    rows = [
        {"messageStart": {"role": "assistant"}},
        delta(0, text="I "),
        delta(0, text="look."),
        start,
        delta(1, toolUse={"input": '{"path"'}),
        delta(1, toolUse={"input": ': "."}'}),
        {"contentBlockStop": {"contentBlockIndex": 1}},
        {"messageStop": {"stopReason": "tool_use"}},
        {"metadata": {"usage": {"inputTokens": 7, "outputTokens": 3, "totalTokens": 10}, "metrics": {}}},
        delta(0, reasoningContent={"text": "hm"}),
        {"messageStop": {"stopReason": "end_turn"}},
    ]
    first, second = read(rows).conversations
    assert first.dialect == "bedrock"
    text, call = first.messages[0].parts
    assert isinstance(text, Text)
    assert isinstance(call, ToolCall)
    assert (text.text, call.name, call.id, call.arguments) == ("I look.", "ls", "t1", {"path": "."})
    usage = first.requests[0].usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, first.requests[0].stop_reason) == (7, 3, "tool_use")
    assert (second.requests[0].usage, second.requests[0].line) == (None, 10)
