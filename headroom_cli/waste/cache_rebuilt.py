"""# cache_rebuilt: context that a provider had in its cache, and computed anew

## What it does
Looks at what the provider counted: a request that read much less from the cache than the one before had put there has
rebuilt it (docs/cost.md tells when, and why). A finding is a rebuild that could have been spared: because the tools or
the system prompt had changed, or because a pause of up to an hour was longer than the entry lived.

It has no tokens of its own: those in the context belong to other signals. Its cost is what the rebuilt tokens cost
beyond reading them. Of an expired entry it is the part that remains after entries for an hour, which cost more to
write, have been paid for in the whole conversation: where that leaves nothing, there is no finding.

## Why it matters
Reading a token from a cache costs a tenth of sending it. One pause over lunch can cost more than all that was read.

## Known problems
Needs usage and a price. What Claude Code does not log (thinking switched on or off, say) looks like no cause at all,
and is no finding. Whoever can't choose how long entries live can only shorten the context before a pause.

## Example
Twelve minutes after the request before, 90,000 tokens are written to the cache again that it had held.

## Fix
Have entries kept for an hour where sessions pause; compact before a long pause; keep tools and system prompt the same.

## References
States of the cache and causes of rebuilds: docs/cost.md.
"""

from __future__ import annotations

import polars as pl

NAME = "cache_rebuilt"
EXPIRED = "expired"


def find(requests: pl.DataFrame, blocks: pl.DataFrame) -> pl.DataFrame:
    """One row a rebuild that could have been spared, of priced own requests in the order of their conversations.

    Columns: `conversation`, `block_index` and `message_index` (of the answer), `request_index`, `cause`, `tokens`
    (rebuilt), `line`, `first_line` (of the request before), `gap_seconds`, and `avoidable_cost_usd_micros`.
    """
    cost, saved = pl.col("rebuild_cost_usd_micros"), pl.col("_saved")
    spared = (
        requests.with_columns(first_line=pl.col("line").shift(1).over("conversation"))
        .filter("own")
        .with_columns(_saved=(-pl.col("all_1h_usd_micros").sum()).clip(0).over("conversation"))
        .filter(pl.col("cache_state") == "rebuilt", "rebuild_is_avoidable", cost > 0)
        .select(
            "conversation", "request_index", "line", "first_line", "_saved",
            cause="cache_cause", tokens="rebuilt_tokens", gap_seconds="cache_gap_seconds", cost=cost,
        )
    )  # fmt: skip
    # What an hour would have saved in the whole conversation, shared out by cost: the parts add up to it.
    upto = pl.col("cost").cum_sum().over("conversation")
    total = pl.col("cost").sum().over("conversation")
    part = pl.min_horizontal(saved, total)
    expired = spared.filter(pl.col("cause") == EXPIRED).with_columns(
        avoidable_cost_usd_micros=part * upto // total - part * (upto - pl.col("cost")) // total
    )
    others = spared.filter(pl.col("cause") != EXPIRED).with_columns(avoidable_cost_usd_micros="cost")
    found = pl.concat([expired, others]).filter(pl.col("avoidable_cost_usd_micros") > 0)
    answers = (
        blocks.filter("own")
        .select("conversation", "request_index", "block_index", "message_index")
        .join(found, on=["conversation", "request_index"], how="semi")
        .group_by("conversation", "request_index")
        .agg(pl.col("block_index", "message_index").min())
    )
    return found.join(answers, on=["conversation", "request_index"], how="inner").drop("_saved", "cost")
