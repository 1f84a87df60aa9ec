"""Nothing that a log may hold makes the readers raise, and what they give hangs together."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.logs import read_records
from headroom_cli.model import Reading
from headroom_cli.source.records import Record

_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4)
_JUNK = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)
_TEXT = st.sampled_from(["", "a", "b", "a b"])
_BLOCK = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": _TEXT | _JUNK}),
    st.fixed_dictionaries({"type": st.just("tool_use"), "id": _TEXT | _JUNK, "name": _TEXT, "input": _JUNK}),
    st.fixed_dictionaries({"type": st.just("tool_result"), "tool_use_id": _TEXT | _JUNK, "content": _TEXT | _JUNK}),
    st.fixed_dictionaries({"type": st.just("thinking"), "thinking": _TEXT | _JUNK}),
    st.fixed_dictionaries({"text": _TEXT}),
    st.fixed_dictionaries({"toolUse": _JUNK}),
    _JUNK,
)
_MESSAGE = st.one_of(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant", "tool", "model"]) | _JUNK},
        optional={
            "content": _TEXT | st.lists(_BLOCK, max_size=3) | _JUNK,
            "parts": st.lists(_BLOCK, max_size=2),
            "tool_calls": st.lists(_JUNK, max_size=2) | _JUNK,
            "tool_call_id": _TEXT | _JUNK,
            "type": st.sampled_from(["message", "reasoning", "function_call", "function_call_output"]) | _JUNK,
            "timestamp": _JUNK,
            "session_id": _TEXT | _JUNK,
        },
    ),
    _JUNK,
)
_MESSAGES = st.lists(_MESSAGE, max_size=5) | _JUNK
_BODY = st.fixed_dictionaries(
    {},
    optional={
        "messages": _MESSAGES,
        "contents": _MESSAGES,
        "input": _MESSAGES | _TEXT,
        "model": _TEXT | _JUNK,
        "system": _TEXT | _JUNK,
        "tools": st.lists(_JUNK, max_size=2) | _JUNK,
        "metadata": _JUNK,
        "previous_response_id": _TEXT | _JUNK,
        "usage": st.dictionaries(st.sampled_from(["prompt_tokens", "input_tokens", "output_tokens"]), _JUNK),
    },
)
_RESPONSE = st.fixed_dictionaries(
    {},
    optional={
        "object": st.sampled_from(["chat.completion", "response"]) | _JUNK,
        "id": _TEXT | _JUNK,
        "choices": st.lists(st.fixed_dictionaries({"message": _MESSAGE}), max_size=2) | _JUNK,
        "output": _MESSAGES | st.fixed_dictionaries({"message": _MESSAGE}),
        "candidates": st.lists(_JUNK, max_size=2) | _JUNK,
        "usage": _JUNK,
        "content": st.lists(_BLOCK, max_size=3) | _JUNK,
        "type": st.just("message") | _JUNK,
        "role": st.just("assistant") | _JUNK,
    },
)


def _rows(optional: dict[str, Any] | None = None, **fields: Any) -> Any:
    return st.fixed_dictionaries(fields, optional=optional or {})


_GEMINI_MESSAGE = _rows(
    {"id": _TEXT, "content": _JUNK, "toolCalls": _JUNK, "tokens": _JUNK, "thoughts": _JUNK},
    type=st.sampled_from(["user", "gemini"]),
)
_TURN = st.fixed_dictionaries({"from": _TEXT | _JUNK, "value": _JUNK})
_FRAMEWORK_MESSAGE = _rows(role=_JUNK, contents=st.lists(_JUNK, max_size=2))
_ROW = st.one_of(
    _BODY,
    _MESSAGE,
    _RESPONSE,
    st.lists(_MESSAGE, max_size=4),
    _rows({"session_id": _TEXT | _JUNK}, request=_BODY, response=_RESPONSE | _JUNK),
    _rows({"messages": _MESSAGES, "response": _RESPONSE}, type=st.sampled_from(["request", "response"])),
    _rows({"body": _BODY, "response": _RESPONSE | _JUNK, "result": _JUNK}, custom_id=_TEXT | _JUNK),
    _rows(sessionId=_TEXT, projectHash=_TEXT, messages=st.lists(_GEMINI_MESSAGE, max_size=3) | _JUNK),
    _rows(message=_MESSAGE, message_id=st.integers()),
    _rows(history=_MESSAGES, trajectory=st.just([]), info=_JUNK),
    _rows(conversations=st.lists(_TURN, max_size=3)),
    _rows({"prompt": _MESSAGES | _TEXT}, chosen=_MESSAGES | _TEXT, rejected=_JUNK),
    _rows(messages=st.lists(_FRAMEWORK_MESSAGE, max_size=2)),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(_ROW, min_size=1, max_size=6))
def test_readers_never_raise_and_intervals_hold(rows: list[Any]) -> None:
    records = [Record(line, row) for line, row in enumerate(rows, 1) if isinstance(row, dict | list)]
    reading = read_records(records, Reading("x"))
    ids = [conversation.id for conversation in reading.conversations]
    assert len(set(ids)) == len(ids)
    for conversation in reading.conversations:
        assert [m.index for m in conversation.messages] == list(range(len(conversation.messages)))
        assert [r.index for r in conversation.requests] == list(range(len(conversation.requests)))
        requests = len(conversation.requests)
        parts = [part for message in conversation.messages for part in message.parts]
        for part in [*parts, *conversation.system, *conversation.tools]:
            before = 0
            for enters, leaves, _ in part.context:
                assert before <= enters <= requests
                assert leaves is None or enters < leaves <= requests
                before = leaves if leaves is not None else requests + 1
            assert 1 <= part.line <= len(rows)
        for message in conversation.messages:
            assert message.request is None or message.request < requests


@settings(max_examples=100, deadline=None)
@given(st.lists(_ROW, min_size=1, max_size=4))
def test_the_same_rows_give_the_same_ids(rows: list[Any]) -> None:
    records = [Record(line, row) for line, row in enumerate(rows, 1) if isinstance(row, dict | list)]
    again = [Record(line, json.loads(json.dumps(row))) for line, row in records]
    first, second = read_records(records, Reading("x")), read_records(again, Reading("y"))
    assert [c.id for c in first.conversations] == [c.id for c in second.conversations]
