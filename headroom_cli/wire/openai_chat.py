"""OpenAI Chat Completions: messages, request and response bodies, and what compatible servers make of them.

Source: openai-python `types/chat`; vendor extras (`reasoning_content`, `reasoning_details`, `thinking_blocks`,
Hugging Face `{"type": "image"}`) as seen in recorded logs.
"""

from __future__ import annotations

from typing import Any

from headroom_cli.billing import billing
from headroom_cli.model import (
    Declaration,
    Media,
    Message,
    Origin,
    Other,
    Part,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from headroom_cli.wire.base import RequestBody, ResponseBody, text_or_none
from headroom_cli.wire.openai_usage import microseconds, parse_usage
from headroom_cli.wire.results import TEXT_TYPES, dump, from_any_text, media_part, result_text

__all__ = [
    "NAME",
    "content_parts",
    "parse_message",
    "parse_request",
    "parse_response",
    "parse_usage",
    "role_of",
    "session_of",
]

NAME = "openai"

_ROLES: dict[str, tuple[Role, Origin]] = {
    "user": ("user", "human"),
    "human": ("user", "human"),
    "assistant": ("assistant", "model"),
    "model": ("assistant", "model"),
    "ai": ("assistant", "model"),
    "system": ("system", "harness"),
    "developer": ("system", "harness"),
    "tool": ("tool", "tool"),
    "function": ("tool", "tool"),
}
_ANTHROPIC_TYPES = frozenset(
    {"tool_use", "tool_result", "redacted_thinking", "server_tool_use", "mcp_tool_use", "mcp_tool_result"}
)
_AI_SDK_TYPES = frozenset({"tool-call", "tool-result"})
_BEDROCK_KEYS = ("toolUse", "toolResult", "reasoningContent")


def role_of(raw: dict[str, Any]) -> tuple[Role, Origin]:
    """Role and origin of a message; without a usable `role` its fields decide (calls: assistant, an id: tool)."""
    role = raw.get("role")
    if isinstance(role, str) and role in _ROLES:
        return _ROLES[role]
    if raw.get("tool_call_id") is not None:
        return "tool", "tool"
    if raw.get("tool_calls") or raw.get("function_call"):
        return "assistant", "model"
    return "user", "human"


def parse_message(raw: Any, index: int, line: int = 0) -> Message:
    """One message of a chat history.

    Parts come in wire order: thinking, content, refusal, calls. Empty content gives no part. The legacy `function`
    role gives a result with a name and no id.
    """
    if not isinstance(raw, dict):
        return Message(index, "user", [Other("message", raw=raw, line=line)], line=line, last_line=line)
    role, origin = role_of(raw)
    if role == "tool":
        parts = _tool_results(raw, line)
    else:
        parts = content_parts(raw.get("content"), line)
        if role == "assistant":
            parts = _thinking(raw, line) + parts + _spoken(raw, parts, line) + _tool_calls(raw, line)
        else:
            origin = "tool" if parts and all(isinstance(part, ToolResult) for part in parts) else origin
    return Message(index, role, parts, line, line, None, "", origin)


def content_parts(content: Any, line: int = 0) -> list[Part]:
    """The parts of a message's `content`: a string, null, one part or a list of parts, in any vendor's shape."""
    if isinstance(content, str):
        return [Text(content, raw=content, line=line)] if content else []
    if isinstance(content, dict):
        return _content_part(content, line)
    if not isinstance(content, list):
        return []
    parts: list[Part] = []
    for part in content:
        if isinstance(part, dict):
            parts += _content_part(part, line)
        elif isinstance(part, str):
            parts.append(Text(part, raw=part, line=line))
        elif part is not None:
            parts.append(Other(type(part).__name__, raw=part, line=line))
    return parts


def _content_part(part: dict[str, Any], line: int) -> list[Part]:
    kind = part.get("type")
    if isinstance(kind, str):
        if kind in TEXT_TYPES:
            text = part.get("text")
            return [Text(text if isinstance(text, str) else "", raw=part, line=line)]
        if kind == "refusal":
            refusal = part.get("refusal")
            return [Text(refusal if isinstance(refusal, str) else "", raw=part, line=line)]
        if kind in ("thinking", "reasoning", "reasoning_text", "summary_text"):
            return [_thinking_part(part, line)]
        if kind in _ANTHROPIC_TYPES:
            return _foreign(part, line) or [Other(kind, raw=part, line=line)]
        if kind in _AI_SDK_TYPES:
            return [_ai_sdk_part(part, line)]
        media = media_part(part, line)
        return [media if media is not None else Other(kind, raw=part, line=line)]
    text = part.get("text")
    if isinstance(text, str):
        return [Text(text, raw=part, line=line)]
    foreign: list[Part] = []
    if any(key in part for key in _BEDROCK_KEYS):
        foreign = _foreign(part, line)
    elif (media := media_part(part, line)) is not None:
        foreign = [media]
    return foreign or [Other(next((k for k in part if isinstance(k, str)), "empty"), raw=part, line=line)]


def _foreign(block: dict[str, Any], line: int) -> list[Part]:
    """A block of another provider's dialect inside a chat history, as histories moved between providers have them."""
    role = "user" if block.get("type") == "tool_result" or "toolResult" in block else "assistant"
    message = {"role": role, "content": [block]}
    if "type" in block:
        from headroom_cli.wire import anthropic

        return anthropic.parse_message(message, 0, line).parts
    from headroom_cli.wire import bedrock

    return bedrock.parse_message(message, 0, line).parts


def _ai_sdk_part(part: dict[str, Any], line: int) -> Part:
    """A call or result of the Vercel AI SDK: `output` is `{type, value}`, in older versions `result` is any value."""
    call_id = text_or_none(part.get("toolCallId"))
    name = text_or_none(part.get("toolName"))
    if part["type"] == "tool-call":
        return ToolCall(call_id, name or "", part.get("input", part.get("args")), raw=part, line=line)
    output = part.get("output")
    kind = output.get("type") if isinstance(output, dict) else None
    value = output.get("value") if isinstance(output, dict) else part.get("result")
    text, media = result_text(value, line)
    is_error = True if kind in ("error-text", "error-json") or part.get("isError") is True else None
    return ToolResult(call_id, text, is_error, media, name if call_id is None else None, raw=part, line=line)


def _tool_results(raw: dict[str, Any], line: int) -> list[Part]:
    """The result that a message is; without an id it may instead hold results as parts, in another dialect."""
    content = raw.get("content")
    if isinstance(content, list) and raw.get("tool_call_id") is None:
        parts = content_parts(content, line)
        if any(isinstance(part, ToolResult) for part in parts):
            return parts
    text, media = result_text(content, line)
    call_id = None if raw.get("role") == "function" else text_or_none(raw.get("tool_call_id"))
    name = text_or_none(raw.get("name")) if call_id is None else None
    return [ToolResult(call_id, text, media=media, name=name, raw=raw, line=line)]


def _tool_calls(raw: dict[str, Any], line: int) -> list[Part]:
    calls = raw.get("tool_calls")
    parts: list[Part] = []
    if isinstance(calls, list):
        parts += [_tool_call(call, line) for call in calls]
    elif calls:
        parts.append(_tool_call(calls, line))
    legacy = raw.get("function_call")
    if legacy and not parts:
        parts.append(_tool_call({"function": legacy}, line))
    return parts


def _tool_call(call: Any, line: int) -> ToolCall:
    """One entry of `tool_calls`; what is malformed gives an empty call."""
    if not isinstance(call, dict):
        return ToolCall(None, "", None, raw=call, line=line)
    call_id = text_or_none(call.get("id"))
    custom = call.get("custom")
    if isinstance(custom, dict):
        return ToolCall(
            call_id, text_or_none(custom.get("name")) or "", custom.get("input"), "custom", raw=call, line=line
        )
    function = call.get("function")
    fields = function if isinstance(function, dict) else call
    arguments = next((fields[k] for k in ("arguments", "args", "input") if k in fields), None)
    return ToolCall(call_id, text_or_none(fields.get("name")) or "", arguments, raw=call, line=line)


def _spoken(raw: dict[str, Any], content: list[Part], line: int) -> list[Part]:
    """A refusal, and the sound of an answer (with its transcript where there is no text)."""
    parts: list[Part] = []
    refusal = raw.get("refusal")
    if isinstance(refusal, str) and refusal:
        parts.append(Text(refusal, raw=refusal, line=line))
    audio = raw.get("audio")
    if isinstance(audio, dict):
        transcript = audio.get("transcript")
        if isinstance(transcript, str) and transcript and not content:
            parts.append(Text(transcript, raw=audio, line=line))
        data = audio.get("data")
        parts.append(
            from_any_text(data, "audio/*", raw=audio, line=line)
            if isinstance(data, str)
            else Media("audio/*", raw=audio, line=line)
        )
    return parts


def _thinking(raw: dict[str, Any], line: int) -> list[Part]:
    """Reasoning beside the content. Gateways repeat it under several names; the first that has text is taken."""
    best: list[Part] = []
    for name in ("thinking_blocks", "reasoning_details", "reasoning_content", "reasoning"):
        value = raw.get(name)
        if not value:
            continue
        items = value if isinstance(value, list) else [value]
        found: list[Part] = [_thinking_part(item, line) for item in items if isinstance(item, (str, dict))]
        if any(isinstance(part, Thinking) and part.text for part in found):
            return found
        best = best or found
    return best


def _thinking_part(item: str | dict[str, Any], line: int) -> Thinking:
    if isinstance(item, str):
        return Thinking(item, raw=item, line=line)
    text = ""
    for name in ("thinking", "text", "summary", "content", "reasoning"):
        value = item.get(name)
        if isinstance(value, list):
            value = "\n".join(
                part["text"] for part in value if isinstance(part, dict) and isinstance(part.get("text"), str)
            )
        if isinstance(value, str) and value:
            text = value
            break
    signature = next((s for k in ("signature", "data", "encrypted_content") if (s := text_or_none(item.get(k)))), None)
    return Thinking(text, signature, raw=item, line=line)


def parse_request(body: dict[str, Any], line: int = 0) -> RequestBody:
    """The body of a `/v1/chat/completions` request. System messages stand where they were sent, in `messages`."""
    given = body.get("messages")
    messages = [parse_message(raw, i, line) for i, raw in enumerate(given)] if isinstance(given, list) else []
    return RequestBody(
        NAME,
        model=text_or_none(body.get("model")),
        tools=_declarations(body, line),
        messages=messages,
        session=session_of(body),
        raw=body,
    )


def _declarations(body: dict[str, Any], line: int) -> list[Declaration]:
    declared: list[Declaration] = []
    for key in ("tools", "functions"):
        tools = body.get(key)
        for tool in tools if isinstance(tools, list) else []:
            if not isinstance(tool, dict):
                continue
            kind = text_or_none(tool.get("type")) or "function"
            inner = tool.get(kind) if key == "tools" else None
            schema = inner if isinstance(inner, dict) else tool
            name = text_or_none(schema.get("name")) or kind
            declared.append(Declaration(name, dump(schema), kind, raw=tool, line=line))
    return declared


def session_of(body: dict[str, Any]) -> str | None:
    """What a request body tells about the conversation it belongs to."""
    conversation = body.get("conversation")
    if isinstance(conversation, dict):
        conversation = conversation.get("id")
    found = text_or_none(conversation) or text_or_none(body.get("prompt_cache_key"))
    metadata = body.get("metadata")
    if found is None and isinstance(metadata, dict):
        names = ("session_id", "conversation_id", "thread_id")
        found = next((value for name in names if (value := text_or_none(metadata.get(name)))), None)
    return found


def parse_response(body: dict[str, Any], line: int = 0) -> ResponseBody | None:
    """A `chat.completion` object; None if it has no `choices`.

    Of several alternatives (`n` > 1) the first is the answer: only it can enter the context. Choices that share its
    index (some gateways put text and calls into two) belong to it. A wrapper's zero output beside a real answer is
    dropped (unknown).
    """
    choices = body.get("choices")
    if not isinstance(choices, list):
        return None
    answer: Message | None = None
    first: dict[str, Any] = {}
    for choice in choices:
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(message, dict):
            continue
        if answer is None:
            first, answer = choice, parse_message({"role": "assistant", **message}, 0, line)
        elif "index" in choice and choice["index"] == first.get("index"):
            answer.parts += parse_message({"role": "assistant", **message}, 0, line).parts
    usage = parse_usage(body.get("usage"))
    if usage is not None and usage.output_tokens == 0 and answer is not None and answer.parts:
        usage.output_tokens = None
    return ResponseBody(
        NAME,
        id=text_or_none(body.get("id")),
        model=text_or_none(body.get("model")),
        messages=[] if answer is None else [answer],
        usage=usage,
        stop_reason=text_or_none(first.get("finish_reason")),
        timestamp=microseconds(body.get("created")),
        service_tier=text_or_none(body.get("service_tier")),
        billing=billing(service_tier=text_or_none(body.get("service_tier"))),
    )
