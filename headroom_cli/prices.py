"""List prices of models, by day: the table of genai-prices, without importing it where that is not needed.

genai-prices brings pydantic and more: importing it takes longer than analysing a session. So the part of it that
matters here ships as `data/prices.json`, made from one version of it (`python -m headroom_cli.data.build_prices`) and
used while that very version is installed. With any other version, the installed library is asked.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice

PROVIDERS = ("anthropic", "openai", "google", "deepseek", "mistral", "x-ai", "meta", "amazon", "cohere")
"""Whose prices are looked up: whose models are known by their names, or named by their vendor."""

Tiers = tuple[tuple[int, int], ...]
"""`(input tokens above which, price in pico-dollars per token)`, from 0 up."""

_PICO = 1_000_000
_COMPACT_DATE = re.compile(r"-(20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)")


@dataclass(frozen=True, slots=True)
class Rates:
    """What each part of a request costs, and the model of the price list whose prices they are."""

    price_model: str
    input: Tiers
    cache_read: Tiers
    cache_write: Tiers
    cache_write_1h: Tiers
    output: Tiers


def list_prices(name: str, provider: str, day: int) -> Rates | None:
    """The prices of a provider's model on a day (since the epoch, UTC), or None where the list has none."""
    if _is_shipped_installed():
        return shipped_prices(name, provider, day)
    return library_prices(name, provider, day)


def price_table() -> str:
    """Which price table is in force, for the foot of a report."""
    if _is_shipped_installed():
        return f"genai-prices {_shipped()['version']}"
    from importlib.metadata import version

    return f"genai-prices {version('genai-prices')}"


@cache
def words_of_models() -> frozenset[str]:
    """The words of which the names of models in the price table are made, in small letters."""
    names = (model["id"].lower() for models in _shipped()["models"].values() for model in models)
    return frozenset(word for name in names for word in re.split(r"[-_.:/@ ]+", name) if word) | {"synthetic", "us"}


@cache
def _is_shipped_installed() -> bool:
    """Whether the installed genai-prices is the one that the shipped table was made from.

    Its metadata stands in a folder named after the version; importlib.metadata would take 30 ms to say the same.
    """
    from importlib.util import find_spec

    package = find_spec("genai_prices")
    if package is None or package.origin is None:
        return True
    place = os.path.dirname(os.path.dirname(package.origin))
    return os.path.isdir(os.path.join(place, f"genai_prices-{_shipped()['version']}.dist-info"))


@cache
def _shipped() -> dict[str, Any]:
    import pkgutil

    import orjson

    table: dict[str, Any] = orjson.loads(pkgutil.get_data("headroom_cli.data", "prices.json") or b"")
    return table


def shipped_prices(name: str, provider: str, day: int) -> Rates | None:
    """As `list_prices`, from the table that ships with headroom."""
    found = _shipped_model(name, provider) or _shipped_model(_COMPACT_DATE.sub(_dashed, name), provider)
    if found is None:
        return None
    periods = found["prices"]
    parts = next((parts for start, parts in reversed(periods) if start <= day), periods[0][1])
    if parts is None:
        return None
    return Rates(found["id"], **{part: tuple(map(tuple, tiers)) for part, tiers in parts.items()})


@cache
def _shipped_model(name: str, provider: str) -> dict[str, Any] | None:
    table = _shipped()
    models = (model for seller in table["providers"].get(provider, ()) for model in table["models"][seller])
    return next((model for model in models if _matches(model["match"], name)), None)


def _matches(clause: dict[str, Any], name: str) -> bool:
    """Whether a model's name is meant by a clause, `{kind: what}`, as genai-prices has them."""
    ((kind, what),) = clause.items()
    match kind:
        case "equals":
            return bool(name == what)
        case "starts_with":
            return name.startswith(what)
        case "ends_with":
            return name.endswith(what)
        case "contains":
            return what in name
        case "regex":
            return re.search(what, name) is not None
        case "or":
            return any(_matches(part, name) for part in what)
        case _:
            return all(_matches(part, name) for part in what)


def _dashed(found: re.Match[str]) -> str:
    """A date as price lists write it, `-2025-12-11`, for `-20251211`; what is no date stays."""
    try:
        return f"-{date(*map(int, found.groups()))}"
    except ValueError:
        return found[0]


def library_prices(name: str, provider: str, day: int) -> Rates | None:
    """As `list_prices`, from the installed genai-prices."""
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, found = get_snapshot().find_provider_model(name, None, provider, None)
    except LookupError:
        return None
    return model_prices(found, day)


def model_prices(model: ModelInfo, day: int) -> Rates | None:
    """The prices of a model of genai-prices at the start of a day, or None where input or output has none."""
    price = model.get_prices(datetime.fromtimestamp(day * 86_400, UTC))
    if price.input_mtok is None or price.output_mtok is None:
        return None
    fresh = _tiers(price, "input_mtok")
    write = _tiers(price, "cache_write_mtok") or fresh
    return Rates(
        price_model=model.id,
        input=fresh,
        cache_read=_tiers(price, "cache_read_mtok") or fresh,
        cache_write=write,
        cache_write_1h=_tiers(price, "cache_write_1h_mtok") or write,
        output=_tiers(price, "output_mtok"),
    )


def _tiers(price: ModelPrice, key: str) -> Tiers:
    value: Any = getattr(price, key, None)
    if value is None:
        return ()
    if isinstance(value, Decimal):
        return ((0, _pico(value)),)
    return ((0, _pico(value.base)), *((tier.start, _pico(tier.price)) for tier in value.tiers))


def _pico(usd_per_million: Decimal) -> int:
    return int(usd_per_million * _PICO)
