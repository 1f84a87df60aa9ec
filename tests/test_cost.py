from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest
from genai_prices import Usage, calc_price
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.billing import billing
from headroom_cli.cost import PriceList, PriceProblem, normalise_model, price_requests, request_cost

DAY = int(datetime(2026, 11, 20, tzinfo=UTC).timestamp()) // 86_400


@pytest.mark.parametrize(
    ("recorded", "name", "provider"),
    [
        ("claude-opus-4-5-20251101", "claude-opus-4-5-20251101", "anthropic"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929", "anthropic"),
        ("anthropic.claude-3-5-haiku-20241022-v1:0", "claude-3-5-haiku-20241022", "anthropic"),
        ("openrouter/anthropic/claude-sonnet-4-5", "claude-sonnet-4-5", "anthropic"),
        ("vertex_ai/claude-opus-4-5@20251101", "claude-opus-4-5-20251101", "anthropic"),
        ("claude-sonnet-4-5[1m]", "claude-sonnet-4-5", "anthropic"),
        ("openai/gpt-5.1-codex-max", "gpt-5.1-codex-max", "openai"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro", "google"),
        ("glm-4.6", "glm-4.6", None),
    ],
)
def test_model_names_of_gateways(recorded: str, name: str, provider: str | None) -> None:
    assert normalise_model(recorded) == (name, provider)


def test_cost_by_hand() -> None:
    # claude-opus-4-5: $5 input, $0.50 cache read, $6.25 and $10 cache write, $25 output a million.
    prices = PriceList().rates("us.anthropic.claude-opus-4-5-20251101-v1:0", DAY)
    assert prices is not None
    cost = request_cost(prices, uncached=10, cache_read=900, cache_write=300, cache_write_1h=100, output=40)
    assert (cost.input, cost.cache_read, cost.cache_write, cost.output) == (50, 450, 2250, 1000)
    assert cost.total == 3750


def test_unknown_models_have_no_price() -> None:
    assert PriceList().rates("glm-4.6", DAY) is None
    assert PriceList().rates("claude-unheard-of-9", DAY) is None
    assert PriceList().rates("", DAY) is None


def test_prefix_matches_are_recorded() -> None:
    prices = PriceList().rates("gpt-5.1-codex-max", DAY)
    assert prices is not None and prices.price_model == "gpt-5.1"


@given(
    st.sampled_from(["claude-opus-4-5", "claude-sonnet-4-20250514", "gpt-5.1", "gemini-2.5-pro", "claude-haiku-4-5"]),
    *[st.integers(0, 300_000) for _ in range(5)],
)
def test_agrees_with_the_price_library(
    model: str, uncached: int, read: int, write: int, hour: int, output: int
) -> None:
    prices = PriceList().rates(model, DAY)
    assert prices is not None
    hour = min(hour, write)
    ours = request_cost(
        prices, uncached=uncached, cache_read=read, cache_write=write, cache_write_1h=hour, output=output
    )
    usage = Usage(
        input_tokens=uncached + read + write,
        cache_read_tokens=read,
        cache_write_tokens=write,
        cache_write_1h_tokens=hour,
        output_tokens=output,
    )
    theirs = calc_price(usage, model, genai_request_timestamp=datetime.fromtimestamp(DAY * 86_400, UTC))
    assert abs(ours.total - int(theirs.total_price * 1_000_000)) <= 4


def test_rows_without_usage_or_price_are_null() -> None:
    frame = pl.DataFrame(
        {
            "model": ["claude-opus-4-5", "glm-4.6", None, "claude-opus-4-5"],
            "timestamp": [DAY * 86_400_000_000, None, None, None],
            "input_tokens": [1000, 5, 5, None],
            "uncached_input_tokens": [None, 5, 5, None],
            "cache_read_input_tokens": [800, 0, 0, None],
            "cache_write_input_tokens": [None, 0, 0, None],
            "cache_write_1h_input_tokens": [None, 0, 0, None],
            "output_tokens": [10, 1, 1, None],
        },
        schema_overrides={"timestamp": pl.Int64, "cache_write_1h_input_tokens": pl.Int64},
    )
    priced = price_requests(frame)
    # 200 fresh at $5, 800 read at $0.50, 10 out at $25
    assert priced["cost_usd_micros"].to_list() == [1000 + 400 + 250, None, None, None]
    assert priced["price_model"].to_list() == ["claude-opus-4-5", None, None, None]


@pytest.mark.parametrize(
    ("model", "billing", "price"),
    [
        ("claude-opus-4-6", None, 5.0),
        ("claude-opus-4-6", "fast", 30.0),
        ("claude-opus-4-8", "fast", 10.0),
        ("claude-opus-4-6", "batch", 2.5),
        ("claude-opus-4-6", "us", 5.5),
        ("claude-opus-4-6", "fast+us", 33.0),
        ("claude-sonnet-4-5-20250929", "fast", None),
        ("claude-opus-4-6", "priority", 5.0),
        ("gpt-5.1-codex", None, 1.25),
        ("gpt-5.1-codex", "priority", 2.5),
        ("gpt-5.1-codex", "fast", 2.5),
        ("gpt-5.1-codex", "flex", 0.625),
        ("gpt-5.1-codex-mini", "priority", None),
        ("gemini-2.5-pro", "flex", None),
    ],
)
def test_ways_of_serving_change_the_price(model: str, billing: str | None, price: float | None) -> None:
    found = PriceList().rates(model, DAY, billing)
    assert (found and found.input[0][1] / 1_000_000) == price


def test_ways_are_read_from_what_a_response_says() -> None:
    assert billing(service_tier="standard", speed="standard", region="global") is None
    assert billing(service_tier="batch", region="us") == "batch+us"
    assert billing(service_tier="standard", speed="fast") == "fast"
    assert billing(service_tier="default") is None


def test_prices_of_ones_own() -> None:
    prices = PriceList(
        {
            "my-gateway/opus": {"same-as": "claude-opus-4-5"},
            "local/*": {"input": 0, "output": 0},
            "local/big": {"input": 2, "output": 8.5, "cache-read": 0.2},
            "claude-opus-4-5": {"input": 4, "output": 20},
        }
    )
    gateway = prices.rates("My-Gateway/Opus", DAY, "batch")
    assert gateway is not None and (gateway.input, gateway.price_model) == (((0, 2_500_000),), "claude-opus-4-5")
    free = prices.rates("local/llama", DAY)
    assert free is not None and free.output == ((0, 0),)
    big = prices.rates("local/big", DAY, "fast")
    assert big is not None
    assert (big.input, big.output, big.cache_read, big.cache_write) == (
        ((0, 2_000_000),), ((0, 8_500_000),), ((0, 200_000),), ((0, 2_000_000),),
    )  # fmt: skip
    own = prices.rates("claude-opus-4-5", DAY)
    assert own is not None and own.input == ((0, 4_000_000),)
    assert prices.rates("other", DAY) is None


@pytest.mark.parametrize(
    ("price", "words"),
    [
        ({"inptu": 1}, "unknown key inptu"),
        ({"input": 1}, "input and output are needed"),
        ({"input": -1, "output": 1}, "USD per million"),
        ({"input": True, "output": 1}, "USD per million"),
        ({"same-as": "a", "input": 1}, "stands alone"),
        (3, "a price is a table"),
    ],
)
def test_prices_that_cannot_be_used_are_named(price: object, words: str) -> None:
    with pytest.raises(PriceProblem, match=f"local: .*{words}"):
        PriceList({"local": price})  # type: ignore[dict-item]
