"""Request logs: captured requests and responses, request bodies, response objects, histories; one or more a line.

A log whose requests repeat the history becomes one conversation with as many requests as lines. A response may stand
beside its request, on a line of its own, or alone. A row with a history that ends with the model's words, and without
usage, is a transcript: each answer in it implies a request.
"""

from __future__ import annotations

from headroom_cli.logs.base import LogFormat
from headroom_cli.logs.exchange.request_log import BATCH_FAMILIES, REQUEST_FAMILIES, STREAM_FAMILIES, read

FORMAT = LogFormat(
    name="requests",
    title="Request logs",
    client="any",
    families=REQUEST_FAMILIES | BATCH_FAMILIES | STREAM_FAMILIES,
    summary="Requests, responses and histories of OpenAI, Anthropic, Bedrock and Gemini APIs, cumulative or not.",
    read=read,
)
