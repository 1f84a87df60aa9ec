"""What entered the context with each request, and what stood in it: sums over blocks, one row a request.

Running sums of what enters and leaves: they grow with the blocks, not with blocks times requests.
"""

from __future__ import annotations

import polars as pl

from headroom_cli.frames import bounds_of, rows_of

_WITHOUT_TEXT = ["image", "unknown"]
_STANDING = ("tokens", "calls", "from_messages", "without_text")


def spans_of(intervals: pl.DataFrame, blocks: pl.DataFrame, requests: pl.DataFrame) -> pl.DataFrame:
    """The intervals in rows: that of the `block`, and of the requests that saw it, from `enters` to before `leaves`.

    `end` is the row after the last request of the conversation. An interval that begins after it begins there, and one
    that nothing ended leaves there.
    """
    number = intervals["conversation"]
    first, end = bounds_of(requests, number)
    return intervals.select(
        block=rows_of(blocks, number, intervals["block_index"]),
        enters=pl.min_horizontal(first + pl.col("enters").cast(pl.UInt32), end),
        leaves=pl.min_horizontal(first + pl.col("leaves").cast(pl.UInt32), end),
        end=end,
    )


def contexts_of(spans: pl.DataFrame, blocks: pl.DataFrame, requests: pl.DataFrame) -> pl.DataFrame:
    """One row a request, in their order.

    Of what entered since the request before: `entered_tokens`, and the numbers of blocks `entered_calls`,
    `entered_thinking` (with `entered_thinking_tokens`) and `entered_without_text`; `left` is how many blocks left.
    Of all that stood in the context: `explained_tokens`, and the numbers `calls`, `from_messages` and `without_text`.
    Of blocks without text (images, what is unknown, hidden thinking) nothing tells the size; `entered_hidden` counts
    the thinking among them.
    """
    kind = pl.col("kind")
    parts = blocks.select(
        "tokens",
        calls=kind == "tool_call",
        thinking=kind == "thinking",
        hidden=(kind == "thinking") & (pl.col("tokens") == 0),
        from_messages=pl.col("message_index") >= 0,
        without_text=kind.is_in(_WITHOUT_TEXT) | ((kind == "thinking") & (pl.col("tokens") == 0)),
    )
    moves = parts.select(pl.all().gather(spans["block"])).with_columns(spans.select("enters", "leaves", "end"))
    tokens = pl.col("tokens").cast(pl.Int64)
    sums = {name: pl.col(name).sum().cast(pl.Int32) for name in parts.columns}
    sums |= {"tokens": tokens.sum(), "thinking_tokens": tokens.filter("thinking").sum()}
    entered = moves.filter(pl.col("enters") < pl.col("end")).group_by("enters").agg(**sums)
    left = (
        moves.filter(pl.col("leaves") < pl.col("end"))
        .group_by("leaves")
        .agg(pl.len().cast(pl.Int32).alias("left"), **{f"left_{name}": sums[name] for name in _STANDING})
    )
    standing = {name: (pl.col(name) - pl.col(f"left_{name}")).cum_sum().over("conversation") for name in _STANDING}
    return (
        requests.select("conversation")
        .with_row_index("row")
        .join(entered, left_on="row", right_on="enters", how="left", maintain_order="left")
        .join(left, left_on="row", right_on="leaves", how="left", maintain_order="left")
        .with_columns(pl.exclude("conversation", "row").fill_null(0))
        .select(
            pl.col("tokens", "thinking_tokens", "calls", "thinking", "hidden", "without_text").name.prefix("entered_"),
            "left",
            explained_tokens=standing.pop("tokens"),
            **standing,
        )
    )
