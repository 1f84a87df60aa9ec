"""`--by`: the one way to regroup. Every grouping sums the same owned rows, so totals agree between views.

A dimension of requests (session, project, model, day …) groups usage, cost and tokens; a dimension of blocks (tool,
file, mcp, kind, command) groups tokens entered, sent and wasted, since one request pays for many blocks.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from datetime import tzinfo
from typing import Any

import polars as pl

from headroom_cli.report.words import local
from headroom_cli.settle import Settled

_CONVERSATION = {
    "session": "session",
    "project": "project",
    "repo": "repo_url",
    "client": "client",
    "agent": "agent_name",
    "version": "client_version",
    "kind": "kind",
    "path": "path",
}
_TIMES = ("hour", "day", "week", "month")
_BLOCK = {"tool": "tool_name", "mcp": "mcp_server", "file": "file", "command": "command", "block": "block_kind"}
DIMENSIONS = (
    "session", "project", "repo", "model", "client", "day", "week", "month", "hour", "tool", "mcp", "file", "agent",
    "command", "kind", "signal", "version", "block", "path",
)  # fmt: skip
NONE_LABEL = "-"
_REQUEST_SUMS = {
    "requests": pl.len(),
    "input_tokens": pl.col("input_tokens").sum(),
    "cache_read_input_tokens": pl.col("cache_read_input_tokens").sum(),
    "cache_write_input_tokens": pl.col("cache_write_input_tokens").sum(),
    "output_tokens": pl.col("output_tokens").sum(),
    "cost_usd_micros": pl.when(pl.col("cost_usd_micros").is_not_null().any()).then(pl.col("cost_usd_micros").sum()),
    "peak_context_tokens": pl.col("input_tokens").max(),
}
_BLOCK_SUMS = {
    "entered_tokens": pl.col("tokens").cast(pl.Int64).sum(),
    "sent_tokens": pl.col("sent_tokens").sum(),
}
_WASTE_SUMS = {
    "findings": pl.len(),
    "flagged_tokens": pl.col("exclusive_tokens").sum(),
    "avoidable_tokens": pl.col("avoidable_tokens").sum(),
    "carried_tokens": pl.col("carried_tokens").sum(),
}


def parse_dimensions(given: Sequence[str]) -> list[str]:
    """Names from `--by` options, each possibly a comma list; raises `ValueError` with the nearest name."""
    names = [name.strip() for option in given for name in option.split(",") if name.strip()]
    for name in names:
        if name not in DIMENSIONS:
            near = difflib.get_close_matches(name, DIMENSIONS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(DIMENSIONS)}"
            raise ValueError(f"no dimension is called {name!r}; {hint}")
    return list(dict.fromkeys(names))


def grouped(settled: Settled, dimensions: Sequence[str], zone: tzinfo | None) -> pl.DataFrame:
    """One row a group: the dimensions, then the sums that they can tell, most costly first.

    Sums of requests are left out where a dimension is one of blocks or findings (a request pays for many of them);
    sums of blocks where one is of findings.
    """
    about_blocks = any(name in _BLOCK for name in dimensions)
    about_waste = "signal" in dimensions
    headers = _headers(settled)
    frames = []
    if not about_blocks and not about_waste:
        frames.append(_sums(_labelled(settled.requests.filter("own"), headers, zone), dimensions, _REQUEST_SUMS))
    if not about_waste:
        blocks = _with_time_and_model(settled, settled.blocks.filter("own"))
        frames.append(_sums(_labelled(blocks, headers, zone), dimensions, _BLOCK_SUMS))
    places = settled.blocks.select("conversation", "block_index", block_kind="kind", file="path", command="command")
    waste = settled.waste.filter("own").join(places, on=["conversation", "block_index"], how="left")
    waste = _with_time_and_model(settled, waste)
    frames.append(_sums(_labelled(waste, headers, zone), dimensions, _WASTE_SUMS))
    result = frames[0]
    for frame in frames[1:]:
        result = result.join(frame, on=list(dimensions), how="full", coalesce=True, nulls_equal=True)
    order = [name for name in ("cost_usd_micros", "sent_tokens", "avoidable_tokens") if name in result.columns]
    counts = [name for name in result.columns if name not in dimensions and name != "cost_usd_micros"]
    return result.with_columns(pl.col(counts).fill_null(0)).sort(
        [*order, *dimensions], descending=[True] * len(order) + [False] * len(dimensions), nulls_last=True
    )


def _headers(settled: Settled) -> pl.DataFrame:
    session = pl.coalesce("session_id", "conversation_id").alias("session")
    columns = {column for name, column in _CONVERSATION.items() if name not in ("session", "path")}
    return settled.conversations.select(
        "conversation", session, *sorted(columns), conversation_model="model", source="path", start="started_at"
    )


def _with_time_and_model(settled: Settled, rows: pl.DataFrame) -> pl.DataFrame:
    times = settled.messages.select("conversation", "message_index", "timestamp")
    joined = rows.join(times, on=["conversation", "message_index"], how="left")
    if "request_index" not in joined.columns:
        return joined
    models = settled.requests.select("conversation", "request_index", "model")
    return joined.join(models, on=["conversation", "request_index"], how="left")


def _labelled(rows: pl.DataFrame, headers: pl.DataFrame, zone: tzinfo | None) -> pl.DataFrame:
    """Add a column for each dimension, named as the dimension."""
    if "kind" in rows.columns:
        rows = rows.rename({"kind": "block_kind", "path": "file"})
    joined = rows.join(headers, on="conversation", how="inner")
    renamed = {"repo_url": "repo", "agent_name": "agent", "client_version": "version", "source": "path"}
    blocks = {"tool_name": "tool", "mcp_server": "mcp", "block_kind": "block"}
    columns = {old: new for old, new in {**renamed, **blocks}.items() if old in joined.columns}
    time = pl.coalesce("timestamp", "start")
    return joined.with_columns(
        pl.coalesce("model", "conversation_model").alias("model"),
        *(_time_label(time, unit, zone).alias(unit) for unit in _TIMES),
    ).rename(columns)


def _time_label(time: pl.Expr, unit: str, zone: tzinfo | None) -> pl.Expr:
    pattern = {"hour": "%H", "day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m"}[unit]
    hour = 3_600_000_000

    def label(hours: int) -> str:
        return local(hours * hour, zone or None).strftime(pattern)

    # An hour never spans two days; zones that are not whole hours off are rounded to the hour they fall into.
    return (time // hour).map_elements(label, return_dtype=pl.String)


def _sums(rows: pl.DataFrame, dimensions: Sequence[str], sums: dict[str, pl.Expr]) -> pl.DataFrame:
    return rows.group_by(list(dimensions)).agg(**sums)


def rows_for_people(table: pl.DataFrame, dimensions: Sequence[str]) -> list[dict[str, Any]]:
    """The rows as dicts, with a dash where a dimension is not known."""
    return [
        {name: (NONE_LABEL if value is None and name in dimensions else value) for name, value in row.items()}
        for row in table.iter_rows(named=True)
    ]
