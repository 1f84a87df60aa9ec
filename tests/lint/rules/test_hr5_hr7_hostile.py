"""Whatever stands in a request instead of what belongs there, the rules on thinking, tools and limits do not raise."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.lint.engine import judge, judge_session, known_rules
from headroom_cli.lint.providers import PROFILES
from headroom_cli.lint.sent import history_of, sessions
from headroom_cli.lint.shapes import MESSAGE_KEYS
from headroom_cli.logs import read_log
from tests.lint.images import image, png

MARK = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
ANTHROPIC: dict[str, Any] = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 9,
    "thinking": {"type": "enabled", "budget_tokens": 1024},
    "system": [{"type": "text", "text": "s", **MARK}],
    "tools": [{"name": "f", "input_schema": {"type": "object"}, "defer_loading": True, **MARK}],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "x"}, image(png(10, 10))]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "t", "signature": "EqQB"},
                {"type": "redacted_thinking", "data": "EqQB"},
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "advisor", "input": {}},
                {"type": "advisor_tool_result", "tool_use_id": "srvtoolu_1", "content": {"tool_references": [{}]}},
                {"type": "tool_use", "id": "t1", "name": "headroom_retrieve", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "content": [{"type": "tool_reference", "tool_name": "g"}, image(png(10, 10))],
                    **MARK,
                }
            ],
        },
        {"role": "system", "content": [{"type": "tool_addition", "tool": {"name": "h"}}]},
    ],
}
BEDROCK: dict[str, Any] = {
    "modelId": "m",
    "toolConfig": {"tools": [{"toolSpec": {"name": "f"}}, {"cachePoint": {"type": "default"}}]},
    "messages": [
        {"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": png(10, 10)}}}]},
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "t", "signature": "EqQB"}}},
                {"toolUse": {"toolUseId": "a", "name": "f", "input": {}}},
            ],
        },
        {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "r"}]}}]},
    ],
}
RESPONSES: dict[str, Any] = {
    "store": False,
    "tools": [{"type": "function", "name": "f", "defer_loading": True}],
    "input": [
        {"type": "message", "role": "user", "content": "x"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{}], "encrypted_content": "gA=="},
        {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "r"},
        {"type": "item_reference", "id": "msg_1"},
    ],
}
CHAT: dict[str, Any] = {
    "model": "deepseek-v4",
    "tools": [{"type": "function", "function": {"name": "f"}}],
    "messages": [
        {"role": "user", "content": "x"},
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "t",
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "r"},
    ],
}
GEMINI: dict[str, Any] = {
    "tools": [{"functionDeclarations": [{"name": "f"}]}],
    "contents": [
        {"role": "user", "parts": [{"text": "x"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "CiQB"}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]},
    ],
}
BODIES = {
    "anthropic": ANTHROPIC,
    "bedrock": BEDROCK,
    "openai-responses": RESPONSES,
    "openai": CHAT,
    "gemini": GEMINI,
}
HOSTILE = [None, True, 7, -1, 2**70, 1.5, float("nan"), "", "x", "\ud800", [], ["x"], [None], {}, {"type": ["x"]}]
RULES = [rule for code, rule in known_rules().items() if "HR500" < code < "HR799"]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield (*path, key)
        yield from places(value[key], (*path, key))


def judged(body: dict[str, Any], dialect: str) -> None:
    messages = body.get(MESSAGE_KEYS.get(dialect, "messages"))
    model = body.get("model")
    history = history_of(
        messages if isinstance(messages, list) else [],
        dialect,
        body=body,
        judged_as="request",
        model=model if isinstance(model, str) else None,
    )
    judge(history, list(PROFILES.values()), RULES)


@given(st.data())
def test_any_two_values_may_be_hostile(data: st.DataObject) -> None:
    dialect = data.draw(st.sampled_from(sorted(BODIES)))
    body = copy.deepcopy(BODIES[dialect])
    for _ in range(2):
        *path, last = data.draw(st.sampled_from(list(places(body))))
        at: Any = body
        for key in path:
            at = at[key]
        at[last] = copy.deepcopy(data.draw(st.sampled_from(HOSTILE)))
    judged(body, dialect)


def test_each_value_may_be_hostile() -> None:
    for dialect, whole in BODIES.items():
        for *path, last in places(whole):
            for bad in HOSTILE:
                body = copy.deepcopy(whole)
                at: Any = body
                for key in path:
                    at = at[key]
                at[last] = bad
                judged(body, dialect)


def test_recorded_requests_may_be_hostile(tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "t", "signature": "EqQB"}
    answer = [thought, {"type": "text", "text": "y"}]
    start = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}, {"role": "user", "content": "x"}]
    again = [*start, {"role": "assistant", "content": answer}, {"role": "user", "content": "z"}]
    binding = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "error"}}
    envelope = {"model": "claude-opus-5-5", "max_tokens": 9, "thinking": binding}
    response = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-fable-5-2", "content": answer}
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    call = {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"}
    item = {"type": "message", "role": "user", "content": "x"}
    output = {"type": "function_call_output", "call_id": "c", "output": "r"}
    reply = {"id": "resp_1", "object": "response", "output": [reasoning, call]}
    logs: list[list[dict[str, Any]]] = [
        [
            {"request": {**envelope, "system": "s", "messages": start}, "response": response},
            {"request": {**envelope, "system": "changed", "messages": again}, "response": response},
        ],
        [
            {"request": {"model": "gpt-5.2", "input": [item]}, "response": reply},
            {"request": {"model": "gpt-5.2", "input": [item, call, output]}, "response": reply},
        ],
    ]
    log = tmp_path / "log.jsonl"
    for rows in logs:
        for *path, last in places(rows):
            for bad in (None, 7, "x", [], ["x"], {}, {"type": ["x"]}):
                changed = copy.deepcopy(rows)
                at: Any = changed
                for key in path:
                    at = at[key]
                at[last] = bad
                log.write_text("".join(json.dumps(row) + "\n" for row in changed))
                for provider in ("anthropic", "openai-responses"):
                    for session in sessions(read_log(log, keeps_sent=True)):
                        judge_session(session, [PROFILES[provider]], RULES)
