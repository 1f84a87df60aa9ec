"""Dumps of streamed responses: chat chunks, Responses and Anthropic events, Bedrock and Gemini chunks."""

from __future__ import annotations

from headroom_cli.logs.base import LogFormat
from headroom_cli.logs.exchange.request_log import STREAM_FAMILIES, read

FORMAT = LogFormat(
    name="streams",
    title="Streamed responses",
    client="any",
    families=STREAM_FAMILIES,
    summary="Events of streamed responses, put together again; each response is a conversation of its own.",
    read=read,
)
