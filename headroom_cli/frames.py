"""Rows of many conversations as Polars frames, before settling. The one place where a column is named and typed.

`conversation` numbers the conversations of a run from 0 and joins the tables. Conversations stand in this order;
messages, requests and blocks in that of their conversations and of their own indices, which count from 0 without gaps.
So a conversation and an index tell a row (`rows_of`). Strings that repeat in every row are numbers there: categories.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from headroom_cli.caching import CACHE_STATES
from headroom_cli.model import BLOCK_KINDS

Schema = dict[str, pl.DataType]

USAGE: Schema = {
    "input_tokens": pl.Int64(),
    "uncached_input_tokens": pl.Int64(),
    "cache_read_input_tokens": pl.Int64(),
    "cache_write_input_tokens": pl.Int64(),
    "cache_write_5m_input_tokens": pl.Int64(),
    "cache_write_1h_input_tokens": pl.Int64(),
    "output_tokens": pl.Int64(),
    "reasoning_output_tokens": pl.Int64(),
}
USAGE_COLUMNS = tuple(USAGE)

CONVERSATIONS: Schema = {
    "conversation": pl.Int32(),
    "conversation_id": pl.String(),
    "session_id": pl.String(),
    "parent_conversation_id": pl.String(),
    "parent_call_id": pl.String(),
    "path": pl.String(),
    "kind": pl.String(),
    "identity": pl.String(),
    "agent_name": pl.String(),
    "log_format": pl.String(),
    "dialect": pl.String(),
    "client": pl.String(),
    "client_version": pl.String(),
    "cwd": pl.String(),
    "git_branch": pl.String(),
    "repo_url": pl.String(),
    "model": pl.String(),
    "started_at": pl.Int64(),
    "ended_at": pl.Int64(),
    "messages": pl.Int32(),
    "requests": pl.Int32(),
    "context_resets": pl.Int32(),
    "notes": pl.List(pl.String()),
    "resets": pl.List(pl.Int32()),
    "spawned": pl.List(pl.String()),
    "spawning_calls": pl.List(pl.String()),
    "spawned_names": pl.List(pl.String()),
    "content_key": pl.String(),
}
MESSAGES: Schema = {
    "conversation": pl.Int32(),
    "message_index": pl.Int32(),
    "key": pl.String(),
    "copied": pl.Boolean(),
    "role": pl.String(),
    "line": pl.Int32(),
    "timestamp": pl.Int64(),
    "request_index": pl.Int32(),
}
REQUESTS: Schema = {
    "conversation": pl.Int32(),
    "request_index": pl.Int32(),
    "message_index": pl.Int32(),
    "key": pl.String(),
    "copied": pl.Boolean(),
    "source": pl.Enum(["implied", "recorded"]),
    "model": pl.String(),
    "timestamp": pl.Int64(),
    "line": pl.Int32(),
    "context_tokens": pl.Int64(),
    "billing": pl.String(),
    **USAGE,
    "has_usage": pl.Boolean(),
    "output_is_lower_bound": pl.Boolean(),
    "cache_state": pl.Enum(sorted(CACHE_STATES)),
    "cache_cause": pl.String(),
    "cache_gap_seconds": pl.Int64(),
    "rebuilt_tokens": pl.Int64(),
    "rebuild_is_avoidable": pl.Boolean(),
}
BLOCKS: Schema = {
    "conversation": pl.Int32(),
    "block_index": pl.Int32(),
    "message_index": pl.Int32(),
    "kind": pl.Enum(sorted(BLOCK_KINDS)),
    "line": pl.Int32(),
    "tokens": pl.Int32(),
    "request_index": pl.Int32(),
    "tool_name": pl.Categorical(),
    "mcp_server": pl.Categorical(),
    "path": pl.Categorical(),
    "writes": pl.Boolean(),
    "command": pl.Categorical(),
}
INTERVALS: Schema = {
    "conversation": pl.Int32(),
    "block_index": pl.Int32(),
    "enters": pl.Int32(),
    "leaves": pl.Int32(),
}
WASTE: Schema = {
    "conversation": pl.Int32(),
    "block_index": pl.Int32(),
    "signal": pl.String(),
    "cause": pl.String(),
    "tokens": pl.Int64(),
    "exclusive_tokens": pl.Int64(),
    "avoidable_tokens": pl.Int64(),
    "at_risk_tokens": pl.Int64(),
    "confidence": pl.String(),
    "first_block_index": pl.Int32(),
    "request_index": pl.Int32(),
    "call_key": pl.String(),
    "summary": pl.String(),
}
DIAGNOSTICS: Schema = {
    "conversation": pl.Int32(),
    "fingerprint": pl.String(),
    "rule": pl.String(),
    "rule_name": pl.String(),
    "severity": pl.String(),
    "confidence": pl.String(),
    "provider": pl.String(),
    "line": pl.Int64(),
    "column_number": pl.Int64(),
    "pointer": pl.String(),
    "message_index": pl.Int32(),
    "call_ids": pl.List(pl.String()),
    "message": pl.String(),
    "fix_kind": pl.String(),
    "fix_is_safe": pl.Boolean(),
}
EXPORTED: dict[str, Schema] = {
    "messages": {"last_line": pl.Int32(), "origin": pl.String()},
    "requests": {
        "response_id": pl.String(),
        "stop_reason": pl.String(),
        "service_tier": pl.String(),
        "tools_hash": pl.String(),
        "system_hash": pl.String(),
    },
    "blocks": {
        "bytes": pl.Int64(),
        "call_id": pl.String(),
        "call_key": pl.String(),
        "call_block": pl.Int32(),
        "content_hash": pl.String(),
        "is_error": pl.Boolean(),
    },
    "intervals": {"left_by": pl.String()},
}
"""Columns that only an export reads, by table: kept where `Tables(exported=True)` asks for them."""

NESTED: Schema = {
    "conversation": pl.Int32(),
    "key": pl.String(),
    "model": pl.String(),
    "timestamp": pl.Int64(),
    **USAGE,
}

SCHEMAS: dict[str, Schema] = {
    "conversations": CONVERSATIONS,
    "messages": MESSAGES,
    "requests": REQUESTS,
    "blocks": BLOCKS,
    "intervals": INTERVALS,
    "waste": WASTE,
    "nested": NESTED,
    "diagnostics": DIAGNOSTICS,
}


@dataclass(frozen=True, slots=True)
class Frames:
    """What the analyses of a run gave, as Polars frames, before settling."""

    conversations: pl.DataFrame
    messages: pl.DataFrame
    requests: pl.DataFrame
    blocks: pl.DataFrame
    intervals: pl.DataFrame
    waste: pl.DataFrame
    nested: pl.DataFrame
    diagnostics: pl.DataFrame


FRAME_NAMES = tuple(SCHEMAS)


def merge(parts: Sequence[Frames]) -> Frames:
    """The rows of several runs as those of one: their conversations are numbered on, in the order given."""
    if len(parts) == 1:
        return parts[0]
    numbers = [0]
    for part in parts:
        numbers.append(numbers[-1] + len(part.conversations))
    return Frames(
        **{
            name: pl.concat(
                [
                    getattr(part, name).with_columns(pl.col("conversation") + pl.lit(number, pl.Int32))
                    for part, number in zip(parts, numbers, strict=False)
                ],
                rechunk=True,
            )
            if parts
            else pl.DataFrame(schema=SCHEMAS[name])
            for name in FRAME_NAMES
        }
    )


def of_files(frames: Frames, paths: Sequence[str]) -> Frames:
    """The rows of these files only, as a run over them in this order would have given them."""
    order = pl.DataFrame({"path": paths}, schema={"path": pl.String}).with_row_index("place")
    chosen = (
        frames.conversations.select("conversation", "path")
        .join(order, on="path", how="inner")
        .sort("place", "conversation")["conversation"]
    )
    places = places_of(chosen, len(frames.conversations)).cast(pl.Int32)
    return Frames(
        **{
            name: frame.with_columns(conversation=places.gather(frame["conversation"]))
            .filter(pl.col("conversation").is_not_null())
            .sort("conversation", maintain_order=True)
            for name in FRAME_NAMES
            for frame in [getattr(frames, name)]
        }
    )


def bounds_of(frame: pl.DataFrame, conversation: pl.Series) -> tuple[pl.Series, pl.Series]:
    """The rows at which these conversations begin in a frame, and those at which the next ones do."""
    highest = conversation.max()
    numbers = pl.int_range(highest + 2 if isinstance(highest, int) else 1, dtype=pl.Int32, eager=True)
    starts = frame["conversation"].search_sorted(numbers)
    return starts.gather(conversation), starts.gather(conversation + 1)


def rows_of(frame: pl.DataFrame, conversation: pl.Series, index: pl.Series) -> pl.Series:
    """The rows of messages, requests or blocks with these indices in these conversations; NULL where there is none."""
    start, end = bounds_of(frame, conversation)
    row = start.cast(pl.Int64) + index
    return row.set((index < 0) | (row >= end), None).cast(pl.UInt32)


def beside(frame: pl.DataFrame, other: pl.DataFrame, rows: pl.Series) -> pl.DataFrame:
    """These rows of `other` beside those of `frame`, NULL where a row is none."""
    return frame.with_columns(other.select(pl.all().gather(rows)))


def places_of(rows: pl.Series, length: int) -> pl.Series:
    """For each of `length` rows its place among `rows`, NULL where it has none."""
    places = pl.repeat(None, length, dtype=pl.UInt32, eager=True)
    return places.scatter(rows, pl.int_range(len(rows), dtype=pl.UInt32, eager=True)) if len(rows) else places
