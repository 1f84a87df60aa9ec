from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.model import Media, Message, Other, Part, Text, Thinking, ToolCall, ToolResult, Usage
from headroom_cli.wire import anthropic

# A 1x1 PNG, as base64.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

KEYS = ["type", "role", "content", "text", "thinking", "signature", "id", "name", "input", "tool_use_id", "is_error"]
KEYS += ["source", "data", "url", "system", "tools", "messages", "usage", "iterations", "metadata", "title", "url"]
KEYS += ["cache_creation", "input_tokens"]
TYPES = ["text", "thinking", "redacted_thinking", "tool_use", "tool_result", "image", "document", "search_result"]
TYPES += ["compaction", "server_tool_use", "mcp_tool_use", "web_search_tool_result", "message", "assistant", "base64"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(TYPES),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
        | st.dictionaries(st.just("type"), st.sampled_from(TYPES), min_size=1).flatmap(
            lambda typed: st.dictionaries(st.sampled_from(KEYS[1:]), inner, max_size=4).map(lambda rest: typed | rest)
        )
    ),
    max_leaves=20,
)


def only(content: list[dict[str, Any]]) -> Part:
    (part,) = anthropic.parse_blocks(content, 7)
    assert part.line == 7
    assert part.raw is content[0]
    return part


def result(block: dict[str, Any]) -> ToolResult:
    part = only([block])
    assert isinstance(part, ToolResult)
    return part


def call(block: dict[str, Any]) -> ToolCall:
    part = only([block])
    assert isinstance(part, ToolCall)
    return part


def test_blocks_of_an_agent_turn() -> None:
    blocks = [
        {"type": "thinking", "thinking": "look first", "signature": "EqQB"},
        {"type": "redacted_thinking", "data": "EmwK"},
        {"type": "text", "text": "Reading.", "citations": None},
        {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "/src/a.py"}},
    ]
    assert anthropic.parse_blocks(blocks, 3) == [
        Thinking("look first", "EqQB", raw=blocks[0], line=3),
        Thinking("", None, raw=blocks[1], line=3),
        Text("Reading.", raw=blocks[2], line=3),
        ToolCall("toolu_1", "Read", {"file_path": "/src/a.py"}, raw=blocks[3], line=3),
    ]


def test_content_that_is_a_string_or_nothing() -> None:
    assert anthropic.parse_blocks("hello", 2) == [Text("hello", raw="hello", line=2)]
    assert anthropic.parse_blocks("", 2) == []
    assert anthropic.parse_blocks(None, 2) == []
    assert anthropic.parse_blocks({"type": "text", "text": "one"}, 2) == [
        Text("one", raw={"type": "text", "text": "one"}, line=2)
    ]


@pytest.mark.parametrize(
    ("name", "server"),
    [
        ("mcp__github__create_issue", "github"),
        ("mcp__claude_ai_Mail__search__all", "claude_ai_Mail"),
        ("mcp__lonely", None),
        ("mcp____tool", None),
        ("Bash", None),
    ],
)
def test_the_server_of_an_mcp_tool_is_in_its_name(name: str, server: str | None) -> None:
    part = call({"type": "tool_use", "id": "t", "name": name, "input": {}})
    assert (part.name, part.server, part.type) == (name, server, "mcp" if server else "function")


def test_calls_of_server_and_mcp_tools() -> None:
    search = call({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}})
    assert (search.type, search.server, search.arguments) == ("server", None, {"query": "q"})
    echo = call({"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "echo", "server_name": "demo", "input": {"a": 1}})
    assert (echo.type, echo.server, echo.name) == ("mcp", "demo", "echo")


def test_a_call_without_usable_fields_is_empty() -> None:
    part = call({"type": "tool_use", "id": 5, "name": ["x"]})
    assert (part.id, part.name, part.arguments) == (None, "", None)


def test_results_of_tools() -> None:
    assert result({"type": "tool_result", "tool_use_id": "t1", "content": "a.txt\nb.txt"}).text == "a.txt\nb.txt"
    failed = result({"type": "tool_result", "tool_use_id": "t2", "content": "no such file", "is_error": True})
    assert (failed.call_id, failed.is_error) == ("t2", True)
    bare = result({"type": "tool_result", "tool_use_id": "t3"})
    assert (bare.text, bare.is_error, bare.media) == ("", None, [])


def test_a_result_of_text_and_an_image() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    part = result(
        {
            "type": "tool_result",
            "tool_use_id": "t1",
            "content": [{"type": "text", "text": "first"}, image, {"type": "text", "text": "second"}],
        }
    )
    assert part.text == "first\nsecond"
    (media,) = part.media
    assert (media.mime, media.bytes, media.width, media.height) == ("image/png", 70, 1, 1)


def test_tool_references_in_a_result_have_no_text() -> None:
    part = result(
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "tool_reference", "tool_name": "fetch"}]}
    )
    assert part.text == ""


@pytest.mark.parametrize(
    ("block", "text", "is_error"),
    [
        (
            {
                "type": "web_search_tool_result",
                "content": [
                    {
                        "type": "web_search_result",
                        "title": "News",
                        "url": "https://a.example",
                        "encrypted_content": "EuAdCioICBgC",
                        "page_age": None,
                    },
                    {"type": "web_search_result", "title": "More", "url": "https://b.example"},
                ],
            },
            "News\nhttps://a.example\nMore\nhttps://b.example",
            None,
        ),
        (
            {
                "type": "web_search_tool_result",
                "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
            },
            "max_uses_exceeded",
            True,
        ),
        (
            {
                "type": "web_fetch_tool_result",
                "content": {
                    "type": "web_fetch_result",
                    "url": "https://a.example",
                    "retrieved_at": "2026-03-03T15:05:04Z",
                    "content": {
                        "type": "document",
                        "source": {"type": "text", "media_type": "text/plain", "data": "Example Domain"},
                        "title": "Example",
                    },
                },
            },
            "https://a.example\nExample\nExample Domain",
            None,
        ),
        (
            {
                "type": "bash_code_execution_tool_result",
                "content": {
                    "type": "bash_code_execution_result",
                    "stdout": "55",
                    "stderr": "warning",
                    "return_code": 0,
                    "content": [{"type": "bash_code_execution_output", "file_id": "file_1"}],
                },
            },
            "55\nwarning",
            None,
        ),
        (
            {
                "type": "text_editor_code_execution_tool_result",
                "content": {"type": "text_editor_code_execution_str_replace_result", "lines": ["-a", "+b"]},
            },
            "-a\n+b",
            None,
        ),
        (
            {
                "type": "tool_search_tool_result",
                "content": {
                    "type": "tool_search_tool_search_result",
                    "tool_references": [{"type": "tool_reference", "tool_name": "get_weather"}],
                },
            },
            "get_weather",
            None,
        ),
        ({"type": "advisor_tool_result", "content": {"type": "advisor_result", "text": "Plan."}}, "Plan.", None),
        (
            {
                "type": "advisor_tool_result",
                "content": {"type": "advisor_redacted_result", "encrypted_content": "opaque"},
            },
            "",
            None,
        ),
        ({"type": "mcp_tool_result", "is_error": False, "content": [{"type": "text", "text": "hi"}]}, "hi", False),
        ({"type": "future_tool_result", "content": {"type": "future_result", "stdout": "new"}}, "new", None),
    ],
)
def test_what_server_tools_answer_is_their_readable_text(
    block: dict[str, Any], text: str, is_error: bool | None
) -> None:
    part = result({**block, "tool_use_id": "srvtoolu_1"})
    assert (part.call_id, part.text, part.is_error) == ("srvtoolu_1", text, is_error)


def test_a_fetched_pdf_is_a_medium() -> None:
    source = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQK"}
    part = result(
        {
            "type": "web_fetch_tool_result",
            "content": {"type": "web_fetch_result", "content": {"type": "document", "source": source}},
        }
    )
    assert part.text == ""
    assert [(media.mime, media.bytes) for media in part.media] == [("application/pdf", 9)]


def test_images_and_documents() -> None:
    image = only([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}])
    assert isinstance(image, Media)
    assert (image.mime, image.bytes, image.width, image.height) == ("image/png", 70, 1, 1)
    linked = only([{"type": "image", "source": {"type": "url", "url": "https://a.example/x.png"}}])
    assert isinstance(linked, Media)
    assert linked.bytes == 0
    pdf = only(
        [{"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQK"}}]
    )
    assert isinstance(pdf, Media)
    assert (pdf.mime, pdf.bytes) == ("application/pdf", 9)


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "A rule."}}, "A rule."),
        ({"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "A"}]}}, "A"),
        (
            {"type": "search_result", "source": "kb/1", "title": "Rules", "content": [{"type": "text", "text": "R1"}]},
            "Rules\nkb/1\nR1",
        ),
        ({"type": "compaction", "content": "## Summary", "encrypted_content": "Eo"}, "## Summary"),
        ({"type": "mid_conv_system", "content": [{"type": "text", "text": "Now in plan mode."}]}, "Now in plan mode."),
    ],
)
def test_blocks_that_carry_text_of_another_kind(block: dict[str, Any], text: str) -> None:
    part = only([block])
    assert isinstance(part, Text)
    assert part.text == text


@pytest.mark.parametrize(
    ("block", "kind"),
    [
        ({"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}}, "fallback"),
        ({"type": "container_upload", "file_id": "file_1"}, "container_upload"),
        ({"type": "tool_reference", "tool_name": "x"}, "tool_reference"),
        ({"type": "compaction", "content": None}, "compaction"),
        ({"type": "text", "text": 5}, "text"),
        ({"type": "brand_new"}, "brand_new"),
        ({"no": "type"}, "unknown"),
    ],
)
def test_blocks_without_text(block: dict[str, Any], kind: str) -> None:
    assert only([block]) == Other(kind, raw=block, line=7)


def test_messages_and_their_origin() -> None:
    results = [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]
    assert anthropic.parse_message({"role": "user", "content": results}, 4, 9) == Message(
        4, "user", [ToolResult("t1", "x", raw=results[0], line=9)], line=9, last_line=9, origin="tool"
    )
    mixed = anthropic.parse_message({"role": "user", "content": [*results, {"type": "text", "text": "go on"}]}, 0)
    assert (mixed.role, mixed.origin) == ("user", "human")
    assert anthropic.parse_message({"role": "assistant", "content": "ok"}, 0).origin == "model"
    assert anthropic.parse_message({"role": "system", "content": "s"}, 0).origin == "harness"
    assert anthropic.parse_message("junk", 0).parts == [Other("message", raw="junk")]


def test_a_request() -> None:
    tool = {
        "name": "read_file",
        "description": "Reads",
        "input_schema": {"type": "object"},
        "cache_control": {"type": "ephemeral"},
    }
    body = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 1024,
        "metadata": {"user_id": "session_1"},
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "tools": [
            tool,
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 2},
            {"type": "mcp_toolset", "mcp_server_name": "demo"},
            "junk",
        ],
        "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}],
    }
    request = anthropic.parse_request(body, 5)
    assert (request.dialect, request.model, request.session) == ("anthropic", "claude-sonnet-4-5", "session_1")
    assert [part.text for part in request.system if isinstance(part, Text)] == ["Be brief."]
    assert [(tool.name, tool.type) for tool in request.tools] == [
        ("read_file", "function"),
        ("web_search", "web_search_20250305"),
        ("demo", "mcp_toolset"),
    ]
    assert request.tools[0].text == (
        '{"name": "read_file", "description": "Reads", "input_schema": {"type": "object"}}'
    )
    assert [(message.index, message.role, message.line) for message in request.messages] == [
        (0, "user", 5),
        (1, "assistant", 5),
    ]
    assert anthropic.parse_request({"system": "short"}).system == [Text("short", raw="short")]


def test_a_response() -> None:
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-6",
        "content": [{"type": "text", "text": "done"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 3, "output_tokens": 4, "service_tier": "standard"},
    }
    response = anthropic.parse_response(body)
    assert response is not None
    assert (response.id, response.model, response.stop_reason) == ("msg_1", "claude-opus-4-6", "end_turn")
    assert (response.service_tier, response.context_tokens) == ("standard", None)
    assert response.messages[0].parts == [Text("done", raw=body["content"][0])]  # type: ignore[index]
    assert response.usage == Usage(input_tokens=3, uncached_input_tokens=3, output_tokens=4)


@pytest.mark.parametrize(
    "body",
    [
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        {"type": "message_start", "message": {}},
        {"role": "user", "content": "hi"},
        {"content": []},
        [],
        None,
    ],
)
def test_what_is_no_response(body: Any) -> None:
    assert anthropic.parse_response(body) is None


def test_usage_includes_the_cache_once() -> None:
    assert anthropic.parse_usage(
        {
            "input_tokens": 3,
            "cache_creation_input_tokens": 1200,
            "cache_read_input_tokens": 15000,
            "cache_creation": {"ephemeral_5m_input_tokens": 200, "ephemeral_1h_input_tokens": 1000},
            "output_tokens": 108,
            "output_tokens_details": {"thinking_tokens": 40},
            "server_tool_use": {"web_search_requests": 0},
        }
    ) == Usage(
        input_tokens=16203,
        uncached_input_tokens=3,
        cache_read_input_tokens=15000,
        cache_write_input_tokens=1200,
        cache_write_5m_input_tokens=200,
        cache_write_1h_input_tokens=1000,
        output_tokens=108,
        reasoning_output_tokens=40,
    )


def test_usage_with_only_the_split_of_cache_writes() -> None:
    usage = anthropic.parse_usage({"input_tokens": 5, "cache_creation": {"ephemeral_5m_input_tokens": 70}})
    assert usage is not None
    assert (usage.cache_write_input_tokens, usage.input_tokens, usage.cache_write_1h_input_tokens) == (70, 75, None)


def test_usage_tells_unrecorded_from_zero() -> None:
    usage = anthropic.parse_usage({"input_tokens": 5, "output_tokens": 0})
    assert usage == Usage(input_tokens=5, uncached_input_tokens=5, output_tokens=0)
    assert anthropic.parse_usage({}) is None
    assert anthropic.parse_usage({"input_tokens": "5", "output_tokens": 1.5}) is None
    assert anthropic.parse_usage({"input_tokens": True, "output_tokens": -1}) is None
    lost = anthropic.parse_usage({"input_tokens": 2**53, "cache_read_input_tokens": 7, "output_tokens": 2})
    assert lost == Usage(cache_read_input_tokens=7, output_tokens=2)


def test_the_context_of_a_response_with_server_tools_is_that_of_its_last_sampling() -> None:
    usage = {
        "input_tokens": 2414,
        "output_tokens": 3200,
        "iterations": [
            {"type": "message", "input_tokens": 1051, "output_tokens": 35},
            {"type": "advisor_message", "model": "other", "input_tokens": 2728, "output_tokens": 874},
            {"type": "message", "input_tokens": 963, "cache_read_input_tokens": 400, "output_tokens": 3165},
        ],
    }
    assert anthropic.context_tokens(usage) == 1363
    parsed = anthropic.parse_usage(usage)
    assert parsed is not None
    assert parsed.input_tokens == 2414


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"input_tokens": 10, "iterations": [{"type": "message", "input_tokens": 10}]}, None),
        ({"input_tokens": 10, "iterations": []}, None),
        ({"input_tokens": 10, "iterations": None}, None),
        ({"input_tokens": 682, "iterations": [{"type": "compaction", "input_tokens": 60385}]}, None),
        (
            {
                "input_tokens": 412,
                "iterations": [
                    {"type": "message", "input_tokens": 408},
                    {"type": "fallback_message", "input_tokens": 412},
                ],
            },
            None,
        ),
        ("junk", None),
    ],
)
def test_iterations_that_say_nothing_new(usage: Any, expected: int | None) -> None:
    assert anthropic.context_tokens(usage) is expected


def test_deep_nesting_degrades() -> None:
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    part = result({"type": "web_search_tool_result", "tool_use_id": "t", "content": deep})
    assert part.text == ""
    assert result({"type": "tool_result", "tool_use_id": "t", "content": {"a": deep}}).text == ""
    (declared,) = anthropic.parse_tools([{"name": "t", "input_schema": deep}])
    assert (declared.name, declared.text) == ("t", "")


@given(JSON)
@settings(max_examples=300)
def test_any_json_is_read_without_raising(value: Any) -> None:
    anthropic.parse_blocks(value, 1)
    anthropic.parse_message(value, 0, 1)
    anthropic.parse_request(value)
    anthropic.parse_response(value)
    anthropic.parse_usage(value)
    anthropic.context_tokens(value)


@given(st.lists(st.sampled_from(["thinking", "text", "tool_use", "tool_result", "image"]), max_size=8))
def test_every_block_gives_one_part_in_its_place(kinds: list[str]) -> None:
    blocks = json.loads(json.dumps([{"type": kind, "text": "t"} for kind in kinds]))
    parts = anthropic.parse_blocks(blocks, 1)
    assert [part.raw for part in parts] == blocks
