"""Findings as rows, worst first, each with the place it stands at; and what they add up to by cause."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from headroom_cli.report.known import known_sum
from headroom_cli.settle import Settled

AVOIDABLE_SENT = pl.col("avoidable_tokens") * pl.col("times_sent")
AVOIDABLE_CARRIED = pl.col("avoidable_tokens") * (pl.col("times_sent") - 1).clip(0)
IS_AVOIDABLE = (pl.col("avoidable_tokens") > 0) | (pl.col("avoidable_cost_usd_micros") > 0).fill_null(False)
"""Whether a cure would recover anything: tokens, or only money (`cache_rebuilt`)."""
_COST = "avoidable_cost_usd_micros"


def finding_rows(settled: Settled) -> pl.DataFrame:
    """Owned findings with their conversation's path, worst first: by avoidable cost, tokens sent, tokens, then flagged.

    What has no price comes behind all that has one.
    """
    where = settled.conversations.select("conversation", "conversation_id", "path", "cwd", "session_id", "project")
    found = settled.waste.filter("own").join(where, on="conversation", how="left")
    amounts = [AVOIDABLE_SENT, *map(pl.col, ("avoidable_tokens", "exclusive_tokens", "tokens"))]
    if priced(found):
        amounts.insert(0, pl.col(_COST))
    places = ["path", "conversation", "block_index", "signal"]
    descending = [*[True] * len(amounts), *[False] * len(places)]
    return found.sort([*amounts, *places], descending=descending, nulls_last=True)


def priced(findings: pl.DataFrame) -> bool:
    """Whether anything that is avoidable has a price: then money tells what is worst."""
    return bool(findings[_COST].sum())


def by_cause(findings: pl.DataFrame, *within: str) -> pl.DataFrame:
    """One row a signal, cause and confidence (within each value of other columns), most avoidable first.

    Columns: `findings` (how many), `flagged_tokens`, `avoidable_tokens`, `avoidable_sent_tokens` (times the requests
    that saw them), `avoidable_carried_tokens` (of these, beyond the first) and `avoidable_cost_usd_micros`.
    """
    keys = [*within, "signal", "cause", "confidence"]
    amounts = ["avoidable_sent_tokens", "avoidable_tokens", "flagged_tokens"]
    if priced(findings):
        amounts.insert(0, _COST)
    return (
        findings.group_by(keys)
        .agg(
            known_sum(_COST),
            findings=pl.len(),
            flagged_tokens=pl.col("exclusive_tokens").sum(),
            avoidable_tokens=pl.col("avoidable_tokens").sum(),
            avoidable_sent_tokens=AVOIDABLE_SENT.sum(),
            avoidable_carried_tokens=AVOIDABLE_CARRIED.sum(),
        )
        .sort(
            [*amounts, *keys],
            descending=[*[True] * len(amounts), *[False] * len(keys)],
            nulls_last=True,
        )
    )


def top_signals(findings: pl.DataFrame, within: Sequence[str], most: int) -> pl.DataFrame:
    """The signals with most that is avoidable for each value of `within`; `findings` counts them."""
    found = findings.filter(IS_AVOIDABLE)
    amounts = [_COST, "avoidable_sent_tokens"] if priced(found) else ["avoidable_sent_tokens"]
    return (
        found.group_by(*within, "signal")
        .agg(known_sum(_COST), findings=pl.len(), avoidable_sent_tokens=AVOIDABLE_SENT.sum())
        .sort(
            [*amounts, *within, "signal"],
            descending=[*[True] * len(amounts), *[False] * (len(within) + 1)],
            nulls_last=True,
        )
        .group_by(list(within), maintain_order=True)
        .head(most)
    )
