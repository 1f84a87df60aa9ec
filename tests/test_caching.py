from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.caching import CacheState, cache_states, caching, is_avoidable
from headroom_cli.model import Conversation, Interval, LeftBy, Message, Request, Text, Usage

MINUTE = 60
HOUR = 3600


def claude(seconds: float, read: int, written: int, fresh: int = 4, *, hour: bool = False, **more: Any) -> Request:
    """A request to Claude: read from the cache, written to it (for an hour or five minutes), and the rest."""
    usage = Usage(
        input_tokens=read + written + fresh,
        uncached_input_tokens=fresh,
        cache_read_input_tokens=read,
        cache_write_input_tokens=written,
        cache_write_5m_input_tokens=0 if hour else written,
        cache_write_1h_input_tokens=written if hour else 0,
        output_tokens=100,
    )
    given = {"model": "claude-opus-4-5", "timestamp": int(seconds * 1_000_000), "usage": usage, **more}
    return Request(0, "recorded", **given)


def gpt(seconds: float, tokens: int, read: int, **more: Any) -> Request:
    """A request to OpenAI, whose writes are not counted."""
    usage = Usage(tokens, tokens - read, read, output_tokens=100)
    given = {"model": "gpt-5-codex", "timestamp": int(seconds * 1_000_000), "usage": usage, **more}
    return Request(0, "recorded", **given)


def thread(*requests: Request, dialect: str = "anthropic", left: tuple[tuple[Interval, ...], ...] = ()) -> Conversation:
    """A conversation whose parts stood in the context as `left` says."""
    for index, request in enumerate(requests):
        request.index = index
    parts = [Text("x", context=context) for context in left]
    messages = [Message(0, "user", list(parts))]
    return Conversation("c", "s", "claude-code", dialect, "/a.jsonl", requests=list(requests), messages=messages)


def last(*requests: Request, **more: Any) -> CacheState:
    return cache_states(thread(*requests, **more))[-1]


GROWING = (claude(0, 16_000, 9_000), claude(20, 25_000, 3_000))


def test_a_growing_context_is_read_to_the_end() -> None:
    states = cache_states(thread(*GROWING, claude(30, 28_000, 500)))
    assert [state.state for state in states] == ["first", "hit", "hit"]
    assert [state.gap_seconds for state in states] == [None, 20, 10]
    assert [state.rebuilt_tokens for state in states] == [0, 0, 0]
    assert [state.before for state in states] == [None, 0, 1]


@pytest.mark.parametrize(
    ("read", "state", "rebuilt"),
    [
        (28_000, "hit", 0),
        (25_201, "hit", 0),  # 2,799 of 28,000 is less than a tenth
        (25_200, "rebuilt", 2_800),
        (0, "rebuilt", 28_000),
    ],
)
def test_small_losses_are_no_rebuild(read: int, state: str, rebuilt: int) -> None:
    found = last(*GROWING, claude(40, read, 28_500 - read))
    assert (found.state, found.rebuilt_tokens) == (state, rebuilt)


def test_less_than_1024_tokens_are_no_rebuild() -> None:
    assert last(claude(0, 0, 2_000), claude(1, 977, 1_200)).state == "hit"
    assert last(claude(0, 0, 2_000), claude(1, 976, 1_200)).rebuilt_tokens == 1_024


def test_a_pause_longer_than_entries_live() -> None:
    assert last(*GROWING, claude(20 + 5 * MINUTE, 0, 28_500)).cause == "unknown"
    expired = last(*GROWING, claude(21 + 5 * MINUTE, 0, 28_500))
    assert expired == CacheState("rebuilt", 301, "expired", 28_000, True, 1)
    assert last(*GROWING, claude(20 + HOUR, 0, 28_500)).is_avoidable is True
    assert last(*GROWING, claude(21 + HOUR, 0, 28_500)).is_avoidable is False


def test_entries_for_an_hour() -> None:
    hourly = (claude(0, 0, 25_000, hour=True), claude(9, 25_000, 3_000, hour=True))
    assert last(*hourly, claude(9 + HOUR, 0, 28_500, hour=True)).cause == "unknown"
    expired = last(*hourly, claude(10 + HOUR, 0, 28_500, hour=True))
    assert (expired.cause, expired.is_avoidable) == ("expired", False)
    assert last(*hourly, claude(900, 28_000, 40), claude(1_300, 0, 28_500)).cause == "expired"  # the last was for 5 min


def test_the_first_of_all_that_explains_it() -> None:
    def cause(**more: Any) -> tuple[str | None, bool | None]:
        found = last(
            claude(0, 0, 20_000, tools_hash="a", system_hash="s"), claude(400, 0, 21_000, **more)
        )  # expired as well
        return found.cause, found.is_avoidable

    assert cause(cache_miss=("system_changed", 20_000), model="claude-haiku-4-5") == ("vendor:system_changed", True)
    assert cause(cache_miss=("messages_changed", 20_000)) == ("vendor:messages_changed", False)
    assert cache_states(thread(claude(0, 0, 9_000, cache_miss=("tools_changed", 8_000))))[0] == CacheState(
        "rebuilt", None, "vendor:tools_changed", 8_000, True, None
    )
    assert cause(cache_miss=("unavailable", None)) == ("expired", True)
    assert cause(cache_miss=("<b>\x1b[2J", 3)) == ("vendor:other", False)
    assert cause(model="claude-haiku-4-5", tools_hash="b") == ("model", False)
    assert cause(tools_hash="b", system_hash="t") == ("tools", True)
    assert cause(tools_hash="a", system_hash="t") == ("system", True)
    assert cause(tools_hash="a", system_hash="s") == ("expired", True)


def left(left_by: LeftBy, *, since: int = 0, at: int = 2) -> tuple[tuple[Interval, ...], ...]:
    return ((Interval(0),), (Interval(since, at, left_by),))


def test_a_compaction_costs_what_stands_for_the_history() -> None:
    found = last(*GROWING, claude(400, 16_000, 6_000), left=left("compaction"))
    assert (found.cause, found.rebuilt_tokens, found.is_avoidable) == ("compaction", 6_004, False)


def test_going_back_reads_what_stood_before() -> None:
    back = (*GROWING, claude(40, 25_000, 700))
    assert last(*back, left=left("rewind", since=1)).state == "hit"
    assert last(*GROWING, claude(40, 16_000, 9_700), left=left("rewind", since=1)).cause == "rewritten"
    assert last(*GROWING, claude(400, 16_000, 9_700), left=left("rewind", since=1)).cause == "expired"
    assert last(*GROWING, claude(40, 16_000, 9_700), left=left("rewind")).state == "hit"


def test_a_history_that_is_rewritten() -> None:
    assert last(*GROWING, claude(40, 16_000, 12_000), left=left("clear")).cause == "rewritten"
    assert last(*GROWING, claude(400, 16_000, 12_000), left=left("clear")).cause == "rewritten"
    assert last(*GROWING, claude(40, 16_000, 12_000), left=left("strip")).cause == "rewritten"
    assert last(*GROWING, claude(400, 16_000, 12_000), left=left("strip")).cause == "expired"
    assert last(*GROWING, claude(400, 0, 20_000), left=left("strip")).cause == "expired"
    assert last(*GROWING, claude(40, 16_000, 10_976)).cause == "rewritten"  # 1,024 tokens less than before
    assert last(*GROWING, claude(40, 16_000, 10_977)).cause == "unknown"


def test_openai_falls_behind_and_sometimes_misses_all() -> None:
    requests = [gpt(0, 20_000, 0), gpt(9, 21_000, 19_968), gpt(12, 22_000, 19_968), gpt(15, 22_500, 3_072)]
    states = cache_states(thread(*requests, dialect="openai-responses"))
    assert [state.state for state in states] == ["first", "hit", "hit", "rebuilt"]
    assert states[3] == CacheState("rebuilt", 3, "unknown", 18_928, False, 2)


@pytest.mark.parametrize(("model", "cause"), [("gpt-5-codex", "expired"), ("gpt-5.6", "unknown"), ("gpt-6", "unknown")])
def test_openai_keeps_entries_longer_since_gpt_5_6(model: str, cause: str) -> None:
    requests = [gpt(0, 20_000, 9_984, model=model), gpt(900, 21_000, 0, model=model)]
    found = last(*requests, dialect="openai")
    assert (found.cause, found.is_avoidable) == (cause, False)  # nobody can ask for an hour


def test_openai_without_a_cache() -> None:
    states = cache_states(thread(gpt(0, 20_000, 0), gpt(9, 21_000, 0), gpt(12, 22_000, 0), dialect="openai"))
    assert [state.state for state in states] == ["first", "none", "none"]
    assert last(gpt(0, 1_023, 0), dialect="openai").state == "none"


def test_what_the_log_does_not_tell() -> None:
    placeholder = Request(0, "recorded", timestamp=30_000_000, usage=Usage(0, 0, 0, 0, output_tokens=0))
    implied = Request(0, timestamp=35_000_000)
    uncounted = Request(0, "recorded", usage=Usage(input_tokens=900, output_tokens=3))
    states = cache_states(thread(*GROWING, placeholder, implied, uncounted, claude(40, 28_000, 100)))
    assert [state.state for state in states] == ["first", "hit", None, None, None, "hit"]
    assert [state.gap_seconds for state in states] == [None, 20, 10, 5, None, 5]
    assert states[2].rebuilt_tokens is None and states[5].before == 1


def test_a_clock_that_runs_back() -> None:
    assert last(*GROWING, claude(5, 28_000, 100)).gap_seconds == 0


def test_input_that_server_tools_count_several_times() -> None:
    states = cache_states(thread(claude(0, 30_000, 6_000, context_tokens=18_000), claude(9, 18_000, 300)))
    assert states[1].state == "hit"


def test_uncached_requests() -> None:
    assert [state.state for state in cache_states(thread(claude(0, 0, 0, 900), claude(5, 0, 0, 990)))] == ["none"] * 2
    lost = last(claude(0, 0, 20_000), claude(5, 0, 0, 20_500))
    assert (lost.state, lost.rebuilt_tokens) == ("rebuilt", 20_000)


def test_what_is_never_avoidable() -> None:
    anthropic = caching("anthropic")
    for cause in ("compaction", "model", "rewritten", "unknown", "vendor:model_changed", "vendor:other"):
        assert not is_avoidable(cause, 400, anthropic)
    assert not is_avoidable("expired", None, anthropic)
    assert not is_avoidable("expired", 400, caching("openai"))


_COUNT = st.none() | st.integers(0, 200_000)
_USAGE = st.none() | st.builds(Usage, *[_COUNT] * 7)
_REASON = st.none() | st.tuples(st.text(max_size=9), _COUNT)
_REQUEST = st.builds(
    Request,
    index=st.just(0),
    model=st.sampled_from([None, "claude-opus-4-5", "gpt-5.6", "gpt-99999999999"]),
    timestamp=st.none() | st.integers(-(2**62), 2**62),
    usage=_USAGE,
    context_tokens=_COUNT,
    cache_miss=_REASON,
)
_LEFT_BY: list[LeftBy] = ["compaction", "rewind", "rollback", "clear", "strip"]
_INTERVAL = st.builds(
    lambda enters, length, left_by: Interval(enters, enters + length, left_by),
    st.integers(0, 7),
    st.integers(1, 7),
    st.sampled_from(_LEFT_BY),
)


@given(
    st.lists(_REQUEST, max_size=8),
    st.sampled_from(["anthropic", "openai", "gemini", "?"]),
    st.lists(st.lists(_INTERVAL, max_size=2).map(tuple), max_size=3),
)
def test_of_any_log(requests: list[Request], dialect: str, contexts: list[tuple[Interval, ...]]) -> None:
    """A state for each request; what is rebuilt was sent and not read, and only a rebuild has a cause."""
    conversation = thread(*requests, dialect=dialect, left=tuple(contexts))
    states = cache_states(conversation)
    assert len(states) == len(requests)
    for request, state in zip(requests, states, strict=True):
        assert (state.state == "rebuilt") == (state.cause is not None) == (state.is_avoidable is not None)
        assert (state.state is None) == (state.rebuilt_tokens is None)
        if state.rebuilt_tokens:
            assert state.state == "rebuilt" and request.usage is not None
            sent, read = request.usage.input_tokens or 0, request.usage.cache_read_input_tokens or 0
            assert 1_024 <= state.rebuilt_tokens <= sent - read
