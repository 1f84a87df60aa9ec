from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import headroom_cli
from headroom_cli import assert_sendable, lint_messages, repair_messages

HELLO = {"role": "user", "content": "hello"}
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}]}
ADDED = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "no result recorded", "is_error": True}
DONE = {"role": "assistant", "content": "done"}
SYSTEM = {"role": "system", "content": "be terse"}


@dataclass
class Message:
    role: str
    content: Any


def test_a_broken_history_becomes_sendable() -> None:
    messages = [HELLO, CALL, HELLO, DONE]
    with pytest.raises(AssertionError, match="HR101"):
        assert_sendable(messages, provider="anthropic")
    outcome = repair_messages(messages, provider="anthropic")
    assert outcome.messages == [
        HELLO,
        CALL,
        {"role": "user", "content": [ADDED, {"type": "text", "text": "hello"}]},
        DONE,
    ]
    assert outcome.messages[0] is HELLO and outcome.messages[1] is CALL and outcome.messages[3] is DONE
    assert HELLO == {"role": "user", "content": "hello"}  # nothing that was given is changed
    assert [(change.rule, change.message_index, change.call_ids) for change in outcome.changes] == [
        ("HR101", 1, ("toolu_1",))
    ]
    assert outcome.left == [] and outcome.body is None
    assert_sendable(outcome.messages, provider="anthropic")
    again = repair_messages(outcome.messages, provider="anthropic")
    assert again.changes == [] and again.messages == outcome.messages


def test_the_body_of_a_request_is_repaired_with_what_stands_around_the_messages() -> None:
    body = {"model": "claude-haiku-4-5", "max_tokens": 9, "messages": [SYSTEM, HELLO]}
    left = repair_messages(body, provider="anthropic").left
    assert [(each.finding.rule.code, each.why) for each in left] == [
        ("HR303", "its repair is not safe; --unsafe-fixes makes it")
    ]
    outcome = repair_messages(body, provider="anthropic", unsafe=True)
    assert outcome.body == {"model": "claude-haiku-4-5", "max_tokens": 9, "messages": [HELLO], "system": "be terse"}
    assert outcome.messages == [HELLO]
    assert body["messages"] == [SYSTEM, HELLO]
    assert lint_messages(outcome.body, provider="anthropic") == []


def test_several_providers_at_once() -> None:
    split = [HELLO, HELLO, DONE]
    assert repair_messages(split, provider="anthropic").changes == []
    outcome = repair_messages(split, provider=["anthropic", "bedrock"])
    assert outcome.messages == [{"role": "user", "content": "hello\nhello"}, DONE]
    assert_sendable(outcome.messages, provider=["anthropic", "bedrock"])


def test_objects_of_an_sdk_become_plain() -> None:
    outcome = repair_messages([Message("user", "hello"), Message("assistant", CALL["content"]), HELLO, DONE])
    assert outcome.messages[0] == HELLO
    assert [change.rule for change in outcome.changes] == ["HR101"]


def test_a_call_at_the_end_waits() -> None:
    assert repair_messages([HELLO, CALL]).changes == []
    as_request = repair_messages([HELLO, CALL], judged_as="request")
    assert as_request.messages == [HELLO, CALL]
    assert [(left.finding.rule.code, left.why) for left in as_request.left] == [
        ("HR101", "the history ends with this call: its result may still come")
    ]


@pytest.mark.parametrize(("model", "told"), [("claude-fable-5-2", "yes"), ("claude-opus-5-5", "may"), (None, None)])
def test_thinking_after_a_repair_is_told(model: str | None, told: str | None) -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVkc2lnbmVk"}
    messages = [HELLO, CALL, HELLO, {"role": "assistant", "content": [thought, {"type": "text", "text": "done"}]}]
    outcome = repair_messages(messages, provider="anthropic", model=model)
    assert [change.thinking for change in outcome.changes] == [told]
    assert outcome.messages[3] is messages[3]
    before = repair_messages([*messages[2:], *messages[:2], HELLO, DONE], provider="anthropic", model=model)
    assert [change.thinking for change in before.changes] == [None]


def test_an_unknown_provider_is_wrong() -> None:
    with pytest.raises(ValueError, match="no provider is called 'antropic'; known: anthropic, bedrock"):
        repair_messages([HELLO], provider="antropic")


def test_nothing_to_repair() -> None:
    assert repair_messages([]) == ([], [], [], None)
    assert repair_messages("hello").messages == []
    assert set(headroom_cli.__all__) >= {"assert_sendable", "lint_messages", "repair_messages"}
