from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest
from genai_prices import Usage, calc_price
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.billing import billing
from headroom_cli.charges import price_requests
from headroom_cli.cost import PriceList, PriceProblem, normalise_model

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


def request(model: str, **more: Any) -> dict[str, Any]:
    """A row as `price_requests` takes it, of a request on `DAY`; tokens under the names of the parts."""
    tokens = {"uncached": 0, "cache_read": 0, "cache_write": 0, "cache_write_1h": 0}
    counts = {f"{name}_input_tokens": more.pop(name, 0) for name in tokens}
    given = counts["uncached_input_tokens"] + counts["cache_read_input_tokens"] + counts["cache_write_input_tokens"]
    row = {"model": model, "timestamp": DAY * 86_400_000_000, "input_tokens": given, "output_tokens": 0, **counts}
    return row | more


def priced(row: dict[str, Any], *columns: str) -> tuple[Any, ...]:
    return price_requests(pl.DataFrame([row])).select(columns).row(0)


PARTS = tuple(f"cost_usd_micros{part}" for part in ("_input", "_cache_read", "_cache_write", "_output", ""))


def test_cost_by_hand() -> None:
    # claude-opus-4-5: $5 input, $0.50 cache read, $6.25 and $10 cache write, $25 output a million.
    counts = {"uncached": 10, "cache_read": 900, "cache_write": 300, "cache_write_1h": 100, "output_tokens": 40}
    row = request("us.anthropic.claude-opus-4-5-20251101-v1:0", **counts)
    assert priced(row, *PARTS) == (50, 450, 2250, 1000, 3750)


def test_amounts_are_exact_beyond_64_bits() -> None:
    """2**53 tokens at $25 a million: 2**53 * 25 micro-dollars, which are 2.3 * 10**23 pico-dollars."""
    assert priced(request("claude-opus-4-5", output_tokens=2**53), *PARTS) == (0, 0, 0, 2**53 * 25, 2**53 * 25)


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
    hour = min(hour, write)
    row = request(
        model, uncached=uncached, cache_read=read, cache_write=write, cache_write_1h=hour, output_tokens=output
    )
    (ours,) = priced(row, "cost_usd_micros")
    usage = Usage(
        input_tokens=uncached + read + write,
        cache_read_tokens=read,
        cache_write_tokens=write,
        cache_write_1h_tokens=hour,
        output_tokens=output,
    )
    theirs = calc_price(usage, model, genai_request_timestamp=datetime.fromtimestamp(DAY * 86_400, UTC))
    assert abs(ours - int(theirs.total_price * 1_000_000)) <= 4


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


CACHED = ("rebuild_cost_usd_micros", "all_5m_usd_micros", "all_1h_usd_micros")


def cached(model: str, state: str = "first", gap: int | None = None, **more: Any) -> tuple[int, int, int]:
    """What a request's cache cost: its rebuild, and what other times to live would have cost more."""
    told = {"cache_state": state, "cache_cause": None, "rebuilt_tokens": 0, "rebuild_is_avoidable": None}
    rebuild, all_5m, all_1h = priced(request(model, cache_gap_seconds=gap, **{**told, **more}), *CACHED)
    return rebuild, all_5m, all_1h


# Claude Opus 4.5 per million: input $5, read $0.50, write $6.25, for an hour $10.


def test_a_rebuild_costs_what_writing_costs_beyond_reading() -> None:
    opus = "claude-opus-4-5"
    assert cached(opus, "rebuilt", cache_write=28_500, rebuilt_tokens=28_000)[0] == 28_000 * 5.75
    assert cached(opus, "rebuilt", cache_write=900, cache_write_1h=900, rebuilt_tokens=800)[0] == 800 * 9.5
    mixed = {"uncached": 700, "cache_write": 3_000, "cache_write_1h": 1_000, "rebuilt_tokens": 3_500}
    assert cached(opus, "rebuilt", **mixed)[0] == 10_000 + 12_500 + 500 * 5 - 1_750
    automatic = {"uncached": 19_428, "cache_read": 3_072, "rebuilt_tokens": 18_928}
    assert cached("gpt-5-codex", "rebuilt", **automatic)[0] == 21_294
    # Claude Sonnet 4.5 beyond 200,000 tokens: write $7.50, read $0.60
    assert cached("claude-sonnet-4-5", "rebuilt", cache_write=210_000, rebuilt_tokens=200_000)[0] == 1_380_000


def test_five_minutes_had_they_been_an_hour() -> None:
    """28,500 tokens were written after 20 minutes; with an hour, 28,000 read and 500 written for $0.000010 each."""
    rebuilt = {"gap": 1_200, "cache_write": 28_500, "rebuilt_tokens": 28_000}
    bridged: dict[str, Any] = {"cache_cause": "expired", "rebuild_is_avoidable": True}
    assert cached("claude-opus-4-5", "rebuilt", **rebuilt, **bridged) == (161_000, 0, 19_000 - 178_125)
    assert cached("claude-opus-4-5", "rebuilt", **rebuilt)[2] == 28_500 * 3.75
    assert cached("claude-opus-4-5", "hit", cache_read=28_000, cache_write=400)[2] == 1_500


def test_an_hour_had_it_been_five_minutes() -> None:
    """After 20 minutes 100,000 tokens were read and 2,000 written; with five minutes, 102,000 written for $6.25."""
    hit = {"cache_read": 100_000, "cache_write": 2_000, "cache_write_1h": 2_000}
    assert cached("claude-opus-4-5", "hit", 1_200, **hit) == (0, 637_500 - 70_000, 0)
    for gap in (None, 300, 3_601):
        assert cached("claude-opus-4-5", "hit", gap, **hit)[1] == -7_500


def test_who_sells_no_hour_saves_nothing_with_it() -> None:
    assert cached("gpt-5-codex", "rebuilt", 1_200, uncached=20_000, rebuilt_tokens=18_000)[2] == 0


def test_rows_with_the_state_of_their_cache() -> None:
    frame = pl.DataFrame(
        {
            "model": ["claude-opus-4-5", "claude-opus-4-5", "glm-4.6"],
            "timestamp": [DAY * 86_400_000_000] * 3,
            "input_tokens": [28_504, 102_000, 28_504],
            "uncached_input_tokens": [4, 0, 4],
            "cache_read_input_tokens": [0, 100_000, 0],
            "cache_write_input_tokens": [28_500, 2_000, 28_500],
            "cache_write_1h_input_tokens": [0, 2_000, 0],
            "output_tokens": [1, 1, 1],
            "cache_state": ["rebuilt", "hit", "rebuilt"],
            "cache_cause": ["expired", None, "expired"],
            "cache_gap_seconds": [1_200, 1_200, 1_200],
            "rebuilt_tokens": [28_000, 0, 28_000],
            "rebuild_is_avoidable": [True, None, True],
        }
    )
    priced = price_requests(frame)
    assert priced["rebuild_cost_usd_micros"].to_list() == [161_000, 0, None]
    assert priced["all_5m_usd_micros"].to_list() == [0, 567_500, None]
    assert priced["all_1h_usd_micros"].to_list() == [-159_125, 0, None]
