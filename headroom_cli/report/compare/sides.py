"""Exported tables as sessions: one row each, and one row for each signal, tool or model in each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl
import polars.selectors as cs

from headroom_cli.report.known import known_sum

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "files": ("parse_status", "bytes"),
    "conversations": (
        "conversation_id", "session_id", "log_format", "messages", "requests", "context_resets", "entered_tokens",
        "peak_context_tokens", "avoidable_tokens", "avoidable_cost_usd_micros", "lint_errors",
    ),
    "requests": (
        "conversation_id", "model", "usage_source", "input_tokens", "cache_read_input_tokens", "output_tokens",
        "cost_usd_micros",
    ),
    "tool_calls": ("conversation_id", "tool_name", "is_error", "result_tokens", "carried_cost_usd_micros"),
    "waste": ("conversation_id", "signal", "exclusive_tokens", "avoidable_tokens", "avoidable_cost_usd_micros"),
}  # fmt: skip
"""What is read of which exported tables."""

_ID = "conversation_id"
_READ = pl.col("cache_read_input_tokens")
_USAGE = (
    known_sum("input_tokens"),
    known_sum("output_tokens"),
    known_sum("cache_read_input_tokens"),
    pl.col("input_tokens").filter(_READ.is_not_null()).sum().alias("cacheable_tokens"),
)
_ERRORS = {
    "tool_errors": (pl.col("is_error") & pl.col("marks_errors")).sum().cast(pl.Int64),
    "judged_calls": pl.col("marks_errors").sum().cast(pl.Int64),
}


@dataclass(frozen=True, slots=True)
class Side:
    """One of two things to compare: its exported tables, and how they were made. `title` is what the user gave."""

    title: str
    tables: Mapping[str, pl.DataFrame]
    prices: str
    version: str
    redacted: bool = False

    @property
    def conversations(self) -> pl.DataFrame:
        """Those that own anything, each with its session: the client's, or itself where the log tells of none."""
        owning = self.tables["conversations"].filter((pl.col("messages") > 0) | (pl.col("requests") > 0))
        return owning.with_columns(session=pl.coalesce("session_id", _ID))

    def without(self, other: Side) -> Side:
        """This side without the conversations that the other owns."""
        known = other.conversations.select(_ID)
        kept = {
            name: frame.join(known, on=_ID, how="anti", maintain_order="left") if _ID in frame.columns else frame
            for name, frame in self.tables.items()
        }
        return Side(self.title, kept, self.prices, self.version, self.redacted)


def sessions(side: Side) -> pl.DataFrame:
    """One row a session. Costs are NULL where a request with usage has no price; `priced_cost_usd_micros` never is."""
    conversations = side.conversations
    recorded = pl.col("usage_source") == "recorded"
    heads = conversations.group_by("session").agg(
        conversations=pl.len(),
        compactions=pl.col("context_resets").cast(pl.Int64).sum(),
        entered_tokens=pl.col("entered_tokens").sum(),
        peak_context_tokens=pl.col("peak_context_tokens").max(),
        avoidable_tokens=pl.col("avoidable_tokens").sum(),
        avoidable_cost_usd_micros=pl.col("avoidable_cost_usd_micros").sum(),
        lint_errors=pl.col("lint_errors").cast(pl.Int64).sum(),
    )
    parts = [
        _of(side, "requests").group_by("session").agg(
            *_USAGE,
            requests=pl.len().cast(pl.Int64),
            recorded_requests=recorded.sum().cast(pl.Int64),
            unpriced_requests=(recorded & pl.col("cost_usd_micros").is_null()).sum().cast(pl.Int64),
            priced_cost_usd_micros=pl.col("cost_usd_micros").sum(),
        ),
        _of(side, "tool_calls").group_by("session").agg(tool_calls=pl.len().cast(pl.Int64), **_ERRORS),
        _of(side, "waste").group_by("session").agg(rereads=(pl.col("signal") == "reread").sum().cast(pl.Int64)),
    ]  # fmt: skip
    for part in parts:
        heads = heads.join(part, on="session", how="left")
    counts = (
        "requests", "recorded_requests", "unpriced_requests", "priced_cost_usd_micros", "tool_calls", "tool_errors",
        "judged_calls", "rereads",
    )  # fmt: skip
    priced = pl.when(pl.col("recorded_requests") > 0, pl.col("unpriced_requests") == 0)
    return (
        heads.with_columns(pl.col(counts).fill_null(0))
        .with_columns(
            cost_usd_micros=priced.then("priced_cost_usd_micros"),
            avoidable_cost_usd_micros=priced.then("avoidable_cost_usd_micros"),
        )
        .sort("session")
    )


def signals(side: Side) -> pl.DataFrame:
    """One row for each signal found in each session."""
    return _named(side, "waste", "signal").agg(
        findings=pl.len().cast(pl.Int64),
        flagged_tokens=pl.col("exclusive_tokens").sum(),
        avoidable_tokens=pl.col("avoidable_tokens").sum(),
        avoidable_cost_usd_micros=pl.col("avoidable_cost_usd_micros").sum(),
    )


def tools(side: Side) -> pl.DataFrame:
    """One row for each tool called in each session."""
    return _named(side, "tool_calls", "tool_name").agg(
        calls=pl.len().cast(pl.Int64),
        **_ERRORS,
        result_tokens=pl.col("result_tokens").cast(pl.Int64).sum(),
        carried_cost_usd_micros=pl.col("carried_cost_usd_micros").sum(),
    )


def models(side: Side) -> pl.DataFrame:
    """One row for each model in each session."""
    return _named(side, "requests", "model").agg(
        *_USAGE,
        model_requests=pl.len().cast(pl.Int64),
        model_cost_usd_micros=pl.col("cost_usd_micros").sum(),
        priced=pl.col("cost_usd_micros").count().cast(pl.Int64),
        answered=pl.col("output_tokens").count().cast(pl.Int64),
    )


def dense(named: pl.DataFrame, names: Iterable[str], of: pl.DataFrame) -> pl.DataFrame:
    """A row for each name in each session of `of`, zeros where it does not occur.

    With `session_requests`; costs are NULL in sessions whose cost is not known.
    """
    every = pl.DataFrame({"name": list(names)}, schema={"name": pl.String}).join(
        of.select("session", session_requests="requests", is_priced=pl.col("cost_usd_micros").is_not_null()),
        how="cross",
    )
    rows = every.join(named, on=["name", "session"], how="left")
    return rows.with_columns(cs.integer().fill_null(0)).with_columns(
        pl.when("is_priced").then(cs.ends_with("_usd_micros"))
    )


def _of(side: Side, table: str) -> pl.DataFrame:
    """Rows of a table, each with its session; calls with whether logs of their format mark errors at all."""
    rows = side.tables[table].join(side.conversations.select(_ID, "session", "log_format"), on=_ID)
    if table == "tool_calls":
        return rows.with_columns(marks_errors=pl.col("is_error").is_not_null().any().over("log_format"))
    return rows


def _named(side: Side, table: str, column: str) -> pl.dataframe.group_by.GroupBy:
    return _of(side, table).with_columns(name=pl.col(column).fill_null("")).group_by("name", "session")
