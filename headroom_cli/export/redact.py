"""Tables without names: rows stay joinable, but nothing tells what they stand for without the key."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping

import polars as pl

KEYED = frozenset(
    {
        "agent_name",
        "call_id",
        "call_key",
        "command_name",
        "content_hash",
        "cwd",
        "diagnostic_id",
        "file_id",
        "git_branch",
        "host",
        "mcp_server",
        "parent_call_id",
        "path",
        "project",
        "repo_url",
        "response_id",
        "schema_hash",
        "session_id",
        "skip_reason",
        "system_hash",
        "tool_name",
        "tools_hash",
    }
)
"""Columns whose values become keyed hashes: HMAC-SHA-256, the first 32 hex digits."""

PUBLIC_TOOLS = frozenset(
    {
        "AskUserQuestion", "Bash", "BashOutput", "Edit", "ExitPlanMode", "Glob", "Grep", "KillShell", "LS", "MultiEdit",
        "NotebookEdit", "Read", "Skill", "SlashCommand", "Task", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch",
        "Write", "apply_patch", "exec_command", "local_shell", "read_file", "shell", "shell_command", "update_plan",
        "view_image", "web_search", "write_file", "write_stdin",
    }
)  # fmt: skip
"""Tools of the clients themselves: their names tell nothing of whoever uses them, and stay."""

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

    def hidden(value: str) -> str:
        data = value.encode("utf-8", "surrogatepass")
        return hmac.new(key, data, hashlib.sha256).hexdigest()[:_CONVERSATION_HEX]

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


def _keyed(frame: pl.DataFrame, column: str, hidden: Callable[[str], str]) -> pl.Expr:
    keep = PUBLIC_TOOLS if column == "tool_name" else frozenset[str]()
    values = frame[column].unique().drop_nulls()
    mapping = {value: value if value in keep or not value else hidden(value) for value in values}
    return pl.col(column).replace_strict(mapping, default=None, return_dtype=pl.String)


def _row_id(frame: pl.DataFrame, column: str, hidden: Callable[[str], str]) -> pl.Expr:
    """An id begins with that of its conversation; what follows are numbers."""
    prefix = pl.col(column).str.slice(0, _CONVERSATION_HEX)
    values = frame.select(prefix)[column].unique().drop_nulls()
    mapping = {value: hidden(value) for value in values}
    keyed = prefix.replace_strict(mapping, default=None, return_dtype=pl.String)
    return (keyed + pl.col(column).str.slice(_CONVERSATION_HEX)).alias(column)
