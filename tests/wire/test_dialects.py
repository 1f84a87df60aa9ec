from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli import wire
from headroom_cli.model import Message, Other, Text, Thinking, ToolCall, ToolResult
from headroom_cli.wire import anthropic, bedrock, gemini, openai_chat, openai_responses
from headroom_cli.wire.plain import as_plain

CASES = Path(__file__).parents[1] / "cases" / "waste"
TWINS = sorted(path.stem.removeprefix("bedrock_") for path in CASES.glob("bedrock_*.jsonl"))


def load(name: str) -> list[Any]:
    (line,) = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    messages = json.loads(line)["messages"]
    assert isinstance(messages, list)
    return messages


def said(messages: list[Message]) -> list[tuple[Any, ...]]:
    """What the parts say, in order; arguments as the value that they stand for."""
    found: list[tuple[Any, ...]] = []
    for part in (part for message in messages for part in message.parts):
        if isinstance(part, Text | Thinking):
            found.append((type(part).__name__, part.text))
        elif isinstance(part, ToolCall):
            arguments = json.loads(part.arguments) if isinstance(part.arguments, str) else part.arguments
            found.append(("ToolCall", part.id, part.name, arguments))
        elif isinstance(part, ToolResult):
            found.append(("ToolResult", part.call_id, part.text))
    return found


def items_of(messages: list[Any]) -> list[Any]:
    """A chat history as Responses items."""
    items: list[Any] = []
    for message in messages:
        if message["role"] == "tool":
            call_id = message["tool_call_id"]
            items.append({"type": "function_call_output", "call_id": call_id, "output": message["content"]})
            continue
        if message.get("content"):
            kind = "output_text" if message["role"] == "assistant" else "input_text"
            content = [{"type": kind, "text": message["content"]}]
            items.append({"type": "message", "role": message["role"], "content": content})
        items += [
            {"type": "function_call", "id": f"fc_{i}", "call_id": call["id"], **call["function"]}
            for i, call in enumerate(message.get("tool_calls") or [])
        ]
    return items


def objects_of(value: Any) -> Any:
    """The same values as objects that only have attributes, apart from arguments."""
    if isinstance(value, list):
        return [objects_of(item) for item in value]
    if isinstance(value, dict):
        return SimpleNamespace(**{key: item if key == "input" else objects_of(item) for key, item in value.items()})
    return value


def test_there_are_cases() -> None:
    assert len(TWINS) == 9


@pytest.mark.parametrize("name", TWINS)
def test_one_history_says_the_same_in_every_dialect(name: str) -> None:
    chat = load(f"openai_{name}")
    histories = {
        "openai": chat,
        "openai-responses": items_of(chat),
        "anthropic": load(f"anthropic_{name}"),
        "bedrock": load(f"bedrock_{name}"),
    }
    dialect, expected = wire.parse_history(chat)
    assert (dialect, [message.index for message in expected]) == ("openai", list(range(len(chat))))
    for dialect, history in histories.items():
        found, messages = wire.parse_history(history)
        assert found == dialect
        assert said(messages) == said(expected)
        found, messages = wire.parse_history(as_plain(objects_of(history)))
        assert found == dialect
        assert said(messages) == said(expected)


def test_what_a_read_and_its_answer_say() -> None:
    _, messages = wire.parse_history(load("bedrock_identical_reread"))
    assert said(messages)[:2] == [
        ("Text", "Read the module."),
        ("ToolCall", "k1", "read_file", {"path": "pkg/mod.py"}),
    ]
    kind, call_id, text = said(messages)[2]
    assert (kind, call_id, text[:27]) == ("ToolResult", "k1", "def nu_0(x, y=0):\n    retur")
    assert [message.origin for message in messages[:4]] == ["human", "model", "tool", "model"]


@pytest.mark.parametrize(
    ("message", "dialect"),
    [
        ({"role": "user", "content": "hi"}, "openai"),
        ({"role": "tool", "tool_call_id": "c", "content": "x"}, "openai"),
        ({"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]}, "openai"),
        ({"role": "assistant", "content": None, "function_call": {"name": "f"}}, "openai"),
        ({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]}, "openai"),
        ({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}, "openai-responses"),
        ({"type": "custom_tool_call_output", "call_id": "c", "output": "x"}, "openai-responses"),
        ({"type": "message", "role": "user", "content": "hi"}, "openai-responses"),
        ({"role": "user", "content": [{"type": "input_text", "text": "hi"}]}, "openai-responses"),
        ({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}, "anthropic"),
        ({"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "image", "source": {}}]}, "anthropic"),
        ({"role": "assistant", "content": [{"type": "web_search_tool_result"}]}, "anthropic"),
        ({"role": "assistant", "type": "message", "stop_reason": "end_turn", "content": []}, "anthropic"),
        ({"role": "user", "content": [{"text": "hi"}]}, "bedrock"),
        ({"role": "assistant", "content": [{"toolUse": {"toolUseId": "t"}}]}, "bedrock"),
        ({"message": {"role": "user", "content": []}, "message_id": 0}, "bedrock"),
        ({"role": "model", "parts": [{"text": "hi"}]}, "gemini"),
        (None, "openai"),
        ("hi", "openai"),
        ({"role": ["x"], "content": {"type": []}}, "openai"),
    ],
)
def test_the_dialect_of_a_message(message: Any, dialect: str) -> None:
    assert wire.dialect_of([{"role": "user", "content": "start"}, message]) == dialect


def test_a_mixed_history_is_read_message_by_message() -> None:
    dialect, messages = wire.parse_history(
        [
            {"role": "user", "content": [{"text": "bedrock"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "one"}]},
            {"role": "tool", "tool_call_id": "t2", "content": "two"},
            None,
            {"role": "model", "parts": [{"text": "gemini"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "neutral"}]},
        ]
    )
    assert dialect == "anthropic"
    assert said(messages) == [
        ("Text", "bedrock"),
        ("ToolCall", "t1", "f", {}),
        ("ToolResult", "t1", "one"),
        ("ToolResult", "t2", "two"),
        ("Text", "gemini"),
        ("Text", "neutral"),
    ]
    assert messages[4] == Message(4, "user", [Other("message")])


def test_a_named_dialect_reads_what_has_no_mark() -> None:
    dialect, messages = wire.parse_history([{"role": "user", "content": "hi"}], "bedrock")
    assert (dialect, said(messages)) == ("bedrock", [("Text", "hi")])
    assert wire.parse_history([]) == ("openai", [])
    assert wire.parse_history("junk", "gemini") == ("gemini", [])


def test_modules_by_name() -> None:
    modules = [openai_chat, openai_responses, anthropic, bedrock, gemini]
    assert [wire.module(module.NAME) for module in modules] == modules
    assert list(wire.DIALECTS) == [module.NAME for module in modules]
    assert wire.module("klingon") is openai_chat


KEYS = ["type", "role", "content", "parts", "tool_calls", "function_call", "message", "message_id", "text", "source"]
WORDS = ["function_call", "tool_use", "text", "image", "input_text", "assistant", "tool", "message", "model"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=15,
)


@given(st.lists(JSON, max_size=4))
@settings(max_examples=300)
def test_any_history_is_read_without_raising(history: list[Any]) -> None:
    dialect, messages = wire.parse_history(history)
    assert dialect == wire.dialect_of(history)
    assert [message.index for message in messages] == list(range(len(history)))
    for name in wire.DIALECTS:
        assert len(wire.parse_history(history, name)[1]) == len(history)
