"""What requests cost at API list prices, from genai-prices: offline, in whole micro-dollars.

A price is the price of the model that was recorded, or none: an unknown model has no price, never another model's.
genai-prices matches some names by their beginning; what matched is recorded as `price_model`, so that a report can say
where it differs. Prices per tier apply to the whole request once its input crosses the tier's start.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from headroom_cli.prices import Rates, Tiers, list_prices

if TYPE_CHECKING:
    import polars as pl

PARTS = ("input", "cache_read", "cache_write", "output")
_PICO = 1_000_000
_DAY = 86_400_000_000
_GATEWAYS = re.compile(r"^(?:openrouter|bedrock|vertex_ai|azure|azure_ai|litellm|models|converse)/")
_BEDROCK_REGION = re.compile(r"^(?:us|eu|apac|ap|au|jp|ca|sa|global|us-gov)\.(?=[a-z0-9]+\.)")
_VENDOR = re.compile(r"^(anthropic|openai|google|meta|mistral|deepseek|x-ai|amazon|cohere)[./]")
_BEDROCK_VERSION = re.compile(r"-v\d+(?::\d+)?$")
_VARIANT = re.compile(r"\[[0-9a-z]+\]$|:(?:thinking|beta|free|extended|online)$")
_PROVIDERS = (
    ("anthropic", re.compile(r"^claude")),
    ("openai", re.compile(r"^(?:gpt-|o[1345](?:-|$)|chatgpt|codex)")),
    ("google", re.compile(r"^(?:gemini|gemma)")),
    ("deepseek", re.compile(r"^deepseek")),
    ("mistral", re.compile(r"^(?:mistral|ministral|codestral|magistral|devstral)")),
    ("x-ai", re.compile(r"^grok")),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """Micro-dollars of one request, by part; the total is the sum of its parts."""

    input: int
    cache_read: int
    cache_write: int
    output: int

    @property
    def total(self) -> int:
        """Micro-dollars of the whole request."""
        return self.input + self.cache_read + self.cache_write + self.output


def normalise_model(model: str) -> tuple[str, str | None]:
    """`(name, provider)` as price lists know them: without gateway, region, vendor and Bedrock version."""
    name = _GATEWAYS.sub("", model.strip().lower())
    name = _BEDROCK_REGION.sub("", name)
    vendor = _VENDOR.match(name)
    if vendor:
        name = name[vendor.end() :]
    name = _VARIANT.sub("", _BEDROCK_VERSION.sub("", name)).replace("@", "-")
    provider = next((provider for provider, pattern in _PROVIDERS if pattern.match(name)), None)
    return name, provider or (vendor.group(1) if vendor else None)


@cache
def rates(model: str, day: int | None) -> Rates | None:
    """The prices of `model` on a day (days since the epoch, UTC; None: today), or None where no price is known."""
    name, provider = normalise_model(model)
    if provider is None:
        return None
    return list_prices(name, provider, day if day is not None else int(time.time()) // 86_400)


def _charge(tokens: int, tiers: Tiers, input_tokens: int) -> int:
    price = tiers[0][1]
    for start, tier_price in tiers[1:]:
        if input_tokens > start:
            price = tier_price
    return tokens * price


def request_cost(
    prices: Rates, *, uncached: int, cache_read: int, cache_write: int, cache_write_1h: int, output: int
) -> Cost:
    """Cost of one request from its token counts; `cache_write` includes `cache_write_1h`."""
    total = uncached + cache_read + cache_write
    hour = min(cache_write_1h, cache_write)
    writes = _charge(cache_write - hour, prices.cache_write, total) + _charge(hour, prices.cache_write_1h, total)
    return Cost(
        input=_micros(_charge(uncached, prices.input, total)),
        cache_read=_micros(_charge(cache_read, prices.cache_read, total)),
        cache_write=_micros(writes),
        output=_micros(_charge(output, prices.output, total)),
    )


def _micros(pico: int) -> int:
    return (pico + _PICO // 2) // _PICO


def price_requests(requests: pl.DataFrame) -> pl.DataFrame:
    """Add `cost_usd_micros`, its four parts and `price_model` to rows with `model`, `timestamp` and usage columns.

    NULL where no usage or no price is known.
    """
    import polars as pl

    columns = [
        requests[name].to_list()
        for name in (
            "model",
            "timestamp",
            "input_tokens",
            "uncached_input_tokens",
            "cache_read_input_tokens",
            "cache_write_input_tokens",
            "cache_write_1h_input_tokens",
            "output_tokens",
        )
    ]
    costs: list[Cost | None] = []
    matched: list[str | None] = []
    for model, timestamp, total, uncached, read, write, hour, output in zip(*columns, strict=True):
        day = None if timestamp is None else timestamp // _DAY
        prices = rates(model, day) if model and (total is not None or output is not None) else None
        if prices is None:
            costs.append(None)
            matched.append(None)
            continue
        read, write = read or 0, write or 0
        fresh = uncached if uncached is not None else max((total or 0) - read - write, 0)
        cost = request_cost(
            prices, uncached=fresh, cache_read=read, cache_write=write, cache_write_1h=hour or 0, output=output or 0
        )
        costs.append(cost)
        matched.append(prices.price_model)
    return requests.with_columns(
        pl.Series("cost_usd_micros", [c and c.total for c in costs], dtype=pl.Int64),
        *(
            pl.Series(f"cost_usd_micros_{part}", [c and getattr(c, part) for c in costs], dtype=pl.Int64)
            for part in PARTS
        ),
        pl.Series("price_model", matched, dtype=pl.String),
    )
