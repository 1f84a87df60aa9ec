"""How a request was served, read from logs of each kind and priced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from headroom_cli.analysis import Analyser
from headroom_cli.run import analyse_files
from headroom_cli.source.discover import discover

ASKED = {"model": "gpt-5.1", "messages": [{"role": "user", "content": "Sum up the report."}]}
ANSWER = {
    "id": "chatcmpl-0123456789",
    "object": "chat.completion",
    "model": "gpt-5.1-2025-11-13",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Fine."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 0, "total_tokens": 1_000_000},
}
USAGE = {"input_tokens": 100_000, "output_tokens": 0, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}


def message(**usage: Any) -> dict[str, Any]:
    return {
        "id": "msg_0123456789", "type": "message", "role": "assistant", "model": "claude-opus-4-6",
        "content": [{"type": "text", "text": "Fine."}], "stop_reason": "end_turn", "usage": {**USAGE, **usage},
    }  # fmt: skip


def session(**usage: Any) -> list[dict[str, Any]]:
    head = {"sessionId": "5e55", "version": "2.1.5", "cwd": "/code/acme", "timestamp": "2026-11-20T10:00:00.000Z"}
    asked = {"role": "user", "content": "Sum up the report."}
    return [
        {**head, "type": "user", "uuid": "u1", "parentUuid": None, "message": asked},
        {**head, "type": "assistant", "uuid": "a1", "parentUuid": "u1", "message": message(**usage)},
    ]


def exchange(**tiers: Any) -> list[dict[str, Any]]:
    return [{"request": ASKED, "response": {**ANSWER, **tiers}}]


def batch_rows() -> list[dict[str, Any]]:
    asked = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": ASKED}
    return [asked, {"id": "b1", "custom_id": "a", "response": {"status_code": 200, "body": ANSWER}, "error": None}]


@pytest.mark.parametrize(
    ("rows", "billing", "dollars"),
    [
        (session(speed="standard", service_tier="standard", inference_geo="not_available"), None, 0.5),
        (session(speed="fast", service_tier="standard", inference_geo="us"), "fast+us", 3.3),
        (session(service_tier="batch"), "batch", 0.25),
        (exchange(), None, 1.25),
        (exchange(service_tier="default"), None, 1.25),
        (exchange(service_tier="flex"), "flex", 0.625),
        (exchange(service_tier="priority"), "priority", 2.5),
        (batch_rows(), "batch", 0.625),
        (batch_rows()[1:], "batch", 0.625),
    ],
)
def test_logs_tell_how_a_request_was_served(
    tmp_path: Path, rows: list[dict[str, Any]], billing: str | None, dollars: float
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    requests = analyse_files(discover([str(log)]).files, Analyser()).settled.requests.filter(pl.col("has_usage"))
    assert requests.select("billing", "cost_usd_micros").rows() == [(billing, round(dollars * 1_000_000))]
