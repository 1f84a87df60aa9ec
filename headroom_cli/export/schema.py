"""The exported tables: the one place where each column has its name, type, unit and meaning.

`docs/schema.md` is made of it. Names follow OpenTelemetry's `gen_ai.*` (dots as underscores) where the meaning is
equal. Types are those that every reader of Parquet takes alike: signed integers, booleans, doubles, strings and
microseconds UTC. NULL means not recorded, 0 recorded as none. Money is in whole micro-dollars.

Within a major version only new nullable columns are added, at the end of a table; none is renamed, retyped or reused.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

SCHEMA_VERSION = "1.0"

Type = Literal["string", "int32", "int64", "double", "boolean", "timestamp", "date", "list<string>"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `nullable`: NULL where nothing is recorded. `added`: the schema version that brought it."""

    name: str
    type: Type
    meaning: str
    nullable: bool = False
    added: str = "1.0"


@dataclass(frozen=True)
class Table:
    """One table. `key` names the columns that are unique in it, `parents` the tables that its ids lead to.

    `labelled` tables get a column `label_<key>` for each `--label`, behind the others.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    parents: tuple[tuple[str, str], ...] = ()
    order: tuple[str, ...] = ("conversation_id",)
    labelled: bool = False

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of its columns, in order."""
        return tuple(column.name for column in self.columns)


def _c(name: str, type: Type, meaning: str, *, null: bool = False) -> Column:
    return Column(name, type, meaning, null)


_CONVERSATION = _c("conversation_id", "string", "The conversation: 32 hex digits from its content ids, not its path.")
_USAGE = (
    _c("input_tokens", "int64", "Tokens read by the model, cache reads and writes included.", null=True),
    _c("uncached_input_tokens", "int64", "Of these, read at the full price.", null=True),
    _c("cache_read_input_tokens", "int64", "Of these, read from the prompt cache.", null=True),
    _c("cache_write_input_tokens", "int64", "Of these, written to the prompt cache.", null=True),
    _c("output_tokens", "int64", "Tokens written by the model, reasoning included.", null=True),
    _c("reasoning_output_tokens", "int64", "Of these, reasoning, where the provider counts it apart.", null=True),
)

FILES = Table(
    "files",
    "A source file.",
    (
        _c("file_id", "string", "16 hex digits from the path."),
        _c("path", "string", "The path as it was found."),
        _c("host", "string", "The machine's name, if `--host` asks for it.", null=True),
        _c("log_format", "string", "The log format (`headroom formats`), or `unknown`."),
        _c("client", "string", "The client that wrote it.", null=True),
        _c("bytes", "int64", "Size on disk in bytes."),
        _c("mtime", "timestamp", "Time of the last change.", null=True),
        _c("records", "int32", "Records read."),
        _c("damaged_records", "int32", "Records that could not be read."),
        _c("unknown_records", "int32", "Records of types that the reader does not know."),
        _c("parse_status", "string", "`ok`, `partial` (something was damaged) or `skipped`."),
        _c("skip_reason", "string", "Why nothing was read.", null=True),
        _c("source_present", "boolean", "Whether the file still exists; facts of vanished files are kept."),
        _c("first_seen_at", "timestamp", "When an export into this dataset first read the file."),
        _c("last_read_at", "timestamp", "When an export last read it."),
    ),
    ("file_id",),
    order=("path",),
    labelled=True,
)

CONVERSATIONS = Table(
    "conversations",
    "A thread that one model sees: a session, a subagent, a side thread.",
    (
        _CONVERSATION,
        _c("session_id", "string", "The client's session.", null=True),
        _c("parent_conversation_id", "string", "The conversation that started this one.", null=True),
        _c("parent_call_id", "string", "The call of it that did.", null=True),
        _c("file_id", "string", "The file it was read from (`files`)."),
        _c("kind", "string", "`main`, `subagent` or `side`."),
        _c("agent_name", "string", "The type of subagent.", null=True),
        _c("client", "string", "The client.", null=True),
        _c("client_version", "string", "Its version.", null=True),
        _c("log_format", "string", "The log format."),
        _c("dialect", "string", "The provider's wire format."),
        _c("provider_name", "string", "`gen_ai.provider.name`: anthropic, openai, aws.bedrock, gcp.gemini …"),
        _c("cwd", "string", "The working directory.", null=True),
        _c("project", "string", "The repository's name, worktrees folded.", null=True),
        _c("repo_url", "string", "The repository's address, as recorded.", null=True),
        _c("git_branch", "string", "The branch.", null=True),
        _c("model", "string", "The model.", null=True),
        _c("started_at", "timestamp", "Time of the first own message or request.", null=True),
        _c("ended_at", "timestamp", "Time of the last one.", null=True),
        _c("active_seconds", "int64", "Time between own requests, gaps over five minutes left out.", null=True),
        _c("messages", "int32", "Own messages."),
        _c("requests", "int32", "Own requests."),
        _c("context_resets", "int32", "Compactions and the like."),
        _c("copied_requests", "int32", "Requests that another conversation owns."),
        _c("copied_tokens", "int64", "Tokens of blocks that another conversation owns."),
        _c("entered_tokens", "int64", "Tokens of own blocks: each counted once, when it entered."),
        _c("calibration_slope", "double", "Recorded tokens for each one counted (docs/calibration.md).", null=True),
        _c("calibration_error", "double", "Median relative error of the calibrated growth.", null=True),
        _c("peak_context_tokens", "int64", "The largest recorded input of one request.", null=True),
        *_USAGE,
        _c("cost_usd_micros", "int64", "Cost at list prices in micro-dollars.", null=True),
        _c("flagged_tokens", "int64", "Tokens that any waste signal flagged, each once."),
        _c("avoidable_tokens", "int64", "The part that a cure would recover."),
        _c("avoidable_cost_usd_micros", "int64", "What the avoidable part cost.", null=True),
        _c("lint_errors", "int32", "Findings of lint at error level.", null=True),
        _c("lint_warnings", "int32", "Findings of lint at warning level.", null=True),
    ),
    ("conversation_id",),
    (("file_id", "files"),),
    labelled=True,
)

REQUESTS = Table(
    "requests",
    "One call of the API that its conversation owns.",
    (
        _c("request_id", "string", "`<conversation_id>:<request_index>`."),
        _CONVERSATION,
        _c("request_index", "int32", "Its place in the conversation."),
        _c("response_id", "string", "The provider's id of the response.", null=True),
        _c("ended_at", "timestamp", "When the response was recorded.", null=True),
        _c("line", "int64", "The line in the file, from 1."),
        _c("model", "string", "The model that answered.", null=True),
        _c("provider_name", "string", "`gen_ai.provider.name`."),
        _c("service_tier", "string", "The service tier, as recorded.", null=True),
        _c("billing", "string", "What changed the price: fast, batch, flex, priority, us; joined with +.", null=True),
        _c("finish_reason", "string", "Why the model stopped, as recorded.", null=True),
        *_USAGE,
        _c("cache_write_5m_input_tokens", "int64", "Cache writes that live for five minutes.", null=True),
        _c("cache_write_1h_input_tokens", "int64", "Cache writes that live for an hour.", null=True),
        _c("usage_source", "string", "`recorded`, or `none` where the log only implies the request."),
        _c("output_is_lower_bound", "boolean", "Whether the log kept only the first count of the output."),
        _c("context_tokens", "int64", "The recorded size of the context.", null=True),
        _c("explained_tokens", "int64", "Tokens of the blocks in the context, as this tool counts them."),
        _c(
            "unexplained_tokens",
            "int64",
            "context_tokens - explained_tokens: what the log lacks, and error.",
            null=True,
        ),
        _c("cache_state", "string", "`hit`, `first`, `rebuilt` or `none`: what became of the cache.", null=True),
        _c("cache_cause", "string", "Why it was rebuilt: see [cost](cost.md#rebuilt-caches).", null=True),
        _c("cache_gap_seconds", "int64", "Seconds since the request before.", null=True),
        _c("rebuilt_tokens", "int64", "Tokens that had been cached, and were computed anew.", null=True),
        _c("rebuild_is_avoidable", "boolean", "Whether the rebuild need not have been.", null=True),
        _c("cost_usd_micros", "int64", "Cost in micro-dollars; the sum of the four parts.", null=True),
        _c("cost_usd_micros_input", "int64", "Of it, uncached input.", null=True),
        _c("cost_usd_micros_cache_read", "int64", "Of it, cache reads.", null=True),
        _c("cost_usd_micros_cache_write", "int64", "Of it, cache writes.", null=True),
        _c("cost_usd_micros_output", "int64", "Of it, output.", null=True),
        _c("rebuild_cost_usd_micros", "int64", "Of the cost, what was rebuilt, beyond reading it.", null=True),
        _c("all_5m_usd_micros", "int64", "Paid more had cache writes been kept for 5 minutes (less: < 0).", null=True),
        _c("all_1h_usd_micros", "int64", "Paid more had cache writes been kept for an hour (less: < 0).", null=True),
        _c("price_model", "string", "The entry of the price list that matched.", null=True),
        _c("tools_hash", "string", "Hash of the declared tools, where the log has them.", null=True),
        _c("system_hash", "string", "Hash of the system prompt, where the log has it.", null=True),
    ),
    ("request_id",),
    (("conversation_id", "conversations"),),
    ("conversation_id", "request_index"),
)

MESSAGES = Table(
    "messages",
    "A message that its conversation owns.",
    (
        _c("message_id", "string", "`<conversation_id>:<message_index>`."),
        _CONVERSATION,
        _c("message_index", "int32", "Its place in the conversation."),
        _c("role", "string", "system, user, assistant or tool."),
        _c("origin", "string", "Who wrote it: human, model, tool, harness, command or hook."),
        _c("line", "int64", "Its first line in the file."),
        _c("last_line", "int64", "Its last line."),
        _c("timestamp", "timestamp", "Its time.", null=True),
        _c("entered_tokens", "int64", "Tokens of its blocks that entered the context."),
        _c("blocks", "int32", "Its blocks."),
    ),
    ("message_id",),
    (("conversation_id", "conversations"),),
    ("conversation_id", "message_index"),
)

BLOCKS = Table(
    "blocks",
    "What entered the context: one part of a message, each once.",
    (
        _c("block_id", "string", "`<conversation_id>:<block_index>`."),
        _CONVERSATION,
        _c("block_index", "int32", "Its place in the conversation."),
        _c("message_index", "int32", "Its message; -1 for what a request carries outside its messages."),
        _c("kind", "string", "system, user, rag, assistant, thinking, tool_call, tool_result, image or unknown."),
        _c("line", "int64", "Its line in the file."),
        _c("tokens", "int32", "Its tokens (o200k_base, framing included)."),
        _c("calibrated_tokens", "int32", "Its tokens as the model counts them (docs/calibration.md).", null=True),
        _c("bytes", "int64", "The size of its text in UTF-8, or of the medium."),
        _c("first_request_index", "int32", "The first request that saw it.", null=True),
        _c("last_request_index", "int32", "The last one; NULL if it still stands in the context.", null=True),
        _c("left_by", "string", "What took it out: compaction, rewind, clear, strip …", null=True),
        _c("times_sent", "int32", "How many own requests carried it."),
        _c("sent_tokens", "int64", "tokens x times_sent."),
        _c("carried_tokens", "int64", "Of these, after the first time."),
        _c("entry_cost_usd_micros", "int64", "What it cost when it entered.", null=True),
        _c("carried_cost_usd_micros", "int64", "What it cost to be sent again.", null=True),
        _c("call_id", "string", "The id of the call that it is, or answers.", null=True),
        _c("tool_name", "string", "The tool.", null=True),
        _c("mcp_server", "string", "Its MCP server.", null=True),
        _c(
            "content_hash",
            "string",
            "Hash of the text; NULL under 64 bytes: short texts can be guessed.",
            null=True,
        ),
        _c("is_error", "boolean", "Whether the result was marked as an error.", null=True),
    ),
    ("block_id",),
    (("conversation_id", "conversations"),),
    ("conversation_id", "block_index"),
)

TOOL_CALLS = Table(
    "tool_calls",
    "A call of a tool with its result.",
    (
        _c("tool_call_id", "string", "`<conversation_id>:<block_index>` of the call."),
        _CONVERSATION,
        _c("call_index", "int32", "Its place among the calls of the conversation."),
        _c("call_id", "string", "`gen_ai.tool.call.id`.", null=True),
        _c("tool_name", "string", "The tool."),
        _c("mcp_server", "string", "Its MCP server.", null=True),
        _c("call_line", "int64", "The line of the call."),
        _c("result_line", "int64", "The line of the result.", null=True),
        _c("called_at", "timestamp", "The time of the call's message.", null=True),
        _c("returned_at", "timestamp", "The time of the result's message.", null=True),
        _c("call_tokens", "int32", "Tokens of the call."),
        _c("result_tokens", "int32", "Tokens of the result.", null=True),
        _c("result_bytes", "int64", "The size of the result.", null=True),
        _c("is_error", "boolean", "Whether the result was marked as an error.", null=True),
        _c("status", "string", "`ok`, `error` or `missing`."),
        _c("path", "string", "The file that the call names.", null=True),
        _c("writes", "boolean", "Whether the call writes that file."),
        _c("command_name", "string", "The first word of a shell call.", null=True),
        _c("call_key", "string", "Hash of tool and arguments: equal for the same call.", null=True),
        _c("nth_same_call", "int32", "How many times the conversation had made this call, this one included."),
        _c("times_sent", "int32", "How many own requests carried the result."),
        _c("carried_tokens", "int64", "Tokens of the result that were carried after the first time."),
        _c("carried_cost_usd_micros", "int64", "What that cost.", null=True),
    ),
    ("tool_call_id",),
    (("conversation_id", "conversations"), ("tool_call_id", "blocks")),
    ("conversation_id", "call_index"),
)

WASTE = Table(
    "waste",
    "A finding of one waste signal in one block.",
    (
        _c("waste_id", "string", "`<block_id>:<signal>`, with an ordinal where a signal finds several things."),
        _CONVERSATION,
        _c("block_id", "string", "The block (`blocks`)."),
        _c("signal", "string", "The waste signal."),
        _c("cause", "string", "Why a re-read happened.", null=True),
        _c("confidence", "string", "high, medium or low."),
        _c("tokens", "int64", "Tokens as the signal defines them."),
        _c("exclusive_tokens", "int64", "The part that no earlier signal has claimed: sums never count a token twice."),
        _c("avoidable_tokens", "int64", "The part that a cure would recover."),
        _c("cost_usd_micros", "int64", "What the exclusive tokens cost, entering and sent again.", null=True),
        _c("avoidable_cost_usd_micros", "int64", "What the avoidable part cost.", null=True),
        _c("carried_tokens", "int64", "Exclusive tokens that were carried after the first time."),
        _c("line", "int64", "The line of the block."),
        _c("first_line", "int64", "The line of the earlier serve, for re-reads.", null=True),
        _c("tool_name", "string", "The tool.", null=True),
        _c("definition_version", "int32", "The version of the signals' definitions."),
    ),
    ("waste_id",),
    (("conversation_id", "conversations"), ("block_id", "blocks")),
    ("conversation_id", "waste_id"),
)

DIAGNOSTICS = Table(
    "diagnostics",
    "A finding of lint.",
    (
        _c("diagnostic_id", "string", "Fingerprint, stable when lines move; an ordinal where it occurs again."),
        _c("conversation_id", "string", "The conversation.", null=True),
        _c("file_id", "string", "The file (`files`)."),
        _c("rule", "string", "The rule, as in HR101."),
        _c("rule_name", "string", "Its name."),
        _c("severity", "string", "error, warning or info."),
        _c("confidence", "string", "high, medium or low."),
        _c("provider", "string", "The provider that would refuse it."),
        _c("line", "int64", "The line, from 1; 0 where it is of the file as a whole."),
        _c("column_number", "int64", "The column, from 1."),
        _c("pointer", "string", "The JSON Pointer of the value, from that of its line or document.", null=True),
        _c("message_index", "int32", "The message, in the history as it was sent.", null=True),
        _c("call_ids", "list<string>", "The calls that it is about."),
        _c("message", "string", "What is wrong, in words."),
        _c("fix_kind", "string", "The repair, if there is one.", null=True),
        _c("fix_is_safe", "boolean", "Whether it loses nothing.", null=True),
    ),
    ("diagnostic_id",),
    (("file_id", "files"),),
    ("file_id", "line"),
)

TOOLS = Table(
    "tools",
    "A declared tool, once per distinct set of tools.",
    (
        _c("tools_hash", "string", "The set of tools (`requests.tools_hash`)."),
        _c("tool_index", "int32", "Its place in the set."),
        _c("tool_name", "string", "The tool."),
        _c("tool_type", "string", "Its type."),
        _c("mcp_server", "string", "Its MCP server.", null=True),
        _c("schema_tokens", "int32", "Tokens of its schema."),
        _c("schema_hash", "string", "Hash of its schema."),
        _c("requests_sent", "int64", "Own requests that carried the set."),
        _c("calls", "int64", "Calls of the tool in the conversations that declared the set."),
    ),
    ("tools_hash", "tool_index"),
    order=("tools_hash", "tool_index"),
)

DAILY = Table(
    "daily",
    "Sums by day, ready for a dashboard and safe to share: no paths and no sessions.",
    (
        _c("date", "date", "The day, in UTC; NULL where the log has no times.", null=True),
        _c("client", "string", "The client.", null=True),
        _c("provider_name", "string", "The provider."),
        _c("model", "string", "The model.", null=True),
        _c("project", "string", "The project.", null=True),
        _c("sessions", "int64", "Sessions with a request on the day."),
        _c("requests", "int64", "Requests."),
        *_USAGE,
        _c("cost_usd_micros", "int64", "Cost in micro-dollars.", null=True),
        _c("unpriced_requests", "int64", "Requests with usage whose model has no known price."),
        _c("avoidable_tokens", "int64", "Avoidable tokens that entered on the day."),
        _c("avoidable_cost_usd_micros", "int64", "What they cost, then and later.", null=True),
        _c("tool_calls", "int64", "Calls of tools."),
        _c("tool_errors", "int64", "Of these, with an error as result."),
    ),
    ("date", "client", "provider_name", "model", "project"),
    order=("date", "client", "provider_name", "model", "project"),
    labelled=True,
)

TEXTS = Table(
    "texts",
    "Contents, each once; only with `--with-text`.",
    (
        _c("content_hash", "string", "The hash (`blocks.content_hash`)."),
        _c("text", "string", "The text."),
    ),
    ("content_hash",),
    order=("content_hash",),
)

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        FILES,
        CONVERSATIONS,
        REQUESTS,
        MESSAGES,
        BLOCKS,
        TOOL_CALLS,
        WASTE,
        DIAGNOSTICS,
        TOOLS,
        DAILY,
    )
}
"""The tables that every export writes, in order; `texts` comes beside them where it is asked for."""
