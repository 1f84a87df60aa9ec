"""What request logs must give whatever a client does to its history: the context of each request is what it sent."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.logs import read_records
from headroom_cli.logs.exchange import request_log, threads
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


def _histories(rows: list[list[str]]) -> Iterator[Record]:
    """Requests that carry these texts, alternately of the user and the model."""
    for line, texts in enumerate(rows, 1):
        messages = [_text(("user", "assistant")[place % 2], text) for place, text in enumerate(texts)]
        yield Record(line, {"model": "claude-opus-4-6", "max_tokens": 99, "messages": messages})


def _read(rows: list[list[str]]) -> list[tuple[int, int]]:
    """Messages and requests of each conversation."""
    reading = read_records(_histories(rows), Reading("requests.jsonl"))
    return [(len(conversation.messages), len(conversation.requests)) for conversation in reading.conversations]


class TestManyConversationsInOneFile:
    @pytest.fixture(autouse=True)
    def _few(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(threads, "MOST_MESSAGES", 6)
        monkeypatch.setattr(threads, "STAY_OPEN", 2)

    def test_they_are_given_while_the_file_is_read(self) -> None:
        asked = 0

        def records() -> Iterator[Record]:
            nonlocal asked
            for record in _histories([[f"{number} {place}" for place in range(3)] for number in range(100)]):
                asked += 1
                yield record

        reading = Reading("requests.jsonl")
        given = request_log.read(records(), reading.path, reading)
        assert next(iter(given)).messages[0].line == 1
        assert asked == 6  # a few more than may stay open
        assert [conversation.messages[0].line for conversation in given] == list(range(2, 101))

    def test_those_continued_last_stay_open(self) -> None:
        rows = [
            ["a"],
            ["b"],
            ["a", "A", "aa"],
            ["c", "C", "cc"],
            ["a", "A", "aa", "A2", "a3"],
            ["c", "C", "cc", "C2", "c3"],
        ]
        assert _read(rows) == [(1, 1), (5, 3), (5, 2)]

    def test_one_that_goes_on_after_its_end_begins_anew(self) -> None:
        rows = [[name, f"{name} 2", f"{name} 3"] for name in "abcdef"]
        assert _read([*rows, [*rows[0], "a 4", "a 5"]]) == [(3, 1)] * 6 + [(5, 1)]

    def test_a_long_one_is_not_looked_for_its_end_at_each_request(self) -> None:
        texts = [str(number) for number in range(61)]
        assert _read([texts[: 2 * length + 1] for length in range(31)]) == [(61, 31)]


@given(st.lists(st.lists(_WORDS, min_size=1, max_size=5), max_size=12), st.integers(1, 8))
def test_what_is_kept_open_changes_nothing_for_one_history_after_the_other(rows: list[list[str]], most: int) -> None:
    numbered = [[f"{number} {text}" for text in texts] for number, texts in enumerate(rows)]
    whole = _read(numbered)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "MOST_MESSAGES", most)
        patch.setattr(threads, "STAY_OPEN", 1)
        assert _read(numbered) == whole
