from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.logs import known_formats, read_log
from headroom_cli.logs.detection.detect import HISTORY_FAMILIES, LOOKALIKES, classify, detect, unwrap

CHAT = {"model": "gpt-5", "messages": [{"role": "user", "content": "hi"}]}
CHAT_RESPONSE = {"object": "chat.completion", "choices": [{"message": {"role": "assistant", "content": "yo"}}]}
USER_LINE = {
    "type": "user",
    "uuid": "u1",
    "parentUuid": None,
    "sessionId": "s",
    "message": {"role": "user", "content": "x"},
}

FAMILIES: list[tuple[Any, str]] = [
    ({"timestamp": "t", "type": "session_meta", "payload": {"id": "a"}}, "codex-rollout"),
    ({"timestamp": "t", "type": "event_msg", "payload": {"type": "token_count"}}, "codex-rollout"),
    ({"record_type": "state"}, "codex-legacy"),
    ({"id": "a", "timestamp": "t", "instructions": None, "git": {}}, "codex-legacy"),
    ({"id": "a", "timestamp": "t", "value": 3}, "unknown"),
    ({"record_type": "metric", "value": 3}, "unknown"),
    ({"type": "thread.started", "thread_id": "x"}, "codex-exec"),
    ({"id": "0", "msg": {"type": "agent_message", "message": "hi"}}, "codex-exec"),
    ({"session_id": "s", "ts": 1, "text": "hello"}, "codex-history"),
    ({"display": "fix it", "pastedContents": {}, "timestamp": 1, "project": "/p"}, "claude-history"),
    (USER_LINE, "claude-code"),
    ({"type": "summary", "summary": "A title", "leafUuid": "u9"}, "claude-code"),
    ({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}, "isSnapshotUpdate": False}, "claude-code"),
    ({"type": "user", "message": {"role": "user", "content": "redacted"}}, "claude-code"),
    ({"type": "system", "subtype": "init", "session_id": "s", "model": "m"}, "claude-stream-json"),
    ({"type": "result", "session_id": "s", "usage": {}}, "claude-stream-json"),
    ({"type": "user", "parent_tool_use_id": None, "message": {"content": []}}, "claude-stream-json"),
    ({"type": "message_start", "message": {"id": "m"}}, "anthropic-sse"),
    ({"type": "ping"}, "anthropic-sse"),
    ({"object": "chat.completion.chunk", "choices": []}, "openai-chat-chunks"),
    ({"id": "", "object": "", "choices": [], "prompt_filter_results": []}, "openai-chat-chunks"),
    ({"type": "response.completed", "response": {}}, "openai-responses-sse"),
    ({"messageStart": {"role": "assistant"}}, "bedrock-stream"),
    ({"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": CHAT}, "openai-batch-in"),
    ({"custom_id": "1", "params": CHAT}, "anthropic-batch-in"),
    ({"id": "b", "custom_id": "1", "response": None, "error": {"code": "x"}}, "openai-batch-out"),
    ({"custom_id": "1", "result": {"type": "expired"}}, "anthropic-batch-out"),
    ({"request": CHAT, "response": CHAT_RESPONSE}, "capture-pair"),
    ({"request": {"url": "/", "body": CHAT}, "response": {"status": 500}}, "capture-pair"),
    (
        {
            "responses_create_params": {"input": [{"role": "user", "content": "q"}]},
            "response": {"object": "response", "output": []},
        },
        "capture-pair",
    ),
    ({"input": [{"role": "user", "content": "q"}], "output": {"role": "assistant", "content": "a"}}, "capture-pair"),
    (CHAT_RESPONSE, "openai-object"),
    ({"object": "response", "output": []}, "openai-responses-object"),
    ({"type": "message", "role": "assistant", "content": [], "stop_reason": "refusal"}, "anthropic-object"),
    ({"output": {"message": {"role": "assistant", "content": []}}, "stopReason": "end_turn"}, "bedrock-object"),
    ({"candidates": [], "usageMetadata": {}}, "gemini-object"),
    ({"contents": [{"parts": [{"text": "q"}]}]}, "gemini-request"),
    (CHAT, "openai-request"),
    ({"messages": [{"role": "user", "content": "q"}], "system": "s", "max_tokens": 5}, "anthropic-request"),
    (
        {"messages": [{"role": "user", "content": "q"}], "tools": [{"name": "f", "input_schema": {}}]},
        "anthropic-request",
    ),
    ({"messages": [{"role": "user", "content": [{"text": "q"}]}]}, "bedrock-request"),
    ({"system": "s", "messages": [{"role": "tool", "tool_call_id": "c", "content": "r"}]}, "openai-request"),
    ({"model": "gpt-5", "input": "q"}, "openai-responses-request"),
    ({"model": "text-embedding-3-small", "input": "q", "encoding_format": "float"}, "unknown"),
    ({"model": "text-embedding-3-small", "input": ["q", "r"]}, "unknown"),
    ({"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"}, "item-line"),
    ({"role": "user", "content": "hi"}, "message-line"),
    ({"role": "model", "parts": [{"text": "hi"}]}, "message-line"),
    ([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yo"}], "history-array"),
    ([{"name": "x"}, {"name": "y"}], "unknown"),
    ({"type": "request", "timestamp": "t", "messages": []}, "capture-line"),
    ({"prompt": "a", "completion": "b"}, "training"),
    ({"chosen": "a", "rejected": "b"}, "training"),
    ({"conversations": [{"from": "human", "value": "a"}]}, "training"),
    ({"input": {"messages": []}, "preferred_output": [], "non_preferred_output": []}, "training"),
    ({"sessionId": "s", "projectHash": "h", "messages": []}, "gemini-cli"),
    ({"id": "1", "timestamp": "t", "type": "gemini", "content": "x"}, "gemini-cli"),
    ({"$rewindTo": "1"}, "gemini-cli"),
    ({"message": {"role": "user", "content": []}, "message_id": 0}, "strands"),
    ({"environment": "e", "trajectory": [], "history": [], "info": {}}, "swe-agent"),
    ({"history": [{"role": "system", "content": "s", "agent": "main"}]}, "swe-agent"),
    ({"history": [{"role": "system", "content": "s"}]}, "unknown"),
    ({"messages": [{"role": {"value": "user"}, "contents": []}]}, "agent-framework"),
]


@pytest.mark.parametrize(("value", "family"), FAMILIES, ids=[f"{i}-{f}" for i, (_, f) in enumerate(FAMILIES)])
def test_classify(value: Any, family: str) -> None:
    assert classify(value) == family


@pytest.mark.parametrize(
    ("value", "family"),
    [
        ({**USER_LINE, "message": {"role": "user", "parts": [{"text": "x"}]}}, "qwen-code"),
        ({"type": "tool_result", "uuid": "u", "parentUuid": "p", "sessionId": "s", "toolCallResult": {}}, "qwen-code"),
        ({"type": "message", "role": "user", "sessionId": "s", "providerData": {}, "content": []}, "codebuddy"),
        ({"type": "event", "timestamp": "t", "payload": {"msg": {}}}, "just-every-code"),
        ({"type": "session_meta", "payload": {"originator": "code_cli_rs"}}, "just-every-code"),
        ({"type": "assistant", "uuid": "u", "sessionId": "s", "message": {"role": "assistant"}}, "unknown"),
    ],
)
def test_lookalikes_are_not_swallowed(value: Any, family: str) -> None:
    assert classify(value) == family


def test_majority_not_the_first_line() -> None:
    values = [{"type": "summary", "summary": "t", "leafUuid": "x"}, *[USER_LINE] * 3, {"foo": 1}]
    verdict = detect(values)
    assert (verdict.family, verdict.mixed) == ("claude-code", False)
    assert verdict.votes == {"claude-code": 4, "unknown": 1}


def test_a_second_family_of_a_tenth_makes_it_mixed() -> None:
    verdict = detect([CHAT] * 9 + [CHAT_RESPONSE])
    assert verdict.mixed
    assert verdict.families() == {"openai-request", "openai-object"}
    assert not detect([CHAT] * 10 + [CHAT_RESPONSE]).mixed


def test_items_beside_a_codex_header_are_codex_legacy() -> None:
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]}
    assert detect([{"id": "a", "timestamp": "t", "instructions": None}, item, item]).family == "codex-legacy"
    assert detect([item, item]).family == "item-line"


def test_wrapper_path_must_be_the_same_on_two_lines() -> None:
    row = {"meta": 1, "trace": {"data": {"request": CHAT, "response": CHAT_RESPONSE}}}
    verdict = detect([row, row])
    assert (verdict.family, verdict.wrapper_path) == ("capture-pair", ("trace", "data"))
    assert unwrap(row, verdict.wrapper_path) == row["trace"]["data"]  # type: ignore[index]
    assert detect([row]).wrapper_path == ("trace", "data")
    other = {"a": {"b": CHAT}}
    assert detect([row, other]).family == "unknown"


def test_wrappers_are_searched_to_depth_four() -> None:
    assert detect([{"a": {"b": {"c": {"d": CHAT}}}}]).wrapper_path == ("a", "b", "c", "d")
    assert detect([{"a": {"b": {"c": {"d": {"e": CHAT}}}}}]).family == "unknown"


def test_wrapped_lists_of_messages() -> None:
    rows = [{"conversation": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}] * 2
    verdict = detect(rows)
    assert (verdict.family, verdict.wrapper_path) == ("history-array", ("conversation",))


def test_the_path_names_only_what_is_unknown() -> None:
    odd = {"type": "new-thing", "value": 1}
    assert detect([odd], "/home/u/.claude/projects/p/a.jsonl").family == "claude-code"
    assert detect([odd], "/home/u/other/a.jsonl").family == "unknown"
    assert detect([CHAT], "/home/u/.claude/projects/p/a.jsonl").family == "openai-request"
    assert detect([USER_LINE], "/home/u/.iflow/projects/p/a.jsonl").family == "iflow"


_KEYS = st.sampled_from(
    [
        "type",
        "role",
        "content",
        "messages",
        "message",
        "parts",
        "contents",
        "input",
        "output",
        "request",
        "response",
        "choices",
        "delta",
        "body",
        "params",
        "custom_id",
        "tools",
        "system",
        "sessionId",
        "uuid",
        "session_id",
        "payload",
        "history",
        "trajectory",
        "conversations",
        "prompt",
        "completion",
        "chosen",
        "rejected",
        "candidates",
        "object",
        "metadata",
        "usage",
        "result",
        "data",
        "items",
        "model",
        "id",
        "timestamp",
        "$set",
        "$rewindTo",
        "msg",
        "event_type",
    ]
)
_WORDS = st.sampled_from(
    [
        "user",
        "assistant",
        "tool",
        "message",
        "function_call",
        "reasoning",
        "response_item",
        "session_meta",
        "chat.completion",
        "response",
        "ping",
        "request",
        "gemini",
        "response.done",
        "text",
        "tool_use",
        "summary",
    ]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | _WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=5),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None)
@given(st.lists(_JSON, max_size=6))
def test_never_raises(values: list[Any]) -> None:
    verdict = detect(values, "x")
    assert isinstance(verdict.family, str)


def test_every_family_has_a_reader_or_a_reason() -> None:
    read = {family for log_format in known_formats() for family in log_format.families}
    named = read | HISTORY_FAMILIES | LOOKALIKES.keys() | {"unknown"}
    assert {family for _, family in FAMILIES} <= named
    names = [log_format.name for log_format in known_formats()]
    assert names == sorted(set(names))


def test_a_file_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(CHAT) + "\n{broken\n" + json.dumps([1]) + "\n")
    reading = read_log(path)
    assert (reading.path, reading.log_format, reading.records) == (str(path), "openai-chat", 2)
    assert [damage.line for damage in reading.damaged] == [2]
    assert reading.bytes == path.stat().st_size
    assert reading.unknown == {"list": 1}
    assert read_log(tmp_path / "gone.jsonl").skipped == "no such file"
