from __future__ import annotations

import itertools
from datetime import date

import pytest
from genai_prices.data import providers

from headroom_cli import prices
from headroom_cli.cost import normalise_model
from headroom_cli.data import build_prices
from headroom_cli.prices import PROVIDERS, library_prices, list_prices, price_table, shipped_prices

EPOCH = date(1970, 1, 1).toordinal()
DAYS = [date(*day).toordinal() - EPOCH for day in ((2023, 6, 1), (2025, 3, 2), (2025, 12, 31), (2026, 11, 20))]


def _variants(name: str) -> set[str]:
    return {
        name,
        f"{name}-latest",
        f"{name}-preview",
        f"{name}-20251211",
        f"{name}-2025-12-11",
        f"{name}-20250231",
        f"{name}-mini",
        f"{name}-codex-max",
        f"{name}x",
        f"x{name}",
        name[:-1],
        name.replace(".", "-"),
        name.replace("-", "."),
    }


def test_the_shipped_table_is_made_from_the_locked_library() -> None:
    assert build_prices.TARGET.read_bytes() == build_prices.build()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_shipped_table_prices_as_the_library_does(provider: str) -> None:
    sellers = prices._shipped()["providers"].get(provider, ())
    ids = {model["id"] for seller in sellers for model in prices._shipped()["models"][seller]}
    names = set().union(*(_variants(normalise_model(name)[0]) for name in ids), ids)
    others = {model.id.lower() for seller in providers for model in seller.models}
    for name, day in (*itertools.product(names, DAYS), *itertools.product(others, DAYS[-1:])):
        assert shipped_prices(name.lower(), provider, day) == library_prices(name.lower(), provider, day), (name, day)


def test_the_shipped_table_changes_prices_on_the_days_when_the_library_does() -> None:
    changing = [
        (provider, model["id"], period[0])
        for provider in PROVIDERS
        for seller in prices._shipped()["providers"].get(provider, ())
        for model in prices._shipped()["models"][seller]
        for period in model["prices"][1:]
    ]
    assert changing
    for provider, name, day in changing:
        for near in (day - 1, day, day + 1):
            assert shipped_prices(name, provider, near) == library_prices(name, provider, near)


def test_another_version_of_the_library_is_asked_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import version

    assert price_table() == f"genai-prices {version('genai-prices')}"
    monkeypatch.setattr(prices, "_is_shipped_installed", lambda: False)
    monkeypatch.setattr(prices, "shipped_prices", None)
    found = list_prices("claude-opus-4-5", "anthropic", DAYS[-1])
    assert found is not None and found.input == ((0, 5_000_000),)
    assert price_table() == f"genai-prices {version('genai-prices')}"


def test_the_installed_version_is_told_without_importing_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    told = prices._is_shipped_installed.__wrapped__
    assert told() is True
    monkeypatch.setattr(prices, "_shipped", lambda: {"version": "0.0.1"})
    assert told() is False
