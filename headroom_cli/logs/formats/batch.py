"""Input and output files of the batch APIs of OpenAI and Anthropic, joined by `custom_id` where one file holds both."""

from __future__ import annotations

from headroom_cli.logs.base import LogFormat
from headroom_cli.logs.exchange.request_log import BATCH_FAMILIES, read

FORMAT = LogFormat(
    name="batch",
    title="Batch files",
    client="any",
    families=BATCH_FAMILIES,
    summary="Requests and results of batches: each `custom_id` is a conversation of its own.",
    read=read,
)
