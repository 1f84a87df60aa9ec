from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.model import Media, Message, Other, Part, Text, Thinking, ToolCall, ToolResult, Usage
from headroom_cli.wire import gemini
from headroom_cli.wire.gemini_stream import merge_chunks

KEYS = ["text", "thought", "thoughtSignature", "functionCall", "functionResponse", "inlineData", "fileData", "args"]
KEYS += ["executableCode", "codeExecutionResult", "toolCall", "toolResponse", "response", "name", "id", "parts", "role"]
KEYS += [
    "content",
    "contents",
    "candidates",
    "usageMetadata",
    "promptTokenCount",
    "systemInstruction",
    "tools",
    "config",
]
KEYS += ["functionDeclarations", "data", "mimeType", "partialArgs", "jsonPath", "stringValue", "willContinue"]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["$.a", "$.a.b[0]", "$[0][1].c", "$['x y'].z"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=25,
)


def only(part: Any) -> Part:
    (found,) = gemini.parse_parts([part], 7)
    assert found.line == 7
    assert found.raw is part
    return found


def test_parts_of_an_agent_turn() -> None:
    parts = [
        {"text": "Weighing it.", "thought": True, "thoughtSignature": "EswF"},
        {"text": "Reading.", "thoughtSignature": "EskC"},
        {"functionCall": {"id": "fc_1", "name": "read_file", "args": {"path": "a.py"}}},
        {"functionCall": {"name": "now"}, "thoughtSignature": "Eqo"},
    ]
    assert gemini.parse_parts(parts, 3) == [
        Thinking("Weighing it.", "EswF", raw=parts[0], line=3),
        Text("Reading.", raw=parts[1], line=3),
        ToolCall("fc_1", "read_file", {"path": "a.py"}, raw=parts[2], line=3),
        ToolCall(None, "now", None, raw=parts[3], line=3),
    ]


def test_a_response_to_a_call_without_an_id_keeps_the_name() -> None:
    part = only({"functionResponse": {"name": "read_file", "response": {"output": "x = 1\n"}}})
    assert isinstance(part, ToolResult)
    assert (part.call_id, part.name, part.text, part.is_error) == (None, "read_file", '{"output": "x = 1\\n"}', None)


def test_a_failed_response_and_one_with_an_image() -> None:
    failed = only({"functionResponse": {"id": "f1", "name": "a", "response": {"error": "no such file"}}})
    assert isinstance(failed, ToolResult)
    assert (failed.call_id, failed.is_error) == ("f1", True)
    shown = only(
        {
            "functionResponse": {
                "name": "shot",
                "response": {"type": "text", "text": "seen"},
                "parts": [{"inlineData": {"mimeType": "image/png", "data": "iVBORw0K"}}],
            }
        }
    )
    assert isinstance(shown, ToolResult)
    assert shown.text == '{"type": "text", "text": "seen"}'
    assert [(media.mime, media.bytes) for media in shown.media] == [("image/png", 6)]


def test_snake_case_says_the_same() -> None:
    camel = {"functionCall": {"id": "1", "name": "f", "args": {"a": 1}}, "thoughtSignature": "s"}
    snake = {"function_call": {"id": "1", "name": "f", "args": {"a": 1}}, "thought_signature": "s"}
    first, second = only(camel), only(snake)
    second.raw = camel
    assert first == second
    answer = only({"function_response": {"id": "1", "name": "f", "response": {"result": 2}}})
    assert isinstance(answer, ToolResult)
    assert (answer.call_id, answer.text) == ("1", '{"result": 2}')
    image = only({"inline_data": {"mime_type": "image/png", "data": "iVBORw0K"}})
    assert isinstance(image, Media)
    assert (image.mime, image.bytes) == ("image/png", 6)


def test_nulls_of_a_dump_are_no_parts() -> None:
    part = {"text": "hi", "function_call": None, "inline_data": None, "thought": None}
    assert only(part) == Text("hi", raw=part, line=7)
    called = only({"text": None, "function_call": {"name": "f", "args": {}, "id": None}})
    assert isinstance(called, ToolCall)


def test_code_that_the_provider_runs() -> None:
    code = only({"executableCode": {"language": "PYTHON", "code": "print(2)"}})
    assert isinstance(code, ToolCall)
    assert (code.name, code.arguments, code.type) == ("code_execution", "print(2)", "server")
    done = only({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2\n"}})
    assert isinstance(done, ToolResult)
    assert (done.name, done.text, done.is_error) == ("code_execution", "2\n", False)
    failed = only({"code_execution_result": {"outcome": "OUTCOME_FAILED", "output": "boom"}})
    assert isinstance(failed, ToolResult)
    assert failed.is_error is True


def test_tools_that_the_provider_runs() -> None:
    called = only({"toolCall": {"id": "s1", "toolType": "GOOGLE_SEARCH", "args": {"queries": ["q"]}}})
    assert isinstance(called, ToolCall)
    assert (called.id, called.name, called.type) == ("s1", "GOOGLE_SEARCH", "server")
    answer = only({"toolResponse": {"id": "s1", "toolType": "GOOGLE_SEARCH", "response": {"a": 1}}})
    assert isinstance(answer, ToolResult)
    assert (answer.call_id, answer.text) == ("s1", '{"a": 1}')


@pytest.mark.parametrize(
    ("part", "kind"),
    [({"videoMetadata": {}}, "videoMetadata"), ({}, "unknown"), (5, "unknown"), ({"text": None}, "text")],
)
def test_parts_without_text(part: Any, kind: str) -> None:
    assert only(part) == Other(kind, raw=part, line=7)


def test_messages_and_their_origin() -> None:
    response = {"functionResponse": {"name": "f", "response": {}}}
    expected = [ToolResult(None, "{}", name="f", raw=response, line=9)]
    assert gemini.parse_message({"role": "user", "parts": [response]}, 4, 9) == Message(
        4, "user", list(expected), line=9, last_line=9, origin="tool"
    )
    assert gemini.parse_message({"role": "function", "parts": [response]}, 4, 9) == Message(
        4, "tool", list(expected), line=9, last_line=9, origin="tool"
    )
    model = gemini.parse_message({"role": "model", "parts": [{"text": "ok"}]}, 0)
    assert (model.role, model.origin) == ("assistant", "model")
    assert gemini.parse_message({"parts": "hi"}, 0).role == "user"
    assert gemini.parse_message("hi", 0).parts == [Text("hi", raw="hi")]
    assert gemini.parse_message(None, 0).parts == [Other("message")]


def test_a_request() -> None:
    body = {
        "model": "gemini-3-pro-preview",
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}, {"role": "model", "parts": [{"text": "hello"}]}],
        "tools": [
            {"functionDeclarations": [{"name": "now", "description": "Time"}, {"name": "read"}]},
            {"googleSearch": {}},
        ],
    }
    request = gemini.parse_request(body, 2)
    assert (request.dialect, request.model) == ("gemini", "gemini-3-pro-preview")
    assert request.system == [Text("Be brief.", raw={"text": "Be brief."}, line=2)]
    assert [(tool.name, tool.text, tool.type) for tool in request.tools] == [
        ("now", '{"name": "now", "description": "Time"}', "function"),
        ("read", '{"name": "read"}', "function"),
        ("googleSearch", "{}", "googleSearch"),
    ]
    assert [message.role for message in request.messages] == ["user", "assistant"]


def test_a_request_as_the_python_sdk_takes_it() -> None:
    body = {
        "model": "gemini-2.5-flash",
        "contents": "hi",
        "config": {"system_instruction": "Be brief.", "tools": [{"function_declarations": [{"name": "now"}]}]},
    }
    request = gemini.parse_request(body)
    assert request.system == [Text("Be brief.", raw="Be brief.")]
    assert [tool.name for tool in request.tools] == ["now"]
    assert request.messages == [Message(0, "user", [Text("hi", raw="hi")])]


RESPONSE = {
    "candidates": [
        {"content": {"role": "model", "parts": [{"text": "Three."}]}, "finishReason": "STOP", "index": 0},
        {"content": {"role": "model", "parts": [{"text": "3"}]}, "finishReason": "STOP", "index": 1},
    ],
    "usageMetadata": {
        "promptTokenCount": 1009,
        "cachedContentTokenCount": 900,
        "toolUsePromptTokenCount": 50,
        "candidatesTokenCount": 29,
        "thoughtsTokenCount": 258,
        "totalTokenCount": 1346,
    },
    "modelVersion": "gemini-3-pro-preview",
    "createTime": "2026-04-02T17:03:50.399550Z",
    "responseId": "DniL",
}


def test_a_response() -> None:
    response = gemini.parse_response(RESPONSE)
    assert response is not None
    assert (response.id, response.model, response.stop_reason) == ("DniL", "gemini-3-pro-preview", "STOP")
    assert response.timestamp == 1775149430399550
    assert [message.parts for message in response.messages] == [[Text("Three.", raw={"text": "Three."})]]
    assert response.usage == Usage(
        input_tokens=1059,
        uncached_input_tokens=159,
        cache_read_input_tokens=900,
        output_tokens=287,
        reasoning_output_tokens=258,
    )


def test_a_blocked_prompt_has_no_message() -> None:
    response = gemini.parse_response(
        {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 7}}
    )
    assert response is not None
    assert response.messages == []
    assert response.usage == Usage(input_tokens=7, uncached_input_tokens=7)


@pytest.mark.parametrize("body", [{"error": {"code": 429}}, {"contents": []}, [], "x", None])
def test_what_is_no_response(body: Any) -> None:
    assert gemini.parse_response(body) is None


def test_usage_in_snake_case_and_without_a_prompt() -> None:
    assert gemini.parse_usage({"prompt_token_count": 5, "candidates_token_count": 2, "thoughts_token_count": None}) == (
        Usage(input_tokens=5, uncached_input_tokens=5, output_tokens=2)
    )
    assert gemini.parse_usage({"thoughtsTokenCount": 9}) == Usage(output_tokens=9, reasoning_output_tokens=9)
    assert gemini.parse_usage({"trafficType": "ON_DEMAND"}) is None
    assert gemini.parse_usage(None) is None


def chunk(*parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **fields}], "responseId": "R"}


def test_chunks_are_joined() -> None:
    chunks = [
        chunk({"text": "Let me ", "thought": True}),
        chunk({"text": "see.", "thought": True}),
        chunk({"text": "Th"}),
        {**chunk({"text": "ree."}), "usageMetadata": {"promptTokenCount": 9}},
        chunk({"functionCall": {"name": "now", "args": {"tz": "UTC"}}}),
        "noise",
        {
            **chunk({"text": "", "thoughtSignature": "EskC"}, finishReason="STOP"),
            "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4},
        },
    ]
    response = gemini.parse_response(chunks)
    assert response is not None
    assert (response.id, response.stop_reason) == ("R", "STOP")
    assert [
        (type(part).__name__, getattr(part, "text", None) or getattr(part, "name", None))
        for part in response.messages[0].parts
    ] == [("Thinking", "Let me see."), ("Text", "Three."), ("ToolCall", "now"), ("Text", None)]
    assert response.usage is not None
    assert response.usage.output_tokens == 4
    assert chunks[0] == chunk({"text": "Let me ", "thought": True})  # what was read is left as it was


def test_arguments_that_come_in_pieces() -> None:
    def piece(path: str, **fields: Any) -> dict[str, Any]:
        return chunk({"functionCall": {"partialArgs": [{"jsonPath": path, **fields}], "willContinue": True}})

    chunks = [
        chunk({"functionCall": {"name": "cook", "willContinue": True}, "thoughtSignature": "CiMB"}),
        piece("$.recipe.steps[0].text", stringValue="Boil ", willContinue=True),
        piece("$.recipe.steps[0].text", stringValue="water"),
        piece("$.recipe.steps[0].minutes", numberValue=12),
        piece("$.recipe.steps[1].text", stringValue="Eat"),
        piece("$.recipe.vegan", boolValue=True),
        piece("$['a b']", nullValue="NULL_VALUE"),
        chunk({"functionCall": {}}),
        chunk({"functionCall": {"name": "cook", "args": {"recipe": 2}}}),
    ]
    merged = merge_chunks(chunks)
    assert merged is not None
    assert merged["candidates"][0]["content"]["parts"] == [
        {
            "functionCall": {
                "name": "cook",
                "args": {
                    "recipe": {"steps": [{"text": "Boil water", "minutes": 12}, {"text": "Eat"}], "vegan": True},
                    "a b": None,
                },
            },
            "thoughtSignature": "CiMB",
        },
        {"functionCall": {"name": "cook", "args": {"recipe": 2}}},
    ]


def test_hostile_paths_build_nothing() -> None:
    for path in ("$.a[9999]", "$" + ".a" * 1000, "", "$", "[0]"):
        merged = merge_chunks([chunk({"functionCall": {"name": "f", "partialArgs": [{"jsonPath": path}]}})])
        assert merged is not None
        arguments = merged["candidates"][0]["content"]["parts"][0]["functionCall"]["args"]
        assert len(json.dumps(arguments)) < 20


@given(JSON)
@settings(max_examples=300)
def test_any_json_is_read_without_raising(value: Any) -> None:
    gemini.parse_parts(value, 1)
    gemini.parse_message(value, 0, 1)
    gemini.parse_request(value)
    gemini.parse_response(value)
    gemini.parse_usage(value)
    merge_chunks([{"candidates": [{"content": {"parts": [value, value]}}]}] * 2)
