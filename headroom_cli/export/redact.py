"""Tables without names: rows stay joinable, but nothing tells what they stand for without the key."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Mapping

import polars as pl

from headroom_cli.prices import words_of_models

KEYED = frozenset(
    {
        "agent_name",
        "call_id",
        "call_key",
        "client_version",
        "command_name",
        "content_hash",
        "cwd",
        "diagnostic_id",
        "file_id",
        "finish_reason",
        "git_branch",
        "host",
        "mcp_server",
        "model",
        "parent_call_id",
        "path",
        "price_model",
        "project",
        "repo_url",
        "response_id",
        "schema_hash",
        "service_tier",
        "session_id",
        "skip_reason",
        "system_hash",
        "tool_name",
        "tools_hash",
    }
)
"""Columns whose values become keyed hashes: HMAC-SHA-256, the first 32 hex digits. `_public` values stay."""

PUBLIC_TOOLS = frozenset(
    {
        "AskUserQuestion", "Bash", "BashOutput", "Edit", "ExitPlanMode", "Glob", "Grep", "KillShell", "LS", "MultiEdit",
        "NotebookEdit", "Read", "Skill", "SlashCommand", "Task", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch",
        "Write", "apply_patch", "exec_command", "local_shell", "read_file", "shell", "shell_command", "update_plan",
        "view_image", "web_search", "write_file", "write_stdin",
    }
)  # fmt: skip
"""Tools of the clients themselves: their names tell nothing of whoever uses them, and stay."""

_FINISH_REASONS = frozenset(
    {
        "aborted", "completed", "content_filter", "content_filtered", "end_turn", "failed", "function_call",
        "guardrail_intervened", "in_progress", "incomplete", "length", "max_tokens", "model_context_window_exceeded",
        "pause_turn", "refusal", "safety", "stop", "stop_sequence", "tool_calls", "tool_use",
    }
)  # fmt: skip
_SERVICE_TIERS = frozenset({"auto", "batch", "default", "fast", "flex", "priority", "reserved", "scale", "standard"})
_VERSION = re.compile(r"v?\d{1,8}(\.\d{1,8}){0,3}(-(alpha|beta|rc|dev|preview|nightly)(\.\d{1,8})*)?")
_MODEL_SIZE = re.compile(r"v?\d{1,8}|\d{1,4}[bkm]")

_CONVERSATION_HEX = 32
_ROW_IDS = frozenset(
    {
        "conversation_id",
        "parent_conversation_id",
        "request_id",
        "message_id",
        "block_id",
        "tool_call_id",
        "waste_id",
    }
)


def redacted(tables: Mapping[str, pl.DataFrame], key: bytes) -> dict[str, pl.DataFrame]:
    """The tables with names replaced; equal values stay equal, also across tables. Words of a log are emptied."""
    hidden = hider(key)
    result = {}
    for name, frame in tables.items():
        columns = [
            _keyed(frame, column, hidden) for column in frame.columns if column in KEYED or column.startswith("label_")
        ]
        columns += [_row_id(frame, column, hidden) for column in frame.columns if column in _ROW_IDS]
        if name == "diagnostics":
            columns += [
                pl.lit("").alias("message"),
                pl.lit(None, dtype=pl.String).alias("pointer"),
                pl.lit([], dtype=pl.List(pl.String)).alias("call_ids"),
            ]
        result[name] = frame.with_columns(columns)
    return result


def redacted_labels(labels: Mapping[str, str], key: bytes) -> dict[str, str]:
    """Labels with the values that they have in the tables."""
    hidden = hider(key)
    return {name: hidden(value) if value else value for name, value in labels.items()}


def redacted_conversations(ids: Iterable[str], key: bytes) -> list[str]:
    """Ids of conversations as they are in the tables, sorted."""
    hidden = hider(key)
    return sorted(hidden(conversation[:_CONVERSATION_HEX]) + conversation[_CONVERSATION_HEX:] for conversation in ids)


def hider(key: bytes) -> Callable[[str], str]:
    """What makes a keyed hash of a value."""

    def hidden(value: str) -> str:
        data = value.encode("utf-8", "surrogatepass")
        return hmac.new(key, data, hashlib.sha256).hexdigest()[:_CONVERSATION_HEX]

    return hidden


def _public(column: str, value: str) -> bool:
    """Whether a value is a word of providers and clients, which tells nothing of whoever uses them.

    A name of a model stays if all its words are those of price lists: one of one's own may name an organisation.
    """
    word = value.lower()
    if column in ("model", "price_model"):
        return all(
            part in words_of_models() or _MODEL_SIZE.fullmatch(part) for part in re.split(r"[-_.:/@<> ]+", word) if part
        )
    if column == "tool_name":
        return value in PUBLIC_TOOLS
    if column == "client_version":
        return _VERSION.fullmatch(word) is not None
    return word in {"finish_reason": _FINISH_REASONS, "service_tier": _SERVICE_TIERS}.get(column, ())


def _keyed(frame: pl.DataFrame, column: str, hidden: Callable[[str], str]) -> pl.Expr:
    values = frame[column].unique().drop_nulls()
    mapping = {value: value if not value or _public(column, value) else hidden(value) for value in values}
    return pl.col(column).replace_strict(mapping, default=None, return_dtype=pl.String)


def _row_id(frame: pl.DataFrame, column: str, hidden: Callable[[str], str]) -> pl.Expr:
    """An id begins with that of its conversation; what follows are numbers."""
    prefix = pl.col(column).str.slice(0, _CONVERSATION_HEX)
    values = frame.select(prefix)[column].unique().drop_nulls()
    mapping = {value: hidden(value) for value in values}
    keyed = prefix.replace_strict(mapping, default=None, return_dtype=pl.String)
    return (keyed + pl.col(column).str.slice(_CONVERSATION_HEX)).alias(column)
