"""Chat Completions messages, requests, responses and usage."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.model import Media, Message, Other, Part, Text, Thinking, ToolCall, ToolResult, Usage
from headroom_cli.wire import openai_chat
from headroom_cli.wire.openai_chat import parse_message, parse_request, parse_response, parse_usage
from headroom_cli.wire.openai_usage import microseconds, usage_entries


def parts_of(raw: Any) -> list[Part]:
    return parse_message(raw, 0).parts


def test_a_history_with_calls_and_results() -> None:
    history: list[dict[str, Any]] = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Read a.py"}], "name": "ada"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a.py"}'}},
                {"id": "call_2", "type": "custom", "custom": {"name": "shell", "input": "ls -l"}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "x = 1"}]},
        {"role": "tool", "tool_call_id": "call_2", "content": "total 0"},
        {"role": "assistant", "content": "Done.", "refusal": None, "annotations": []},
    ]
    messages = [parse_message(raw, index, line=7) for index, raw in enumerate(history)]
    assert [(m.index, m.role, m.origin) for m in messages] == [
        (0, "system", "harness"),
        (1, "user", "human"),
        (2, "assistant", "model"),
        (3, "tool", "tool"),
        (4, "tool", "tool"),
        (5, "assistant", "model"),
    ]
    calls = history[2]["tool_calls"]
    assert messages[0].parts == [Text("Be brief.", raw="Be brief.", line=7)]
    assert messages[2].parts == [
        ToolCall("call_1", "read", '{"path": "a.py"}', raw=calls[0], line=7),
        ToolCall("call_2", "shell", "ls -l", "custom", raw=calls[1], line=7),
    ]
    assert messages[3].parts == [ToolResult("call_1", "x = 1", raw=history[3], line=7)]
    assert all(m.line == m.last_line == 7 for m in messages)


@pytest.mark.parametrize("content", [None, "", [], 5, True])
def test_nothing_to_read_gives_no_part(content: Any) -> None:
    assert parts_of({"role": "user", "content": content}) == []


def test_legacy_functions_have_a_name_and_no_id() -> None:
    call = parts_of({"role": "assistant", "content": None, "function_call": {"name": "now", "arguments": "{}"}})
    assert call == [ToolCall(None, "now", "{}", raw={"function": {"name": "now", "arguments": "{}"}})]
    result = {"role": "function", "name": "now", "content": "12:00"}
    assert parts_of(result) == [ToolResult(None, "12:00", name="now", raw=result)]


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([None], [(None, "", None)]),
        ([7, "x"], [(None, "", None), (None, "", None)]),
        ([{}], [(None, "", None)]),
        ([{"id": 3, "function": None}], [(None, "", None)]),
        ([{"id": "c", "function": {"name": ["x"], "arguments": None}}], [("c", "", None)]),
        ([{"id": "c", "function": {"name": "f", "arguments": {"a": 1}}}], [("c", "f", {"a": 1})]),
        ([{"id": "c", "name": "f", "args": {"a": 1}, "type": "tool_call"}], [("c", "f", {"a": 1})]),
        ({"id": "c", "function": {"name": "f", "arguments": "{}"}}, [("c", "f", "{}")]),
        ({"nonsense": 1}, [(None, "", None)]),
        (3, [(None, "", None)]),
        ([], []),
        ({}, []),
    ],
)
def test_malformed_calls_degrade_to_empty_ones(calls: Any, expected: list[tuple[Any, ...]]) -> None:
    parts = parts_of({"role": "assistant", "content": "", "tool_calls": calls})
    assert [(p.id, p.name, p.arguments) for p in parts if isinstance(p, ToolCall)] == expected
    assert len(parts) == len(expected)


def test_content_parts() -> None:
    parts = parts_of(
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look:"},
                {"type": "image_url", "image_url": {"url": "data:image/gif;base64,R0lGODlhBwAFAAAA"}},
                {"type": "image"},
                {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "mp3"}},
                {"type": "file", "file": {"file_id": "file-1"}},
                {"type": "mystery", "text": "?"},
                "plain",
            ],
        }
    )
    assert [type(part) for part in parts] == [Text, Media, Media, Media, Media, Other, Text]
    assert [(p.mime, p.bytes, p.width, p.height) for p in parts if isinstance(p, Media)] == [
        ("image/gif", 12, 7, 5),
        ("image/*", 0, None, None),
        ("audio/mp3", 3, None, None),
        ("application/octet-stream", 0, None, None),
    ]


def test_refusals_are_text() -> None:
    assert parts_of({"role": "assistant", "content": None, "refusal": "I can't."}) == [Text("I can't.", raw="I can't.")]
    part = {"type": "refusal", "refusal": "No."}
    assert parts_of({"role": "assistant", "content": [part]}) == [Text("No.", raw=part)]


def test_an_audio_answer_has_its_transcript() -> None:
    audio = {"id": "audio_1", "data": "QUJD", "transcript": "Hello", "expires_at": 1}
    assert parts_of({"role": "assistant", "content": None, "audio": audio}) == [
        Text("Hello", raw=audio),
        Media("audio/*", 3, digest="3300afa7df5ae2c0", raw=audio),
    ]
    spoken = parts_of({"role": "assistant", "content": "Hello", "audio": {"id": "audio_1"}})
    assert spoken == [Text("Hello", raw="Hello"), Media("audio/*", raw={"id": "audio_1"})]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"reasoning_content": "Hm."}, [("Hm.", None)]),
        ({"reasoning": "Hm."}, [("Hm.", None)]),
        ({"reasoning": "Hm.", "reasoning_content": "Hm."}, [("Hm.", None)]),
        ({"thinking_blocks": [{"type": "thinking", "thinking": "Hm.", "signature": "s"}]}, [("Hm.", "s")]),
        (
            {
                "reasoning": "Hm. Yes.",
                "reasoning_details": [
                    {"type": "reasoning.text", "text": "Hm.", "signature": "s", "index": 0},
                    {"type": "reasoning.summary", "summary": "Yes.", "index": 1},
                ],
            },
            [("Hm.", "s"), ("Yes.", None)],
        ),
        ({"reasoning_details": [{"type": "reasoning.encrypted", "data": "gAAA"}], "reasoning": "Hm."}, [("Hm.", None)]),
        ({"reasoning_details": [{"type": "reasoning.encrypted", "data": "gAAA"}]}, [("", "gAAA")]),
        ({"reasoning_content": "", "reasoning": None}, []),
        ({"reasoning_content": 3, "thinking_blocks": "Hm."}, [("Hm.", None)]),
    ],
)
def test_reasoning_is_taken_once(fields: dict[str, Any], expected: list[tuple[str, str | None]]) -> None:
    parts = parts_of({"role": "assistant", "content": "4", **fields})
    assert [(p.text, p.signature) for p in parts if isinstance(p, Thinking)] == expected
    assert isinstance(parts[-1], Text)


def test_reasoning_as_content_part() -> None:
    part = {"type": "thinking", "thinking": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
    assert parts_of({"role": "assistant", "content": [part]}) == [Thinking("a\nb", raw=part)]


def test_blocks_of_other_dialects_in_a_chat_history() -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "x"}]}
    message = parse_message({"role": "assistant", "content": [{"type": "text", "text": "Reading."}, use]}, 0)
    assert [type(p) for p in message.parts] == [Text, ToolCall]
    answer = parse_message({"role": "user", "content": [result]}, 1)
    assert (answer.role, answer.origin) == ("user", "tool")
    part = answer.parts[0]
    assert isinstance(part, ToolResult)
    assert (part.call_id, part.text) == ("toolu_1", "x")
    bedrock = parse_message(
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "f", "input": {}}}]}, 2
    )
    assert [(p.id, p.name) for p in bedrock.parts if isinstance(p, ToolCall)] == [("t", "f")]


def test_tool_parts_of_the_ai_sdk() -> None:
    call = {"type": "tool-call", "toolCallId": "c1", "toolName": "read", "input": {"path": "a"}}
    assert parts_of({"role": "assistant", "content": [call]}) == [ToolCall("c1", "read", {"path": "a"}, raw=call)]
    result = {"type": "tool-result", "toolCallId": "c1", "toolName": "read", "output": {"type": "text", "value": "x"}}
    assert parts_of({"role": "tool", "content": [result]}) == [ToolResult("c1", "x", raw=result)]
    failed = {"type": "tool-result", "toolCallId": "c2", "output": {"type": "error-json", "value": {"code": 1}}}
    assert parts_of({"role": "tool", "content": [failed]}) == [ToolResult("c2", '{"code": 1}', True, raw=failed)]


@pytest.mark.parametrize(
    ("raw", "role"),
    [
        ({"tool_call_id": "c", "content": "x"}, "tool"),
        ({"tool_calls": [{"id": "c"}]}, "assistant"),
        ({"role": "critic", "content": "x"}, "user"),
        ({"role": ["user"], "content": "x"}, "user"),
        ({"role": "model", "content": "x"}, "assistant"),
        ("hello", "user"),
        (None, "user"),
    ],
)
def test_roles(raw: Any, role: str) -> None:
    assert parse_message(raw, 0).role == role


def test_request() -> None:
    body = {
        "model": "gpt-5-mini",
        "messages": [{"role": "system", "content": "S"}, None, {"role": "user", "content": "U"}],
        "tools": [
            {"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}},
            {"type": "custom", "custom": {"name": "shell"}},
            "broken",
        ],
        "functions": [{"name": "old"}],
        "prompt_cache_key": "session-1",
    }
    request = parse_request(body)
    assert (request.dialect, request.model, request.session) == ("openai", "gpt-5-mini", "session-1")
    assert [(m.index, m.role) for m in request.messages] == [(0, "system"), (1, "user"), (2, "user")]
    assert [(t.name, t.text, t.type) for t in request.tools] == [
        ("read", '{"name": "read", "parameters": {"type": "object"}}', "function"),
        ("shell", '{"name": "shell"}', "custom"),
        ("old", '{"name": "old"}', "function"),
    ]
    assert request.raw is body


def test_response() -> None:
    response = parse_response(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1764656316,
            "model": "gpt-5-mini-2025-08-07",
            "service_tier": "default",
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi"}},
                {"index": 1, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hello"}},
            ],
            "usage": {
                "prompt_tokens": 495,
                "completion_tokens": 144,
                "total_tokens": 639,
                "prompt_tokens_details": {"cached_tokens": 320, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 118},
            },
        }
    )
    assert response is not None
    assert (response.id, response.model, response.stop_reason) == ("chatcmpl-1", "gpt-5-mini-2025-08-07", "stop")
    assert (response.timestamp, response.service_tier) == (1_764_656_316_000_000, "default")
    assert response.messages == [Message(0, "assistant", [Text("Hi", raw="Hi")], origin="model")]
    assert response.usage == Usage(495, 175, 320, None, None, None, 144, 118)


def test_text_and_calls_split_over_choices_of_one_index() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    response = parse_response(
        {
            "choices": [
                {"index": 0, "finish_reason": "tool_calls", "message": {"content": "Let me look."}},
                {"index": 0, "finish_reason": "tool_calls", "message": {"tool_calls": [call]}},
            ]
        }
    )
    assert response is not None
    assert [type(part) for part in response.messages[0].parts] == [Text, ToolCall]


def test_a_zero_beside_an_answer_is_not_believed() -> None:
    body = {"choices": [{"message": {"content": "Hi"}}], "usage": {"prompt_tokens": 12, "completion_tokens": 0}}
    response = parse_response(body)
    assert response is not None
    assert response.usage == Usage(input_tokens=12, uncached_input_tokens=12)


def test_what_is_no_response() -> None:
    assert parse_response({"error": {"message": "overloaded"}}) is None
    empty = parse_response({"choices": [None, {"message": "x"}]})
    assert empty is not None
    assert empty.messages == []


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (None, None),
        ([], None),
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, None),
        ({"prompt_tokens": "12", "completion_tokens": 1.5}, None),
        ({"prompt_tokens": 10, "completion_tokens": 5}, Usage(10, 10, output_tokens=5)),
        # DeepSeek
        (
            {
                "prompt_tokens": 339,
                "completion_tokens": 92,
                "prompt_cache_hit_tokens": 320,
                "prompt_cache_miss_tokens": 19,
            },
            Usage(339, 19, 320, output_tokens=92),
        ),
        # Moonshot
        ({"prompt_tokens": 100, "completion_tokens": 9, "cached_tokens": 64}, Usage(100, 36, 64, output_tokens=9)),
        # Codex: inclusive
        (
            {
                "input_tokens": 9000,
                "cached_input_tokens": 8000,
                "output_tokens": 70,
                "reasoning_output_tokens": 50,
                "total_tokens": 9070,
            },
            Usage(9000, 1000, 8000, output_tokens=70, reasoning_output_tokens=50),
        ),
        # Anthropic's names behind a gateway: the cache stands beside the input
        (
            {
                "input_tokens": 6,
                "cache_read_input_tokens": 6289,
                "cache_creation_input_tokens": 3337,
                "output_tokens": 198,
            },
            Usage(9632, 6, 6289, 3337, output_tokens=198),
        ),
        # the total only adds up with the cache
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 10,
                "total_tokens": 160,
                "prompt_tokens_details": {"cached_tokens": 50},
            },
            Usage(150, 100, 50, output_tokens=10),
        ),
        # xAI: reasoning stands beside the output
        (
            {
                "prompt_tokens": 32,
                "completion_tokens": 9,
                "total_tokens": 135,
                "completion_tokens_details": {"reasoning_tokens": 94},
            },
            Usage(32, 32, output_tokens=103, reasoning_output_tokens=94),
        ),
        # the Agents SDK writes details as lists
        (
            {
                "requests": 2,
                "input_tokens": 300,
                "input_tokens_details": [{"cached_tokens": 100, "cache_write_tokens": 20}],
                "output_tokens": 40,
                "output_tokens_details": [{"reasoning_tokens": 8}],
            },
            Usage(300, 180, 100, 20, output_tokens=40, reasoning_output_tokens=8),
        ),
    ],
)
def test_usage(raw: Any, expected: Usage | None) -> None:
    assert parse_usage(raw) == expected


def test_usage_entries_of_a_run() -> None:
    run = {
        "requests": 2,
        "input_tokens": 30,
        "output_tokens": 3,
        "request_usage_entries": [
            {"input_tokens": 10, "output_tokens": 1},
            {"input_tokens": 20, "output_tokens": 2},
            None,
        ],
    }
    assert usage_entries(run) == [Usage(10, 10, output_tokens=1), Usage(20, 20, output_tokens=2)]
    assert usage_entries({"request_usage_entries": None}) == []
    assert usage_entries(None) == []


def test_times() -> None:
    assert microseconds(1.5) == 1_500_000
    assert [microseconds(value) for value in (None, True, "1", float("nan"), float("inf"), -1, 10**20)] == [None] * 7


KEYS = [
    *("role", "content", "tool_calls", "function", "name", "arguments", "id", "type", "text", "custom", "input"),
    *("function_call", "refusal", "audio", "reasoning", "reasoning_details", "tool_call_id", "choices", "message"),
    *("usage", "messages", "tools", "functions", "index", "prompt_tokens", "completion_tokens", "metadata"),
    *("prompt_tokens_details", "source", "toolUse", "toolResult", "thinking", "output", "transcript", "data"),
]
WORDS = [
    *("user", "assistant", "tool", "function", "text", "refusal", "image_url", "tool_use", "tool_result", "thinking"),
    *("tool-call", "tool-result", "custom", "file", "redacted_thinking", "data:image/png;base64,iVBOR"),
]
LEAF = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(WORDS)
JSON: st.SearchStrategy[Any] = st.recursive(
    LEAF,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=25,
)
OBJECT = st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6)


@given(JSON)
def test_any_value_is_a_message(raw: Any) -> None:
    message = parse_message(raw, 3)
    assert message.index == 3
    assert all(isinstance(part, Part) for part in message.parts)


@given(OBJECT)
def test_any_object_is_read(body: dict[str, Any]) -> None:
    assert parse_request(body).dialect == openai_chat.NAME
    response = parse_response(body)
    assert response is None or response.dialect == openai_chat.NAME
    usage = parse_usage(body)
    assert usage is None or usage.input_tokens is None or usage.uncached_input_tokens is not None
