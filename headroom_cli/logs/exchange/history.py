"""One plain history to one conversation: what formats without requests of their own share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headroom_cli import wire
from headroom_cli.logs.base import conversation_id
from headroom_cli.logs.context import replay_append_only
from headroom_cli.logs.exchange.exchanges import timestamp_of
from headroom_cli.logs.exchange.keys import digest, give_keys
from headroom_cli.logs.exchange.thread import ITEM_DIALECTS, LOG_FORMATS
from headroom_cli.model import Conversation, Declaration, Part, Sent
from headroom_cli.wire.base import text_or_none


def read_history(
    rows: Sequence[Any],
    lines: Sequence[int],
    path: str,
    dialect: str,
    *,
    log_format: str | None = None,
    session: str | None = None,
    model: str | None = None,
    system: Sequence[Part] = (),
    tools: Sequence[Declaration] = (),
    anchor: Any = None,
    body: dict[str, Any] | None = None,
    keyed: bool = True,
) -> Conversation:
    """The conversation of raw messages; `lines` are their physical lines. The index of a message is that of its row.

    `anchor` is the list or body that holds all of them, `body` what stands beside them (`model.Sent`). Not `keyed`:
    only the first message gets a key, which the id is made of.
    """
    module = wire.module(dialect)
    messages = [module.parse_message(row, i, line) for i, (row, line) in enumerate(zip(rows, lines, strict=True))]
    name = log_format or LOG_FORMATS.get(dialect, dialect)
    conversation = Conversation(
        "", session, name, dialect, path, identity="content", model=model, messages=messages, system=list(system)
    )
    conversation.tools = list(tools)
    for message, row in zip(messages, rows, strict=True):
        if message.timestamp is None and isinstance(row, dict):
            message.timestamp = timestamp_of(row)
    replay_append_only(conversation, merge_runs=dialect in ITEM_DIALECTS)
    _take_usage(conversation, rows)
    give_keys(messages if keyed else messages[:1], digest(dialect.encode()))
    conversation.id = conversation_id(name, session or "", messages[0].key if messages else "")
    conversation.sent.append(
        Sent(
            lines[0] if lines else 0,
            dialect,
            list(rows),
            lines=None if anchor is not None else list(lines),
            anchor=anchor,
            body=body or {},
            recorded=False,
            model=model,
        )
    )
    conversation.model = model or next((request.model for request in conversation.requests if request.model), None)
    stamps = [message.timestamp for message in messages if message.timestamp is not None]
    if stamps:
        conversation.started_at, conversation.ended_at = min(stamps), max(stamps)
    return conversation


def _take_usage(conversation: Conversation, rows: Sequence[Any]) -> None:
    """Some clients write beside a message what was counted for it: then its request is recorded."""
    module = wire.module(conversation.dialect)
    for message, row in zip(conversation.messages, rows, strict=True):
        if message.request is None or not isinstance(row, dict) or not isinstance(row.get("usage"), dict):
            continue
        request = conversation.requests[message.request]
        usage = module.parse_usage(row["usage"])
        if usage is not None:
            request.usage, request.source = usage, "recorded"
            request.model = text_or_none(row.get("model")) or request.model
