"""What `claude -p --output-format stream-json` prints: one run, the main thread and its subagents in one stream.

Lines have no links, so each thread (`parent_tool_use_id`) is one chain. They carry placeholder output counts; the
final ones stand in `stream_event` lines, where partial messages were asked for, else only in the total of `result`.
That total is a note: it cannot be split among the requests, unless there is only one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headroom_cli.logs.base import LogFormat
from headroom_cli.logs.claude.lines import Lines
from headroom_cli.logs.claude.responses import counters_of, usable_id
from headroom_cli.logs.formats.claude_code import CLIENT, conversations
from headroom_cli.model import Conversation, Reading
from headroom_cli.source.records import Record
from headroom_cli.wire.anthropic import parse_usage
from headroom_cli.wire.base import text_or_none

NAME = "claude-stream-json"

# Lines that put nothing into the context.
_INERT_TYPES = frozenset(
    (
        "auth_status",
        "control_cancel_request",
        "control_request",
        "control_response",
        "keep_alive",
        "prompt_suggestion",
        "rate_limit_event",
        "tool_progress",
        "tool_use_summary",
    )
)


@dataclass(slots=True)
class _Run:
    """One session of the stream."""

    lines: Lines
    model: str | None = None
    streaming: dict[str, str] = field(default_factory=dict)
    result_usage: Any = None


def read(records: Iterable[Record], path: str, reading: Reading) -> list[Conversation]:
    """The conversations of one dump: for each session the main thread, then its subagents."""
    runs: dict[str, _Run] = {}
    for line, value in records:
        if not isinstance(value, dict):
            reading.unknown["not an object"] = reading.unknown.get("not an object", 0) + 1
            continue
        session = usable_id(value.get("session_id")) or next(reversed(runs), "")
        run = runs.get(session)
        if run is None:
            run = runs[session] = _Run(Lines(reading.unknown))
        _take(run, value, line)
    found: list[Conversation] = []
    for session, run in runs.items():
        of_run = conversations(run.lines, path, session or Path(path).stem, NAME)
        for conversation in of_run:
            conversation.model = conversation.model or run.model
        _apply_result(of_run, run.result_usage)
        found += of_run
    return found


def _take(run: _Run, value: dict[str, Any], line: int) -> None:
    kind = value.get("type")
    agent = usable_id(value.get("parent_tool_use_id")) or ""
    if kind in ("assistant", "user"):
        if agent:
            run.lines.spawned_by[agent] = agent
        run.lines.take(
            {
                **value,
                "sessionId": value.get("session_id"),
                "isSidechain": bool(agent),
                "agentId": agent,
                "isMeta": value.get("isMeta") is True or value.get("isSynthetic") is True,
            },
            line,
        )
    elif kind == "stream_event":
        _take_event(run, value.get("event"), agent)
    elif kind == "system":
        _take_system(run, value, line)
    elif kind == "result":
        run.result_usage = value.get("usage")
    elif not (isinstance(kind, str) and kind in _INERT_TYPES):
        run.lines.take(value, line)


def _take_event(run: _Run, event: object, agent: str) -> None:
    if not isinstance(event, dict):
        return
    if event.get("type") == "message_start":
        message = event.get("message")
        run.streaming[agent] = usable_id(message.get("id")) or "" if isinstance(message, dict) else ""
    elif event.get("type") == "message_delta" and run.streaming.get(agent):
        delta = event.get("delta")
        reason = delta.get("stop_reason") if isinstance(delta, dict) else None
        run.lines.finish_response(agent, run.streaming[agent], event.get("usage"), reason)


def _take_system(run: _Run, value: dict[str, Any], line: int) -> None:
    subtype = value.get("subtype")
    if subtype == "init":
        run.model = text_or_none(value.get("model")) or run.model
        run.lines.cwd = run.lines.cwd or text_or_none(value.get("cwd"))
        run.lines.client_version = text_or_none(value.get("claude_code_version")) or run.lines.client_version
    elif subtype == "compact_boundary":
        run.lines.take({**value, "compactMetadata": value.get("compact_metadata")}, line)


def _apply_result(found: list[Conversation], raw: object) -> None:
    """What the run's total says of output counts that are placeholders."""
    total = parse_usage(raw)
    requests = [request for conversation in found for request in conversation.requests]
    usages = [request.usage for request in requests if request.usage is not None]
    if total is None or not total.output_tokens or not any(usage.output_is_lower_bound for usage in usages):
        return
    recorded = sum(usage.output_tokens or 0 for usage in usages)
    if total.output_tokens <= recorded:
        return
    if len(usages) == 1 and usages[0].input_tokens == total.input_tokens and counters_of(raw) != (0, 0, 0):
        usages[0].output_tokens = total.output_tokens
        usages[0].output_is_lower_bound = False
        return
    found[0].notes.append(
        f"output counts of the lines are placeholders: {recorded} in all, the result of the run says "
        f"{total.output_tokens}"
    )


FORMAT = LogFormat(
    name=NAME,
    title="Claude Code, stream-json output",
    client=CLIENT,
    families=frozenset({"claude-stream-json"}),
    summary="Standard output of `claude -p --output-format stream-json`.",
    read=read,
)
