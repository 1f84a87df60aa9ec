"""Sessions of Strands Agents: one stored message `{message, message_id, created_at}` a record, in Bedrock's shape."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headroom_cli.logs.base import LogFormat
from headroom_cli.logs.exchange.exchanges import session_of
from headroom_cli.logs.exchange.history import read_history
from headroom_cli.model import Conversation, Reading
from headroom_cli.source.records import Record


def read(records: Iterable[Record], path: str, reading: Reading) -> list[Conversation]:
    """One conversation, or one for each session id where the rows name it."""
    groups: dict[str | None, list[Record]] = {}
    for record in records:
        value = record.value
        if isinstance(value, dict) and isinstance(value.get("message"), dict):
            groups.setdefault(_group(value), []).append(record)
        else:
            reading.unknown["row"] = reading.unknown.get("row", 0) + 1
    conversations = []
    for session, group in groups.items():
        rows, lines = [r.value for r in group], [r.line for r in group]
        conversation = read_history(rows, lines, path, "bedrock", log_format="strands", session=session)
        conversation.client = "Strands Agents"
        conversations.append(conversation)
    return conversations


FORMAT = LogFormat(
    name="strands",
    title="Strands Agents session",
    client="Strands Agents",
    families=frozenset({"strands"}),
    summary="Stored messages of Strands sessions, as rows of one file.",
    read=read,
)


def _group(row: dict[str, Any]) -> str | None:
    return session_of(row, row)[0]
