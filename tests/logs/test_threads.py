"""What request logs must give whatever a client does to its history: the context of each request is what it sent."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.logs import read_records
from headroom_cli.logs.exchange.keys import part_key
from headroom_cli.model import Conversation, Reading
from headroom_cli.source.records import Record
from headroom_cli.wire import anthropic

_WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta"])


def _text(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}]}


def _step(number: int, text: str) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"n": number}}
    thinking = {"type": "thinking", "thinking": text, "signature": "s"}
    back = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
    return [{"role": "assistant", "content": [thinking, use]}, {"role": "user", "content": [back]}]


_OPERATIONS = st.tuples(
    st.sampled_from(["ask", "call", "edit", "cut", "rewind", "strip", "repeat", "respond"]),
    st.integers(0, 20),
    _WORDS,
)


def _change(history: list[Any], operation: str, place: int, text: str, number: int) -> list[Any]:
    history = copy.deepcopy(history)
    if operation == "ask":
        return [*history, _text("assistant", text), _text("user", text * 2)]
    if operation == "call":
        return history + _step(number, text)
    if operation == "edit":
        message = history[place % len(history)]
        for block in message["content"]:
            key = "content" if block["type"] == "tool_result" else "text"
            if key in block:
                block[key] = f"edited {text}"
    if operation == "cut":
        return history[:1] + history[1 + place % 3 :]
    if operation == "rewind":
        return history[: 1 + place % len(history)]
    if operation == "strip":
        for message in history:
            message["content"] = [b for b in message["content"] if b["type"] != "thinking"] or message["content"]
    return history


def _sent(messages: list[Any]) -> Counter[str]:
    parsed = [anthropic.parse_message(message, 0) for message in messages]
    return Counter(part_key(part) for message in parsed for part in message.parts)


def _seen(conversation: Conversation, request: int) -> Counter[str]:
    return Counter(
        part_key(part)
        for message in conversation.messages
        for part in message.parts
        if any(enters <= request and (leaves is None or request < leaves) for enters, leaves, _ in part.context)
    )


@settings(max_examples=400, deadline=None)
@given(st.lists(_OPERATIONS, min_size=1, max_size=12), st.booleans(), st.booleans())
def test_the_context_of_each_request_is_what_it_sent(
    operations: list[tuple[str, int, str]], named: bool, answered: bool
) -> None:
    history: list[Any] = [_text("user", "start"), *_step(99, "first")]
    sent: list[list[Any]] = []
    rows: list[dict[str, Any]] = []
    for number, (operation, place, text) in enumerate(operations):
        history = _change(history, operation, place, text, number)
        body: dict[str, Any] = {"model": "claude-opus-4-5", "max_tokens": 9, "messages": copy.deepcopy(history)}
        row: dict[str, Any] = {"request": body, "response": {"error": "cut"}}
        if answered and operation == "respond":
            answer = _text("assistant", text)
            message = {"id": f"msg_{number:08d}", "type": "message", **answer, "usage": {"input_tokens": 1}}
            row["response"] = message
            history = [*history, answer, _text("user", "go on")]
        if named:
            row["session_id"] = "one"
        rows.append(row)
        sent.append(body["messages"])
    reading = read_records([Record(line, row) for line, row in enumerate(rows, 1)], Reading("x"))
    lines = [request.line for conversation in reading.conversations for request in conversation.requests]
    assert sorted(lines) == list(range(1, len(rows) + 1))
    for conversation in reading.conversations:
        for request in conversation.requests:
            assert _seen(conversation, request.index) == _sent(sent[request.line - 1])
