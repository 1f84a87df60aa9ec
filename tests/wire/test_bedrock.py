from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.model import Media, Message, Other, Part, Text, Thinking, ToolCall, ToolResult, Usage
from headroom_cli.wire import bedrock

GIF = base64.b64encode(b"GIF89a\x02\x00\x03\x00\x80\x00\x00\x00\x00\x00").decode()

KEYS = ["text", "toolUse", "toolResult", "reasoningContent", "image", "document", "video", "audio", "guardContent"]
KEYS += ["citationsContent", "cachePoint", "content", "source", "bytes", "format", "name", "input", "toolUseId", "role"]
KEYS += ["message", "redact_message", "created_at", "messages", "system", "toolConfig", "tools", "toolSpec", "output"]
KEYS += ["usage", "inputTokens", "cacheDetails", "status", "reasoningText", "json"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=20,
)


def only(block: Any) -> Part:
    (part,) = bedrock.parse_blocks([block], 7)
    assert part.line == 7
    assert part.raw is block
    return part


def test_blocks_of_an_agent_turn() -> None:
    blocks = [
        {"reasoningContent": {"reasoningText": {"text": "look first", "signature": "EvYB"}}},
        {"reasoningContent": {"redactedContent": {"__bytes_encoded__": True, "data": "AAEC"}}},
        {"text": "Reading."},
        {"toolUse": {"toolUseId": "tooluse_1", "name": "read_file", "input": {"path": "a.py"}}},
        {"cachePoint": {"type": "default"}},
    ]
    assert bedrock.parse_blocks(blocks, 3) == [
        Thinking("look first", "EvYB", raw=blocks[0], line=3),
        Thinking("", None, raw=blocks[1], line=3),
        Text("Reading.", raw=blocks[2], line=3),
        ToolCall("tooluse_1", "read_file", {"path": "a.py"}, raw=blocks[3], line=3),
        Other("cachePoint", raw=blocks[4], line=3),
    ]


def test_a_server_tool_says_so() -> None:
    part = only({"toolUse": {"toolUseId": "t", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}})
    assert isinstance(part, ToolCall)
    assert part.type == "server"


def test_a_result_joins_text_and_json_and_keeps_media() -> None:
    part = only(
        {
            "toolResult": {
                "toolUseId": "tooluse_1",
                "status": "success",
                "content": [
                    {"text": "rows:"},
                    {"json": {"b": [1, 2], "a": "x"}},
                    {"image": {"format": "gif", "source": {"bytes": {"__bytes_encoded__": True, "data": GIF}}}},
                ],
            }
        }
    )
    assert isinstance(part, ToolResult)
    assert (part.call_id, part.is_error) == ("tooluse_1", False)
    assert part.text == 'rows:\n{"b": [1, 2], "a": "x"}'
    assert [(media.mime, media.bytes, media.width, media.height) for media in part.media] == [("image/gif", 16, 2, 3)]


@pytest.mark.parametrize(("status", "is_error"), [("error", True), ("success", False), (None, None), (["x"], None)])
def test_the_status_of_a_result(status: Any, is_error: bool | None) -> None:
    part = only({"toolResult": {"toolUseId": "t", "status": status, "content": [{"text": "boom"}]}})
    assert isinstance(part, ToolResult)
    assert part.is_error is is_error


@pytest.mark.parametrize(
    "data", [GIF, base64.b64decode(GIF), {"__bytes_encoded__": True, "data": GIF}], ids=["base64", "bytes", "strands"]
)
def test_bytes_in_every_encoding_are_the_same_image(data: Any) -> None:
    part = only({"image": {"format": "gif", "source": {"bytes": data}}})
    expected = only({"image": {"format": "gif", "source": {"bytes": GIF}}})
    assert isinstance(part, Media)
    assert isinstance(expected, Media)
    assert (part.mime, part.bytes, part.width, part.height) == ("image/gif", 16, 2, 3)
    assert part.digest == expected.digest
    assert part.digest


@pytest.mark.parametrize(
    ("block", "mime"),
    [
        ({"document": {"format": "pdf", "name": "spec", "source": {"bytes": "JVBERi0xLjQK"}}}, "application/pdf"),
        ({"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://b/k"}}}}, "video/mp4"),
        ({"audio": {"format": "wav", "source": {"bytes": "UklGRg=="}}}, "audio/wav"),
        ({"guardContent": {"image": {"format": "png", "source": {"bytes": GIF}}}}, "image/png"),
    ],
)
def test_media(block: dict[str, Any], mime: str) -> None:
    part = only(block)
    assert isinstance(part, Media)
    assert part.mime == mime


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ({"document": {"format": "txt", "name": "n", "source": {"text": "A rule."}}}, "A rule."),
        ({"document": {"name": "n", "source": {"content": [{"text": "A"}, {"text": "B"}]}}}, "A\nB"),
        ({"guardContent": {"text": {"text": "check me", "qualifiers": ["query"]}}}, "check me"),
        ({"citationsContent": {"citations": [{"title": "t"}], "content": [{"text": "cited"}]}}, "cited"),
        ({"searchResult": {"source": "s", "title": "t", "content": [{"text": "found"}]}}, "found"),
        ({"text": "plain"}, "plain"),
        ("bare", "bare"),
    ],
)
def test_blocks_that_carry_text(block: Any, text: str) -> None:
    part = only(block)
    assert isinstance(part, Text)
    assert part.text == text


@pytest.mark.parametrize(
    ("block", "kind"),
    [({"text": 5}, "text"), ({"futureContent": {}}, "futureContent"), ({}, "unknown"), (None, "unknown")],
)
def test_blocks_without_text(block: Any, kind: str) -> None:
    assert only(block) == Other(kind, raw=block, line=7)


def test_malformed_calls_and_results_are_empty() -> None:
    assert only({"toolUse": None}) == ToolCall(None, "", None, raw={"toolUse": None}, line=7)
    assert only({"toolResult": "x"}) == ToolResult(None, "", raw={"toolResult": "x"}, line=7)


def test_messages_and_their_origin() -> None:
    block = {"toolResult": {"toolUseId": "t1", "content": [{"text": "x"}]}}
    assert bedrock.parse_message({"role": "user", "content": [block]}, 4, 9) == Message(
        4, "user", [ToolResult("t1", "x", raw=block, line=9)], line=9, last_line=9, origin="tool"
    )
    assert bedrock.parse_message({"role": "user", "content": "hi"}, 0).parts == [Text("hi", raw="hi")]
    assert bedrock.parse_message(None, 1).parts == [Other("message")]


def test_a_row_of_a_strands_session() -> None:
    row = {
        "message": {"role": "user", "content": [{"text": "my card is 4111"}]},
        "message_id": 3,
        "redact_message": None,
        "created_at": "2026-05-15T10:00:00.250000+00:00",
        "updated_at": "2026-05-15T10:00:01+00:00",
    }
    message = bedrock.parse_message(row, 3, 4)
    assert message.timestamp == 1778839200250000
    assert message.parts == [Text("my card is 4111", raw={"text": "my card is 4111"}, line=4)]
    row["redact_message"] = {"role": "user", "content": [{"text": "[redacted]"}]}
    assert bedrock.parse_message(row, 3).parts == [Text("[redacted]", raw={"text": "[redacted]"})]
    assert bedrock.parse_message({**row, "created_at": "yesterday"}, 3).timestamp is None


def test_a_request() -> None:
    body = {
        "modelId": "anthropic.claude-3-haiku-20240307-v1:0",
        "system": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
        "messages": [{"role": "user", "content": [{"text": "hi"}]}],
        "toolConfig": {
            "tools": [
                {"toolSpec": {"name": "now", "description": "Time", "inputSchema": {"json": {"type": "object"}}}},
                {"cachePoint": {"type": "default"}},
                {"systemTool": {"name": "nova_grounding"}},
                5,
            ]
        },
        "inferenceConfig": {"maxTokens": 100},
    }
    request = bedrock.parse_request(body, 2)
    assert (request.dialect, request.model) == ("bedrock", "anthropic.claude-3-haiku-20240307-v1:0")
    assert [part.text for part in request.system if isinstance(part, Text)] == ["Be brief."]
    assert [(tool.name, tool.type, tool.line) for tool in request.tools] == [
        ("now", "function", 2),
        ("nova_grounding", "systemTool", 2),
    ]
    assert request.tools[0].text == (
        '{"name": "now", "description": "Time", "inputSchema": {"json": {"type": "object"}}}'
    )
    assert request.messages[0].parts == [Text("hi", raw={"text": "hi"}, line=2)]


def test_a_response() -> None:
    body = {
        "ResponseMetadata": {"RequestId": "0a1b", "HTTPStatusCode": 200},
        "output": {"message": {"role": "assistant", "content": [{"text": "done"}]}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 22, "outputTokens": 57, "totalTokens": 79},
        "metrics": {"latencyMs": 2040},
        "serviceTier": {"type": "priority"},
    }
    response = bedrock.parse_response(body)
    assert response is not None
    assert (response.id, response.stop_reason, response.service_tier) == ("0a1b", "end_turn", "priority")
    assert response.messages[0].parts == [Text("done", raw={"text": "done"})]
    assert response.messages[0].origin == "model"
    assert response.usage == Usage(input_tokens=22, uncached_input_tokens=22, output_tokens=57)


@pytest.mark.parametrize("body", [{"output": []}, {"output": {"text": "x"}}, {"messages": []}, [], None])
def test_what_is_no_response(body: Any) -> None:
    assert bedrock.parse_response(body) is None


def test_usage_includes_the_cache() -> None:
    assert bedrock.parse_usage(
        {
            "inputTokens": 51,
            "outputTokens": 78,
            "totalTokens": 1329,
            "cacheReadInputTokens": 1000,
            "cacheReadInputTokenCount": 1000,
            "cacheWriteInputTokens": 200,
            "cacheDetails": [{"ttl": "1h", "inputTokens": 150}, {"ttl": "5m", "inputTokens": 50}],
        }
    ) == Usage(
        input_tokens=1251,
        uncached_input_tokens=51,
        cache_read_input_tokens=1000,
        cache_write_input_tokens=200,
        cache_write_5m_input_tokens=50,
        cache_write_1h_input_tokens=150,
        output_tokens=78,
    )
    assert bedrock.parse_usage({"inputTokens": "51", "cacheDetails": 5}) is None
    assert bedrock.parse_usage([]) is None


@given(JSON)
@settings(max_examples=300)
def test_any_json_is_read_without_raising(value: Any) -> None:
    bedrock.parse_blocks(value, 1)
    bedrock.parse_message(value, 0, 1)
    bedrock.parse_request(value)
    bedrock.parse_response(value)
    bedrock.parse_usage(value)


@given(st.datetimes() | st.text(max_size=30))
def test_any_time_is_read_without_raising(stamp: Any) -> None:
    text = stamp if isinstance(stamp, str) else stamp.isoformat()
    bedrock.parse_message({"message": {"role": "user"}, "created_at": text}, 0)
    bedrock.parse_message({"message": {"role": "user"}, "created_at": text + "+23:59"}, 0)
