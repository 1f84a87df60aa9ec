"""How far estimates of tokens lie from what providers count: one line for each model, fitted to what a log records.

Between two requests the context grows by what entered it. Where both record their input, that growth is compared with
the estimate of what entered: `growth = slope * estimate + constant * calls + reasoning`. The slope is the difference
between tokenizers; the constant, what a call of a tool and its result cost beside their text. Reasoning that stays in
the context counts as recorded, where it is. The fit minimises relative absolute errors, so that reminders and thinking
which a log lacks do not bend it. Requests that were held out tell how good it is. See `docs/calibration.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import polars as pl
import polars.selectors as cs

from headroom_cli.settle import Settled

MIN_PAIRS = 20
"""Fewer pairs of requests calibrate nothing: not a model, and not the error of a conversation."""

_PLAUSIBLE_SLOPE = (0.5, 2.0)
_MOST_OF_A_CALL = 1000.0  # tokens beside its text
_ROUNDS = 10
_SMALL = 100.0  # tokens: an error in less than this counts as one in this
_NEAR = 0.01  # relative errors below this weigh alike: the fit settles in few rounds
_SINGULAR = 1e-9
_REQUEST = ["conversation", "request_index"]

_Part = Literal["all", "held", "not held"]
_PARTS = get_args(_Part)
_Line = tuple[float, float]  # slope and constant

_MODELS = {
    "model": pl.String(),
    "pairs": pl.Int64(),
    "slope": pl.Float64(),
    "constant": pl.Float64(),
    "error_before": pl.Float64(),
    "error": pl.Float64(),
    "error_90": pl.Float64(),
}


@dataclass(frozen=True, slots=True)
class Calibration:
    """By model and by conversation.

    `models`: how many `pairs` of requests could be compared, `slope`, `constant` (tokens for each call), and errors
    relative to the recorded growth: `error_before`, the median error of the estimate alone; `error`, that of held-out
    requests; `error_90`, which nine in ten of them stay below. Most pairs first. `slope` and `constant` are NULL, and
    estimates stay as they are, with fewer than `MIN_PAIRS` pairs, where held-out requests are not predicted better, and
    where the line is no tokenizer's (a slope below 0.5 or above 2: the log lacks most of what was sent).

    `conversations`: the line of each one's model, and `error`, the median over its own held-out requests.
    """

    models: pl.DataFrame
    conversations: pl.DataFrame


def calibrate(settled: Settled) -> Calibration:
    """Compare recorded growth with estimates, over own requests. The order of files makes no difference."""
    # Sums in another order have other last digits.
    pairs = _pairs(settled).sort("model", pl.exclude("conversation", "model"))
    lines = _lines(pairs)
    rows: list[dict[str, object]] = []
    tested = [pl.DataFrame(schema={"conversation": pl.Int32, "error": pl.Float64})]
    for (model,), of_model in sorted(pairs.group_by("model"), key=lambda item: (-len(item[1]), item[0])):
        row, errors = _calibrated(of_model, {part: lines[model, part] for part in _PARTS if (model, part) in lines})
        rows.append({"model": model, **row})
        if errors is not None:
            tested.append(of_model.select("conversation", error=errors))
    models = pl.DataFrame(rows, schema=_MODELS)
    by_conversation = (
        pl.concat(tested)
        .group_by("conversation")
        .agg(error=pl.when(pl.len() >= MIN_PAIRS).then(pl.col("error").median()))
    )
    conversations = (
        settled.conversations.select("conversation", "model")
        .join(models.select("model", "slope", "constant"), on="model", how="left")
        .join(by_conversation, on="conversation", how="left")
        .select("conversation", "slope", "constant", error=pl.when(pl.col("slope").is_not_null()).then("error"))
    )
    return Calibration(models, conversations)


def calibrated_tokens() -> pl.Expr:
    """The tokens of blocks beside which `slope` and `constant` stand: NULL where these are."""
    exact = pl.col("tokens") * pl.col("slope") + pl.when(pl.col("kind") == "tool_call").then("constant").otherwise(0.0)
    return exact.round().clip(0, 2**31 - 1)


def whole_contexts(settled: Settled, calibration: Calibration) -> pl.DataFrame:
    """By model, over own requests of which the log holds everything as text: recorded input against the estimate.

    These are requests with system prompt or tool schemas and messages in the log, and no images. Columns: `requests`,
    `recorded_tokens`, `explained_tokens` (calibrated where the model is), `unexplained_tokens` (recorded less
    explained), `error` (the median over requests, relative to what is recorded).
    """
    systems = settled.messages.filter(pl.col("role") == "system").select("conversation", "message_index")
    prefixes = settled.blocks.filter(pl.col("kind") == "system").select("conversation", "message_index")
    outside = prefixes.filter(pl.col("message_index") == -1)
    with_prefix = pl.concat([outside, prefixes.join(systems, on=["conversation", "message_index"], how="semi")])
    calibrated = pl.col("explained_tokens") * pl.col("slope") + pl.col("calls") * pl.col("constant")
    return (
        settled.requests.select("conversation", "own", "model", "input_tokens", "context_tokens")
        .with_columns(settled.contexts.select("explained_tokens", "calls", "from_messages", "without_text"))
        .filter("own", pl.col("input_tokens") > 0, pl.col("context_tokens").is_null())
        .filter(pl.col("from_messages") > 0, pl.col("without_text") == 0)
        .join(with_prefix, on="conversation", how="semi")
        .join(calibration.models.select("model", "slope", "constant"), on="model", how="left")
        .with_columns(explained_tokens=pl.coalesce(calibrated.round().cast(pl.Int64), "explained_tokens"))
        .with_columns(unexplained_tokens=pl.col("input_tokens") - pl.col("explained_tokens"))
        .group_by("model")
        .agg(
            requests=pl.len().cast(pl.Int64),
            recorded_tokens=pl.col("input_tokens").sum(),
            explained_tokens=pl.col("explained_tokens").sum(),
            unexplained_tokens=pl.col("unexplained_tokens").sum(),
            error=(pl.col("unexplained_tokens").abs() / pl.col("input_tokens")).median().round(4),
        )
        .sort("recorded_tokens", "model", descending=[True, False], nulls_last=True)
    )


def _pairs(settled: Settled) -> pl.DataFrame:
    """Two requests of one model that follow each other, where all that entered in between is known by its text.

    Nothing left the context, and it grew. `estimate` is that of all that entered. `reasoning` is a recorded count, of
    what stayed in the context; `text` is the estimate of the rest. `held` parts the pairs in two halves.
    """
    requests = settled.requests.select(
        *_REQUEST, "own", "model", "input_tokens", "context_tokens", reasoning="reasoning_output_tokens"
    )
    before = {name: pl.col(name).shift(1) for name in requests.columns}
    resets = settled.conversations.select("conversation", request_index="resets").explode("request_index")
    is_counted = (pl.col("entered_thinking") > 0) & pl.col("reasoning").is_not_null()
    return (
        requests.with_columns(settled.contexts.select(cs.starts_with("entered_"), "left"))
        .with_columns(
            growth=pl.col("input_tokens").cast(pl.Float64) - before["input_tokens"], reasoning=before["reasoning"]
        )
        .filter(
            pl.col("own") & before["own"],
            pl.col("conversation") == before["conversation"],
            pl.col("model") == before["model"],
            # Where a request samples several times, its input is counted several times.
            pl.col("context_tokens").is_null() & before["context_tokens"].is_null(),
            pl.col("growth") > 0,
            pl.col("left") == 0,
            pl.col("entered_tokens") > 0,
            pl.col("entered_without_text") == pl.col("entered_hidden"),
            (pl.col("entered_hidden") == 0) | is_counted,
        )
        .join(resets, on=_REQUEST, how="anti")
        .select(
            "conversation",
            "model",
            "growth",
            estimate=pl.col("entered_tokens").cast(pl.Float64),
            calls=pl.col("entered_calls").cast(pl.Float64),
            text=pl.col("entered_tokens") - pl.when(is_counted).then("entered_thinking_tokens").otherwise(0.0),
            reasoning=pl.when(is_counted).then(pl.col("reasoning").cast(pl.Float64)).otherwise(0.0),
            held=pl.col("request_index") // 2 % 2 == 0,
        )
    )


def _calibrated(pairs: pl.DataFrame, lines: dict[_Part, _Line]) -> tuple[dict[str, float | None], pl.Series | None]:
    """The row of a model, and the error of each pair where it was held out; None where there are too few."""
    row: dict[str, float | None] = {"pairs": len(pairs)}
    if len(pairs) < MIN_PAIRS or len(lines) < len(_PARTS):
        return row, None
    growth = pairs["growth"]
    predicted = _predicted(pairs, lines["not held"]).zip_with(pairs["held"], _predicted(pairs, lines["held"]))
    errors = (predicted - growth).abs() / growth
    before, error = _quantile((pairs["estimate"] - growth).abs() / growth, 0.5), _quantile(errors, 0.5)
    row |= {"error_before": before, "error": error, "error_90": _quantile(errors, 0.9)}
    slope, constant = (round(value, digits) for value, digits in zip(lines["all"], (4, 2), strict=True))
    low, high = _PLAUSIBLE_SLOPE
    if low <= slope <= high and abs(constant) <= _MOST_OF_A_CALL and error <= before:
        row |= {"slope": slope, "constant": constant}
    return row, errors


def _quantile(errors: pl.Series, share: float) -> float:
    return round(errors.quantile(share, "linear") or 0.0, 4)


def _predicted(pairs: pl.DataFrame, line: _Line) -> pl.Series:
    slope, constant = line
    return pairs["text"] * slope + pairs["calls"] * constant + pairs["reasoning"]


def _lines(pairs: pl.DataFrame) -> dict[tuple[str, _Part], _Line]:
    """The line through each part of the pairs of each model, all fitted at once.

    It has the least sum of relative absolute errors, found by least squares, reweighted.
    """
    scale = 1.0 / (pl.col("estimate") + _SMALL)
    part = pl.when("held").then(pl.lit("held")).otherwise(pl.lit("not held"))
    fitted = pl.concat([pairs.with_columns(part=pl.lit("all")), pairs.with_columns(part=part)]).select(
        "model",
        "part",
        text=pl.col("text") * scale,
        calls=pl.col("calls") * scale,
        rest=(pl.col("growth") - pl.col("reasoning")) * scale,
        weight=pl.lit(1.0),
    )
    text, calls, rest, weight = (pl.col(name) for name in ("text", "calls", "rest", "weight"))
    tt, tc, cc, tr, cr = (pl.col(name) for name in ("tt", "tc", "cc", "tr", "cr"))
    determinant = tt * cc - tc * tc
    # Else there are no calls, or always as many as the text tells.
    has_both = determinant > _SINGULAR * tt * cc
    error = rest - text * pl.col("slope") - calls * pl.col("constant")
    for _ in range(_ROUNDS):
        lines = (
            fitted.group_by("model", "part", maintain_order=True)
            .agg(
                tt=(weight * text * text).sum(),
                tc=(weight * text * calls).sum(),
                cc=(weight * calls * calls).sum(),
                tr=(weight * text * rest).sum(),
                cr=(weight * calls * rest).sum(),
            )
            .select(
                "model",
                "part",
                slope=pl.when(has_both)
                .then((tr * cc - cr * tc) / determinant)
                .when(tt != 0)
                .then(tr / tt)
                .otherwise(0),
                constant=pl.when(has_both).then((cr * tt - tr * tc) / determinant).otherwise(0.0),
            )
        )
        fitted = (
            fitted.join(lines, on=["model", "part"], maintain_order="left")
            .with_columns(weight=(error * error + _NEAR * _NEAR) ** -0.5)
            .drop("slope", "constant")
        )
    return {(model, part): (slope, constant) for model, part, slope, constant in lines.iter_rows()}
