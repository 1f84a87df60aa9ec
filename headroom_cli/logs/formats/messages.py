"""Plain histories: one message or item a line, or one list of messages a line. Each answer implies a request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from headroom_cli import wire
from headroom_cli.logs.base import LogFormat
from headroom_cli.logs.detection.shapes import as_object
from headroom_cli.logs.exchange.exchanges import session_of
from headroom_cli.logs.exchange.history import read_history
from headroom_cli.model import Conversation, Reading
from headroom_cli.source.records import Record


def read(records: Iterable[Record], path: str, reading: Reading) -> Iterator[Conversation]:
    """A new conversation begins with a system message, another session id, and each list of messages."""
    lines: list[int] = []
    rows: list[Any] = []
    session: str | None = None
    keyed = not reading.alone

    def close() -> Iterator[Conversation]:
        if rows:
            yield _conversation(rows, lines, path, session, keyed=keyed)
        lines.clear()
        rows.clear()

    for line, value in records:
        if isinstance(value, list):
            yield from close()
            yield _conversation(value, [line] * len(value), path, None, keyed=keyed, anchor=value)
            continue
        if not _is_message(value):
            name = value["type"] if isinstance(value.get("type"), str) else "object"
            reading.unknown[name] = reading.unknown.get(name, 0) + 1
            continue
        own, _ = session_of(value, value)
        if "message_data" in value:  # a row of the Agents SDK's session store
            value = as_object(value["message_data"])
            if not isinstance(value, dict):
                continue
        begins = value.get("role") in ("system", "developer") and any(_speaks(row) for row in rows)
        if begins or (own is not None and session is not None and own != session):
            yield from close()
            session = None
        session = own or session
        lines.append(line)
        rows.append(value)
    yield from close()


FORMAT = LogFormat(
    name="messages",
    title="Plain histories",
    client="any",
    families=frozenset({"message-line", "item-line", "history-array"}),
    summary="One message, one Responses item, or one list of messages a line, in any provider's dialect.",
    read=read,
)


def _conversation(
    rows: list[Any], lines: list[int], path: str, session: str | None, *, keyed: bool, anchor: Any = None
) -> Conversation:
    return read_history(rows, lines, path, wire.dialect_of(rows), session=session, anchor=anchor, keyed=keyed)


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return isinstance(value.get("role"), str) or "message_data" in value or ("type" in value and "role" not in value)


def _speaks(row: Any) -> bool:
    return not (isinstance(row, dict) and row.get("role") in ("system", "developer"))
