from __future__ import annotations

import time
from typing import Any

import pytest

from headroom_cli.logs.claude.context import CLEARED, strips_thinking
from headroom_cli.logs.formats.claude_code import FORMAT
from headroom_cli.model import Conversation, Interval, Part, Reading, ToolCall
from headroom_cli.source.records import Record

SESSION = "0b3c9a52-1111-4222-8333-944445555666"
OPUS = "claude-opus-4-5-20251101"
SONNET = "claude-sonnet-4-5-20250929"


def read(*values: Any) -> Conversation:
    records = (Record(number, value) for number, value in enumerate(values, 1))
    (conversation,) = FORMAT.read(records, f"{SESSION}.jsonl", Reading("x"))
    return conversation


def user(uuid: str, parent: str | None, content: Any, **extra: Any) -> dict[str, Any]:
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": SESSION, "message": message, **extra}


def result(uuid: str, parent: str | None, call_id: str, text: str) -> dict[str, Any]:
    return user(uuid, parent, [{"type": "tool_result", "tool_use_id": call_id, "content": text}])


def answer(uuid: str, parent: str | None, response: str, block: Any, model: str = OPUS, **extra: Any) -> dict[str, Any]:
    """A line of the response `response`: a text, or a call where the block begins with `toolu`."""
    if isinstance(block, str):
        call = {"type": "tool_use", "id": block, "name": "Read", "input": {}}
        block = call if block.startswith("toolu") else {"type": "text", "text": block}
    message = {
        "id": f"msg_{response}",
        "role": "assistant",
        "model": model,
        "content": [block],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 5, "output_tokens": 7},
    }
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "sessionId": SESSION, "message": message, **extra}


def thought(text: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": text, "signature": "s"}


def boundary(uuid: str, logical: str, **metadata: Any) -> dict[str, Any]:
    return {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": uuid,
        "parentUuid": None,
        "logicalParentUuid": logical,
        "sessionId": SESSION,
        "compactMetadata": {"trigger": "auto", "preTokens": 150_000, **metadata},
    }


def microcompact(uuid: str, parent: str, *call_ids: str, attachments: tuple[str, ...] = ()) -> dict[str, Any]:
    metadata = {"trigger": "auto", "compactedToolIds": list(call_ids), "clearedAttachmentUUIDs": list(attachments)}
    line = {"type": "system", "subtype": "microcompact_boundary", "uuid": uuid, "parentUuid": parent}
    return {**line, "sessionId": SESSION, "microcompactMetadata": metadata}


def name(part: Part) -> str:
    return part.id or "" if isinstance(part, ToolCall) else str(getattr(part, "text", ""))


def seen(conversation: Conversation, request: int) -> list[str]:
    """What a request saw, in the order of the messages."""
    return [
        name(part)
        for message in conversation.messages
        for part in message.parts
        for enters, leaves, _ in part.context
        if enters <= request and (leaves is None or request < leaves)
    ]


def context_of(conversation: Conversation, text: str) -> tuple[Interval, ...]:
    (found,) = [p.context for m in conversation.messages for p in m.parts if name(p) == text]
    return found


def test_a_request_sees_neither_its_own_lines_nor_the_results_of_its_calls() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "text"),
        answer("a2", "a1", "1", "toolu_1"),
        result("r1", "a2", "toolu_1", "one"),
        answer("a3", "r1", "1", "toolu_2"),
        result("r2", "a3", "toolu_2", "two"),
        answer("b1", "r2", "2", "done"),
    )
    assert seen(c, 0) == ["go"]
    assert seen(c, 1) == ["go", "text", "toolu_1", "toolu_2", "one", "two"]
    assert context_of(c, "done") == (Interval(2),)


def test_parallel_calls_make_the_chain_a_graph() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "toolu_1"),
        answer("a2", "a1", "1", "toolu_2"),
        answer("a3", "a2", "1", "toolu_3"),
        result("r1", "a1", "toolu_1", "one"),
        result("r3", "a3", "toolu_3", "three"),
        result("r2", "a2", "toolu_2", "two"),
        answer("b1", "r1", "2", "toolu_4"),
        result("r4", "b1", "toolu_4", "four"),
        answer("c1", "r4", "3", "done"),
    )
    assert seen(c, 1) == ["go", "toolu_1", "toolu_2", "toolu_3", "one", "three", "two"]
    assert seen(c, 2) == [*seen(c, 1), "toolu_4", "four"]
    assert {interval.left_by for m in c.messages for p in m.parts for interval in p.context} == {None}


def test_what_hangs_between_the_lines_of_a_response_is_seen_later() -> None:
    hook = {"type": "hook_additional_context", "toolUseID": "toolu_1", "content": ["mind the gap"]}
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "toolu_1"),
        {"type": "progress", "uuid": "p1", "parentUuid": "a1", "data": {"type": "hook_progress"}},
        result("r1", "p1", "toolu_1", "one"),
        {"type": "attachment", "uuid": "h1", "parentUuid": "r1", "sessionId": SESSION, "attachment": hook},
        user("m1", "h1", "a reminder", isMeta=True),
        answer("a2", "m1", "1", "toolu_2"),
        result("r2", "a2", "toolu_2", "two"),
        answer("b1", "r2", "2", "done"),
    )
    assert seen(c, 0) == ["go"]
    assert seen(c, 1) == ["go", "toolu_1", "toolu_2", "one", "mind the gap", "a reminder", "two"]


def test_a_rewind_takes_out_what_it_leaves_and_going_back_opens_another_interval() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "one"),
        user("u2", "a1", "left"),
        answer("a2", "u2", "2", "two"),
        user("u3", "a1", "right"),
        answer("a3", "u3", "3", "three"),
        user("u4", "a2", "left again"),
        answer("a4", "u4", "4", "four"),
    )
    assert [seen(c, k) for k in range(4)] == [
        ["go"],
        ["go", "one", "left"],
        ["go", "one", "right"],
        ["go", "one", "left", "two", "left again"],
    ]
    assert context_of(c, "left") == (Interval(1, 2, "rewind"), Interval(3))
    assert context_of(c, "right") == (Interval(2, 3, "rewind"),)
    assert context_of(c, "two") == (Interval(3),)
    assert context_of(c, "three") == ()
    assert c.resets == []


def test_a_lost_line_does_not_end_the_context() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "one"),
        {"type": "progress", "uuid": "p1", "parentUuid": "lost", "data": {"type": "hook_progress"}},
        {"type": "system", "subtype": "stop_hook_summary", "uuid": "s1", "parentUuid": "p1"},
        user("u2", "s1", "more"),
        answer("a2", "u2", "2", "two"),
        user("u3", "lost too", "and more"),
        answer("a3", "u3", "3", "three"),
    )
    assert seen(c, 2) == ["go", "one", "more", "two", "and more"]
    assert c.notes == []


def test_a_file_that_begins_in_the_middle_says_so() -> None:
    c = read(user("u1", "elsewhere", "go"), answer("a1", "u1", "1", "one"))
    assert seen(c, 0) == ["go"]
    assert c.notes == ["begins in the middle of a session: what stood before it is not in the file"]


def test_compaction() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "one"),
        user("u2", "a1", "more"),
        answer("a2", "u2", "2", "two"),
        boundary("b1", "a2"),
        user("s1", "b1", "summary", isCompactSummary=True),
        user("u3", "s1", "on"),
        answer("a3", "u3", "3", "three"),
        user("u4", "a3", "and on"),
        answer("a4", "u4", "4", "four"),
    )
    assert seen(c, 1) == ["go", "one", "more"]
    assert seen(c, 2) == ["summary", "on"]
    assert seen(c, 3) == ["summary", "on", "three", "and on"]
    assert context_of(c, "go") == (Interval(0, 2, "compaction"),)
    assert context_of(c, "two") == ()
    assert c.resets == [2]
    assert [m.origin for m in c.messages if name(m.parts[0]) == "summary"] == ["harness"]


def test_a_summary_without_a_boundary_is_a_compaction_too() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "one"),
        user("s1", "a1", "summary", isCompactSummary=True),
        answer("a2", "s1", "2", "two"),
    )
    assert seen(c, 1) == ["summary"]
    assert context_of(c, "go") == (Interval(0, 1, "compaction"),)
    assert c.resets == [1]


@pytest.mark.parametrize(
    "metadata",
    [
        {"preservedMessages": {"anchorUuid": "s1", "uuids": ["a2", "r2"], "allUuids": ["a2", "r2"]}},
        {"preservedSegment": {"headUuid": "a2", "anchorUuid": "s1", "tailUuid": "r2"}},
    ],
)
@pytest.mark.parametrize("parent", ["s1", "r2"])
def test_compaction_that_keeps_messages(metadata: dict[str, Any], parent: str) -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "toolu_1"),
        result("r1", "a1", "toolu_1", "one"),
        answer("a2", "r1", "2", "toolu_2"),
        result("r2", "a2", "toolu_2", "two"),
        answer("a3", "r2", "3", "three"),
        boundary("b1", "a3", **metadata),
        user("s1", "b1", "summary", isCompactSummary=True),
        user("u2", parent, "on"),
        answer("a4", "u2", "4", "four"),
    )
    assert seen(c, 2) == ["go", "toolu_1", "one", "toolu_2", "two"]
    assert seen(c, 3) == ["toolu_2", "two", "summary", "on"]
    # What is kept stays: one interval.
    assert context_of(c, "two") == (Interval(2),)
    assert context_of(c, "one") == (Interval(1, 3, "compaction"),)
    assert c.resets == [3]


def test_a_rewind_to_before_a_compaction() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "one"),
        boundary("b1", "a1"),
        user("s1", "b1", "summary", isCompactSummary=True),
        answer("a2", "s1", "2", "two"),
        user("u2", "a1", "other"),
        answer("a3", "u2", "3", "three"),
    )
    assert [seen(c, k) for k in range(3)] == [["go"], ["summary"], ["go", "one", "other"]]
    assert context_of(c, "go") == (Interval(0, 1, "compaction"), Interval(2))
    assert context_of(c, "summary") == (Interval(1, 2, "rewind"),)


def test_microcompaction_puts_placeholders() -> None:
    reminder = {"type": "critical_system_reminder", "content": "remember"}
    c = read(
        user("u1", None, "go"),
        {"type": "attachment", "uuid": "t1", "parentUuid": "u1", "sessionId": SESSION, "attachment": reminder},
        answer("a1", "t1", "1", "toolu_1"),
        result("r1", "a1", "toolu_1", "one"),
        answer("a2", "r1", "2", "toolu_2"),
        result("r2", "a2", "toolu_2", "two"),
        microcompact("m1", "r2", "toolu_1", "toolu_2", "toolu_unknown", attachments=("t1",)),
        answer("a3", "m1", "3", "three"),
        user("u2", "a3", "more"),
        answer("a4", "u2", "4", "four"),
    )
    assert seen(c, 1) == ["go", "remember", "toolu_1", "one"]
    assert seen(c, 2) == ["go", "toolu_1", CLEARED, "toolu_2", CLEARED]
    assert context_of(c, "one") == (Interval(1, 2, "clear"),)
    assert context_of(c, "two") == ()
    assert context_of(c, "remember") == (Interval(0, 2, "clear"),)
    placeholders = [p for m in c.messages for p in m.parts if name(p) == CLEARED]
    assert [(p.line, p.context) for p in placeholders] == [(7, (Interval(2),)), (7, (Interval(2),))]
    assert seen(c, 3) == [*seen(c, 2), "three", "more"]


def test_what_was_cleared_stays_cleared_when_a_branch_is_entered_again() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "one"),
        user("u2", "a1", "left"),
        answer("a2", "u2", "2", "toolu_1"),
        result("r1", "a2", "toolu_1", "long"),
        answer("a3", "r1", "3", "three"),
        microcompact("m1", "a3", "toolu_1"),
        user("u3", "a1", "right"),
        answer("a4", "u3", "4", "four"),
        user("u4", "a3", "back"),
        answer("a5", "u4", "5", "five"),
    )
    assert seen(c, 4) == ["go", "one", "left", "toolu_1", CLEARED, "three", "back"]
    assert context_of(c, "long") == (Interval(2, 3, "clear"),)


def test_a_replaced_result_was_never_seen() -> None:
    record = {"kind": "tool-result", "toolUseId": "toolu_1", "replacement": "short"}
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "toolu_1"),
        result("r1", "a1", "toolu_1", "long"),
        answer("a2", "r1", "2", "two"),
        {"type": "content-replacement", "sessionId": SESSION, "replacements": [record, None, {"toolUseId": 1}]},
        user("u2", "a2", "more"),
        answer("a3", "u2", "3", "three"),
        microcompact("m1", "a3", "toolu_1"),
        user("u3", "a3", "on"),
        answer("a4", "u3", "4", "four"),
    )
    assert seen(c, 1) == ["go", "toolu_1", "short"]
    assert seen(c, 3) == ["go", "toolu_1", CLEARED, "two", "more", "three", "on"]
    assert context_of(c, "long") == ()
    assert context_of(c, "short") == (Interval(1, 3, "clear"),)


def test_retracted_lines_leave() -> None:
    refusal = {"type": "system", "subtype": "model_refusal_fallback", "uuid": "x1", "parentUuid": "a2"}
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "one"),
        user("u2", "a1", "bad"),
        answer("a2", "u2", "2", "no"),
        {**refusal, "sessionId": SESSION, "retractedMessageUuids": ["a1", "a2", 7]},
        answer("a3", "x1", "3", "three"),
    )
    assert seen(c, 2) == ["go", "bad"]
    assert context_of(c, "one") == (Interval(1, 2, "rollback"),)
    assert context_of(c, "no") == ()


def test_a_superseded_attempt_leaves() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "half"),
        answer("a2", "u1", "2", "whole", supersedesUuids=["a1"]),
        user("u2", "a2", "more"),
        answer("a3", "u2", "3", "three"),
    )
    assert [seen(c, k) for k in range(3)] == [["go"], ["go"], ["go", "whole", "more"]]
    assert context_of(c, "half") == ()


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (OPUS, False),
        ("claude-opus-4-6", False),
        ("claude-sonnet-4-6", False),
        ("claude-opus-5", False),
        ("qwen3", False),
        (None, False),
        (SONNET, True),
        ("claude-haiku-4-5-20251001", True),
        ("claude-opus-4-1-20250805", True),
        ("claude-opus-4-20250514", True),
        ("claude-sonnet-4-20250514", True),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", True),
        ("claude-3-7-sonnet-20250219", True),
    ],
)
def test_whose_earlier_thinking_is_stripped(model: str | None, expected: bool) -> None:
    assert strips_thinking(model) is expected


@pytest.mark.parametrize("model", [SONNET, OPUS])
def test_thinking_of_earlier_turns(model: str) -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", thought("hm"), model),
        answer("a2", "a1", "1", "toolu_1", model),
        result("r1", "a2", "toolu_1", "one"),
        answer("a3", "r1", "2", thought("aha"), model),
        answer("a4", "a3", "2", "two", model),
        user("u2", "a4", "more"),
        answer("a5", "u2", "3", "three", model),
    )
    assert seen(c, 1) == ["go", "hm", "toolu_1", "one"]
    if model == SONNET:
        assert context_of(c, "hm") == (Interval(1, 2, "strip"),)
        assert context_of(c, "aha") == ()
    else:
        assert context_of(c, "hm") == (Interval(1),)
        assert context_of(c, "aha") == (Interval(2),)


@pytest.mark.parametrize("parents", [("u2", "u1"), ("u1", "u2"), ("u2", "a1"), ("a1", "a1")])
def test_cycles_end(parents: tuple[str, str]) -> None:
    c = read(
        user("u1", parents[0], "one"),
        user("u2", parents[1], "two"),
        answer("a1", "u2", "1", "x"),
        {"type": "progress", "uuid": "p1", "parentUuid": "p2"},
        {"type": "progress", "uuid": "p2", "parentUuid": "p1"},
        user("u3", "p1", "three"),
        answer("a2", "u3", "2", "y"),
    )
    assert "two" in seen(c, 0)
    assert len(c.requests) == 2


def test_what_follows_the_last_request_is_in_the_context_but_not_sent() -> None:
    c = read(user("u1", None, "go"), answer("a1", "u1", "1", "one"), user("u2", "a1", "more"))
    assert context_of(c, "one") == context_of(c, "more") == (Interval(1),)


def test_a_late_result_does_not_move_the_end_of_the_thread() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "toolu_1"),
        user("u2", "a1", "never mind"),
        answer("a2", "u2", "2", "fine"),
        result("r1", "a1", "toolu_1", "late"),
    )
    assert context_of(c, "fine") == (Interval(2),)
    assert context_of(c, "never mind") == (Interval(1),)


def test_a_long_session_and_many_rewinds_stay_linear() -> None:
    lines = [user("u0", None, "go"), answer("a0", "u0", "0", "x")]
    for n in range(1, 10_000):
        lines += [user(f"u{n}", f"a{n - 1}", "on"), answer(f"a{n}", f"u{n}", str(n), "x")]
    for n in range(1, 4_000):
        # Forth and back between the beginning and the end of the session.
        end = f"a{9_999 if n % 2 else 0}"
        lines += [user(f"v{n}", end, "jump"), answer(f"b{n}", f"v{n}", f"b{n}", "x")]
    start = time.perf_counter()
    c = read(*lines)
    assert time.perf_counter() - start < 20
    assert len(c.requests) == 13_999
    assert c.notes == ["branches alternate too often: abandoned ones were left in the context"]


def test_a_call_that_was_given_up_when_the_session_was_taken_up_again_leaves() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "I ask."),
        answer("a2", "a1", "1", "toolu_1"),
        # The call never came back. The client drops it, and goes on from the text before it.
        user("u2", "a1", "still there?"),
        answer("b1", "u2", "2", "yes"),
        user("u3", "b1", "good"),
    )
    assert seen(c, 1) == ["go", "I ask.", "still there?"]
    assert context_of(c, "toolu_1") == ()


@pytest.mark.parametrize("follows", ["a2", "n1"])
def test_a_call_that_is_followed_stays_without_a_result(follows: str) -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "I ask."),
        answer("a2", "a1", "1", "toolu_1"),
        {"type": "system", "subtype": "info", "uuid": "n1", "parentUuid": "a2", "sessionId": SESSION, "content": "x"},
        user("u2", follows, "still there?"),
        answer("b1", "u2", "2", "yes"),
    )
    assert seen(c, 1) == ["go", "I ask.", "toolu_1", "still there?"]


def test_a_call_that_is_answered_later_stays() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", "toolu_1"),
        answer("a2", "a1", "1", "toolu_2"),
        result("r1", "a1", "toolu_1", "one"),
        user("u2", "a1", "meanwhile"),
        result("r2", "a2", "toolu_2", "two"),
        answer("b1", "r2", "2", "done"),
    )
    assert "toolu_2" in seen(c, 1)
    assert context_of(c, "toolu_2") == (Interval(1),)
