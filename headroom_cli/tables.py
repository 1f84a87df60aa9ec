"""Analyses as columns.

`Tables` takes one analysis after another and keeps only its columns, so that memory follows the rows, not the texts.
Money, ownership and totals come later (`settle`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from headroom_cli.analysis import Analysis
from headroom_cli.caching import cache_states
from headroom_cli.frames import EXPORTED, SCHEMAS, USAGE_COLUMNS, Frames, Schema
from headroom_cli.model import Block, Conversation, Message, NestedUsage, Usage

if TYPE_CHECKING:
    from headroom_cli.lint.diagnostic import Diagnostic

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
        "spawned": [spawn.conversation_id for spawn in c.spawned],
        "spawning_calls": [spawn.call_id for spawn in c.spawned],
        "spawned_names": [spawn.agent_name for spawn in c.spawned],
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
