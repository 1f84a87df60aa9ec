"""Make the shipped price table from the installed genai-prices: `python -m headroom_cli.data.build_prices`.

`prices.json` holds the version it was made from; for each provider that headroom looks up, the sellers whose models are
tried in turn; and each seller's models: `id`, `match` (the clause that tells which names mean it) and `prices`, a list
of `[first day, prices]` with prices in pico-dollars per token by part, null where there are none.
"""

from __future__ import annotations

import dataclasses
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson
from genai_prices.data import providers
from genai_prices.data_snapshot import find_provider_by_id
from genai_prices.types import ModelInfo, StartDateConstraint

from headroom_cli.prices import PROVIDERS, model_prices

TARGET = Path(__file__).with_name("prices.json")
_EPOCH = date(1970, 1, 1).toordinal()


def build() -> bytes:
    """The table as JSON, one model a line."""
    sellers: dict[str, list[str]] = {}
    for name in PROVIDERS:
        provider = find_provider_by_id(providers, name)
        if provider is not None:
            sellers[name] = [provider.id, *(provider.fallback_model_providers or ())]
    needed = {seller for names in sellers.values() for seller in names}
    models = {
        provider.id: [_model(model) for model in provider.models] for provider in providers if provider.id in needed
    }
    lines = [
        f'    "{seller}": [\n' + ",\n".join(f"      {orjson.dumps(model).decode()}" for model in listed) + "\n    ]"
        for seller, listed in models.items()
    ]
    head = f'{{\n  "version": "{version("genai-prices")}",\n  "providers": {orjson.dumps(sellers).decode()},\n'
    return (head + '  "models": {\n' + ",\n".join(lines) + "\n  }\n}\n").encode()


def _model(model: ModelInfo) -> dict[str, Any]:
    return {"id": model.id, "match": _clause(model.match), "prices": _periods(model)}


def _clause(clause: Any) -> dict[str, Any]:
    ((kind, what),) = vars(clause).items()
    if kind == "regex":
        return {kind: what}
    return {kind.rstrip("_"): what.lower() if isinstance(what, str) else [_clause(part) for part in what]}


def _periods(model: ModelInfo) -> list[list[Any]]:
    """The prices at the start of each day from which others hold."""
    conditions = [price.constraint for price in model.prices] if isinstance(model.prices, list) else []
    starts = {c.start_date.toordinal() - _EPOCH for c in conditions if isinstance(c, StartDateConstraint)}
    periods: list[list[Any]] = []
    for day in sorted({0, *starts}):
        found = model_prices(model, day)
        parts = dataclasses.asdict(found) if found else None
        if parts:
            del parts["price_model"]
        if not periods or periods[-1][1] != parts:
            periods.append([day, parts])
    return periods


if __name__ == "__main__":
    TARGET.write_bytes(build())
