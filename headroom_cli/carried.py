"""What it takes to have a block in the context: the requests that sent it, and what each of its tokens cost.

A provider bills the input of a request in parts: what it read from its cache, what it wrote to it, and the rest. As
much of it as the request before had sent is taken for sent again, and to have been read from the cache first. So a
token that is sent again costs the price of the cache as long as that holds, and that of a write or of fresh input where
it was rebuilt; a token that enters costs the price of what is left.

Tokens of blocks are estimates. Where those in the context of a request add up to more than the provider counted, their
cost is scaled down: the blocks of a request never cost more than its input.
"""

from __future__ import annotations

import polars as pl

from headroom_cli.frames import beside, places_of, rows_of

_PICO = 1_000_000  # pico-dollars in a micro-dollar


def money(tokens: str, rate: str) -> pl.Expr:
    """Micro-dollars of a column of tokens at a column of pico-dollars per token; NULL where the rate is."""
    return (pl.col(tokens).cast(pl.Int64) * pl.col(rate) + _PICO // 2) // _PICO


def with_sent(
    blocks: pl.DataFrame, spans: pl.DataFrame, requests: pl.DataFrame, explained: pl.Series, rebuilt: pl.DataFrame
) -> pl.DataFrame:
    """Add how many own requests saw each block, the tokens that this sent and carried, and what it cost.

    `entry_rate` is what a token cost when it entered, in pico-dollars, `carry_rate` what it cost all the times that it
    was sent again; NULL where no request that saw it has a price. `requests` are priced; `spans` and `explained` tell
    what stood in their contexts (see `contexts`). What `rebuilt` (see `waste.cache_rebuilt`) counts as avoidable is
    left out: it is a finding of its own.
    """
    claims = places_of(rows_of(requests, rebuilt["conversation"], rebuilt["request_index"]), len(requests))
    rates = _rates(requests, explained, rebuilt["avoidable_cost_usd_micros"].gather(claims))
    seen = (
        spans.select("block", *_sums(spans, rates))
        .group_by("block", maintain_order=True)
        .agg(pl.col("times_sent", "_paid", "_carry").sum(), pl.col("_first_entry", "_first_carry").first())
    )
    joined = beside(blocks, seen.drop("block"), places_of(seen["block"], len(blocks)))
    entered = pl.col("times_sent").is_not_null() | pl.col("request_index").is_not_null()
    sent = pl.col("tokens").cast(pl.Int64) * pl.col("times_sent").fill_null(0)
    carried = pl.when(pl.col("own")).then((sent - pl.col("tokens")).clip(0)).otherwise(sent)
    priced = pl.col("_paid") > 0
    return joined.with_columns(
        pl.col("times_sent").fill_null(0),
        sent_tokens=sent,
        carried_tokens=carried,
        entry_rate=pl.when(priced).then("_first_entry"),
        carry_rate=pl.when(priced).then(pl.col("_carry") - pl.col("_first_carry")),
        own=pl.col("own") & entered,
        copied=pl.col("copied") & entered,
    ).drop("_paid", "_carry", "_first_entry", "_first_carry")


def _sums(spans: pl.DataFrame, rates: pl.DataFrame) -> list[pl.Series]:
    """For each span, over its own requests: how many, how many with a price, and the sum of their carry rates.

    With it what its first request is: its entry rate, and its part in the sum of carry rates.
    """
    rows = rates.select(
        times_sent=pl.col("own").cast(pl.Int32),
        _paid=(pl.col("own") & pl.col("carry").is_not_null()).cast(pl.Int32),
        _carry=pl.when("own").then("carry").fill_null(0),
        _entry=pl.when("own").then("entry").fill_null(0),
    )
    none = pl.DataFrame([[0]] * rows.width, schema=rows.schema)
    before = pl.concat([none, rows.select(pl.all().cum_sum())])
    sums = before[spans["leaves"]] - before[spans["enters"]]
    first = pl.concat([rows, none])[spans["enters"]]
    seen = spans["leaves"] > spans["enters"]
    return [
        *sums.drop("_entry"),
        (first["_entry"] * seen).alias("_first_entry"),
        (first["_carry"] * seen).alias("_first_carry"),
    ]


def _rates(requests: pl.DataFrame, explained: pl.Series, claimed: pl.Series) -> pl.DataFrame:
    """`own`, and the pico-dollars of a token that enters with a request and of one that it sends again.

    NULL without a price.
    """
    given, read = pl.col("input_tokens"), pl.col("cache_read_input_tokens").fill_null(0)
    rest = given - read
    rest_cost = pl.col("cost_usd_micros_cache_write") + pl.col("cost_usd_micros_input")
    read_price = pl.when(read > 0).then(pl.col("cost_usd_micros_cache_read") / read).otherwise(0.0)
    rest_price = pl.when(rest > 0).then(rest_cost / rest).otherwise(read_price)
    before = requests.select(given.shift(1).forward_fill().over("conversation")).to_series().fill_null(0)
    again = pl.min_horizontal(given, before)
    read_again = pl.min_horizontal(read, again)
    carry = (read_again * read_price + (again - read_again) * rest_price - claimed.fill_null(0)) / again
    entry = ((read - read_again) * read_price + (rest - again + read_again) * rest_price) / (given - again)
    known = (given > 0) & pl.col("cost_usd_micros").is_not_null()
    scale = pl.min_horizontal(1.0, given / explained) * _PICO
    return requests.select(
        "own",
        entry=pl.when(known).then(scale * pl.when(given > again).then(entry).otherwise(rest_price)),
        carry=pl.when(known).then(scale * pl.when(again > 0).then(carry.clip(0)).otherwise(rest_price)),
    ).with_columns(pl.col("entry", "carry").round().cast(pl.Int64))
