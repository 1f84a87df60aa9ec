"""What requests cost, and what became of it through their caches: columns of whole micro-dollars, all rows at once.

Amounts are exact: pico-dollars in 128 bits, rounded once for each part.
"""

from __future__ import annotations

import polars as pl

from headroom_cli.caching import LONG_TTL, SHORT_TTL
from headroom_cli.cost import RATES, PriceList

_PARTS = ("input", "cache_read", "cache_write", "output")
_PICO = 1_000_000  # pico-dollars in a micro-dollar
_DAY = 86_400_000_000
_KEY = ["model", "day", "billing"]
_CACHE = ("cache_state", "cache_cause", "cache_gap_seconds", "rebuilt_tokens", "rebuild_is_avoidable")


def price_requests(requests: pl.DataFrame, prices: PriceList | None = None) -> pl.DataFrame:
    """Add `cost_usd_micros`, its four parts and `price_model` to rows with `model`, `timestamp` and usage columns.

    `billing` counts where there is such a column. Rows that tell what became of the cache also get
    `rebuild_cost_usd_micros`, `all_5m_usd_micros` and `all_1h_usd_micros` (see `_cached`). NULL where no usage or no
    price is known.
    """
    has_cache = "cache_state" in requests.columns
    told = requests.select(
        *_counts(),
        *(_CACHE if has_cache else ()),
        model=pl.when(pl.any_horizontal(pl.col("input_tokens", "output_tokens").is_not_null())).then("model"),
        day=pl.col("timestamp") // _DAY,
        billing="billing" if "billing" in requests.columns else pl.lit(None, pl.String),
    )
    keys = told.select(_KEY).unique().filter(pl.col("model") != "")
    rates = _rates(keys, prices or PriceList())
    rated = told.join(rates, on=_KEY, how="left", nulls_equal=True, maintain_order="left").with_columns(
        **{part: _price(part, rates) for part in RATES}
    )
    parts = {f"cost_usd_micros_{part}": _micros(amount) for part, amount in zip(_PARTS, _parts(), strict=True)}
    cached = _cached() if has_cache else {}
    return requests.with_columns(
        rated.select(
            pl.sum_horizontal(*parts.values(), ignore_nulls=False).alias("cost_usd_micros"),
            **parts,
            **{name: _micros(amount) for name, amount in cached.items()},
            price_model="price_model",
        )
    )


def _counts() -> list[pl.Expr]:
    """The tokens of the parts of a request; what is not recorded is none of it. `hour` is a part of `write`."""
    read, write = (pl.col(f"cache_{what}_input_tokens").fill_null(0) for what in ("read", "write"))
    rest = (pl.col("input_tokens").fill_null(0) - read - write).clip(0)
    hour = pl.min_horizontal(pl.col("cache_write_1h_input_tokens").fill_null(0), write)
    return [
        pl.coalesce("uncached_input_tokens", rest).alias("fresh"),
        read.alias("read"),
        (write - hour).alias("minutes"),
        hour.alias("hour"),
        pl.col("output_tokens").fill_null(0).alias("out"),
    ]


def _rates(keys: pl.DataFrame, prices: PriceList) -> pl.DataFrame:
    """The prices of models by day and way of serving: `price_model`, and start and price of each tier of each part."""
    found = [prices.rates(*key) for key in keys.iter_rows()]
    columns: dict[str, list[int | None]] = {}
    for part in RATES:
        tiers = [getattr(rates, part) if rates else () for rates in found]
        for number in range(max(map(len, tiers), default=1) or 1):
            for place, name in enumerate(("start", "price")):
                columns[f"{part}_{name}_{number}"] = [t[number][place] if number < len(t) else None for t in tiers]
    return keys.with_columns(
        pl.Series("price_model", [rates and rates.price_model for rates in found], dtype=pl.String),
        *(pl.Series(name, values, dtype=pl.Int64) for name, values in columns.items()),
    )


def _price(part: str, rates: pl.DataFrame) -> pl.Expr:
    """Pico-dollars of a token: those of the last tier whose start the input of the request has crossed."""
    given = pl.col("fresh") + pl.col("read") + pl.col("minutes") + pl.col("hour")
    price = pl.col(f"{part}_price_0")
    number = 1
    while f"{part}_start_{number}" in rates.columns:
        price = pl.when(given > pl.col(f"{part}_start_{number}")).then(f"{part}_price_{number}").otherwise(price)
        number += 1
    return price


def _parts() -> list[pl.Expr]:
    """Pico-dollars of a request, by part."""
    return [
        pl.col("fresh") * _exact("input"),
        pl.col("read") * _exact("cache_read"),
        pl.col("minutes") * _exact("cache_write") + pl.col("hour") * _exact("cache_write_1h"),
        pl.col("out") * _exact("output"),
    ]


def _cached() -> dict[str, pl.Expr]:
    """Pico-dollars of a request that depend on its cache.

    `rebuild_cost` is what the rebuilt tokens cost beyond reading them. `all_5m` and `all_1h` are what the request would
    have cost more (or less, below zero) had all that was written to the cache been written for five minutes, or an
    hour.

    Rebuilt tokens stand before all others, so they are those written first: for an hour, for five minutes, not at all.

    Had all been written for an hour, each write would have cost the price of that, and a rebuild that an hour would
    have spared only the price of reading. For five minutes, each write would have cost less; but a request that read
    its cache more than five and up to sixty minutes after the one before would have found nothing, as nearly all real
    ones do after such a pause, and would have written what it read.
    """
    fresh_price, read_price = _exact("input"), _exact("cache_read")
    price_5m, price_1h = _exact("cache_write"), _exact("cache_write_1h")
    rebuilt = pl.col("rebuilt_tokens").fill_null(0)
    again_1h = pl.min_horizontal(rebuilt, "hour")
    again_5m = pl.min_horizontal(rebuilt - again_1h, "minutes")
    again = again_1h * price_1h + again_5m * price_5m + (rebuilt - again_1h - again_5m) * fresh_price
    was_pause = pl.col("cache_gap_seconds").is_between(SHORT_TTL, LONG_TTL, closed="right")
    would_miss = (pl.col("cache_state") == "hit") & (pl.col("hour") > 0) & was_pause
    would_hit = (pl.col("cache_cause") == "expired") & pl.col("rebuild_is_avoidable")
    missed = pl.when(would_miss).then("read").otherwise(0)
    spared = pl.when(would_hit).then(again_5m).otherwise(0)
    return {
        "rebuild_cost_usd_micros": again - rebuilt * read_price,
        "all_5m_usd_micros": pl.col("hour") * (price_5m - price_1h) + missed * (price_5m - read_price),
        "all_1h_usd_micros": pl.col("minutes") * (price_1h - price_5m) - spared * (price_1h - read_price),
    }


def _exact(part: str) -> pl.Expr:
    return pl.col(part).cast(pl.Int128)


def _micros(pico: pl.Expr) -> pl.Expr:
    """Rounded half up; NULL where that is no number of 64 bits."""
    return ((pico + _PICO // 2) // _PICO).cast(pl.Int64, strict=False)
