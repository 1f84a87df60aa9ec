"""What requests cost at API list prices, from genai-prices: offline, in whole micro-dollars.

A price is the price of the model that was recorded, or none: an unknown model has no price, never another model's.
genai-prices matches some names by their beginning; what matched is recorded as `price_model`, so that a report can say
where it differs. Whoever knows better gives prices of their own. Prices per tier apply to the whole request once its
input crosses the tier's start.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from headroom_cli.billing import factor
from headroom_cli.caching import LONG_TTL, SHORT_TTL
from headroom_cli.prices import Rates, Tiers, list_prices, price_table

if TYPE_CHECKING:
    import polars as pl

PARTS = ("input", "cache_read", "cache_write", "output")
_RATES = ("input", "output", "cache_read", "cache_write", "cache_write_1h")
_OWN_KEYS = tuple(part.replace("_", "-") for part in _RATES)
_SAME = 1000
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


class PriceProblem(ValueError):  # noqa: N818 - the command line reports it as wrong usage
    """A price of one's own that can't be used; the text says why."""


class PriceList:
    """Prices of models by day and way of serving: one's own where they match, else list prices.

    `own` holds, by model name or pattern (`local/*`), either `{"same-as": model}` or USD per million tokens: `input`,
    `output`, and where they differ from `input` also `cache-read`, `cache-write` and `cache-write-1h`. Raises
    `PriceProblem`.
    """

    def __init__(self, own: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self._own = {name.lower(): _own_price(name, price) for name, price in (own or {}).items()}
        self._known: dict[tuple[str, int | None, str | None], Rates | None] = {}

    @property
    def title(self) -> str:
        """Which prices are in force, for the foot of a report."""
        own = f"{len(self._own)} of your own, else " if self._own else ""
        return f"{own}{price_table()}"

    def rates(self, model: str, day: int | None, billing: str | None = None) -> Rates | None:
        """The prices of `model` on a day (days since the epoch, UTC; None: today), or None where no price is known."""
        key = model, day, billing
        if key not in self._known:
            own = self._own_of(model)
            self._known[key] = own if isinstance(own, Rates) else _listed(own or model, day, billing)
        return self._known[key]

    def _own_of(self, model: str) -> Rates | str | None:
        name = model.strip().lower()
        found = self._own.get(name)
        return found or next((price for pattern, price in self._own.items() if fnmatchcase(name, pattern)), None)


def _own_price(model: str, price: Mapping[str, Any]) -> Rates | str:
    """The prices of a table of the configuration, or the model whose prices are meant."""
    if not isinstance(price, Mapping):
        raise PriceProblem(f"{model}: a price is a table, as in {{ input = 3, output = 15 }}")
    unknown = set(price) - {"same-as", *_OWN_KEYS}
    if unknown:
        raise PriceProblem(f"{model}: unknown key {min(unknown)}; known: same-as, {', '.join(_OWN_KEYS)}")
    if "same-as" in price:
        if not isinstance(price["same-as"], str) or len(price) > 1:
            raise PriceProblem(f"{model}: same-as is the name of a model, and stands alone")
        return price["same-as"]
    for key, value in price.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1_000_000:
            raise PriceProblem(f"{model}: {key} must be USD per million tokens, not {value!r}")
    if "input" not in price or "output" not in price:
        raise PriceProblem(f"{model}: input and output are needed, or same-as")
    tiers = [((0, round(price.get(key, price["input"]) * _PICO)),) for key in _OWN_KEYS]
    return Rates(model, **dict(zip(_RATES, tiers, strict=True)))


def _listed(model: str, day: int | None, billing: str | None) -> Rates | None:
    name, provider = normalise_model(model)
    if provider is None:
        return None
    found = list_prices(name, provider, day if day is not None else int(time.time()) // 86_400)
    thousandths = factor(billing, provider, name)
    if found is None or thousandths is None or thousandths == _SAME:
        return found if thousandths is not None else None
    scaled = {
        part: tuple((start, price * thousandths // _SAME) for start, price in getattr(found, part)) for part in _RATES
    }
    return Rates(found.price_model, **scaled)


def _price(tiers: Tiers, input_tokens: int) -> int:
    price = tiers[0][1]
    for start, tier_price in tiers[1:]:
        if input_tokens > start:
            price = tier_price
    return price


def _charge(tokens: int, tiers: Tiers, input_tokens: int) -> int:
    return tokens * _price(tiers, input_tokens)


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


class CacheCost(NamedTuple):
    """Micro-dollars of one request that depend on its cache.

    `rebuild` is what the rebuilt tokens cost beyond reading them. `all_5m` and `all_1h` are what the request would have
    cost more (or less, below zero) had all that was written to the cache been written for five minutes, or an hour.
    """

    rebuild: int
    all_5m: int
    all_1h: int


def cache_cost(
    prices: Rates,
    *,
    uncached: int,
    cache_read: int,
    cache_write: int,
    cache_write_1h: int,
    rebuilt: int = 0,
    gap_seconds: int | None = None,
    was_hit: bool = False,
    is_bridged: bool = False,
) -> CacheCost:
    """What a rebuild and the time to live cost in one request; `cache_write` includes `cache_write_1h`.

    Rebuilt tokens stand before all others, so they are those written first: for an hour, for five minutes, not at all.

    Had all been written for an hour, each write would have cost the price of that, and a rebuild that an hour would
    have spared (`is_bridged`) only the price of reading. For five minutes, each write would have cost less; but a
    request that read its cache (`was_hit`) more than five and up to sixty minutes after the one before would have found
    nothing, as nearly all real ones do after such a pause, and would have written what it read.
    """
    total = uncached + cache_read + cache_write
    for_5m, for_1h = _price(prices.cache_write, total), _price(prices.cache_write_1h, total)
    hour = min(cache_write_1h, cache_write)
    minutes = cache_write - hour
    rebuild, all_5m, all_1h = 0, hour * (for_5m - for_1h), minutes * (for_1h - for_5m)
    if rebuilt:
        read = _price(prices.cache_read, total)
        again_1h = min(rebuilt, hour)
        again_5m = min(rebuilt - again_1h, minutes)
        rebuild = again_1h * for_1h + again_5m * for_5m - rebuilt * read
        rebuild += (rebuilt - again_1h - again_5m) * _price(prices.input, total)
        if is_bridged:
            all_1h -= again_5m * (for_1h - read)
    elif was_hit and hour and gap_seconds is not None and SHORT_TTL < gap_seconds <= LONG_TTL:
        all_5m += cache_read * (for_5m - _price(prices.cache_read, total))
    return CacheCost(_micros(rebuild), _micros(all_5m), _micros(all_1h))


def _micros(pico: int) -> int:
    return (pico + _PICO // 2) // _PICO


def price_requests(requests: pl.DataFrame, prices: PriceList | None = None) -> pl.DataFrame:
    """Add `cost_usd_micros`, its four parts and `price_model` to rows with `model`, `timestamp` and usage columns.

    `billing` counts where there is such a column. Rows that tell what became of the cache also get
    `rebuild_cost_usd_micros`, `all_5m_usd_micros` and `all_1h_usd_micros` (see `CacheCost`). NULL where no usage or no
    price is known.
    """
    import polars as pl

    known = _known_rates(requests, prices or PriceList())
    counts = [_counts(*row) for row in _rows(requests, *_COUNTED)]
    outputs = [output or 0 for (output,) in _rows(requests, "output_tokens")]
    costs = [
        rates and request_cost(rates, **counted, output=output)
        for rates, counted, output in zip(known, counts, outputs, strict=True)
    ]
    columns = {
        "cost_usd_micros": [c and c.total for c in costs],
        **{f"cost_usd_micros_{part}": [c and getattr(c, part) for c in costs] for part in PARTS},
    }
    if "cache_state" in requests.columns:
        cached = [
            rates
            and cache_cost(
                rates,
                **counted,
                rebuilt=rebuilt or 0,
                gap_seconds=gap,
                was_hit=state == "hit",
                is_bridged=cause == "expired" and avoidable,
            )
            for rates, counted, (state, cause, gap, rebuilt, avoidable) in zip(
                known, counts, _rows(requests, *_CACHED), strict=True
            )
        ]
        columns["rebuild_cost_usd_micros"] = [c and c.rebuild for c in cached]
        columns["all_5m_usd_micros"] = [c and c.all_5m for c in cached]
        columns["all_1h_usd_micros"] = [c and c.all_1h for c in cached]
    return requests.with_columns(
        *(pl.Series(name, values, dtype=pl.Int64) for name, values in columns.items()),
        pl.Series("price_model", [rates and rates.price_model for rates in known], dtype=pl.String),
    )


_COUNTED = (
    "input_tokens",
    "uncached_input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "cache_write_1h_input_tokens",
)
_CACHED = ("cache_state", "cache_cause", "cache_gap_seconds", "rebuilt_tokens", "rebuild_is_avoidable")


def _counts(
    total: int | None, uncached: int | None, read: int | None, write: int | None, hour: int | None
) -> dict[str, int]:
    """The tokens of the parts of an input; what is not recorded is none of it."""
    read, write = read or 0, write or 0
    fresh = uncached if uncached is not None else max((total or 0) - read - write, 0)
    return {"uncached": fresh, "cache_read": read, "cache_write": write, "cache_write_1h": hour or 0}


def _known_rates(requests: pl.DataFrame, prices: PriceList) -> list[Rates | None]:
    """The prices of each request; None where no usage or no price is known."""
    served = requests["billing"].to_list() if "billing" in requests.columns else [None] * len(requests)
    told = _rows(requests, "model", "timestamp", "input_tokens", "output_tokens")
    return [
        prices.rates(model, None if timestamp is None else timestamp // _DAY, billing)
        if model and (total is not None or output is not None)
        else None
        for billing, (model, timestamp, total, output) in zip(served, told, strict=True)
    ]


def _rows(frame: pl.DataFrame, *columns: str) -> Iterator[tuple[Any, ...]]:
    return zip(*(frame[name].to_list() for name in columns), strict=True)
