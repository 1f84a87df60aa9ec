"""Recorded HTTP: VCR cassettes (JSON, YAML) and HAR files. Each call of a model's API in them is a request.

A body is text, base64, or JSON that the recorder has parsed. Calls of the same conversation are put together as in any
other log of requests; calls that hold no history (files, embeddings, token counts) are passed over.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from headroom_cli.logs.base import LogFormat
from headroom_cli.logs.detection.shapes import request_in, response_in
from headroom_cli.logs.exchange.exchanges import answer, from_request
from headroom_cli.logs.exchange.request_log import RequestLog
from headroom_cli.model import Conversation, Reading
from headroom_cli.source.cassettes import INTERACTION_KEYS
from headroom_cli.source.records import Record

_BODY_KEYS = ("parsed_body", "json_body", "body", "postData", "content")
_TEXT_KEYS = ("string", "text", "base64_string")
_ENDPOINTS = (
    ("/chat/completions", "openai"),
    ("/v1/messages", "anthropic"),
    ("/responses", "openai-responses"),
    (":generateContent", "gemini"),
    (":streamGenerateContent", "gemini"),
    ("/converse", "bedrock"),
    ("/converse-stream", "bedrock"),
    (":rawPredict", "anthropic"),
    (":streamRawPredict", "anthropic"),
)
_MODEL = re.compile(r"/models?/([^/:?]+(?::[0-9]+)?)[/:]")
_MOST_EXPANDED = 64 << 20


def read(records: Iterable[Record], path: str, reading: Reading) -> Iterator[Conversation]:
    """The calls in the order in which they were recorded."""
    log = RequestLog(path, reading)
    for line, value in records:
        for interaction in _interactions(value):
            _add(log, interaction, line)
            yield from log.ended()
    yield from log.finish()


FORMAT = LogFormat(
    name="recordings",
    title="Recorded HTTP",
    client="any",
    families=frozenset({"recording"}),
    summary="VCR and vcrpy cassettes in JSON or YAML, and HAR files.",
    read=read,
)


def _interactions(value: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(value, dict):
        return
    log = value.get("log")
    listed = log.get("entries") if isinstance(log, dict) else None
    for found in (listed, *(value.get(key) for key in INTERACTION_KEYS)):
        for interaction in found if isinstance(found, list) else ():
            if isinstance(interaction, dict):
                yield interaction


def _add(log: RequestLog, interaction: dict[str, Any], line: int) -> None:
    request, response = interaction.get("request"), interaction.get("response")
    request = request if isinstance(request, dict) else {}
    url = next((request[key] for key in ("uri", "url") if isinstance(request.get(key), str)), "")
    path = url.partition("?")[0].rstrip("/")
    replaced: list[str] = []
    body = request_in(_body(request), replaced)
    log.note_replaced(line, replaced)
    if body is None or path.endswith(("count_tokens", ":countTokens", "/embeddings")):
        log.pass_over("HTTP call without a history")
        return
    row = {
        "timestamp": interaction.get("startedDateTime", interaction.get("recorded_at")),
        "headers": _headers(request.get("headers")),
    }
    exchange = from_request(body, line, row)
    dialect = next((dialect for end, dialect in _ENDPOINTS if path.endswith(end)), None)
    if dialect is not None:
        exchange.dialect, exchange.marked = dialect, True
    named = _MODEL.search(path)
    if exchange.model is None and named is not None:
        exchange.model = named.group(1)
    came_back = _body(response) if isinstance(response, dict) else None
    answer(exchange, response_in(came_back) or came_back)
    log.add_exchange(exchange)


def _body(message: dict[str, Any]) -> Any:
    """The body of a recorded request or response: decoded JSON, or its text."""
    for key in _BODY_KEYS:
        if message.get(key):
            body = message[key]
            if isinstance(body, dict):
                text = next((body[name] for name in _TEXT_KEYS if isinstance(body.get(name), str)), None)
                return body if text is None else _decoded(text)
            return _decoded(body) if isinstance(body, str) else body
    return None


def _decoded(text: str) -> str:
    """A text, or what it stands for in base64, perhaps compressed."""
    start = text.lstrip()[:1]
    if start in ("{", "[", "") or text.lstrip().startswith(("data:", "event:")):
        return text
    try:
        data = base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError):
        return text
    if data.startswith(b"\x1f\x8b"):
        try:
            data = zlib.decompressobj(31).decompress(data, _MOST_EXPANDED)
        except zlib.error:
            return text
    try:
        decoded = data.decode("utf-8")
    except UnicodeDecodeError:
        return text
    return decoded if decoded.lstrip()[:1] in ("{", "[", "d", "e") else text


def _headers(given: Any) -> dict[str, str]:
    """Headers by name: HAR lists them, cassettes give each a list of values."""
    if isinstance(given, list):
        pairs = [(h.get("name"), h.get("value")) for h in given if isinstance(h, dict)]
    elif isinstance(given, dict):
        pairs = [(name, value[0] if isinstance(value, list) and value else value) for name, value in given.items()]
    else:
        return {}
    return {name: value for name, value in pairs if isinstance(name, str) and isinstance(value, str)}
