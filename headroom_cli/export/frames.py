"""Settled rows to the exported tables: keys, names and types of `schema`, owned rows only, in a fixed order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
import polars.selectors as cs

from headroom_cli.calibration import calibrate, calibrated_tokens
from headroom_cli.carried import money
from headroom_cli.export.files import file_id, files_table, labels_by_path
from headroom_cli.export.schema import TABLES, TEXTS, Table, Type
from headroom_cli.export.state import Known
from headroom_cli.settle import Settled

DEFINITION_VERSION = 1
"""The version of the definitions in docs/signals.md that findings follow."""

_FIRST_REQUEST = pl.coalesce("request_index", "first_request_index")
_IDLE_LIMIT = 300_000_000  # microseconds: a longer gap between two requests is no work
_MIN_HASHED_BYTES = 64
_TYPES: dict[Type, pl.DataType] = {
    "string": pl.String(),
    "int32": pl.Int32(),
    "int64": pl.Int64(),
    "double": pl.Float64(),
    "boolean": pl.Boolean(),
    "timestamp": pl.Datetime("us", "UTC"),
    "date": pl.Date(),
    "list<string>": pl.List(pl.String()),
}
_PROVIDERS = {
    "anthropic": "anthropic",
    "bedrock": "aws.bedrock",
    "gemini": "gcp.gemini",
    "openai": "openai",
    "openai-responses": "openai",
}
_SUMMED = (
    "input_tokens",
    "uncached_input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
)


def exported(
    settled: Settled,
    known: Mapping[str, Known],
    *,
    texts: pl.DataFrame | None = None,
) -> dict[str, pl.DataFrame]:
    """All tables, by name, from rows that were gathered with every column. `known` are the files they came from.

    `texts` asks for the table of texts; without it, hashes of short texts are left out.
    """
    labels = labels_by_path(known)
    headers = _headers(settled, labels)
    label_names = [name for name in labels.columns if name != "path"]
    calibrated = calibrate(settled).conversations
    requests = _requests(settled, headers)
    blocks = _blocks(settled, headers, calibrated)
    messages = _messages(settled, headers, blocks)
    calls = _tool_calls(settled, headers)
    waste = _waste(settled, headers)
    found = _diagnostics(settled)
    tables = {
        "files": files_table(known),
        "requests": requests,
        "messages": messages,
        "blocks": blocks,
        "tool_calls": calls,
        "waste": waste,
        "diagnostics": found,
        "tools": _tools(settled),
        "daily": _daily(requests, calls, waste, blocks, label_names),
    }
    tables["conversations"] = _conversations(settled, headers, calibrated, requests, messages, blocks, waste, found)
    result = {name: _conformed(tables[name], table, label_names) for name, table in TABLES.items()}
    if texts is None:
        short = pl.when(pl.col("bytes") >= _MIN_HASHED_BYTES).then("content_hash")
        result["blocks"] = result["blocks"].with_columns(content_hash=short)
    else:
        held = texts.join(result["blocks"].select("content_hash"), on="content_hash", how="semi")
        result["texts"] = _conformed(held, TEXTS, ())
    return result


def schema_of(table: Table) -> dict[str, pl.DataType]:
    """The Polars type of each column."""
    return {column.name: _TYPES[column.type] for column in table.columns}


def _conformed(frame: pl.DataFrame, table: Table, labels: Sequence[str]) -> pl.DataFrame:
    """The columns of the schema, in its order and types, rows in the table's order; labels come last."""
    columns = [pl.col(name).cast(kind) for name, kind in schema_of(table).items()]
    if table.labelled:
        columns += [pl.col(name) for name in labels]
    return frame.select(columns).sort(table.order, nulls_last=True, maintain_order=True)


def _headers(settled: Settled, labels: pl.DataFrame) -> pl.DataFrame:
    """What rows of every table need of their conversation."""
    providers = pl.col("dialect").replace_strict(_PROVIDERS, default=pl.col("dialect"), return_dtype=pl.String)
    return settled.conversations.join(labels, on="path", how="left").select(
        "conversation",
        "conversation_id",
        "client",
        "project",
        "session_id",
        cs.starts_with("label_"),
        provider_name=providers,
        start_date=_time("started_at").dt.date(),
        main_model="model",
    )


def _row_id(index: str) -> pl.Expr:
    return pl.format("{}:{}", "conversation_id", index)


def _time(name: str) -> pl.Expr:
    return pl.from_epoch(name, time_unit="us").dt.replace_time_zone("UTC")


def _requests(settled: Settled, headers: pl.DataFrame) -> pl.DataFrame:
    return (
        settled.requests.with_columns(settled.contexts["explained_tokens"])
        .filter("own")
        .join(headers, on="conversation", how="inner")
        .with_columns(
            request_id=_row_id("request_index"),
            ended_at=_time("timestamp"),
            finish_reason="stop_reason",
            usage_source=pl.when("has_usage").then(pl.lit("recorded")).otherwise(pl.lit("none")),
            context_tokens=pl.coalesce("context_tokens", "input_tokens"),
        )
        .with_columns(unexplained_tokens=pl.col("context_tokens") - pl.col("explained_tokens"))
    )


def _blocks(settled: Settled, headers: pl.DataFrame, calibrated: pl.DataFrame) -> pl.DataFrame:
    stays = settled.intervals.group_by("conversation", "block_index").agg(
        first_request_index=pl.col("enters").min(),
        last_request_index=pl.when(pl.col("leaves").is_null().any()).then(None).otherwise(pl.col("leaves").max() - 1),
        left_by=pl.when(pl.col("leaves").is_not_null().all()).then(pl.col("left_by").sort_by("leaves").last()),
    )
    return (
        settled.blocks.filter("own")
        .join(headers, on="conversation", how="inner")
        .join(stays, on=["conversation", "block_index"], how="left")
        .join(calibrated, on="conversation", how="left")
        .with_columns(
            block_id=_row_id("block_index"),
            calibrated_tokens=calibrated_tokens(),
            entry_cost_usd_micros=money("tokens", "entry_rate"),
            carried_cost_usd_micros=money("tokens", "carry_rate"),
            content_hash=pl.when(pl.col("content_hash") != "", pl.col("bytes") > 0).then("content_hash"),
        )
    )


def _messages(settled: Settled, headers: pl.DataFrame, blocks: pl.DataFrame) -> pl.DataFrame:
    sums = blocks.group_by("conversation", "message_index").agg(
        entered_tokens=pl.col("tokens").cast(pl.Int64).sum(), blocks=pl.len()
    )
    return (
        settled.messages.filter("own")
        .join(headers, on="conversation", how="inner")
        .join(sums, on=["conversation", "message_index"], how="left")
        .with_columns(
            pl.col("entered_tokens", "blocks").fill_null(0),
            message_id=_row_id("message_index"),
            timestamp=_time("timestamp"),
        )
    )


def _tool_calls(settled: Settled, headers: pl.DataFrame) -> pl.DataFrame:
    """Own calls, each with its result (which a compacted or copied history may own elsewhere)."""
    times = settled.messages.select("conversation", "message_index", at="timestamp")
    calls = (
        settled.blocks.filter("own", pl.col("kind") == "tool_call")
        .join(times, on=["conversation", "message_index"], how="left")
        .sort("conversation", "block_index")
    )
    results = (
        settled.blocks.filter(pl.col("call_block").is_not_null())
        .join(times, on=["conversation", "message_index"], how="left")
        .unique(["conversation", "call_block"], keep="first", maintain_order=True)
        .select(
            "conversation",
            block_index="call_block",
            result_line="line",
            returned="at",
            result_tokens="tokens",
            result_bytes="bytes",
            result_is_error="is_error",
            result_times_sent="times_sent",
            result_carried="carried_tokens",
            carried_cost_usd_micros=money("tokens", "carry_rate"),
        )
    )
    failed = pl.col("result_is_error").fill_null(False)
    return (
        calls.drop("is_error", "times_sent", "carried_tokens")
        .join(results, on=["conversation", "block_index"], how="left")
        .join(headers, on="conversation", how="inner")
        .with_columns(
            tool_call_id=_row_id("block_index"),
            call_index=pl.int_range(pl.len()).over("conversation"),
            tool_name=pl.col("tool_name").fill_null(""),
            call_line="line",
            called_at=_time("at"),
            returned_at=_time("returned"),
            call_tokens="tokens",
            is_error="result_is_error",
            status=pl.when(pl.col("result_line").is_null())
            .then(pl.lit("missing"))
            .when(failed)
            .then(pl.lit("error"))
            .otherwise(pl.lit("ok")),
            command_name="command",
            nth_same_call=pl.when(pl.col("call_key").is_null())
            .then(1)
            .otherwise(pl.int_range(1, pl.len() + 1).over("conversation", "call_key")),
            times_sent=pl.col("result_times_sent").fill_null(0),
            carried_tokens=pl.col("result_carried").fill_null(0),
        )
    )


def _waste(settled: Settled, headers: pl.DataFrame) -> pl.DataFrame:
    found = settled.waste.filter("own").sort("conversation", "block_index", "signal", "tokens", maintain_order=True)
    ordinal = pl.int_range(pl.len()).over("conversation", "block_index", "signal")
    return (
        found.with_columns(ordinal=ordinal)
        .join(headers, on="conversation", how="inner")
        .with_columns(block_id=_row_id("block_index"), definition_version=pl.lit(DEFINITION_VERSION))
        .with_columns(
            waste_id=pl.when(pl.col("ordinal") > 0)
            .then(pl.format("{}:{}:{}", "block_id", "signal", "ordinal"))
            .otherwise(pl.format("{}:{}", "block_id", "signal"))
        )
    )


def _diagnostics(settled: Settled) -> pl.DataFrame:
    """An id is the fingerprint; where it tells of no call, it is one of its conversation only."""
    alone = pl.col("call_ids").list.len() == 0
    paths = settled.conversations.select("conversation", "path")
    return settled.diagnostics.join(paths, on="conversation", how="left", maintain_order="left").with_columns(
        diagnostic_id=pl.when(alone)
        .then(pl.format("{}:{}", "conversation_id", "fingerprint"))
        .otherwise("fingerprint"),
        file_id=pl.col("path").map_batches(_file_ids, return_dtype=pl.String),
        pointer=pl.when(pl.col("pointer") != "").then("pointer"),
    )


def _conversations(
    settled: Settled,
    headers: pl.DataFrame,
    calibrated: pl.DataFrame,
    requests: pl.DataFrame,
    messages: pl.DataFrame,
    blocks: pl.DataFrame,
    waste: pl.DataFrame,
    diagnostics: pl.DataFrame,
) -> pl.DataFrame:
    key = "conversation_id"
    gap = pl.col("timestamp").sort().diff()
    by_requests = requests.group_by(key).agg(
        requests=pl.len(),
        active_seconds=gap.filter(gap <= _IDLE_LIMIT).sum() // 1_000_000,
        peak_context_tokens=pl.col("context_tokens").max(),
        **{name: _sum(name) for name in (*_SUMMED, "cost_usd_micros")},
    )
    sums = [
        by_requests,
        messages.group_by(key).agg(messages=pl.len()),
        blocks.group_by(key).agg(entered_tokens=pl.col("tokens").cast(pl.Int64).sum()),
        waste.group_by(key).agg(
            flagged_tokens=pl.col("exclusive_tokens").sum(),
            avoidable_tokens=pl.col("avoidable_tokens").sum(),
            avoidable_cost_usd_micros=_sum("avoidable_cost_usd_micros"),
        ),
        settled.blocks.filter("copied")
        .group_by("conversation")
        .agg(copied_tokens=pl.col("tokens").cast(pl.Int64).sum())
        .join(headers.select("conversation", key), on="conversation")
        .drop("conversation"),
        settled.requests.filter("copied")
        .group_by("conversation")
        .agg(copied_requests=pl.len())
        .join(headers.select("conversation", key), on="conversation")
        .drop("conversation"),
        _lint_counts(diagnostics),
    ]
    result = settled.conversations.drop("messages", "requests").join(
        headers.select("conversation", "provider_name", cs.starts_with("label_")), on="conversation"
    )
    lines = calibrated.select("conversation", calibration_slope="slope", calibration_error="error")
    result = result.join(lines, on="conversation", how="left")
    for frame in sums:
        result = result.join(frame, on=key, how="left")
    counts = ("requests", "messages", "entered_tokens", "flagged_tokens", "avoidable_tokens")
    return result.with_columns(
        pl.col(*counts, "copied_tokens", "copied_requests").fill_null(0),
        file_id=pl.col("path").map_batches(_file_ids, return_dtype=pl.String),
        started_at=_time("started_at"),
        ended_at=_time("ended_at"),
    )


def _file_ids(paths: pl.Series) -> pl.Series:
    return pl.Series(paths.name, [file_id(path) for path in paths], dtype=pl.String)


def _lint_counts(diagnostics: pl.DataFrame) -> pl.DataFrame:
    level = pl.col("severity")
    return (
        diagnostics.filter(pl.col("conversation_id").is_not_null())
        .group_by("conversation_id")
        .agg(lint_errors=(level == "error").sum(), lint_warnings=(level == "warning").sum())
    )


def _sum(name: str) -> pl.Expr:
    """A sum that is NULL where nothing was recorded."""
    return pl.when(pl.col(name).is_not_null().any()).then(pl.col(name).sum())


def _tools(settled: Settled) -> pl.DataFrame:
    """The declared tools of each set: those that stood in the context of the first request that carried it."""
    own = settled.requests.filter("own", pl.col("tools_hash").is_not_null())
    first = (
        own.sort("conversation", "request_index")
        .unique("tools_hash", keep="first", maintain_order=True)
        .select("conversation", "request_index", "tools_hash")
    )
    declared = settled.blocks.filter(pl.col("message_index") == -1, pl.col("tool_name").is_not_null())
    standing = (
        settled.intervals.join(
            declared.select("conversation", "block_index", "tool_name", "mcp_server", "tokens", "content_hash"),
            on=["conversation", "block_index"],
        )
        .join(first, on="conversation")
        .filter(
            pl.col("enters") <= pl.col("request_index"),
            pl.col("leaves").is_null() | (pl.col("leaves") > pl.col("request_index")),
        )
        .sort("tools_hash", "block_index")
    )
    sent = own.group_by("tools_hash").agg(requests_sent=pl.len())
    used = (
        own.select("conversation", "tools_hash")
        .unique()
        .join(settled.blocks.filter("own", pl.col("kind") == "tool_call"), on="conversation")
        .group_by("tools_hash", "tool_name")
        .agg(calls=pl.len())
    )
    return (
        standing.with_columns(
            tool_index=pl.int_range(pl.len()).over("tools_hash"),
            tool_type=pl.when(pl.col("mcp_server").is_null()).then(pl.lit("function")).otherwise(pl.lit("mcp")),
            schema_tokens="tokens",
            schema_hash="content_hash",
        )
        .join(sent, on="tools_hash", how="left")
        .join(used, on=["tools_hash", "tool_name"], how="left")
        .with_columns(pl.col("calls").fill_null(0))
    )


def _daily(
    requests: pl.DataFrame, calls: pl.DataFrame, waste: pl.DataFrame, blocks: pl.DataFrame, labels: Sequence[str]
) -> pl.DataFrame:
    """Requests by their day; calls and waste by the day of the request that made or first saw them.

    Where a request has no time, the day on which its conversation started; NULL where that is not known either.
    """
    keys = ["date", "client", "provider_name", "model", "project", *labels]
    dated = requests.with_columns(
        date=pl.coalesce(pl.col("ended_at").dt.date(), "start_date"),
        model=pl.coalesce("model", "main_model"),
        session=pl.coalesce("session_id", "conversation_id"),
    )
    days = dated.group_by(keys).agg(
        sessions=pl.col("session").n_unique(),
        requests=pl.len(),
        **{name: _sum(name) for name in (*_SUMMED, "cost_usd_micros")},
        unpriced_requests=(pl.col("has_usage") & pl.col("cost_usd_micros").is_null()).sum(),
    )
    where = dated.select("conversation", "request_index", "date", "model")
    placed = (
        blocks.select("conversation", "block_index", "start_date", "main_model", request_index=_FIRST_REQUEST)
        .join(where, on=["conversation", "request_index"], how="left")
        .select(
            "conversation",
            "block_index",
            date=pl.coalesce("date", "start_date"),
            model=pl.coalesce("model", "main_model"),
        )
    )
    parts: list[tuple[pl.DataFrame, dict[str, pl.Expr]]] = [
        (waste, {name: _sum(name) for name in ("avoidable_tokens", "avoidable_cost_usd_micros")}),
        (calls, {"tool_calls": pl.len(), "tool_errors": (pl.col("status") == "error").sum()}),
    ]
    for frame, sums in parts:
        rows = frame.select(pl.exclude("date", "model")).join(placed, on=["conversation", "block_index"], how="left")
        days = days.join(rows.group_by(keys).agg(**sums), on=keys, how="full", coalesce=True, nulls_equal=True)
    counts = ["sessions", "requests", "unpriced_requests", "avoidable_tokens", "tool_calls", "tool_errors"]
    return days.with_columns(pl.col(counts).fill_null(0))
