"""What requests cost at API list prices, from genai-prices: offline, in whole micro-dollars.

A price is the price of the model that was recorded, or none: an unknown model has no price, never another model's.
genai-prices matches some names by their beginning; what matched is recorded as `price_model`, so that a report can say
where it differs. Whoever knows better gives prices of their own. Prices per tier apply to the whole request once its
input crosses the tier's start.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from headroom_cli.billing import factor
from headroom_cli.prices import Rates, list_prices, price_table

RATES = ("input", "output", "cache_read", "cache_write", "cache_write_1h")
_OWN_KEYS = tuple(part.replace("_", "-") for part in RATES)
_SAME = 1000
_PICO = 1_000_000
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
    return Rates(model, **dict(zip(RATES, tiers, strict=True)))


def _listed(model: str, day: int | None, billing: str | None) -> Rates | None:
    name, provider = normalise_model(model)
    if provider is None:
        return None
    found = list_prices(name, provider, day if day is not None else int(time.time()) // 86_400)
    thousandths = factor(billing, provider, name)
    if found is None or thousandths is None or thousandths == _SAME:
        return found if thousandths is not None else None
    scaled = {
        part: tuple((start, price * thousandths // _SAME) for start, price in getattr(found, part)) for part in RATES
    }
    return Rates(found.price_model, **scaled)
