"""Findings as rows, worst first, each with the place it stands at."""

from __future__ import annotations

import polars as pl

from headroom_cli.settle import Settled


def finding_rows(settled: Settled) -> pl.DataFrame:
    """Owned findings with their conversation's path, sorted: avoidable, then carried, then flagged tokens."""
    where = settled.conversations.select("conversation", "conversation_id", "path", "cwd", "session_id")
    return (
        settled.waste.filter("own")
        .join(where, on="conversation", how="left")
        .with_columns(weight=pl.col("avoidable_tokens") * pl.col("times_sent").clip(1))
        .sort(
            [
                "weight",
                "avoidable_tokens",
                "exclusive_tokens",
                "tokens",
                "path",
                "conversation",
                "block_index",
                "signal",
            ],
            descending=[True, True, True, True, False, False, False, False],
        )
    )
