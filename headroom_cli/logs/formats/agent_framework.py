"""Runs of Microsoft's Agent Framework: rows with `messages: [{role: {value}, contents: [...]}]`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headroom_cli.logs.base import LogFormat
from headroom_cli.logs.exchange.history import read_history
from headroom_cli.model import Conversation, Reading
from headroom_cli.source.records import Record
from headroom_cli.wire.base import text_or_none
from headroom_cli.wire.results import dump


def read(records: Iterable[Record], path: str, reading: Reading) -> list[Conversation]:
    """One conversation a row; rows that are messages themselves are one conversation together."""
    conversations = []
    loose: list[tuple[int, dict[str, Any]]] = []
    for line, value in records:
        messages = value.get("messages") if isinstance(value, dict) else None
        if isinstance(messages, list):
            rows = [chat for message in messages for chat in _chat_messages(message)]
            conversations.append(_conversation(rows, [line] * len(rows), path, value))
        elif isinstance(value, dict) and isinstance(value.get("contents"), list):
            loose += [(line, chat) for chat in _chat_messages(value)]
        else:
            name = "error" if isinstance(value, dict) and "error" in value else "row"
            reading.unknown[name] = reading.unknown.get(name, 0) + 1
    if loose:
        conversations.append(_conversation([row for _, row in loose], [line for line, _ in loose], path, {}))
    return conversations


FORMAT = LogFormat(
    name="agent-framework",
    title="Agent Framework run",
    client="Microsoft Agent Framework",
    families=frozenset({"agent-framework"}),
    summary="Rows with the chat messages of a run; without usage.",
    read=read,
)


def _conversation(rows: list[Any], lines: list[int], path: str, row: dict[str, Any]) -> Conversation:
    config = row.get("config")
    assistant = config.get("assistant") if isinstance(config, dict) else None
    model = row.get("model") or (assistant.get("model") if isinstance(assistant, dict) else None)
    conversation = read_history(
        rows, lines, path, "openai", log_format="agent-framework", model=text_or_none(model), session=None
    )
    conversation.client = "Microsoft Agent Framework"
    return conversation


def _chat_messages(message: Any) -> list[dict[str, Any]]:
    """What the framework sends for one of its messages: a message with its calls, and one for each result."""
    if not isinstance(message, dict):
        return [{"role": "user", "content": None}]
    role = message.get("role")
    if isinstance(role, dict):
        role = role.get("value")
    contents = message.get("contents")
    said: list[Any] = []
    calls: list[Any] = []
    results: list[dict[str, Any]] = []
    for content in contents if isinstance(contents, list) else []:
        kind = content.get("type") if isinstance(content, dict) else None
        if kind == "text":
            said.append({"type": "text", "text": content.get("text")})
        elif kind == "text_reasoning":
            said.append({"type": "thinking", "thinking": content.get("text")})
        elif kind == "function_call":
            function = {"name": content.get("name"), "arguments": content.get("arguments")}
            calls.append({"id": content.get("call_id"), "type": "function", "function": function})
        elif kind == "function_result":
            result = content.get("result")
            text = result if isinstance(result, str) else "" if result is None else dump(result)
            if not text and isinstance(content.get("exception"), str):
                text = content["exception"]
            results.append({"role": "tool", "tool_call_id": content.get("call_id"), "content": text})
        elif kind == "uri" and isinstance(content.get("uri"), str):
            said.append({"type": "image_url", "image_url": {"url": content["uri"]}})
        elif kind != "usage":
            said.append(content)
    chat: list[dict[str, Any]] = []
    if said or calls or not results:
        body: dict[str, Any] = {"role": role, "content": said or None}
        if len(said) == 1 and isinstance(said[0], dict) and said[0].get("type") == "text":
            body["content"] = said[0]["text"]
        if calls:
            body["tool_calls"] = calls
        chat.append(body)
    return chat + results
