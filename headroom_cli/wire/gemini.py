"""Gemini `generateContent`: contents and parts, requests, responses and usage.

The REST API writes camelCase, the Python SDK's dumps snake_case: both are read. Calls usually have no ids: a
`functionResponse` then answers the call of that name, in order. Field names: Google's API reference (`Content`, `Part`,
`GenerateContentResponse`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headroom_cli.model import (
    Declaration,
    Message,
    Other,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from headroom_cli.wire.base import RequestBody, ResponseBody, count, text_or_none
from headroom_cli.wire.fields import microseconds_of, origin_of, role_of
from headroom_cli.wire.gemini_stream import merge_chunks
from headroom_cli.wire.results import dump, media_part, result_text

NAME = "gemini"

_CODE_EXECUTION = "code_execution"


def parse_parts(parts: Any, line: int = 0) -> list[Part]:
    """The parts of a content: a list, one part, or a string. `line` is their physical line."""
    if isinstance(parts, list):
        return [_parse_part(part, line) for part in parts]
    if isinstance(parts, str):
        return [Text(parts, raw=parts, line=line)] if parts else []
    return [] if parts is None else [_parse_part(parts, line)]


def parse_message(raw: Any, index: int, line: int = 0) -> Message:
    """One content `{role, parts}`. A content without a role is the user's; one that is a string is its text."""
    if not isinstance(raw, dict):
        parts: list[Part] = parse_parts(raw, line) if isinstance(raw, str) else [Other("message", raw=raw, line=line)]
        return Message(index, "user", parts, line=line, last_line=line)
    role = role_of(raw.get("role"))
    parts = parse_parts(raw["parts"] if "parts" in raw else raw.get("content"), line)
    return Message(index, role, parts, line=line, last_line=line, origin=origin_of(role, parts))


def parse_request(body: Any, line: int = 0) -> RequestBody:
    """The body of a `generateContent` call; the Python SDK's `config` may hold instruction and tools."""
    if not isinstance(body, dict):
        return RequestBody(NAME)
    config = body.get("config")
    if not isinstance(config, dict):
        config = {}
    instruction = _either(body, "systemInstruction", "system_instruction")
    if instruction is None:
        instruction = _either(config, "systemInstruction", "system_instruction")
    if isinstance(instruction, dict) and "parts" in instruction:
        instruction = instruction["parts"]
    contents = body.get("contents")
    if isinstance(contents, (str, dict)):
        contents = [contents]
    return RequestBody(
        NAME,
        model=text_or_none(body.get("model")),
        system=parse_parts(instruction, line),
        tools=parse_tools(body["tools"] if "tools" in body else config.get("tools"), line),
        messages=[parse_message(c, i, line) for i, c in enumerate(contents)] if isinstance(contents, list) else [],
        raw=body,
    )


def parse_tools(tools: Any, line: int = 0) -> list[Declaration]:
    """Declared functions, and the provider's own tools (`googleSearch`, `codeExecution`), whose type is their name."""
    if isinstance(tools, dict):
        tools = [tools]
    if not isinstance(tools, list):
        return []
    declarations = []
    for tool in tools:
        if not isinstance(tool, dict):
            continue
        for key, value in tool.items():
            if key not in ("functionDeclarations", "function_declarations"):
                if isinstance(value, dict):
                    declarations.append(Declaration(str(key), dump(value), str(key), raw=tool, line=line))
                continue
            for function in value if isinstance(value, list) else []:
                if isinstance(function, dict):
                    name = text_or_none(function.get("name")) or ""
                    declarations.append(Declaration(name, dump(function), raw=function, line=line))
    return declarations


def parse_response(body: Any, line: int = 0) -> ResponseBody | None:
    """A response, or the list of its stream chunks; None if `body` is something else.

    Of several candidates the first counts: a conversation goes on with one.
    """
    if isinstance(body, list):
        body = merge_chunks(body)
    if not isinstance(body, dict):
        return None
    candidates = body.get("candidates")
    usage = _either(body, "usageMetadata", "usage_metadata")
    if not isinstance(candidates, list) and not isinstance(usage, dict):
        return None
    messages = []
    stop_reason = None
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    if isinstance(first, dict):
        stop_reason = text_or_none(_either(first, "finishReason", "finish_reason"))
        content = first.get("content")
        if isinstance(content, dict):
            messages = [parse_message({**content, "role": "model"}, 0, line)]
    return ResponseBody(
        NAME,
        id=text_or_none(_either(body, "responseId", "response_id")),
        model=text_or_none(_either(body, "modelVersion", "model_version")),
        messages=messages,
        usage=parse_usage(usage),
        stop_reason=stop_reason,
        timestamp=microseconds_of(_either(body, "createTime", "create_time")),
    )


def parse_usage(raw: object) -> Usage | None:
    """The `usageMetadata` of a response, or None if it counts nothing.

    `promptTokenCount` includes what was cached, but not what the provider's own tools put into the prompt;
    `candidatesTokenCount` excludes thoughts.
    """
    if not isinstance(raw, dict):
        return None
    prompt = count(_either(raw, "promptTokenCount", "prompt_token_count"))
    cached = count(_either(raw, "cachedContentTokenCount", "cached_content_token_count"))
    tools = count(_either(raw, "toolUsePromptTokenCount", "tool_use_prompt_token_count"))
    answer = count(_either(raw, "candidatesTokenCount", "candidates_token_count"))
    thoughts = count(_either(raw, "thoughtsTokenCount", "thoughts_token_count"))
    if prompt is None and answer is None and thoughts is None:
        return None
    total = None if prompt is None else prompt + (tools or 0)
    return Usage(
        input_tokens=total,
        uncached_input_tokens=None if total is None else max(total - (cached or 0), 0),
        cache_read_input_tokens=cached,
        output_tokens=None if answer is None and thoughts is None else (answer or 0) + (thoughts or 0),
        reasoning_output_tokens=thoughts,
    )


def _either(value: dict[str, Any], camel: str, snake: str) -> Any:
    found = value.get(camel)
    return value.get(snake) if found is None else found


def _parse_part(part: Any, line: int) -> Part:
    if not isinstance(part, dict):
        return Text(part, raw=part, line=line) if isinstance(part, str) else Other("unknown", raw=part, line=line)
    for key, value in part.items():
        parse = _PARTS.get(key)
        if parse is not None and value is not None:
            return parse(value, part, line)
    if part.get("thought") is True:
        return Thinking("", _signature(part), raw=part, line=line)
    return Other(next((key for key in part if isinstance(key, str)), "unknown"), raw=part, line=line)


def _signature(part: dict[str, Any]) -> str | None:
    return text_or_none(_either(part, "thoughtSignature", "thought_signature"))


def _text(value: Any, part: dict[str, Any], line: int) -> Part:
    text = value if isinstance(value, str) else ""
    if part.get("thought") is True:
        return Thinking(text, _signature(part), raw=part, line=line)
    return Text(text, raw=part, line=line)


def _call(value: Any, part: dict[str, Any], line: int) -> Part:
    if not isinstance(value, dict):
        return ToolCall(None, "", None, raw=part, line=line)
    name = value.get("name")
    return ToolCall(
        text_or_none(value.get("id")), name if isinstance(name, str) else "", value.get("args"), raw=part, line=line
    )


def _result(value: Any, part: dict[str, Any], line: int) -> Part:
    if not isinstance(value, dict):
        return ToolResult(None, "", raw=part, line=line)
    text, media = _response_text(value.get("response"))
    attached = value.get("parts")
    for item in attached if isinstance(attached, list) else []:
        if isinstance(item, dict) and (found := media_part(item, line)) is not None:
            media.append(found)
    return ToolResult(
        text_or_none(value.get("id")),
        text,
        _failed(value.get("response")),
        media,
        text_or_none(value.get("name")),
        raw=part,
        line=line,
    )


def _server_call(value: Any, part: dict[str, Any], line: int) -> Part:
    """A call that the provider itself carries out: `{id, toolType, args}`."""
    if not isinstance(value, dict):
        return ToolCall(None, "", None, "server", raw=part, line=line)
    name = text_or_none(_either(value, "toolType", "tool_type")) or ""
    return ToolCall(text_or_none(value.get("id")), name, value.get("args"), "server", raw=part, line=line)


def _server_result(value: Any, part: dict[str, Any], line: int) -> Part:
    if not isinstance(value, dict):
        return ToolResult(None, "", raw=part, line=line)
    name = text_or_none(_either(value, "toolType", "tool_type"))
    text, media = _response_text(value.get("response"))
    return ToolResult(text_or_none(value.get("id")), text, None, media, name, raw=part, line=line)


def _code(value: Any, part: dict[str, Any], line: int) -> Part:
    code = value.get("code") if isinstance(value, dict) else None
    call_id = text_or_none(value.get("id")) if isinstance(value, dict) else None
    arguments = code if isinstance(code, str) else None
    return ToolCall(call_id, _CODE_EXECUTION, arguments, "server", raw=part, line=line)


def _code_result(value: Any, part: dict[str, Any], line: int) -> Part:
    if not isinstance(value, dict):
        return ToolResult(None, "", name=_CODE_EXECUTION, raw=part, line=line)
    output, outcome = value.get("output"), value.get("outcome")
    return ToolResult(
        text_or_none(value.get("id")),
        output if isinstance(output, str) else "",
        outcome != "OUTCOME_OK" if isinstance(outcome, str) else None,
        name=_CODE_EXECUTION,
        raw=part,
        line=line,
    )


def _response_text(response: Any) -> tuple[str, list[Any]]:
    """The text of a function's response: an object is what the model sees, whatever its keys are called."""
    return (dump(response), []) if isinstance(response, dict) else result_text(response)


def _failed(response: Any) -> bool | None:
    """Google asks for failures under the key `error`."""
    return True if isinstance(response, dict) and response.get("error") is not None else None


def _media(value: Any, part: dict[str, Any], line: int) -> Part:
    return media_part(part, line) or Other("media", raw=part, line=line)


_PARTS: dict[object, Callable[[Any, dict[str, Any], int], Part]] = {
    "text": _text,
    "functionCall": _call,
    "function_call": _call,
    "functionResponse": _result,
    "function_response": _result,
    "inlineData": _media,
    "inline_data": _media,
    "fileData": _media,
    "file_data": _media,
    "executableCode": _code,
    "executable_code": _code,
    "codeExecutionResult": _code_result,
    "code_execution_result": _code_result,
    "toolCall": _server_call,
    "tool_call": _server_call,
    "toolResponse": _server_result,
    "tool_response": _server_result,
}
