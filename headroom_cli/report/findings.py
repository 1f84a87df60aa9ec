"""Findings as rows, worst first, each with the place it stands at; and what they add up to by cause."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from headroom_cli.settle import Settled

AVOIDABLE_SENT = pl.col("avoidable_tokens") * pl.col("times_sent")
AVOIDABLE_CARRIED = pl.col("avoidable_tokens") * (pl.col("times_sent") - 1).clip(0)


def finding_rows(settled: Settled) -> pl.DataFrame:
    """Owned findings with their conversation's path, sorted: avoidable, then carried, then flagged tokens."""
    where = settled.conversations.select("conversation", "conversation_id", "path", "cwd", "session_id", "project")
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


def by_cause(findings: pl.DataFrame, *within: str) -> pl.DataFrame:
    """One row a signal, cause and confidence (within each value of other columns), most avoidable first.

    Columns: `findings` (how many), `flagged_tokens`, `avoidable_tokens`, `avoidable_sent_tokens` (times the requests
    that saw them) and `avoidable_carried_tokens` (of these, beyond the first).
    """
    keys = [*within, "signal", "cause", "confidence"]
    return (
        findings.group_by(keys)
        .agg(
            findings=pl.len(),
            flagged_tokens=pl.col("exclusive_tokens").sum(),
            avoidable_tokens=pl.col("avoidable_tokens").sum(),
            avoidable_sent_tokens=AVOIDABLE_SENT.sum(),
            avoidable_carried_tokens=AVOIDABLE_CARRIED.sum(),
        )
        .sort(
            ["avoidable_sent_tokens", "avoidable_tokens", "flagged_tokens", *keys],
            descending=[True, True, True, *[False] * len(keys)],
            nulls_last=True,
        )
    )


def top_causes(findings: pl.DataFrame, within: Sequence[str], most: int) -> pl.DataFrame:
    """The causes with most avoidable tokens for each value of `within`."""
    ranked = by_cause(findings.filter(pl.col("avoidable_tokens") > 0), *within)
    return ranked.group_by(list(within), maintain_order=True).head(most)
