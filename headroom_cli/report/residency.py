"""Which results stayed in the context longest for the least use: what carrying them cost, and when they were touched.

A result is touched again where a later call of the conversation names its file. Of results without a file nothing is
known of their use.
"""

from __future__ import annotations

import polars as pl

from headroom_cli.carried import money
from headroom_cli.settle import Settled

_COLUMNS = (
    "path", "line", "tool_name", "target", "tokens", "times_sent", "carried_tokens", "carried_cost_usd_micros",
    "touched_again", "last_touched_line",
)  # fmt: skip


def residency(settled: Settled, limit: int) -> pl.DataFrame:
    """Own results that were sent more than once, those that cost most to carry first (without prices: most tokens).

    `touched_again` is how many later calls named the same file (NULL: it has none), `last_touched_line` the last's.
    """
    key = ["conversation", "path"]
    blocks, cost = settled.blocks, money("tokens", "carry_rate")
    order = ["carried_cost_usd_micros", "carried_tokens", "block_index"]
    ranked = (
        blocks.lazy()
        .with_row_index("row")
        .filter("own", pl.col("kind") == "tool_result", pl.col("times_sent") > 1)
        .select("row", "carried_tokens", "block_index", carried_cost_usd_micros=cost)
        .collect()
        .sort(order, descending=[True, True, False], nulls_last=True)
        .head(limit)
    )
    top = blocks.select(pl.all().gather(ranked["row"])).select(
        *key, "block_index", "line", "tool_name", "command", "tokens", "times_sent", "carried_tokens",
        carried_cost_usd_micros=cost,
    )  # fmt: skip
    calls = (
        blocks.lazy()
        .filter("own", pl.col("kind") == "tool_call", pl.col("path").is_not_null())
        .select(*key, call="block_index", call_line="line")
        .collect()
    )
    later = (
        top.join(calls, on=key, how="inner")
        .filter(pl.col("call") > pl.col("block_index"))
        .group_by("conversation", "block_index")
        .agg(touched_again=pl.len(), last_touched_line=pl.col("call_line").max())
    )
    files = settled.conversations.select("conversation", "cwd", file="path")
    return (
        top.join(later, on=["conversation", "block_index"], how="left", maintain_order="left")
        .join(files, on="conversation", how="left", maintain_order="left")
        .with_columns(
            touched_again=pl.when(pl.col("path").is_not_null()).then(pl.col("touched_again").fill_null(0)),
            target=pl.coalesce("path", "command").cast(pl.String),
        )
        .with_columns(target=_from(pl.col("target"), pl.col("cwd")))
        .with_columns(path="file")
        .select(_COLUMNS)
    )


def _from(path: pl.Expr, folder: pl.Expr) -> pl.Expr:
    """A path from the session's folder on, where it lies there."""
    base = folder.str.strip_chars_end("/") + "/"
    return pl.when(path.str.starts_with(base)).then(path.str.strip_prefix(base)).otherwise(path)
