"""Anthropic Messages: content blocks, messages, requests, responses and usage.

Field names are those of Anthropic's API reference and of `anthropic-sdk-python` (`types/`, `types/beta/`). Claude Code
transcripts hold the same blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headroom_cli.billing import billing
from headroom_cli.model import (
    Declaration,
    Media,
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
from headroom_cli.wire.fields import origin_of, role_of
from headroom_cli.wire.results import dump, media_part, result_text

NAME = "anthropic"

_MAX_DEPTH = 20
# The fields of server tool results that the model reads as text, in the order that the API writes them.
_READABLE = (
    "title",
    "url",
    "source",
    "text",
    "stdout",
    "stderr",
    "error_code",
    "error_message",
    "tool_name",
    "lines",
    "content",
    "tool_references",
)


def parse_blocks(content: Any, line: int = 0) -> list[Part]:
    """The parts of a message's `content`: a string, a list of blocks, or one block. `line` is their physical line."""
    if isinstance(content, list):
        return [_parse_block(block, line) for block in content]
    if isinstance(content, str):
        return [Text(content, raw=content, line=line)] if content else []
    return [] if content is None else [_parse_block(content, line)]


def parse_message(raw: Any, index: int, line: int = 0) -> Message:
    """One message. Tool results stand in `user` messages; a message of nothing else has the origin `tool`."""
    if not isinstance(raw, dict):
        return Message(index, "user", [Other("message", raw=raw, line=line)], line=line, last_line=line)
    role = role_of(raw.get("role"))
    parts = parse_blocks(raw.get("content"), line)
    return Message(index, role, parts, line=line, last_line=line, origin=origin_of(role, parts))


def parse_request(body: Any, line: int = 0) -> RequestBody:
    """The body of `POST /v1/messages`. `session` is `metadata.user_id`, which clients fill with a session id."""
    if not isinstance(body, dict):
        return RequestBody(NAME)
    metadata = body.get("metadata")
    messages = body.get("messages")
    return RequestBody(
        NAME,
        model=text_or_none(body.get("model")),
        system=parse_blocks(body.get("system"), line),
        tools=parse_tools(body.get("tools"), line),
        messages=[parse_message(m, i, line) for i, m in enumerate(messages)] if isinstance(messages, list) else [],
        session=text_or_none(metadata.get("user_id")) if isinstance(metadata, dict) else None,
        raw=body,
    )


def parse_tools(tools: Any, line: int = 0) -> list[Declaration]:
    """Declared tools. `cache_control` is no part of a schema's text: the model does not see it, and it moves."""
    if not isinstance(tools, list):
        return []
    declarations = []
    for tool in tools:
        if not isinstance(tool, dict):
            continue
        kind = text_or_none(tool.get("type")) or "custom"
        name = text_or_none(tool.get("name")) or text_or_none(tool.get("mcp_server_name")) or ""
        text = dump({key: value for key, value in tool.items() if key != "cache_control"})
        declarations.append(Declaration(name, text, "function" if kind == "custom" else kind, raw=tool, line=line))
    return declarations


def parse_response(body: Any, line: int = 0) -> ResponseBody | None:
    """A `message` object, or None if `body` is something else (an error, an event)."""
    if not isinstance(body, dict) or "content" not in body or body.get("role") not in ("assistant", None):
        return None
    if body.get("type") != "message" and body.get("role") is None:
        return None
    usage = body.get("usage")
    return ResponseBody(
        NAME,
        id=text_or_none(body.get("id")),
        model=text_or_none(body.get("model")),
        messages=[parse_message({**body, "role": "assistant"}, 0, line)],
        usage=parse_usage(usage),
        stop_reason=text_or_none(body.get("stop_reason")),
        service_tier=text_or_none(usage.get("service_tier")) if isinstance(usage, dict) else None,
        billing=billing_of(usage),
        context_tokens=context_tokens(usage),
        cache_miss=cache_miss(body.get("diagnostics")),
    )


def billing_of(usage: object) -> str | None:
    """What changed the price of a response, by its `usage`: see `headroom_cli.billing`."""
    if not isinstance(usage, dict):
        return None
    return billing(
        service_tier=text_or_none(usage.get("service_tier")),
        speed=text_or_none(usage.get("speed")),
        region=text_or_none(usage.get("inference_geo")),
    )


def parse_usage(raw: object) -> Usage | None:
    """The `usage` of a response, or None if it counts nothing.

    `input_tokens` on the wire excludes the cache. The flat `cache_creation_input_tokens` and its split by time to live
    are the same tokens. `iterations` break the total down and are never added.
    """
    if not isinstance(raw, dict):
        return None
    uncached = count(raw.get("input_tokens"))
    read = count(raw.get("cache_read_input_tokens"))
    write = count(raw.get("cache_creation_input_tokens"))
    output = count(raw.get("output_tokens"))
    split = raw.get("cache_creation")
    write_5m = write_1h = None
    if isinstance(split, dict):
        write_5m = count(split.get("ephemeral_5m_input_tokens"))
        write_1h = count(split.get("ephemeral_1h_input_tokens"))
        if write is None and (write_5m is not None or write_1h is not None):
            write = (write_5m or 0) + (write_1h or 0)
    if uncached is None and read is None and write is None and output is None:
        return None
    details = raw.get("output_tokens_details")
    total = None if uncached is None else uncached + (read or 0) + (write or 0)
    thinking = count(details.get("thinking_tokens")) if isinstance(details, dict) else None
    return Usage(total, uncached, read, write, write_5m, write_1h, output, thinking)


def cache_miss(diagnostics: object) -> tuple[str, int | None] | None:
    """Why the cache was not read, as `diagnostics.cache_miss_reason` of a response tells (beta since 2026-04-07)."""
    reason = diagnostics.get("cache_miss_reason") if isinstance(diagnostics, dict) else None
    kind = text_or_none(reason.get("type")) if isinstance(reason, dict) else None
    return (kind, count(reason.get("cache_missed_input_tokens"))) if kind is not None else None  # type: ignore[union-attr]


def context_tokens(raw: object) -> int | None:
    """The size of the context where `iterations` show that it differs from the input counted for the response.

    With server tools one response samples several times and its input is the sum; the context is that of the last
    sampling (`beta_usage.py`). Compaction and advisor iterations saw another context.
    """
    iterations = raw.get("iterations") if isinstance(raw, dict) else None
    if not isinstance(iterations, list) or not iterations:
        return None
    for iteration in reversed(iterations):
        if isinstance(iteration, dict) and iteration.get("type") in ("message", "fallback_message"):
            last, total = parse_usage(iteration), parse_usage(raw)
            size = last.input_tokens if last else None
            return None if total and size == total.input_tokens else size
    return None


def mcp_server(name: str) -> str | None:
    """The server of a tool that a client has named `mcp__<server>__<tool>`."""
    if not name.startswith("mcp__"):
        return None
    server, separator, _ = name[5:].partition("__")
    return server if separator and server else None


def _parse_block(block: Any, line: int) -> Part:
    if not isinstance(block, dict):
        return Text(block, raw=block, line=line) if isinstance(block, str) else Other("unknown", raw=block, line=line)
    kind = block.get("type")
    parse = _BLOCKS.get(kind) if type(kind) is str else None
    if parse is not None:
        return parse(block, line)
    if not isinstance(kind, str):
        return Other("unknown", raw=block, line=line)
    if kind.endswith("tool_result"):
        return _server_result(block, line)
    return _server_call(block, line) if kind.endswith("tool_use") else Other(kind, raw=block, line=line)


def _text(block: dict[str, Any], line: int) -> Part:
    text = block.get("text")
    return Text(text, raw=block, line=line) if isinstance(text, str) else Other("text", raw=block, line=line)


def _thinking(block: dict[str, Any], line: int) -> Part:
    text = block.get("thinking")
    signature = block.get("signature")
    return Thinking(
        text if isinstance(text, str) else "",
        signature if isinstance(signature, str) else None,
        raw=block,
        line=line,
    )


def _call(block: dict[str, Any], line: int) -> Part:
    name = block.get("name")
    if not isinstance(name, str):
        name = ""
    call = ToolCall(text_or_none(block.get("id")), name, block.get("input"), raw=block, line=line)
    if name.startswith("mcp__") and (server := mcp_server(name)):
        call.type, call.server = "mcp", server
    return call


def _server_call(block: dict[str, Any], line: int) -> Part:
    name = block.get("name")
    call = ToolCall(
        text_or_none(block.get("id")), name if isinstance(name, str) else "", block.get("input"), raw=block, line=line
    )
    call.type = "server"
    if block.get("type") == "mcp_tool_use":
        call.type, call.server = "mcp", text_or_none(block.get("server_name"))
    return call


def _result(block: dict[str, Any], line: int) -> Part:
    content = block.get("content")
    failed = block.get("is_error")
    call_id = block.get("tool_use_id")
    text, media = (content, []) if type(content) is str else result_text(content)
    return ToolResult(
        call_id if isinstance(call_id, str) and call_id else None,
        text,
        failed if isinstance(failed, bool) else None,
        media,
        raw=block,
        line=line,
    )


def _server_result(block: dict[str, Any], line: int) -> Part:
    content = block.get("content")
    failed = block.get("is_error")
    kind = content.get("type") if isinstance(content, dict) else None
    text, media = _readable(content)
    if not isinstance(failed, bool):
        failed = True if isinstance(kind, str) and kind.endswith("_error") else None
    return ToolResult(text_or_none(block.get("tool_use_id")), text, failed, media, raw=block, line=line)


def _image(block: dict[str, Any], line: int) -> Part:
    return media_part(block, line) or Other("image", raw=block, line=line)


def _document(block: dict[str, Any], line: int) -> Part:
    source = block.get("source")
    if isinstance(source, dict) and source.get("type") in ("text", "content"):
        text, _ = _readable(source)
        return Text(text, raw=block, line=line)
    return media_part(block, line) or Other("document", raw=block, line=line)


def _readable_block(block: dict[str, Any], line: int) -> Part:
    text, _ = _readable({key: value for key, value in block.items() if key != "type"})
    return Text(text, raw=block, line=line) if text else Other(str(block["type"]), raw=block, line=line)


def _readable(content: Any) -> tuple[str, list[Media]]:
    """The text in the content of a server tool's result, and its media. Ciphertext and ids are neither."""
    texts: list[str] = []
    media: list[Media] = []
    _read(content, texts, media, 0)
    return "\n".join(texts), media


def _read(value: Any, texts: list[str], media: list[Media], depth: int) -> None:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, str):
        if value:
            texts.append(value)
    elif isinstance(value, list):
        for item in value:
            _read(item, texts, media, depth + 1)
    elif isinstance(value, dict):
        kind, data = value.get("type"), value.get("data")
        if isinstance(data, str) and kind in ("text", "base64"):
            if kind == "text":
                texts.append(data)
            elif (found := media_part({"type": "document", "source": value})) is not None:
                media.append(found)
            return
        for key in _READABLE:
            if key in value:
                _read(value[key], texts, media, depth + 1)


def _redacted(block: dict[str, Any], line: int) -> Part:
    return Thinking("", raw=block, line=line)


_BLOCKS: dict[str, Callable[[dict[str, Any], int], Part]] = {
    "text": _text,
    "thinking": _thinking,
    "redacted_thinking": _redacted,
    "tool_use": _call,
    "tool_result": _result,
    "image": _image,
    "document": _document,
    "search_result": _readable_block,
    "compaction": _readable_block,
    "mid_conv_system": _readable_block,
}
