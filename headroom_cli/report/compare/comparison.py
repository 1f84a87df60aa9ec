"""Two sides compared: every figure, and the signals, tools and models in which something changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import polars as pl

from headroom_cli.report.compare import sides
from headroom_cli.report.compare.measures import Measure, Measured, Verdict, measured
from headroom_cli.report.compare.sides import Side
from headroom_cli.report.words import plural

FIGURES = (
    Measure("requests", "requests", "count"),
    Measure("cost_usd_micros", "cost_usd_micros", "usd_micros", "less"),
    Measure("input_tokens", "input_tokens", "tokens", "less"),
    Measure("output_tokens", "output_tokens", "tokens"),
    Measure("cache_read_share", "cache_read_input_tokens", "share", "more", per="cacheable_tokens"),
    Measure("peak_context_tokens", "peak_context_tokens", "tokens", "less"),
    Measure("entered_tokens", "entered_tokens", "tokens"),
    Measure("avoidable_tokens", "avoidable_tokens", "tokens", "less"),
    Measure("avoidable_share", "avoidable_tokens", "share", "less", per="entered_tokens"),
    Measure("avoidable_cost_usd_micros", "avoidable_cost_usd_micros", "usd_micros", "less"),
    Measure("avoidable_cost_share", "avoidable_cost_usd_micros", "share", "less", per="cost_usd_micros"),
    Measure("tool_calls", "tool_calls", "count"),
    Measure("tool_error_share", "tool_errors", "share", "less", per="judged_calls"),
    Measure("rereads", "rereads", "count", "less"),
    Measure("compactions", "compactions", "count", "less"),
    Measure("lint_errors", "lint_errors", "count", "less"),
)
"""What is measured of sessions."""

TOTALS = (
    "conversations", "requests", "priced_cost_usd_micros", "input_tokens", "cache_read_input_tokens", "output_tokens",
    "entered_tokens", "avoidable_tokens", "tool_calls", "tool_errors", "rereads", "compactions", "lint_errors",
    "recorded_requests", "unpriced_requests",
)  # fmt: skip

_EACH = "session_requests"


@dataclass(frozen=True, slots=True)
class Dimension:
    """What is compared by name. The first measure is what it is about; rows are in the order of `by`'s differences."""

    name: str
    rows: Callable[[Side], pl.DataFrame]
    measures: tuple[Measure, ...]
    by: tuple[str, ...]


DIMENSIONS = (
    Dimension(
        "signals",
        sides.signals,
        (
            Measure("avoidable_tokens_per_100_requests", "avoidable_tokens", "tokens", "less", _EACH, 100),
            Measure("avoidable_cost_per_100_requests", "avoidable_cost_usd_micros", "usd_micros", "less", _EACH, 100),
            Measure("flagged_tokens_per_100_requests", "flagged_tokens", "tokens", "less", _EACH, 100),
            Measure("findings_per_100_requests", "findings", "count", "less", _EACH, 100),
        ),
        ("avoidable_tokens_per_100_requests", "flagged_tokens_per_100_requests"),
    ),
    Dimension(
        "tools",
        sides.tools,
        (
            Measure("result_tokens_per_call", "result_tokens", "tokens", "less", "calls"),
            Measure("calls_per_100_requests", "calls", "count", None, _EACH, 100),
            Measure("error_share", "tool_errors", "share", "less", "judged_calls"),
            Measure("carried_cost_per_call", "carried_cost_usd_micros", "usd_micros", "less", "calls"),
            Measure("result_tokens_per_100_requests", "result_tokens", "tokens", None, _EACH, 100),
        ),
        ("result_tokens_per_100_requests", "calls_per_100_requests"),
    ),
    Dimension(
        "models",
        sides.models,
        (
            Measure("cost_per_request", "model_cost_usd_micros", "usd_micros", "less", "priced"),
            Measure("request_share", "model_requests", "share", None, _EACH),
            Measure("cache_read_share", "cache_read_input_tokens", "share", "more", "cacheable_tokens"),
            Measure("output_tokens_per_request", "output_tokens", "tokens", None, "answered"),
            Measure("cost_per_100_requests", "model_cost_usd_micros", "usd_micros", None, _EACH, 100),
        ),
        ("cost_per_100_requests", "request_share"),
    ),
)


@dataclass(frozen=True, slots=True)
class Row:
    """A signal, tool or model, and its measures by name; `only` is the side that has it, where one has not."""

    name: str
    only: str | None
    measures: dict[str, Measured]

    @property
    def verdict(self) -> Verdict | None:
        """What its measures say together: `mixed` where some are better and some worse."""
        said = {measured.verdict for measured in self.measures.values()} - {None}
        told = said - {"same"}
        return told.pop() if len(told) == 1 else "mixed" if told else "same" if said else None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that is told of two sides. `totals` are sums over each; `changed` holds rows by dimension."""

    a: Side
    b: Side
    totals: tuple[dict[str, int], dict[str, int]]
    figures: dict[str, Measured]
    changed: dict[str, list[Row]]
    shared_conversations: int
    notes: list[str]


def compare(a: Side, b: Side) -> Comparison:
    """Compare two sides, each with at least one session."""
    of_a, of_b = sides.sessions(a), sides.sessions(b)
    shared = len(a.conversations.join(b.conversations, on="conversation_id", how="semi"))
    totals = _totals(of_a), _totals(of_b)
    return Comparison(
        a,
        b,
        totals,
        {measure.name: measured(measure, of_a, of_b) for measure in FIGURES},
        {dimension.name: _changed(dimension, (a, of_a), (b, of_b)) for dimension in DIMENSIONS},
        shared,
        _notes(a, b, totals, shared),
    )


def _totals(sessions: pl.DataFrame) -> dict[str, int]:
    return {"sessions": len(sessions), **{name: int(sessions[name].sum()) for name in TOTALS}}


def _changed(dimension: Dimension, a: tuple[Side, pl.DataFrame], b: tuple[Side, pl.DataFrame]) -> list[Row]:
    """Rows in which a measure differs, the largest difference first."""
    found = [dimension.rows(side) for side, _ in (a, b)]
    held = [set(rows["name"]) for rows in found]
    names = sorted(held[0] | held[1])
    every = [
        sides.dense(rows, names, of).partition_by("name", as_dict=True)
        for rows, (_, of) in zip(found, (a, b), strict=True)
    ]
    rows = []
    for name in names:
        measures = {m.name: measured(m, every[0][name,], every[1][name,]) for m in dimension.measures}
        only = None if name in held[0] & held[1] else "a" if name in held[0] else "b"
        if only or any(found.differs for found in measures.values()):
            rows.append(Row(name, only, measures))

    def largest(row: Row) -> tuple[float | str, ...]:
        return (*(-abs(row.measures[name].difference or 0) for name in dimension.by), row.name)

    return sorted(rows, key=largest)


def _notes(a: Side, b: Side, totals: tuple[dict[str, int], dict[str, int]], shared: int) -> list[str]:
    """What to bear in mind: what both hold, what was made differently, what is not known."""
    said = []
    if shared:
        said.append(f"{plural(shared, 'conversation')} of B {'is' if shared == 1 else 'are'} in A too: --only-new.")
    if a.prices != b.prices:
        said.append(f"Costs are by different prices: A {a.prices}, B {b.prices}.")
    if a.version != b.version:
        said.append(f"A was made by headroom {a.version}, B by {b.version}: definitions may differ.")
    if a.redacted or b.redacted:
        said.append("Names are redacted: those of tools match only under the same key.")
    return [*said, *_not_known("A", a, totals[0]), *_not_known("B", b, totals[1])]


def _not_known(letter: str, side: Side, sums: dict[str, int]) -> Iterator[str]:
    unread = len(side.tables["files"].filter(pl.col("parse_status") == "skipped", pl.col("bytes") > 0))
    requests, recorded, unpriced = (sums[name] for name in ("requests", "recorded_requests", "unpriced_requests"))
    if unread:
        yield f"{letter}: {plural(unread, 'file')} could not be read."
    if recorded < requests:
        yield f"{letter}: usage is recorded for {recorded:,} of {plural(requests, 'request')}."
    if unpriced:
        yield f"{letter}: {plural(unpriced, 'request')} without a price; no cost is told of their sessions."
