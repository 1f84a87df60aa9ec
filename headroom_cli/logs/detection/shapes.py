"""The shapes of requests, responses and stream events, told apart by their keys alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from headroom_cli.source.decode import decode, too_deep

MESSAGE_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function", "model"})

ITEM_TYPES = frozenset(
    {
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "shell_call",
        "shell_call_output",
        "apply_patch_call",
        "apply_patch_call_output",
        "web_search_call",
        "file_search_call",
        "computer_call",
        "computer_call_output",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
        "tool_search_call",
        "tool_search_output",
        "item_reference",
        "compaction",
    }
)

_ANTHROPIC_EVENTS = frozenset(
    {
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "ping",
    }
)
_BEDROCK_EVENTS = frozenset(
    {"messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop"}
)
_BEDROCK_BLOCKS = ("toolUse", "toolResult", "reasoningContent", "cachePoint")
_ANTHROPIC_ENDS = ("tool_use", "tool_result", "thinking")
_REQUEST_KEYS = (
    "request",
    "req",
    "responses_create_params",
    "request_params",
    "request_body",
    "kwargs",
    "input",
    "body",
)
_RESPONSE_KEYS = ("response", "res", "response_body", "outputs", "output", "result")
_BODY_KEYS = ("body", "json", "json_body", "data", "kwargs", "params", "content", "response")
_SCAN = 200  # messages looked at before a history without any vendor's mark is taken for OpenAI's


def as_object(value: Any, replaced: list[str] | None = None) -> Any:
    """The value, decoded if it is a string that holds a JSON object (bodies of captured HTTP).

    Strings in which U+FFFD took the place of lone surrogates are added to `replaced`.
    """
    if isinstance(value, str) and value[:1] == "{":
        try:
            decoded = orjson.loads(value)
        except orjson.JSONDecodeError:
            found = decode(value.encode("utf-8", "surrogatepass"), replaced)
            return found.values[0] if len(found.values) == 1 and found.damage is None else value
        return value if too_deep(decoded) else decoded
    return value


def messages_dialect(messages: Sequence[Any]) -> str | None:
    """The dialect of a list of messages (OpenAI's, if nothing marks another), or None if it holds no message."""
    marked = _marked(messages)
    if marked is None and any(isinstance(m, dict) and isinstance(m.get("role"), str) for m in messages[:_SCAN]):
        return "openai"
    return marked


def _marked(messages: Sequence[Any]) -> str | None:
    """The first mark of one provider in a list of messages. A lone `text` is Bedrock's, but the weakest mark."""
    found = None
    for message in messages[:_SCAN]:
        if not isinstance(message, dict):
            continue
        role, kind, content = message.get("role"), message.get("type"), message.get("content")
        if isinstance(message.get("parts"), list):
            return "gemini"
        if not isinstance(role, str):
            if isinstance(kind, str) and kind in ITEM_TYPES:
                return "openai-responses"
        elif role in ("tool", "function", "developer") or "tool_calls" in message or "function_call" in message:
            return "openai"
        for block in content if isinstance(content, list) else ():
            mark = _block_mark(block) if isinstance(block, dict) else None
            if mark is not None and block.keys() != {"text"}:
                return mark
            found = found or mark
    return found


def _block_mark(block: dict[str, Any]) -> str | None:
    kind = block.get("type")
    if isinstance(kind, str):
        if kind.endswith(_ANTHROPIC_ENDS) or (kind in ("image", "document") and "source" in block):
            return "anthropic"
        return "openai-responses" if kind in ("input_text", "output_text", "input_image") else None
    return "bedrock" if block.keys() == {"text"} or any(key in block for key in _BEDROCK_BLOCKS) else None


def request_dialect(value: Any) -> str | None:
    """The dialect of an API request's body, or None if the value is none."""
    if not isinstance(value, dict):
        return None
    messages = value.get("messages")
    if isinstance(messages, list):
        return _chat_dialect(value, messages)
    contents = value.get("contents")
    if isinstance(contents, list):
        return "gemini" if any(isinstance(c, dict) and isinstance(c.get("parts"), list) for c in contents) else None
    given = value.get("input")
    if isinstance(given, str):
        named = isinstance(value.get("model"), str) or "instructions" in value or isinstance(value.get("tools"), list)
        return "openai-responses" if named and "encoding_format" not in value and "dimensions" not in value else None
    if isinstance(given, list) and any(isinstance(i, dict) and ("type" in i or "role" in i) for i in given):
        return "openai-responses"
    return None


def _chat_dialect(body: dict[str, Any], messages: list[Any]) -> str | None:
    if "inferenceConfig" in body or "toolConfig" in body:
        return "bedrock"
    marked = _marked(messages)
    if marked is not None:
        return marked
    if messages_dialect(messages) is None and (messages or not isinstance(body.get("model"), str)):
        return None
    if _is_anthropic(body):
        return "anthropic"
    model = body.get("model")
    guess = isinstance(model, str) and model.startswith("claude") and not body.get("tools")
    return "anthropic" if guess else "openai"


def _is_anthropic(body: dict[str, Any]) -> bool:
    tools = body.get("tools")
    declared = isinstance(tools, list) and any(isinstance(t, dict) and "input_schema" in t for t in tools)
    return declared or isinstance(body.get("system"), str | list)


def is_marked(body: dict[str, Any]) -> bool:
    """Whether the dialect of a request is certain; without any provider's mark it is a guess."""
    messages = body.get("messages")
    if not isinstance(messages, list) or "inferenceConfig" in body or "toolConfig" in body:
        return True
    return bool(body.get("tools") or body.get("functions")) or _is_anthropic(body) or _marked(messages) is not None


def response_dialect(value: Any) -> str | None:
    """The dialect of a whole API response, or None if the value is none."""
    if not isinstance(value, dict):
        return None
    kind = value.get("object")
    if kind == "chat.completion":
        return "openai"
    output = value.get("output")
    if kind == "response" or (
        isinstance(output, list) and bool(output) and all(isinstance(i, dict) and "type" in i for i in output)
    ):
        return "openai-responses"
    choices = value.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict) and "message" in choices[0]:
        return "openai"
    if isinstance(value.get("candidates"), list):
        return "gemini"
    if value.get("type") == "message" and value.get("role") == "assistant" and isinstance(value.get("content"), list):
        return "anthropic" if "stop_reason" in value or "usage" in value else None
    if isinstance(output, dict) and isinstance(output.get("message"), dict):
        return "bedrock"
    return None


def event_family(value: Any) -> str | None:
    """The family of one event of a streamed response, or None if the value is none."""
    if not isinstance(value, dict):
        return None
    kind = value.get("type")
    if isinstance(kind, str):
        if kind in _ANTHROPIC_EVENTS and "sessionId" not in value:
            return "anthropic-sse"
        if kind.startswith("response.") and any(k in value for k in ("sequence_number", "response", "item", "delta")):
            return "openai-responses-sse"
    if value.get("object") == "chat.completion.chunk":
        return "openai-chat-chunks"
    choices = value.get("choices")
    if isinstance(choices, list):
        if choices and isinstance(choices[0], dict) and "delta" in choices[0]:
            return "openai-chat-chunks"
        if not choices and "prompt_filter_results" in value:
            return "openai-chat-chunks"
    if not _BEDROCK_EVENTS.isdisjoint(value):
        return "bedrock-stream"
    metadata = value.get("metadata")
    if len(value) == 1 and isinstance(metadata, dict) and isinstance(metadata.get("usage"), dict):
        return "bedrock-stream"
    return None


def request_in(value: Any, replaced: list[str] | None = None) -> dict[str, Any] | None:
    """The request body that a captured request holds: itself, or under `body` and the like, perhaps as a string.

    `replaced` as for `as_object`.
    """
    return _body(value, request_dialect, replaced)


def response_in(value: Any) -> dict[str, Any] | None:
    """The response body that a captured response holds, likewise."""
    return _body(value, response_dialect)


def _body(value: Any, dialect: Any, replaced: list[str] | None = None) -> dict[str, Any] | None:
    value = as_object(value, replaced)
    if dialect(value) is not None:
        return value  # type: ignore[no-any-return]
    if isinstance(value, dict):
        for key in _BODY_KEYS:
            inner = as_object(value.get(key), replaced)
            if dialect(inner) is not None:
                return inner  # type: ignore[no-any-return]
    return None


def pair_in(value: dict[str, Any], replaced: list[str] | None = None) -> tuple[dict[str, Any], Any] | None:
    """A request and what came back for it, if the object holds both sides under names that captures use.

    The response is its body where it is a whole one, else the value as it stands (an error, a stream, None).
    `replaced` as for `as_object`.
    """
    for request_key in _REQUEST_KEYS:
        if request_key not in value:
            continue
        request = request_in(value[request_key], replaced) or _listed_request(value[request_key], value)
        if request is None:
            continue
        for response_key in _RESPONSE_KEYS:
            if response_key in value and response_key != request_key:
                response = value[response_key]
                body = response_in(response) or _bare_response(response, value)
                if body is not None or request_key not in ("input", "body"):
                    return request, body if body is not None else response
    if request_dialect(value) is not None:
        for response_key in ("response", "completion", "raw_response", "outputs"):
            body = response_in(value.get(response_key))
            if body is not None:
                return value, body
    return None


def _listed_request(value: Any, row: dict[str, Any]) -> dict[str, Any] | None:
    """A request of which the log keeps the messages only."""
    if not isinstance(value, list) or messages_dialect(value) in (None, "openai-responses", "gemini"):
        return None
    return {"messages": value, "model": row.get("model"), "tools": row.get("tools")}


def _bare_response(value: Any, row: dict[str, Any]) -> dict[str, Any] | None:
    """A response of which the log keeps the message only; `usage` may stand beside it."""
    if not isinstance(value, dict) or value.get("role") != "assistant":
        return None
    if _marked([value]) == "anthropic":
        return {"type": "message", "usage": row.get("usage"), **value}
    return {"object": "chat.completion", "choices": [{"message": value}], "usage": row.get("usage")}
