from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from headroom_cli.analysis import Analyser
from headroom_cli.calibration import MIN_PAIRS, calibrate, calibrated_tokens, whole_contexts
from headroom_cli.export.frames import exported
from headroom_cli.frames import Frames, merge
from headroom_cli.logs.context import ContextTracker
from headroom_cli.model import (
    Conversation,
    Declaration,
    Interval,
    Media,
    Message,
    Other,
    Part,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from headroom_cli.report.foot import calibration_words
from headroom_cli.settle import Settled, settle
from headroom_cli.tables import Tables

MODEL = "claude-opus-4-5"


class Words:
    """A tokenizer that counts words, so that figures can be checked by hand."""

    def count_text(self, text: str, /) -> int:
        return len(text.split())


def words(count: int) -> str:
    return " ".join(["w"] * count)


class Log:
    """A session that records its input: each step adds what a request saw last and what the provider counted of it."""

    def __init__(self, name: str = "a", model: str = MODEL) -> None:
        self.log = Conversation(f"{name:0<32}", name, "claude-code", "anthropic", f"{name}.jsonl", model=model)
        self.tracker = ContextTracker()
        self.model, self.input = model, 1000
        self.add("user", Text(words(6)))

    def add(self, role: Any, *parts: Part, request: int | None = None) -> None:
        index = len(self.log.messages)
        key = f"{self.log.session_id}-{index}"
        self.log.messages.append(Message(index, role, list(parts), index + 1, index + 1, key=key, request=request))
        self.tracker.enter(parts)

    def request(self, growth: int = 0, reasoning: int | None = None, **fields: Any) -> int:
        """A request whose input has grown by so much since the last one."""
        self.input += growth
        index = self.tracker.request()
        usage = Usage(input_tokens=self.input, output_tokens=9, reasoning_output_tokens=reasoning)
        key = f"{self.log.session_id}-r{index}"
        self.log.requests.append(Request(index, "recorded", key, self.model, usage=usage, **fields))
        return index

    def call(self, request: int, result: int, *more: Part) -> int:
        """The response calls a tool, which answers: the estimate is 12 for the call and `result` for the result."""
        index = len(self.log.messages)
        self.add("assistant", *more, ToolCall(f"c{index}", "Read", "a b"), request=request)
        self.add("user", ToolResult(f"c{index}", words(result - 4)))
        return 12 + result

    def talk(self, request: int, question: int) -> int:
        """The response is text of 8 tokens, the next question one of `question` tokens."""
        self.add("assistant", Text(words(4)), request=request)
        self.add("user", Text(words(question - 4)))
        return 8 + question

    def done(self) -> Conversation:
        self.tracker.finish()
        return self.log


def session(pairs: int, name: str = "a", model: str = MODEL, slope: float = 1.25, constant: int = 40) -> Log:
    """`pairs` growths that follow the line exactly: two with a call, then one without."""
    log = Log(name, model)
    last = log.request()
    for number in range(pairs):
        if number % 3 < 2:
            growth = round(slope * log.call(last, 20 + 40 * number)) + constant
        else:
            growth = round(slope * log.talk(last, 12 + 20 * number))
        last = log.request(growth)
    return log


def frames(conversations: Iterable[Conversation], **options: bool) -> Frames:
    tables = Tables(**options)
    for analysis in Analyser(Words()).analyse(list(conversations)):
        tables.add(analysis)
    return tables.frames()


def settled(*conversations: Conversation) -> Settled:
    return settle(frames(conversations))


def line(*logs: Log) -> dict[str, Any]:
    """The only row of the models of these logs."""
    return calibrate(settled(*(log.done() for log in logs))).models.row(0, named=True)


def test_slope_and_constant_are_recovered_exactly() -> None:
    # Of 30 pairs, by hand: the call after 20 tokens grows by 1.25 x 32 + 40 = 80, an error of 48 / 80 before.
    result = calibrate(settled(session(30).done()))
    row = result.models.row(0, named=True)
    assert row["model"] == MODEL
    assert row["pairs"] == 30
    assert (row["slope"], row["constant"]) == (1.25, 40.0)
    assert (row["error"], row["error_90"]) == (0.0, 0.0)
    assert 0.2 < row["error_before"] < 0.3  # a fifth of what is recorded is not in the estimate, and 40 for each call
    assert result.conversations.rows() == [(0, 1.25, 40.0, pytest.approx(0.0, abs=1e-9))]


@settings(max_examples=30, deadline=None)
@given(
    slope=st.sampled_from([0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0]),
    constant=st.integers(0, 300),
    steps=st.lists(st.tuples(st.booleans(), st.integers(1, 2000)), min_size=MIN_PAIRS, max_size=60),
)
def test_any_line_is_recovered_from_any_growth(slope: float, constant: int, steps: list[tuple[bool, int]]) -> None:
    log = Log()
    last = log.request()
    for calls, size in [(True, 5), (True, 900), (False, 7), (False, 30), *steps]:
        estimate = log.call(last, 4 * size + 4) if calls else log.talk(last, 4 * size + 4)
        last = log.request(round(slope * estimate) + (constant if calls else 0))
    row = line(log)
    # Both halves hold pairs of both kinds: the first ones.
    assert (row["pairs"], row["slope"], row["constant"]) == (len(steps) + 4, slope, constant)
    assert row["error"] == pytest.approx(0, abs=0.001)


def test_lines_of_other_providers_and_without_calls() -> None:
    below = line(session(30, slope=0.75, constant=8))
    assert (below["slope"], below["constant"]) == (0.75, 8.0)
    log = Log()
    last = log.request()
    for number in range(24):
        last = log.request(round(1.5 * log.talk(last, 12 + 20 * number)))
    row = line(log)
    assert (row["slope"], row["constant"], row["error"]) == (1.5, 0.0, 0.0)


def test_what_the_log_lacks_does_not_bend_the_line() -> None:
    # Every tenth growth holds a reminder of 500 tokens that the log does not have.
    log = Log()
    last = log.request()
    for number in range(60):
        growth = round(1.25 * log.call(last, 20 + 40 * (number % 12))) + 40
        last = log.request(growth + (500 if number % 10 == 7 else 0))
    row = line(log)
    assert row["slope"] == pytest.approx(1.25, abs=0.005)
    assert row["constant"] == pytest.approx(40, abs=1)
    assert row["error"] < 0.01 < 0.25 < row["error_before"]


def test_too_little_calibrates_nothing() -> None:
    assert line(session(MIN_PAIRS - 1)) == {
        "model": MODEL,
        "pairs": MIN_PAIRS - 1,
        "slope": None,
        "constant": None,
        "error_before": None,
        "error": None,
        "error_90": None,
    }
    assert line(session(MIN_PAIRS))["slope"] == 1.25
    # Two sessions of one model are enough together; neither has an error of its own.
    together = calibrate(settled(session(12, "a").done(), session(12, "b").done()))
    assert together.models["slope"].to_list() == [1.25]
    assert together.conversations["slope"].to_list() == [1.25, 1.25]
    assert together.conversations["error"].to_list() == [None, None]
    assert calibrate(settled()).models.is_empty()


def test_never_across_a_reset_or_where_anything_left() -> None:
    log = session(22)
    compacted = log.tracker.live()
    log.tracker.leave(compacted, "compaction")
    log.add("user", Text(words(4000)))
    log.log.resets.append(log.request(growth=9000))  # input grows, but not by what entered
    for number in range(22):
        last = len(log.log.requests) - 1
        last = log.request(round(1.25 * log.call(last, 20 + 40 * number)) + 40)
    cleared = log.log.messages[-1].parts
    log.tracker.leave(cleared, "clear")
    log.call(last, 2000)
    log.request(growth=1)
    row = line(log)
    assert (row["pairs"], row["slope"], row["constant"], row["error"]) == (44, 1.25, 40.0, 0.0)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda log: log.add("user", Media("image/png", 1000)),
        lambda log: setattr(log, "model", "claude-haiku-4-5"),
        lambda log: setattr(log, "input", log.input - 5000),
        lambda log: log.add("assistant", Thinking("", "signature"), request=len(log.log.requests) - 1),
        lambda log: log.add("user", Other("reference")),
    ],
    ids=["image", "other model", "smaller", "hidden thinking", "nothing readable"],
)
def test_pairs_that_tell_nothing_are_left_out(spoil: Any) -> None:
    log = session(30)
    log.call(30, 400)
    spoil(log)
    log.request(growth=700)
    row = line(log)
    assert (row["pairs"], row["slope"], row["constant"]) == (30, 1.25, 40.0)


def test_requests_that_sample_several_times_are_left_out() -> None:
    log = session(30)
    log.call(30, 400)
    log.request(growth=7000, context_tokens=2000)
    log.call(31, 400)
    log.request(growth=900)
    assert line(log)["pairs"] == 30


def test_copies_do_not_count_again() -> None:
    original, copy = session(30).done(), session(30).done()
    copy.path = "backup/a.jsonl"
    assert calibrate(settled(original, copy)).models["pairs"].to_list() == [30]


def test_reasoning_counts_as_recorded_where_it_stays() -> None:
    # 200 tokens each time, hidden or shown: the text of it is no part of the estimate then.
    log = Log()
    last = log.request(reasoning=200)
    for number in range(24):
        shown = Thinking(words(50) if number % 2 else "", "signature")
        last = log.request(round(1.25 * log.call(last, 20 + 40 * number, shown)) + 40 + 200, reasoning=200)
    row = line(log)
    assert (row["pairs"], row["slope"], row["constant"], row["error"]) == (24, 1.25, 40.0, 0.0)


def test_thinking_that_is_shown_is_estimated_where_no_count_is_recorded() -> None:
    log = Log()
    last = log.request()
    for number in range(24):
        estimate = 54 + log.call(last, 22 + 40 * number, Thinking(words(50), "signature"))
        last = log.request(round(1.25 * estimate) + 40)
    row = line(log)
    assert (row["pairs"], row["slope"], row["constant"], row["error"]) == (24, 1.25, 40.0, 0.0)


def test_no_line_where_it_predicts_no_better_than_the_estimate() -> None:
    # What is held out grows as estimated, the rest by 1.9 times that: each half predicts the other badly.
    log = Log()
    last = log.request()
    for number in range(40):
        held = (number + 1) // 2 % 2 == 0
        last = log.request(round((1 if held else 1.9) * log.talk(last, 92)))
    row = line(log)
    assert (row["error_before"], row["slope"], row["constant"]) == (0.2368, None, None)
    assert row["error"] > 0.4


def test_no_line_where_most_of_what_was_sent_is_not_in_the_log() -> None:
    row = line(session(30, slope=3.0))
    assert (row["pairs"], row["slope"], row["error"]) == (30, None, 0.0)


def test_models_apart_and_any_order_of_files_and_number_of_processes() -> None:
    logs = [session(25, "a"), session(31, "b", slope=1.1, constant=13), session(40, "c", "gpt-5", 0.75, 8)]
    logs += [session(22, "d", "gpt-5", 0.8, 6), session(3, "e", "gemini-2.5-pro")]
    conversations = [log.done() for log in logs]
    expected = calibrate(settle(frames(conversations)))
    assert expected.models.select("model", "pairs").rows() == [("gpt-5", 62), (MODEL, 56), ("gemini-2.5-pro", 3)]
    assert expected.models["slope"].is_not_null().to_list() == [True, True, False]
    parts = merge([frames(conversations[:2]), frames(conversations[2:])])
    assert_frame_equal(calibrate(settle(parts)).models, expected.models, check_exact=True)
    for seed in range(5):
        shuffled = conversations[:]
        random.Random(seed).shuffle(shuffled)
        assert_frame_equal(calibrate(settle(frames(shuffled))).models, expected.models, check_exact=True)


def test_calibrated_tokens_of_blocks() -> None:
    blocks = pl.DataFrame(
        {
            "kind": ["user", "tool_call", "tool_result", "image", "tool_call", "user"],
            "tokens": [100, 12, 33, 0, 4, 2**31 - 1],
            "slope": [1.25, 1.25, 1.25, 1.25, None, 1.25],
            "constant": [40.0, 40.0, 40.0, 40.0, None, 40.0],
        }
    )
    assert blocks.select(calibrated_tokens())["tokens"].to_list() == [125, 55, 41, 0, None, 2**31 - 1]


def test_exported_blocks_add_up_to_the_recorded_growth() -> None:
    log = session(30)
    first, last = log.log.requests[0].usage, log.log.requests[-1].usage
    assert first is not None and last is not None and first.input_tokens is not None and last.input_tokens is not None
    small = session(5, "b", "gemini-2.5-pro")
    tables = exported(settle(frames([log.done(), small.done()], exported=True)), {})
    blocks, conversations = tables["blocks"], tables["conversations"]
    of_first = blocks.filter(pl.col("conversation_id").str.starts_with("a"), pl.col("first_request_index") > 0)
    # Every estimate is a multiple of 4, or two that add up to one: rounding costs a token here and there.
    assert of_first["calibrated_tokens"].sum() == pytest.approx(last.input_tokens - first.input_tokens, abs=30)
    assert blocks.filter(pl.col("conversation_id").str.starts_with("b"))["calibrated_tokens"].null_count() > 0
    assert conversations.sort("conversation_id")["calibration_slope"].to_list() == [1.25, None]
    assert conversations.sort("conversation_id")["calibration_error"].to_list() == [pytest.approx(0.0, abs=1e-9), None]


def test_explained_follows_what_enters_and_leaves() -> None:
    log = Log()
    log.request()
    log.call(0, 50)
    log.add("user", Media("image/png", 10))
    log.request(100)
    log.tracker.leave(log.log.messages[2].parts, "clear")
    log.request()
    contexts = settled(log.done()).contexts
    assert contexts.select("explained_tokens", "calls", "from_messages", "without_text").rows() == [
        (10, 0, 1, 0),
        (72, 1, 4, 1),
        (22, 1, 3, 1),
    ]
    # The call and its result, of 12 and 50 tokens, and an image; then the result leaves.
    assert contexts.select("entered_tokens", "entered_calls", "entered_without_text", "left").rows() == [
        (10, 0, 0, 0),
        (62, 1, 1, 0),
        (0, 0, 0, 1),
    ]


def test_whole_contexts_where_the_log_holds_system_and_tools() -> None:
    whole = session(30, "a")
    whole.log.system = [Text(words(96))]
    whole.log.tools = [Declaration("Read", words(196))]
    without_prefix, other = session(3, "b"), Log("c", "gpt-5")
    other.add("system", Text(words(16)))
    other.request(growth=-963)  # 37 recorded of 10 + 20 counted
    other.add("user", Media("image/png", 10))
    other.request(growth=5000)
    for part in (*whole.log.system, *whole.log.tools):
        part.context = (Interval(0),)
    result = settled(whole.done(), without_prefix.done(), other.done())
    rows = whole_contexts(result, calibrate(result)).rows(named=True)
    # Of `a`, each request records 1,000 + growth, and explains (100 + 200 + 10) x 1.25 = 387.5 + growth.
    assert [(row["model"], row["requests"]) for row in rows] == [(MODEL, 31), ("gpt-5", 1)]
    assert rows[0]["unexplained_tokens"] == pytest.approx(31 * 612.5, abs=31)
    assert rows[0]["recorded_tokens"] - rows[0]["explained_tokens"] == rows[0]["unexplained_tokens"]
    assert rows[1] == {
        "model": "gpt-5",
        "requests": 1,
        "recorded_tokens": 37,
        "explained_tokens": 30,
        "unexplained_tokens": 7,
        "error": 0.1892,
    }


def test_words_for_the_foot() -> None:
    def row(slope: float | None, constant: float | None, error: float | None) -> dict[str, float | None]:
        return {"slope": slope, "constant": constant, "error": error}

    schema = dict.fromkeys(("slope", "constant", "error"), pl.Float64)

    def of(*rows: dict[str, float | None]) -> str:
        return calibration_words(pl.DataFrame(list(rows), schema=schema))

    one = row(1.1448, 61.5, 0.0504)
    assert of(one) == "recorded tokens are x1.14 + 62 a call; half of held-out requests within 5 %"
    assert of(row(0.92, -3.2, 0.06)) == "recorded tokens are x0.92 - 3 a call; half of held-out requests within 6 %"
    assert of(row(1.0, 0.2, 0.0)) == "recorded tokens are x1.00; half of held-out requests within 0 %"
    two = "recorded tokens are x1.14 to 1.17 by model; half of held-out requests within 5 to 6 %"
    assert of(one, row(1.1656, 57, 0.0621)) == two
    assert of(one, row(1.1412, 0, 0.0502)) == "recorded tokens are x1.14 by model; half of held-out requests within 5 %"
    assert of(row(None, None, 0.5)) == of() == ""
