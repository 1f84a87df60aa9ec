"""OpenAI Responses: request and response bodies. Their items are read in `openai_items`."""

from __future__ import annotations

from typing import Any

from headroom_cli.billing import billing
from headroom_cli.model import Other
from headroom_cli.wire import openai_chat
from headroom_cli.wire.base import RequestBody, ResponseBody, text_or_none
from headroom_cli.wire.openai_items import (
    CLIENT_OUTPUT_TYPES,
    ITEM_TYPES,
    OUTPUT_TYPES,
    declarations,
    is_output,
    parse_item,
    parse_items,
    parse_message,
)
from headroom_cli.wire.openai_usage import microseconds, parse_usage, usage_entries

__all__ = [
    "CLIENT_OUTPUT_TYPES",
    "ITEM_TYPES",
    "NAME",
    "OUTPUT_TYPES",
    "declarations",
    "is_aggregated",
    "is_output",
    "parse_item",
    "parse_items",
    "parse_message",
    "parse_request",
    "parse_response",
    "parse_usage",
    "usage_entries",
]

NAME = "openai-responses"


def parse_request(body: dict[str, Any], line: int = 0) -> RequestBody:
    """The body of a `/v1/responses` request. With `previous_response_id` the input holds only what is new.

    `instructions` (and a stored `prompt`, whose text is not in the log) stand in `system`.
    """
    given = body.get("input")
    messages = parse_items([{"role": "user", "content": given}] if isinstance(given, str) else given, line)
    instructions = body.get("instructions")
    if isinstance(instructions, list):
        system = [part for message in parse_items(instructions, line) for part in message.parts]
    else:
        system = openai_chat.content_parts(instructions, line)
    if isinstance(body.get("prompt"), dict):
        system.append(Other("prompt", raw=body["prompt"], line=line))
    return RequestBody(
        NAME,
        model=text_or_none(body.get("model")),
        system=system,
        tools=declarations(body.get("tools"), line),
        messages=messages,
        previous_response_id=text_or_none(body.get("previous_response_id")),
        session=openai_chat.session_of(body),
        raw=body,
    )


def parse_response(body: dict[str, Any], line: int = 0) -> ResponseBody | None:
    """A `response` object, one message per output item; None if it has no `output` list.

    `stop_reason` is the reason of an incomplete response, else its status. See `is_aggregated` for what its usage is
    worth.
    """
    output = body.get("output")
    if not isinstance(output, list):
        return None
    messages = parse_items(output, line)
    usage = parse_usage(body.get("usage"))
    if usage is not None and usage.output_tokens == 0 and any(message.parts for message in messages):
        usage.output_tokens = None
    details = body.get("incomplete_details")
    reason = text_or_none(details.get("reason")) if isinstance(details, dict) else None
    return ResponseBody(
        NAME,
        id=text_or_none(body.get("id")),
        model=text_or_none(body.get("model")),
        messages=messages,
        usage=usage,
        stop_reason=reason or text_or_none(body.get("status")),
        timestamp=microseconds(body.get("created_at")),
        service_tier=text_or_none(body.get("service_tier")),
        billing=billing(service_tier=text_or_none(body.get("service_tier"))),
    )


def is_aggregated(body: dict[str, Any]) -> bool:
    """Whether a "response" object holds a whole run: results that a client gave stand in its output.

    Its usage is then a sum over several requests, or missing.
    """
    output = body.get("output")
    return isinstance(output, list) and any(
        isinstance(item, dict) and isinstance(kind := item.get("type"), str) and kind in CLIENT_OUTPUT_TYPES
        for item in output
    )
