from __future__ import annotations

import io
import json
from typing import Any

from headroom_cli.logs import read_stream
from headroom_cli.model import Conversation, Reading, Text, ToolCall, ToolResult


def read(rows: list[Any]) -> Reading:
    return read_stream(io.BytesIO(b"".join(json.dumps(row).encode() + b"\n" for row in rows)))


def shown(conversation: Conversation) -> list[tuple[str, str]]:
    return [
        (m.role, "".join(p.text for p in m.parts if isinstance(p, Text | ToolResult))) for m in conversation.messages
    ]


def test_prompt_and_completion() -> None:
    reading = read([{"prompt": "2+2?", "completion": "4"}, {"prompt": "3+3?", "completion": "6"}])
    assert reading.log_format == "training"
    assert [shown(c) for c in reading.conversations] == [
        [("user", "2+2?"), ("assistant", "4")],
        [("user", "3+3?"), ("assistant", "6")],
    ]
    assert [r.usage for c in reading.conversations for r in c.requests] == [None, None]


def test_preference_pairs_keep_the_chosen_answer() -> None:
    prompt = [{"role": "user", "content": "q"}]
    good, bad = {"role": "assistant", "content": "good"}, {"role": "assistant", "content": "bad"}
    rows = [
        {"prompt": "q", "chosen": "good", "rejected": "bad"},
        {"chosen": [*prompt, good], "rejected": [*prompt, bad]},
        {"prompt": prompt, "chosen": [*prompt, good], "rejected": [*prompt, bad]},
        {"input": {"messages": prompt, "tools": []}, "preferred_output": [good], "non_preferred_output": [bad]},
    ]
    conversations = read(rows).conversations
    assert [shown(c) for c in conversations] == [[("user", "q"), ("assistant", "good")]] * 4
    assert {tuple(c.notes) for c in conversations} == {("rejected answers were left out",)}


def test_sharegpt_turns() -> None:
    turns = [
        {"from": "system", "value": "s"},
        {"from": "human", "value": "weather?"},
        {"from": "function_call", "value": '{"name": "get", "arguments": {"city": "Rome"}}'},
        {"from": "observation", "value": "sunny"},
        {"from": "gpt", "value": "It is sunny."},
    ]
    tools = json.dumps([{"type": "function", "function": {"name": "get"}}])
    (conversation,) = read([{"conversations": turns, "tools": tools}]).conversations
    assert [m.role for m in conversation.messages] == ["system", "user", "assistant", "tool", "assistant"]
    call = conversation.messages[2].parts[0]
    assert isinstance(call, ToolCall)
    assert (call.name, call.arguments) == ("get", {"city": "Rome"})
    assert [m.request for m in conversation.messages] == [None, None, 0, None, 1]


def test_tools_of_a_preference_row_are_declared() -> None:
    tool = {"type": "function", "function": {"name": "get"}}
    asked = {"messages": [{"role": "user", "content": "q"}], "tools": [tool]}
    answer = [{"role": "assistant", "content": "a"}]
    (conversation,) = read([{"input": asked, "preferred_output": answer}]).conversations
    assert [tool.name for tool in conversation.tools] == ["get"]


def test_rows_that_hold_nothing_are_counted() -> None:
    reading = read([{"prompt": "q", "completion": "a"}, {"prompt": "", "completion": ""}, {"x": 1}])
    assert (len(reading.conversations), reading.unknown) == (1, {"row": 2})
