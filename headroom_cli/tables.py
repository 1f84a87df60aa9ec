"""The tables: analyses as columns. The one place where a column is named and typed.

`Tables` takes one analysis after another and keeps only its columns, so that memory follows the rows, not the texts.
`Frames` is what all analyses of a run gave, before settling: `conversation` numbers the conversations of the run and
joins the tables. Money, ownership and totals come later (`settle`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from headroom_cli.analysis import Analysis
from headroom_cli.caching import cache_states
from headroom_cli.model import Block, Conversation, Message, NestedUsage, Usage

if TYPE_CHECKING:
    from headroom_cli.lint.diagnostic import Diagnostic

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
    "source": pl.String(),
    "model": pl.String(),
    "timestamp": pl.Int64(),
    "line": pl.Int32(),
    "context_tokens": pl.Int64(),
    "billing": pl.String(),
    **USAGE,
    "has_usage": pl.Boolean(),
    "output_is_lower_bound": pl.Boolean(),
    "cache_state": pl.String(),
    "cache_cause": pl.String(),
    "cache_gap_seconds": pl.Int64(),
    "rebuilt_tokens": pl.Int64(),
    "rebuild_is_avoidable": pl.Boolean(),
}
BLOCKS: Schema = {
    "conversation": pl.Int32(),
    "block_index": pl.Int32(),
    "message_index": pl.Int32(),
    "kind": pl.String(),
    "line": pl.Int32(),
    "tokens": pl.Int32(),
    "request_index": pl.Int32(),
    "tool_name": pl.String(),
    "mcp_server": pl.String(),
    "path": pl.String(),
    "writes": pl.Boolean(),
    "command": pl.String(),
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

_CHUNK_ROWS = 5_000


class _Table:
    """Columns of one table: rows gather in lists and become a frame every so often."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.columns: dict[str, list[Any]] = {name: [] for name in schema}
        self.chunks: list[pl.DataFrame] = []

    def extend(self, rows: dict[str, list[Any]]) -> None:
        for name, values in rows.items():
            self.columns[name] += values
        if len(self.columns["conversation"]) >= _CHUNK_ROWS:
            self.flush()

    def flush(self) -> None:
        if self.columns["conversation"]:
            self.chunks.append(pl.DataFrame(self.columns, schema=self.schema))
            self.columns = {name: [] for name in self.schema}

    def frame(self) -> pl.DataFrame:
        """All rows; the table is empty after it."""
        self.flush()
        chunks, self.chunks = self.chunks, []
        return pl.concat(chunks, rechunk=True) if chunks else pl.DataFrame(schema=self.schema)


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
    places = pl.Series([None] * len(frames.conversations), dtype=pl.Int32)
    if len(chosen):
        places = places.scatter(chosen, pl.int_range(len(chosen), dtype=pl.Int32, eager=True))
    return Frames(
        **{
            name: frame.with_columns(conversation=places.gather(frame["conversation"]))
            .filter(pl.col("conversation").is_not_null())
            .sort("conversation", maintain_order=True)
            for name in FRAME_NAMES
            for frame in [getattr(frames, name)]
        }
    )


class Tables:
    """Gathers analyses as columns."""

    def __init__(self, *, exported: bool = False, with_text: bool = False) -> None:
        self.conversations = 0
        self.texts: dict[str, str] | None = {} if with_text else None
        self._exported = exported
        more = EXPORTED if exported else {}
        self._tables = {name: _Table({**schema, **more.get(name, {})}) for name, schema in SCHEMAS.items()}

    def add(self, analysis: Analysis) -> None:
        """Keep the columns of one analysis, and its texts only where they were asked for, each once."""
        number = self.conversations
        self.conversations += 1
        conversation = analysis.conversation
        add = {name: table.extend for name, table in self._tables.items()}
        add["conversations"](_conversation_row(number, conversation))
        exported = self._exported
        add["messages"](_message_rows(number, conversation.messages, exported))
        add["requests"](_request_rows(number, conversation, exported))
        add["blocks"](_block_rows(number, analysis, exported))
        add["intervals"](_interval_rows(number, analysis.blocks, exported))
        add["waste"](_waste_rows(number, analysis))
        add["nested"](_nested_rows(number, conversation.nested_usage))
        if self.texts is not None:
            self.texts.update((block.content_hash, block.text) for block in analysis.blocks if block.text)

    def add_diagnostics(self, number: int, found: Sequence[Diagnostic]) -> None:
        """Keep what lint found in the conversation of this number."""
        self._tables["diagnostics"].extend(
            {
                "conversation": [number] * len(found),
                "fingerprint": [d.fingerprint for d in found],
                "rule": [d.rule for d in found],
                "rule_name": [d.name for d in found],
                "severity": [d.severity for d in found],
                "confidence": [d.confidence for d in found],
                "provider": [d.provider for d in found],
                "line": [d.line for d in found],
                "column_number": [d.column for d in found],
                "pointer": [d.pointer for d in found],
                "message_index": [d.message_index for d in found],
                "call_ids": [list(d.call_ids) for d in found],
                "message": [d.message for d in found],
                "fix_kind": [d.fix and d.fix.kind for d in found],
                "fix_is_safe": [d.fix and d.fix.safe for d in found],
            }
        )

    def frames(self) -> Frames:
        """All columns gathered so far; the tables are empty after it."""
        return Frames(**{name: table.frame() for name, table in self._tables.items()})


def _conversation_row(number: int, c: Conversation) -> dict[str, list[Any]]:
    values = {
        "conversation": number,
        "conversation_id": c.id,
        "session_id": c.session_id,
        "parent_conversation_id": c.parent_id,
        "parent_call_id": c.parent_call_id,
        "path": c.path,
        "kind": c.kind,
        "identity": c.identity,
        "agent_name": c.agent_name,
        "log_format": c.log_format,
        "dialect": c.dialect,
        "client": c.client,
        "client_version": c.client_version,
        "cwd": c.cwd,
        "git_branch": c.git_branch,
        "repo_url": c.repo_url,
        "model": c.model,
        "started_at": c.started_at,
        "ended_at": c.ended_at,
        "messages": len(c.messages),
        "requests": len(c.requests),
        "context_resets": len(c.resets),
        "notes": c.notes,
        "resets": c.resets,
        "content_key": c.messages[-1].key if c.identity == "content" and c.messages else None,
    }
    return {name: [value] for name, value in values.items()}


def _message_rows(number: int, messages: list[Message], exported: bool) -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = {
        "conversation": [number] * len(messages),
        "message_index": [m.index for m in messages],
        "key": [m.key or None for m in messages],
        "copied": [m.copied for m in messages],
        "role": [m.role for m in messages],
        "line": [m.line for m in messages],
        "timestamp": [m.timestamp for m in messages],
        "request_index": [_first_request(m) for m in messages],
    }
    if exported:
        rows["last_line"] = [m.last_line for m in messages]
        rows["origin"] = [m.origin for m in messages]
    return rows


def _first_request(message: Message) -> int | None:
    """The request that made the message, else the first that saw it (perhaps one that never came)."""
    if message.request is not None:
        return message.request
    return next((part.context[0].enters for part in message.parts if part.context), None)


def _request_rows(number: int, conversation: Conversation, exported: bool) -> dict[str, list[Any]]:
    requests, states = conversation.requests, cache_states(conversation)
    output: dict[int, int] = {}
    for message in conversation.messages:
        if message.request is not None:
            output.setdefault(message.request, message.index)
    rows: dict[str, list[Any]] = {
        "conversation": [number] * len(requests),
        "request_index": [r.index for r in requests],
        "message_index": [output.get(r.index) for r in requests],
        "key": [r.key or None for r in requests],
        "copied": [r.copied for r in requests],
        "source": [r.source for r in requests],
        "model": [r.model for r in requests],
        "timestamp": [r.timestamp for r in requests],
        "line": [r.line for r in requests],
        "context_tokens": [r.context_tokens for r in requests],
        "billing": [r.billing for r in requests],
        **_usage_rows([r.usage for r in requests]),
        "has_usage": [r.usage is not None for r in requests],
        "output_is_lower_bound": [r.usage is not None and r.usage.output_is_lower_bound for r in requests],
        "cache_state": [s.state for s in states],
        "cache_cause": [s.cause for s in states],
        "cache_gap_seconds": [s.gap_seconds for s in states],
        "rebuilt_tokens": [s.rebuilt_tokens for s in states],
        "rebuild_is_avoidable": [s.is_avoidable for s in states],
    }
    if exported:
        rows.update({name: [getattr(r, name) for r in requests] for name in EXPORTED["requests"]})
    return rows


def _usage_rows(usages: list[Usage | None]) -> dict[str, list[Any]]:
    return {name: [None if u is None else getattr(u, name) for u in usages] for name in USAGE_COLUMNS}


def _block_rows(number: int, analysis: Analysis, exported: bool) -> dict[str, list[Any]]:
    blocks = analysis.blocks
    targets = [analysis.target(b.index) for b in blocks]
    rows: dict[str, list[Any]] = {
        "conversation": [number] * len(blocks),
        "block_index": [b.index for b in blocks],
        "message_index": [b.message_index for b in blocks],
        "kind": [b.kind for b in blocks],
        "line": [b.line for b in blocks],
        "tokens": [b.tokens for b in blocks],
        "request_index": [b.request for b in blocks],
        "tool_name": [b.tool_name for b in blocks],
        "mcp_server": [b.server for b in blocks],
        "path": [t and t.path for t in targets],
        "writes": [t is not None and t.writes for t in targets],
        "command": [t and t.command for t in targets],
    }
    if exported:
        call_of = analysis.history.call_of
        rows["call_block"] = [call_of.get(b.index) for b in blocks]
        for name in ("bytes", "call_id", "call_key", "content_hash", "is_error"):
            rows[name] = [getattr(b, name) for b in blocks]
    return rows


def _interval_rows(number: int, blocks: list[Block], exported: bool) -> dict[str, list[Any]]:
    rows = [(b.index, *interval) for b in blocks for interval in b.context]
    columns: dict[str, list[Any]] = {
        "conversation": [number] * len(rows),
        "block_index": [row[0] for row in rows],
        "enters": [row[1] for row in rows],
        "leaves": [row[2] for row in rows],
    }
    if exported:
        columns["left_by"] = [row[3] for row in rows]
    return columns


def _waste_rows(number: int, analysis: Analysis) -> dict[str, list[Any]]:
    waste = analysis.waste
    targets = [analysis.target(w.block) for w in waste]
    return {
        "conversation": [number] * len(waste),
        "block_index": [w.block for w in waste],
        "signal": [w.signal for w in waste],
        "cause": [w.cause for w in waste],
        "tokens": [w.tokens for w in waste],
        "exclusive_tokens": [w.exclusive_tokens for w in waste],
        "avoidable_tokens": [w.avoidable_tokens for w in waste],
        "at_risk_tokens": [w.at_risk_tokens for w in waste],
        "confidence": [w.confidence for w in waste],
        "first_block_index": [w.first_block for w in waste],
        "request_index": [w.request for w in waste],
        "call_key": [analysis.blocks[w.block].call_key for w in waste],
        "summary": [t and t.summary for t in targets],
    }


def _nested_rows(number: int, nested: list[NestedUsage]) -> dict[str, list[Any]]:
    return {
        "conversation": [number] * len(nested),
        "key": [n.key for n in nested],
        "model": [n.model for n in nested],
        "timestamp": [n.timestamp for n in nested],
        **_usage_rows([n.usage for n in nested]),
    }


def beside(frame: pl.DataFrame, other: pl.DataFrame, on: list[str]) -> pl.DataFrame:
    """The columns of `other`, whose keys are unique, beside those of `frame`, which are not copied for it."""
    matched = _numbered(frame.select(on), on).join(
        _numbered(other, on).drop(on), on="_number", how="left", maintain_order="left"
    )
    return frame.with_columns(matched.drop(*on, "_number"))


def _numbered(frame: pl.DataFrame, on: list[str]) -> pl.DataFrame:
    """With one number for a conversation and an index in it: joining on one column takes half the memory."""
    number = pl.col(on[0]).cast(pl.Int64)
    return frame.with_columns(_number=number * 2**32 + pl.col(on[1]) if len(on) > 1 else number)
