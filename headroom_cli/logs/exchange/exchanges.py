"""Rows of request logs to exchanges: what was sent, what came back, when, and in which conversation."""

from __future__ import annotations

from typing import Any

import orjson

from headroom_cli import wire
from headroom_cli.logs.detection.shapes import is_marked, request_dialect, response_dialect, response_in
from headroom_cli.logs.exchange.bedrock_stream import assemble_bedrock
from headroom_cli.logs.exchange.model import Exchange
from headroom_cli.wire import openai_responses
from headroom_cli.wire.base import ResponseBody, text_or_none
from headroom_cli.wire.fields import microseconds_of
from headroom_cli.wire.streams import assemble

_SESSION_KEYS = (
    "session_id",
    "sessionId",
    "conversation_id",
    "conversationId",
    "thread_id",
    "threadId",
    "trace_id",
    "traceId",
    "run_id",
    "chat_id",
)
_SESSION_NAMES = frozenset(_SESSION_KEYS)
_SESSION_HEADERS = frozenset(
    {"x-session-id", "session_id", "session-id", "x-claude-code-session-id", "conversation_id", "x-conversation-id"}
)
_TIME_KEYS = (
    "timestamp",
    "created_at",
    "createdAt",
    "created",
    "start_time",
    "startTime",
    "request_time",
    "time",
    "ts",
    "date",
)
_TIME_NAMES = frozenset(_TIME_KEYS)
_CALL_KEYS = (
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "temperature",
    "stream",
    "inferenceConfig",
    "generationConfig",
)


def from_request(body: dict[str, Any], line: int, row: dict[str, Any] | None = None) -> Exchange:
    """A request body, or a row that holds a history. `row` is what stood around it in the log.

    A history that ends with the model's words is no request: it only implies those that made it.
    """
    dialect = request_dialect(body) or "openai"
    messages = messages_of(body)
    around = row if row is not None else body
    exchange = Exchange(line, dialect, messages, body)
    exchange.model = _model(body) or _model(around)
    exchange.previous_response_id = text_or_none(body.get("previous_response_id"))
    exchange.session, exchange.user = session_of(body, around)
    exchange.timestamp = timestamp_of(around) if row is not None else timestamp_of(body)
    exchange.recorded = row is not None or _is_call(body, messages, exchange)
    exchange.marked = is_marked(body)
    return exchange


def from_row(row: dict[str, Any], line: int) -> Exchange:
    """A row with a history and perhaps what was counted for its last message."""
    exchange = from_request(row, line)
    usage = wire.module(exchange.dialect).parse_usage(row.get("usage"))
    if usage is not None and not exchange.recorded:
        said: list[Any] = []
        while exchange.messages and is_output(exchange.messages[-1]):
            said.append(exchange.messages.pop())
        module = wire.module(exchange.dialect)
        exchange.response = ResponseBody(
            exchange.dialect, messages=[module.parse_message(raw, 0, line) for raw in reversed(said)], usage=usage
        )
        exchange.recorded = True
        _drop_zero_output(exchange.response)
    return exchange


def from_pair(request: dict[str, Any], response: Any, line: int, row: dict[str, Any]) -> Exchange:
    """A request and whatever the log keeps as its response: a body, a stream, an error, nothing."""
    exchange = from_request(request, line, row)
    answer(exchange, response)
    return exchange


def from_response(body: dict[str, Any], line: int, row: dict[str, Any] | None = None) -> Exchange | None:
    """A response whose request is not in the log. One that holds a whole run is a history."""
    dialect = response_dialect(body)
    if dialect is None:
        return None
    around = row if row is not None else body
    exchange = Exchange(line, dialect, alone=True)
    exchange.session, exchange.user = session_of(body, around)
    exchange.timestamp = timestamp_of(around)
    exchange.model = _model(body)
    if dialect == "openai-responses":
        exchange.body = body
        exchange.previous_response_id = text_or_none(body.get("previous_response_id"))
        if openai_responses.is_aggregated(body):
            exchange.messages = body["output"]
            exchange.recorded = False
            exchange.notes.append("a response object holds a whole run: its usage is a sum and was left out")
            return exchange
    answer(exchange, body)
    return exchange


def answer(exchange: Exchange, response: Any) -> None:
    """Put what came back into the exchange."""
    body, dialect = response, response_dialect(response)
    if dialect is None:
        body = response_in(response)
        dialect = response_dialect(body)
    if dialect is None:
        events = _events(response, exchange.line)
        streamed = assemble(events) or [(*found, "bedrock") for found in assemble_bedrock(events)]
        if not streamed:
            return
        _, body, dialect = streamed[-1]
    if dialect == "openai-responses" and openai_responses.is_aggregated(body):
        exchange.messages = exchange.messages + body["output"]
        exchange.recorded = False
        exchange.notes.append("a response object holds a whole run: its usage is a sum and was left out")
        return
    if not exchange.marked:
        exchange.dialect, exchange.marked = dialect, True
    parsed = wire.module(dialect).parse_response(body, exchange.line)
    if parsed is None:
        return
    _drop_zero_output(parsed)
    counted = body.get("usage")
    if parsed.usage is None and isinstance(counted, dict) and 0 in counted.values():
        exchange.notes.append("usage recorded as zero")
    exchange.response = parsed
    if dialect == "openai-responses":
        exchange.output = body["output"] if isinstance(body.get("output"), list) else []


def messages_of(body: dict[str, Any]) -> list[Any]:
    """The raw messages of a request body; a string as input is one message of the user."""
    for key in ("messages", "contents", "input"):
        given = body.get(key)
        if isinstance(given, list):
            return list(given)
        if isinstance(given, str):
            return [{"role": "user", "content": given}]
    return []


def session_of(body: dict[str, Any], row: dict[str, Any]) -> tuple[str | None, str | None]:
    """What names the conversation, and what only names its user or cache."""
    metadata = body.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    outer = row.get("metadata")
    conversation = body.get("conversation")
    named = text_or_none(conversation.get("id") if isinstance(conversation, dict) else conversation)
    for holder in (row, body, metadata, outer if isinstance(outer, dict) else {}):
        if named is None and not _SESSION_NAMES.isdisjoint(holder):
            named = next((text for key in _SESSION_KEYS if (text := _id_text(holder.get(key)))), None)
    user = text_or_none(metadata.get("user_id"))
    if user is not None and "session" in user:
        named = named or user
    headers = row.get("headers")
    if not isinstance(headers, dict):
        request = row.get("request")
        headers = request.get("headers") if isinstance(request, dict) else None
    if named is None and isinstance(headers, dict):
        for name, value in headers.items():
            if isinstance(name, str) and name.lower() in _SESSION_HEADERS and text_or_none(value):
                named = str(value)
    return named, user or text_or_none(body.get("user")) or text_or_none(body.get("prompt_cache_key"))


def timestamp_of(row: dict[str, Any]) -> int | None:
    """The time of a row in microseconds UTC, from ISO text or a count of seconds, milli- or microseconds."""
    if _TIME_NAMES.isdisjoint(row):
        return None
    for key in _TIME_KEYS:
        value = row.get(key)
        if isinstance(value, str):
            stamp = microseconds_of(value)
            if stamp is not None:
                return stamp
        elif isinstance(value, int | float) and not isinstance(value, bool) and 1e8 < value < 1e17:
            if value < 1e11:
                return int(value * 1_000_000)
            return int(value * 1000) if value < 1e14 else int(value)
    return None


def _is_call(body: dict[str, Any], messages: list[Any], exchange: Exchange) -> bool:
    if messages and is_output(messages[-1]):
        return False
    if exchange.previous_response_id is not None or any(key in body for key in _CALL_KEYS):
        return True
    return exchange.model is not None and bool(messages)


def is_output(raw: Any) -> bool:
    """Whether a raw message or item was said by a model."""
    if not isinstance(raw, dict):
        return False
    return raw.get("role") in ("assistant", "model") or openai_responses.is_output(raw)


def _model(row: dict[str, Any]) -> str | None:
    model = row.get("model")
    if isinstance(model, dict):
        model = model.get("name") or model.get("id")
    return text_or_none(model) or text_or_none(row.get("modelId"))


def _id_text(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text_or_none(value)


def _drop_zero_output(response: ResponseBody) -> None:
    """Wrappers fill in zeros: no output counted beside a real answer is no count at all."""
    usage = response.usage
    if usage is None or usage.output_tokens != 0 or not any(message.parts for message in response.messages):
        return
    usage.output_tokens = None
    if not usage.input_tokens:
        response.usage = None


def _events(value: Any, line: int) -> list[tuple[int, Any]]:
    """The events of a streamed response that was kept as a list, or as the text of the stream."""
    if isinstance(value, dict):
        value = next((value[key] for key in ("body", "chunks", "events", "stream") if key in value), None)
    if isinstance(value, list):
        return [(line, event) for event in value]
    if not isinstance(value, str) or "data:" not in value:
        return []
    events = []
    for text in value.split("\n"):
        if text.startswith("data:") and text[5:].strip()[:1] == "{":
            try:
                events.append((line, orjson.loads(text[5:])))
            except orjson.JSONDecodeError:
                continue
    return events
