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

from headroom_cli.carried import money
from headroom_cli.report.known import known_sum
from headroom_cli.report.words import local
from headroom_cli.settle import Settled
from headroom_cli.waste import cache_rebuilt

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
_TIMES = {"hour": "%H", "day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m"}
_BLOCK = {"tool": "tool_name", "mcp": "mcp_server", "file": "path", "command": "command", "block": "kind"}
DIMENSIONS = (
    "session", "project", "repo", "model", "client", "day", "week", "month", "hour", "tool", "mcp", "file", "agent",
    "command", "kind", "signal", "version", "block", "path",
)  # fmt: skip
_NONE = {
    "tool": "no tool", "mcp": "no server", "file": "no file", "command": "no command", "block": "no block",
    "project": "no project", "agent": "no subagent",
}  # fmt: skip
_RECORDED = (
    "input_tokens", "cache_read_input_tokens", "cache_write_input_tokens", "output_tokens", "cost_usd_micros",
)  # fmt: skip
_REQUEST_SUMS = {
    "requests": pl.len(),
    **{name: known_sum(name) for name in _RECORDED},
    "peak_context_tokens": pl.col("input_tokens").max(),
}
_REQUEST_COLUMNS = tuple(name for name in _RECORDED if name != "input_tokens")
_QUARTER = 900_000_000
_PLACES = ("conversation", "block_index", "message_index", "request_index", "sent_tokens")
_ORDER = (
    "cost_usd_micros", "context_cost_usd_micros", "avoidable_cost_usd_micros", "sent_tokens", "avoidable_tokens",
)  # fmt: skip
_BLOCK_SUMS = {
    "entered_tokens": pl.col("tokens").cast(pl.Int64).sum(),
    "sent_tokens": pl.col("sent_tokens").sum(),
}
_CONTEXT_SUMS = {"context_cost_usd_micros": known_sum("context_cost_usd_micros")}
_IS_READ = (pl.col("block_kind") == "tool_result") & ~pl.col("writes")
_IS_WRITE = (pl.col("block_kind") == "tool_call") & pl.col("writes")
_FILE_SUMS = {
    "reads": _IS_READ.sum(),
    "writes": _IS_WRITE.sum(),
    "last_written_at": pl.col("timestamp").filter(_IS_WRITE).max(),
}
_WASTE_SUMS = {
    "findings": pl.len(),
    "flagged_tokens": pl.col("exclusive_tokens").sum(),
    "avoidable_tokens": pl.col("avoidable_tokens").sum(),
    "carried_tokens": pl.col("carried_tokens").sum(),
    "flagged_cost_usd_micros": known_sum("cost_usd_micros"),
    "avoidable_cost_usd_micros": known_sum("avoidable_cost_usd_micros"),
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
    """One row a group: the dimensions, then the sums that they can tell; most costly first, days latest first.

    Sums of requests are left out where a dimension is one of blocks or findings (a request pays for many of them);
    sums of blocks where one is of findings. Of blocks there is the cost of having them in the context, of files also
    how often they were read and written. NULL is what no request of the group has recorded.
    """
    about_blocks = any(name in _BLOCK for name in dimensions)
    about_waste = "signal" in dimensions
    frames = []
    if not about_blocks and not about_waste:
        requests = settled.requests.filter("own").select(
            "conversation", "model", "timestamp", "input_tokens", *_REQUEST_COLUMNS
        )
        frames.append(_grouped(settled, requests, dimensions, zone, _REQUEST_SUMS))
    blocks = settled.blocks.select(
        "conversation", "block_index", "message_index", "request_index", "tokens", "sent_tokens", "own", "writes",
        block_kind="kind",
        context_cost_usd_micros=money("tokens", "entry_rate") + money("tokens", "carry_rate"),
        **{f"_{name}": column for name, column in _BLOCK.items()},
    )  # fmt: skip
    if not about_waste:
        sums = dict(_BLOCK_SUMS)
        if about_blocks:
            sums |= _CONTEXT_SUMS
        if "file" in dimensions:
            sums |= _FILE_SUMS
        frames.append(_grouped(settled, _placed(settled, blocks.filter("own")), dimensions, zone, sums))
    waste = settled.waste.filter("own").select(
        "conversation", "block_index", "signal", "exclusive_tokens", "avoidable_tokens", "carried_tokens",
        "cost_usd_micros", "avoidable_cost_usd_micros",
    )  # fmt: skip
    places = blocks.select(*_PLACES, *(f"_{name}" for name in _BLOCK))
    # A rebuilt cache is no block's: the one it stands beside is only where the request was answered.
    is_blocks = pl.col("signal") != cache_rebuilt.NAME
    waste = waste.join(places, on=["conversation", "block_index"], how="left").with_columns(
        pl.when(is_blocks).then(f"_{name}").alias(f"_{name}") for name in _BLOCK
    )
    frames.append(_grouped(settled, _placed(settled, waste), dimensions, zone, _WASTE_SUMS))
    result = frames[0]
    for frame in frames[1:]:
        result = result.join(frame, on=list(dimensions), how="full", coalesce=True, nulls_equal=True)
    order = [name for name in _ORDER if name in result.columns]
    counted = ("requests", *_BLOCK_SUMS, *_WASTE_SUMS, "reads", "writes")
    counts = [name for name in counted if name in result.columns and not name.endswith("_usd_micros")]
    keys = [(name, True) for name in order] + [(name, False) for name in dimensions]
    if dimensions[0] in _TIMES:
        keys.insert(0, (dimensions[0], dimensions[0] != "hour"))
    return result.with_columns(pl.col(counts).fill_null(0)).sort(
        [name for name, _ in keys], descending=[descending for _, descending in keys], nulls_last=True
    )


def _placed(settled: Settled, rows: pl.DataFrame) -> pl.DataFrame:
    """Add the time of the block's message and the model of the request that made it."""
    times = settled.messages.select("conversation", "message_index", "timestamp")
    models = settled.requests.select("conversation", "request_index", "model")
    return rows.join(times, on=["conversation", "message_index"], how="left").join(
        models, on=["conversation", "request_index"], how="left"
    )


def _grouped(
    settled: Settled,
    rows: pl.DataFrame,
    dimensions: Sequence[str],
    zone: tzinfo | None,
    sums: dict[str, pl.Expr],
) -> pl.DataFrame:
    """Sums over `rows` by dimensions; rows of a conversation that is not selected are left out."""
    headers = settled.conversations.select(
        "conversation", *(_header(name).alias(f"_{name}") for name in (*_CONVERSATION, "model", "start"))
    )
    joined = rows.join(headers, on="conversation", how="inner")
    for name in dimensions:
        if name in _TIMES:
            joined = _with_time(joined, name, zone)
    keys = [_key(name).alias(name) for name in dimensions]
    return joined.group_by(keys).agg(**sums)


def _header(name: str) -> pl.Expr:
    if name == "session":
        return pl.coalesce("session_id", "conversation_id")
    if name == "agent":
        return pl.coalesce("agent_name", pl.when(pl.col("kind") == "subagent").then(pl.lit("unnamed")))
    return pl.col({"model": "model", "start": "started_at", **_CONVERSATION}[name])


def _key(name: str) -> pl.Expr:
    if name == "signal":
        return pl.col("signal")
    return pl.coalesce("model", "_model") if name == "model" else pl.col(f"_{name}")


def _with_time(rows: pl.DataFrame, unit: str, zone: tzinfo | None) -> pl.DataFrame:
    """Add a label of the time: of the request or message, else of the conversation's start.

    Labelled by quarters of an hour: no zone changes its day within one.
    """
    rows = rows.with_columns(_quarter=pl.coalesce("timestamp", "_start") // _QUARTER)
    quarters = rows["_quarter"].unique().drop_nulls()
    labels = [local(quarter * _QUARTER, zone).strftime(_TIMES[unit]) for quarter in quarters]
    named = pl.DataFrame({"_quarter": quarters, f"_{unit}": pl.Series(labels, dtype=pl.String)})
    return rows.join(named, on="_quarter", how="left").drop("_quarter")


def rows_for_people(table: pl.DataFrame, dimensions: Sequence[str]) -> list[dict[str, Any]]:
    """The rows as dicts, with words or a dash where a dimension has no value."""
    return [
        {name: (_NONE.get(name, "-") if value is None and name in dimensions else value) for name, value in row.items()}
        for row in table.iter_rows(named=True)
    ]
