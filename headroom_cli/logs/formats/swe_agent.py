"""Trajectories of SWE-agent: `{trajectory, history, info}`; the history is what the model saw."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headroom_cli.logs.base import LogFormat
from headroom_cli.logs.exchange.history import read_history
from headroom_cli.model import Conversation, Reading
from headroom_cli.source.records import Record
from headroom_cli.wire.base import count


def read(records: Iterable[Record], path: str, reading: Reading) -> list[Conversation]:
    """One conversation for each agent in a history. Its token counts are sums over the run: they become a note."""
    conversations = []
    for line, value in records:
        history = value.get("history") if isinstance(value, dict) else None
        if not isinstance(history, list):
            reading.unknown["row"] = reading.unknown.get("row", 0) + 1
            continue
        agents: dict[str, list[Any]] = {}
        for row in history:
            name = row.get("agent") if isinstance(row, dict) else None
            agents.setdefault(name if isinstance(name, str) else "", []).append(_chat_message(row))
        for name, rows in agents.items():
            conversation = read_history(rows, [line] * len(rows), path, "openai", log_format="swe-agent")
            conversation.client = "SWE-agent"
            conversation.agent_name = name or None
            conversations.append(conversation)
        note = _usage_note(value.get("info"))
        if note is not None and len(agents) == 1:
            conversations[-1].notes.append(note)
    return conversations


FORMAT = LogFormat(
    name="swe-agent",
    title="SWE-agent trajectory",
    client="SWE-agent",
    families=frozenset({"swe-agent"}),
    summary="`.traj` files; usage is recorded for the run only.",
    read=read,
)


def _chat_message(row: Any) -> Any:
    """A history entry names the call that it answers in `tool_call_ids`, a list of one."""
    if isinstance(row, dict) and row.get("role") == "tool" and "tool_call_id" not in row:
        ids = row.get("tool_call_ids")
        if isinstance(ids, list) and ids:
            return {**row, "tool_call_id": ids[0]}
    return row


def _usage_note(info: Any) -> str | None:
    stats = info.get("model_stats") if isinstance(info, dict) else None
    if not isinstance(stats, dict):
        return None
    sent, received = count(stats.get("tokens_sent")), count(stats.get("tokens_received"))
    if not sent and not received:
        return None
    return f"usage of the whole run: {sent or 0} tokens sent, {received or 0} received"
