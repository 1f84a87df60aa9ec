"""Amazon Bedrock Converse, and the Strands sessions that store its messages.

A content block is an object with one key and no `type` (AWS API reference, `API_runtime_ContentBlock`;
`strands-agents/sdk-python`, `src/strands/types/`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headroom_cli.billing import billing
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
from headroom_cli.wire.results import dump, media_from_base64, media_part, result_text

NAME = "bedrock"


def parse_blocks(content: Any, line: int = 0) -> list[Part]:
    """The parts of a message's `content`: a list of blocks, one block, or a string. `line` is their physical line."""
    if isinstance(content, list):
        return [_parse_block(block, line) for block in content]
    if isinstance(content, str):
        return [Text(content, raw=content, line=line)] if content else []
    return [] if content is None else [_parse_block(content, line)]


def parse_message(raw: Any, index: int, line: int = 0) -> Message:
    """One message, or one row of a Strands session `{message, message_id, redact_message, created_at}`.

    Where a guardrail has redacted a message, the model sees `redact_message` from then on.
    """
    timestamp = None
    inner = raw
    if isinstance(raw, dict) and "role" not in raw and isinstance(raw.get("message"), dict):
        redacted = raw.get("redact_message")
        inner = redacted if isinstance(redacted, dict) else raw["message"]
        timestamp = microseconds_of(raw.get("created_at"))
    if not isinstance(inner, dict):
        return Message(index, "user", [Other("message", raw=raw, line=line)], line=line, last_line=line)
    role = role_of(inner.get("role"))
    parts = parse_blocks(inner.get("content"), line)
    origin = origin_of(role, parts)
    return Message(index, role, parts, line=line, last_line=line, timestamp=timestamp, origin=origin)


def parse_request(body: Any, line: int = 0) -> RequestBody:
    """The body of a Converse or ConverseStream call. `model` is `modelId`: a model id or an ARN."""
    if not isinstance(body, dict):
        return RequestBody(NAME)
    config = body.get("toolConfig")
    messages = body.get("messages")
    return RequestBody(
        NAME,
        model=text_or_none(body.get("modelId")) or text_or_none(body.get("model")),
        system=parse_blocks(body.get("system"), line),
        tools=parse_tools(config.get("tools"), line) if isinstance(config, dict) else [],
        messages=[parse_message(m, i, line) for i, m in enumerate(messages)] if isinstance(messages, list) else [],
        raw=body,
    )


def parse_tools(tools: Any, line: int = 0) -> list[Declaration]:
    """The tools of a `toolConfig`. Cache points among them are no tools."""
    if not isinstance(tools, list):
        return []
    declarations = []
    for tool in tools:
        if not isinstance(tool, dict):
            continue
        for key, kind in (("toolSpec", "function"), ("systemTool", "systemTool")):
            spec = tool.get(key)
            if isinstance(spec, dict):
                declarations.append(
                    Declaration(text_or_none(spec.get("name")) or "", dump(spec), kind, raw=tool, line=line)
                )
    return declarations


def parse_response(body: Any, line: int = 0) -> ResponseBody | None:
    """A Converse response `{output: {message}, stopReason, usage}`, or None if `body` is something else.

    The id is the AWS request id, which SDKs keep beside the response.
    """
    output = body.get("output") if isinstance(body, dict) else None
    message = output.get("message") if isinstance(output, dict) else None
    if not isinstance(body, dict) or not isinstance(message, dict):
        return None
    metadata, tier = body.get("ResponseMetadata"), body.get("serviceTier")
    return ResponseBody(
        NAME,
        id=text_or_none(metadata.get("RequestId")) if isinstance(metadata, dict) else None,
        messages=[parse_message({"role": "assistant", **message}, 0, line)],
        usage=parse_usage(body.get("usage")),
        stop_reason=text_or_none(body.get("stopReason")),
        service_tier=text_or_none(tier.get("type")) if isinstance(tier, dict) else None,
        billing=billing(service_tier=text_or_none(tier.get("type"))) if isinstance(tier, dict) else None,
    )


def parse_usage(raw: object) -> Usage | None:
    """The `usage` of a response, or None if it counts nothing. `inputTokens` excludes cache reads and writes."""
    if not isinstance(raw, dict):
        return None
    uncached = count(raw.get("inputTokens"))
    read = count(raw.get("cacheReadInputTokens"))
    write = count(raw.get("cacheWriteInputTokens"))
    output = count(raw.get("outputTokens"))
    if uncached is None and read is None and write is None and output is None:
        return None
    return Usage(
        input_tokens=None if uncached is None else uncached + (read or 0) + (write or 0),
        uncached_input_tokens=uncached,
        cache_read_input_tokens=read,
        cache_write_input_tokens=write,
        cache_write_5m_input_tokens=_written(raw.get("cacheDetails"), "5m"),
        cache_write_1h_input_tokens=_written(raw.get("cacheDetails"), "1h"),
        output_tokens=output,
    )


def _written(details: object, ttl: str) -> int | None:
    if not isinstance(details, list):
        return None
    for detail in details:
        if isinstance(detail, dict) and detail.get("ttl") == ttl:
            return count(detail.get("inputTokens"))
    return None


def _parse_block(block: Any, line: int) -> Part:
    if not isinstance(block, dict):
        return Text(block, raw=block, line=line) if isinstance(block, str) else Other("unknown", raw=block, line=line)
    for key, value in block.items():
        parse = _BLOCKS.get(key)
        if parse is not None:
            part = parse(value, block, line)
            if part is not None:
                return part
    return Other(next((key for key in block if isinstance(key, str)), "unknown"), raw=block, line=line)


def _text(value: Any, block: dict[str, Any], line: int) -> Part | None:
    return Text(value, raw=block, line=line) if isinstance(value, str) else None


def _call(value: Any, block: dict[str, Any], line: int) -> Part | None:
    if not isinstance(value, dict):
        return ToolCall(None, "", None, raw=block, line=line)
    name = value.get("name")
    call = ToolCall(
        text_or_none(value.get("toolUseId")),
        name if isinstance(name, str) else "",
        value.get("input"),
        raw=block,
        line=line,
    )
    if value.get("type") == "server_tool_use":
        call.type = "server"
    return call


def _result(value: Any, block: dict[str, Any], line: int) -> Part | None:
    if not isinstance(value, dict):
        return ToolResult(None, "", raw=block, line=line)
    text, media = result_text(value.get("content"), line)
    status = value.get("status")
    failed = status == "error" if status in ("error", "success") else None
    return ToolResult(text_or_none(value.get("toolUseId")), text, failed, media, raw=block, line=line)


def _reasoning(value: Any, block: dict[str, Any], line: int) -> Part | None:
    inner = value.get("reasoningText") if isinstance(value, dict) else None
    if not isinstance(inner, dict):
        return Thinking("", raw=block, line=line)
    text, signature = inner.get("text"), inner.get("signature")
    return Thinking(
        text if isinstance(text, str) else "",
        signature if isinstance(signature, str) else None,
        raw=block,
        line=line,
    )


def _document(value: Any, block: dict[str, Any], line: int) -> Part | None:
    source = value.get("source") if isinstance(value, dict) else None
    if isinstance(source, dict):
        text = source.get("text")
        if isinstance(text, str):
            return Text(text, raw=block, line=line)
        if isinstance(source.get("content"), list):
            return Text(result_text(source["content"], line)[0], raw=block, line=line)
    return media_part(block, line) or Other("document", raw=block, line=line)


def _media(value: Any, block: dict[str, Any], line: int) -> Part | None:
    return media_part(block, line)


def _audio(value: Any, block: dict[str, Any], line: int) -> Part | None:
    if not isinstance(value, dict):
        return None
    form, source = value.get("format"), value.get("source")
    data = source.get("bytes") if isinstance(source, dict) else None
    return media_from_base64(data, f"audio/{form}" if isinstance(form, str) else "audio/*", raw=block, line=line)


def _guarded(value: Any, block: dict[str, Any], line: int) -> Part | None:
    """Content for a guardrail: `{text: {text, qualifiers}}` or `{image: {format, source}}`."""
    if not isinstance(value, dict):
        return None
    inner = value.get("text")
    if isinstance(inner, dict) and isinstance(inner.get("text"), str):
        return Text(inner["text"], raw=block, line=line)
    media = media_part(value, line)
    if media is not None:
        media.raw = block
    return media


def _contained(value: Any, block: dict[str, Any], line: int) -> Part | None:
    """Blocks that wrap text in `content: [{text}]`: generated text with citations, and search results."""
    content = value.get("content") if isinstance(value, dict) else None
    return Text(result_text(content, line)[0], raw=block, line=line) if isinstance(content, list) else None


_BLOCKS: dict[object, Callable[[Any, dict[str, Any], int], Part | None]] = {
    "text": _text,
    "toolUse": _call,
    "toolResult": _result,
    "reasoningContent": _reasoning,
    "document": _document,
    "image": _media,
    "video": _media,
    "audio": _audio,
    "guardContent": _guarded,
    "citationsContent": _contained,
    "searchResult": _contained,
}
