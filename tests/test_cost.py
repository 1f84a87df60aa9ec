from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest
from genai_prices import Usage, calc_price
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.cost import normalise_model, price_requests, rates, request_cost

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
    prices = rates("us.anthropic.claude-opus-4-5-20251101-v1:0", DAY)
    assert prices is not None
    cost = request_cost(prices, uncached=10, cache_read=900, cache_write=300, cache_write_1h=100, output=40)
    assert (cost.input, cost.cache_read, cost.cache_write, cost.output) == (50, 450, 2250, 1000)
    assert cost.total == 3750


def test_unknown_models_have_no_price() -> None:
    assert rates("glm-4.6", DAY) is None
    assert rates("claude-unheard-of-9", DAY) is None
    assert rates("", DAY) is None


def test_prefix_matches_are_recorded() -> None:
    prices = rates("gpt-5.1-codex-max", DAY)
    assert prices is not None and prices.price_model == "gpt-5.1"


@given(
    st.sampled_from(["claude-opus-4-5", "claude-sonnet-4-20250514", "gpt-5.1", "gemini-2.5-pro", "claude-haiku-4-5"]),
    *[st.integers(0, 300_000) for _ in range(5)],
)
def test_agrees_with_the_price_library(
    model: str, uncached: int, read: int, write: int, hour: int, output: int
) -> None:
    prices = rates(model, DAY)
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
