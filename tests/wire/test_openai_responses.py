"""Responses items, requests and responses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.model import Media, Message, Other, Part, Text, Thinking, ToolCall, ToolResult, Usage
from headroom_cli.wire import openai_responses
from headroom_cli.wire.openai_responses import (
    OUTPUT_TYPES,
    is_aggregated,
    is_output,
    parse_item,
    parse_items,
    parse_message,
    parse_request,
    parse_response,
)


def read(item: dict[str, Any]) -> Message:
    message = parse_item(item, 2, line=9)
    assert message is not None
    assert (message.index, message.line) == (2, 9)
    assert all(part.line == 9 for part in message.parts)
    return message


def parts_of(item: dict[str, Any]) -> list[Part]:
    return read(item).parts


@pytest.mark.parametrize(
    ("item", "role", "origin", "text"),
    [
        ({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}, "user", "human", "Hi"),
        ({"type": "message", "role": "developer", "content": "Rules"}, "system", "harness", "Rules"),
        (
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "Yes"}],
            },
            "assistant",
            "model",
            "Yes",
        ),
        (
            {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "No"}]},
            "assistant",
            "model",
            "No",
        ),
        ({"role": "user", "content": "easy"}, "user", "human", "easy"),
        (
            {
                "type": "agent_message",
                "author": "a",
                "recipient": "b",
                "content": [{"type": "input_text", "text": "Go"}],
            },
            "user",
            "model",
            "Go",
        ),
    ],
)
def test_messages(item: dict[str, Any], role: str, origin: str, text: str) -> None:
    message = read(item)
    assert (message.role, message.origin) == (role, origin)
    assert [part.text for part in message.parts if isinstance(part, Text)] == [text]


def test_images_in_a_message() -> None:
    image = {"type": "input_image", "detail": "auto", "image_url": "data:image/gif;base64,R0lGODlhBwAFAAAA"}
    parts = parts_of({"type": "message", "role": "user", "content": [image, {"type": "input_file", "file_id": "f"}]})
    assert [(p.mime, p.bytes, p.width, p.height) for p in parts if isinstance(p, Media)] == [
        ("image/gif", 12, 7, 5),
        ("application/octet-stream", 0, None, None),
    ]


@pytest.mark.parametrize(
    ("fields", "text", "signature"),
    [
        ({"summary": [{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}]}, "a\nb", None),
        ({"summary": [], "content": None, "encrypted_content": "gAAA"}, "", "gAAA"),
        (
            {"summary": [{"type": "summary_text", "text": "s"}], "content": [{"type": "reasoning_text", "text": "c"}]},
            "c",
            None,
        ),
        ({"summary": "plain"}, "plain", None),
        ({}, "", None),
    ],
)
def test_reasoning(fields: dict[str, Any], text: str, signature: str | None) -> None:
    item = {"type": "reasoning", "id": "rs_1", **fields}
    message = read(item)
    assert message.role == "assistant"
    assert message.parts == [Thinking(text, signature, raw=item, line=9)]


@pytest.mark.parametrize(
    ("item", "call"),
    [
        (
            {
                "type": "function_call",
                "id": "fc_1",
                "call_id": "call_1",
                "name": "shell",
                "arguments": '{"command":["ls"]}',
            },
            ("call_1", "shell", '{"command":["ls"]}', "function", None),
        ),
        (
            {"type": "function_call", "call_id": "c", "name": "list", "namespace": "mcp__github__", "arguments": "{}"},
            ("c", "list", "{}", "function", "github"),
        ),
        ({"type": "function_call"}, (None, "", None, "function", None)),
        (
            {
                "type": "custom_tool_call",
                "call_id": "c",
                "name": "apply_patch",
                "input": "*** Begin Patch",
                "status": "completed",
            },
            ("c", "apply_patch", "*** Begin Patch", "custom", None),
        ),
        (
            {"type": "local_shell_call", "id": "lsh_1", "call_id": None, "action": {"type": "exec", "command": ["ls"]}},
            ("lsh_1", "local_shell", {"type": "exec", "command": ["ls"]}, "function", None),
        ),
        (
            {"type": "tool_search_call", "call_id": "c", "execution": "client", "arguments": {"query": "mail"}},
            ("c", "tool_search", {"query": "mail"}, "function", None),
        ),
        (
            {
                "type": "tool_search_call",
                "id": "tsc_1",
                "call_id": None,
                "execution": "server",
                "arguments": {"paths": ["crm"]},
            },
            ("tsc_1", "tool_search", {"paths": ["crm"]}, "server", None),
        ),
        (
            {
                "type": "web_search_call",
                "id": "ws_1",
                "status": "completed",
                "action": {"type": "search", "query": "q"},
            },
            ("ws_1", "web_search", {"type": "search", "query": "q"}, "server", None),
        ),
        ({"type": "web_search_call"}, (None, "web_search", None, "server", None)),
        (
            {"type": "computer_call", "id": "cu_1", "call_id": "c", "action": {"type": "click", "x": 1, "y": 2}},
            ("c", "computer", {"type": "click", "x": 1, "y": 2}, "function", None),
        ),
        (
            {"type": "shell_call", "id": "sh_1", "call_id": "c", "action": {"commands": ["ls"]}},
            ("c", "shell", {"commands": ["ls"]}, "function", None),
        ),
        (
            {
                "type": "shell_call",
                "call_id": "c",
                "action": {"commands": ["ls"]},
                "environment": {"type": "container_auto"},
            },
            ("c", "shell", {"commands": ["ls"]}, "server", None),
        ),
        (
            {"type": "apply_patch_call", "call_id": "c", "operation": {"type": "delete_file", "path": "a.py"}},
            ("c", "apply_patch", {"type": "delete_file", "path": "a.py"}, "function", None),
        ),
        (
            {"type": "program", "id": "pr_1", "call_id": "c", "code": "await f()"},
            ("c", "program", "await f()", "server", None),
        ),
        ({"type": "future_call", "call_id": "c", "arguments": "{}"}, ("c", "future", "{}", "function", None)),
    ],
)
def test_calls(item: dict[str, Any], call: tuple[Any, ...]) -> None:
    message = read(item)
    assert (message.role, message.origin) == ("assistant", "model")
    (part,) = message.parts
    assert isinstance(part, ToolCall)
    assert (part.id, part.name, part.arguments, part.type, part.server) == call
    assert part.raw is item


@pytest.mark.parametrize(
    ("item", "result"),
    [
        ({"type": "function_call_output", "call_id": "c", "output": "a.txt\n"}, ("c", "a.txt\n", None)),
        (
            {"type": "function_call_output", "call_id": "c", "output": '{"output":"a","metadata":{"exit_code":0}}'},
            ("c", '{"output":"a","metadata":{"exit_code":0}}', None),
        ),
        (
            {
                "type": "function_call_output",
                "call_id": "c",
                "output": [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}],
            },
            ("c", "a\nb", None),
        ),
        (
            {"type": "function_call_output", "call_id": "c", "output": {"type": "input_text", "text": "a"}},
            ("c", "a", None),
        ),
        (
            {"type": "function_call_output", "call_id": "c", "output": {"content": "boom", "success": False}},
            ("c", "boom", True),
        ),
        ({"type": "function_call_output", "call_id": "c", "output": {"n": 1}}, ("c", '{"n": 1}', None)),
        ({"type": "function_call_output", "call_id": "c"}, ("c", "", None)),
        ({"type": "custom_tool_call_output", "call_id": "c", "output": "Done"}, ("c", "Done", None)),
        ({"type": "local_shell_call_output", "id": "lsh_1", "output": "x"}, ("lsh_1", "x", None)),
        ({"type": "apply_patch_call_output", "call_id": "c", "status": "failed", "output": "no"}, ("c", "no", True)),
        (
            {
                "type": "shell_call_output",
                "call_id": "c",
                "output": [
                    {"stdout": "a\n", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}},
                    {"stdout": "", "stderr": "bad", "outcome": {"type": "exit", "exit_code": 2}},
                ],
            },
            ("c", "a\n\nbad", True),
        ),
        (
            {
                "type": "shell_call_output",
                "call_id": "c",
                "output": [{"stdout": "ok", "outcome": {"type": "exit", "exit_code": 0}}],
            },
            ("c", "ok", False),
        ),
        ({"type": "shell_call_output", "call_id": "c", "output": "plain"}, ("c", "plain", None)),
        (
            {"type": "tool_search_output", "call_id": "c", "tools": [{"type": "function", "name": "send"}]},
            ("c", '{"type": "function", "name": "send"}', None),
        ),
        ({"type": "program_output", "call_id": "c", "result": "42"}, ("c", "42", None)),
        ({"type": "future_call_output", "call_id": "c", "output": "x"}, ("c", "x", None)),
    ],
)
def test_results(item: dict[str, Any], result: tuple[Any, ...]) -> None:
    message = read(item)
    assert (message.role, message.origin) == ("tool", "tool")
    (part,) = message.parts
    assert isinstance(part, ToolResult)
    assert (part.call_id, part.text, part.is_error) == result
    assert part.raw is item


def test_a_screenshot_is_the_result_of_a_computer_call() -> None:
    shot = {"type": "computer_screenshot", "image_url": "data:image/gif;base64,R0lGODlhBwAFAAAA"}
    (part,) = parts_of({"type": "computer_call_output", "call_id": "c", "output": shot})
    assert isinstance(part, ToolResult)
    assert (part.call_id, part.text) == ("c", "")
    assert [(m.mime, m.bytes, m.width, m.height) for m in part.media] == [("image/gif", 12, 7, 5)]


@pytest.mark.parametrize(
    ("item", "call", "result"),
    [
        (
            {
                "type": "mcp_call",
                "id": "mcp_1",
                "server_label": "docs",
                "name": "ask",
                "arguments": '{"q":"x"}',
                "output": "y",
                "error": None,
            },
            ("mcp_1", "ask", '{"q":"x"}', "mcp", "docs"),
            ("mcp_1", "y", False),
        ),
        (
            {
                "type": "mcp_call",
                "id": "m",
                "server_label": "docs",
                "name": "ask",
                "arguments": "",
                "error": {"code": -1},
            },
            ("m", "ask", "", "mcp", "docs"),
            ("m", '{"code": -1}', True),
        ),
        (
            {
                "type": "mcp_call",
                "id": "m",
                "server_label": "docs",
                "name": "ask",
                "arguments": "{}",
                "status": "calling",
            },
            ("m", "ask", "{}", "mcp", "docs"),
            None,
        ),
        (
            {
                "type": "file_search_call",
                "id": "fs_1",
                "queries": ["a", "b"],
                "results": [{"file_id": "f", "text": "one", "score": 0.9}, {"file_id": "g", "text": "two"}],
            },
            ("fs_1", "file_search", ["a", "b"], "server", None),
            ("fs_1", "one\ntwo", None),
        ),
        (
            {"type": "file_search_call", "id": "fs_1", "queries": ["a"], "results": None},
            ("fs_1", "file_search", ["a"], "server", None),
            None,
        ),
        (
            {
                "type": "code_interpreter_call",
                "id": "ci_1",
                "code": "print(1)",
                "outputs": [{"type": "logs", "logs": "1\n"}, {"type": "image", "url": "https://example.org/a.png"}],
            },
            ("ci_1", "code_interpreter", "print(1)", "server", None),
            ("ci_1", "1\n", None),
        ),
        (
            {
                "type": "image_generation_call",
                "id": "ig_1",
                "revised_prompt": "a cat",
                "result": "R0lGODlhBwAFAAAA",
                "output_format": "gif",
            },
            ("ig_1", "image_generation", "a cat", "server", None),
            ("ig_1", "", None),
        ),
    ],
)
def test_items_with_call_and_result(
    item: dict[str, Any], call: tuple[Any, ...], result: tuple[Any, ...] | None
) -> None:
    message = read(item)
    assert message.role == "assistant"
    first, *rest = message.parts
    assert isinstance(first, ToolCall)
    assert (first.id, first.name, first.arguments, first.type, first.server) == call
    assert [(p.call_id, p.text, p.is_error) for p in rest if isinstance(p, ToolResult)] == ([result] if result else [])


def test_a_generated_image_is_media_of_the_result() -> None:
    parts = parts_of({"type": "image_generation_call", "id": "ig_1", "result": "R0lGODlhBwAFAAAA"})
    assert isinstance(parts[1], ToolResult)
    assert [(m.mime, m.bytes, m.width, m.height) for m in parts[1].media] == [("image/png", 12, 7, 5)]


def test_schemas_among_the_items() -> None:
    tool = {"name": "ask", "input_schema": {"type": "object"}}
    message = read({"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "docs", "tools": [tool]})
    assert message.role == "system"
    assert message.parts == openai_responses.declarations([tool], 9, "mcp")
    assert message.parts[0].text == '{"name": "ask", "input_schema": {"type": "object"}}'  # type: ignore[attr-defined]
    failed = read({"type": "mcp_list_tools", "server_label": "docs", "tools": [], "error": "unreachable"})
    assert [type(part) for part in failed.parts] == [Other]


def test_what_is_never_sent_is_no_message() -> None:
    assert parse_item({"type": "ghost_snapshot", "ghost_commit": {"id": "1"}}, 0) is None
    assert parse_message({"type": "ghost_snapshot"}, 0).parts == []
    items = [{"role": "user", "content": "a"}, {"type": "ghost_snapshot"}, {"role": "user", "content": "b"}]
    assert [message.index for message in parse_items(items)] == [0, 1]


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("compaction", "system"),
        ("compaction_summary", "system"),
        ("item_reference", "assistant"),
        ("mcp_approval_request", "assistant"),
        ("mcp_approval_response", "user"),
        ("never_heard_of", "system"),
    ],
)
def test_items_without_text(kind: str, role: str) -> None:
    message = read({"type": kind, "id": "x"})
    assert message.role == role
    assert [part.type for part in message.parts if isinstance(part, Other)] == [kind]


def test_output_of_the_model() -> None:
    assert "reasoning" in OUTPUT_TYPES
    assert "function_call_output" not in OUTPUT_TYPES
    assert is_output({"type": "message", "role": "assistant"})
    assert is_output({"role": "assistant", "content": "x"})
    assert is_output({"type": "tool_search_output", "execution": "server"})
    assert not is_output({"type": "tool_search_output", "execution": "client"})
    assert not is_output({"type": "message", "role": "user"})
    assert not is_output({"type": ["reasoning"]})


def test_request() -> None:
    body = {
        "model": "gpt-5.1",
        "instructions": "Be brief.",
        "input": [
            {"role": "user", "content": "Hi"},
            {"type": "function_call_output", "call_id": "c", "output": "x"},
        ],
        "tools": [
            {"type": "function", "name": "read", "parameters": {}},
            {"type": "web_search"},
            {"type": "mcp", "server_label": "docs"},
            4,
        ],
        "previous_response_id": "resp_0",
        "conversation": {"id": "conv_1"},
    }
    request = parse_request(body, line=3)
    assert request.system == [Text("Be brief.", raw="Be brief.", line=3)]
    assert [(m.index, m.role) for m in request.messages] == [(0, "user"), (1, "tool")]
    assert [(t.name, t.type) for t in request.tools] == [
        ("read", "function"),
        ("web_search", "web_search"),
        ("docs", "mcp"),
    ]
    assert request.tools[0].text == '{"type": "function", "name": "read", "parameters": {}}'
    assert (request.model, request.previous_response_id, request.session) == ("gpt-5.1", "resp_0", "conv_1")


def test_a_string_as_input() -> None:
    request = parse_request({"input": "Hi", "prompt": {"id": "pmpt_1"}})
    assert request.messages == [Message(0, "user", [Text("Hi", raw="Hi")])]
    assert [type(part) for part in request.system] == [Other]
    assert parse_request({"input": None}).messages == []


def test_response() -> None:
    response = parse_response(
        {
            "id": "resp_1",
            "object": "response",
            "created_at": 1760331616,
            "status": "incomplete",
            "incomplete_details": {"reason": "max_output_tokens"},
            "model": "gpt-5-mini",
            "service_tier": "default",
            "output": [
                {"type": "reasoning", "id": "rs_1", "summary": []},
                {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{"},
            ],
            "usage": {
                "input_tokens": 3700,
                "input_tokens_details": {"cached_tokens": 2560},
                "output_tokens": 741,
                "output_tokens_details": {"reasoning_tokens": 640},
                "total_tokens": 4441,
            },
        }
    )
    assert response is not None
    assert (response.id, response.model, response.stop_reason) == ("resp_1", "gpt-5-mini", "max_output_tokens")
    assert (response.timestamp, response.service_tier) == (1_760_331_616_000_000, "default")
    assert [[type(part) for part in message.parts] for message in response.messages] == [[Thinking], [ToolCall]]
    assert response.usage == Usage(3700, 1140, 2560, output_tokens=741, reasoning_output_tokens=640)


def test_a_whole_run_in_one_response() -> None:
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": "c", "output": "x"}
    body = {"output": [call, result], "usage": {"input_tokens": 0, "output_tokens": 0}}
    assert is_aggregated(body)
    assert not is_aggregated({"output": [call, {"type": ["x"]}]})
    response = parse_response(body)
    assert response is not None
    assert response.usage is None
    assert [message.role for message in response.messages] == ["assistant", "tool"]


def test_what_is_no_response() -> None:
    assert parse_response({"error": {"message": "x"}}) is None
    assert parse_response({"output": "text"}) is None


KEYS = [
    *("type", "role", "content", "summary", "encrypted_content", "call_id", "id", "name", "namespace", "arguments"),
    *("input", "output", "action", "tools", "results", "outputs", "result", "code", "error", "server_label", "text"),
    *("usage", "instructions", "prompt", "incomplete_details", "success", "stdout", "outcome", "exit_code", "url"),
]
KINDS = [*sorted(openai_responses.ITEM_TYPES), "message", "input_text", "x_call", "x_call_output", "assistant", "user"]
LEAF = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(KINDS)
JSON: st.SearchStrategy[Any] = st.recursive(
    LEAF,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=25,
)
OBJECT = st.dictionaries(st.sampled_from(KEYS), JSON, max_size=7)


@given(st.sampled_from(KINDS), OBJECT)
def test_any_item_is_read(kind: str, fields: dict[str, Any]) -> None:
    message = parse_item({**fields, "type": kind}, 1)
    assert (message is None) == (kind == "ghost_snapshot")
    assert message is None or all(isinstance(part, Part) for part in message.parts)


@given(JSON)
def test_any_value_is_an_item(value: Any) -> None:
    assert parse_message(value, 0).index == 0


@given(OBJECT)
def test_any_object_is_read(body: dict[str, Any]) -> None:
    assert parse_request(body).dialect == openai_responses.NAME
    response = parse_response(body)
    assert response is None or response.dialect == openai_responses.NAME
    assert is_aggregated(body) in (True, False)
    assert is_output(body) in (True, False)
