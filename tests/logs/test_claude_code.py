from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.logs import read_log
from headroom_cli.logs.base import conversation_id
from headroom_cli.logs.claude.context import CLEARED
from headroom_cli.logs.formats.claude_code import FORMAT
from headroom_cli.model import Conversation, NestedUsage, Reading, Spawn, Text, Usage
from headroom_cli.source.records import Record

SESSION = "0b3c9a52-1111-4222-8333-944445555666"
OTHER = "1c4d0b63-1111-4222-8333-944445555666"
MODEL = "claude-opus-4-5-20251101"


def line(kind: str, uuid: str, parent: str | None, **extra: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "isSidechain": False,
        "sessionId": SESSION,
        "cwd": "/code/app",
        "gitBranch": "main",
        "version": "2.1.40",
        "timestamp": "2026-02-03T04:05:06.789Z",
        **extra,
    }


def user(uuid: str, parent: str | None, content: Any, **extra: Any) -> dict[str, Any]:
    return line("user", uuid, parent, message={"role": "user", "content": content}, **extra)


def answer(uuid: str, parent: str | None, response: str, *blocks: Any, **extra: Any) -> dict[str, Any]:
    message = {
        "id": f"msg_{response}",
        "role": "assistant",
        "model": extra.pop("model", MODEL),
        "content": list(blocks),
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 10, "output_tokens": extra.pop("output", 7)},
    }
    return line("assistant", uuid, parent, message=message, requestId=f"req_{response}", **extra)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def task(call_id: str, prompt: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "Task", "input": {"prompt": prompt, "subagent_type": "Explore"}}


def tool_result(call_id: str, words: str) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": call_id, "content": words}]


def read(*values: Any, path: str = f"{SESSION}.jsonl") -> tuple[list[Conversation], Reading]:
    reading = Reading(path)
    records = (Record(number, value) for number, value in enumerate(values, 1))
    return list(FORMAT.read(records, path, reading)), reading


def texts(conversation: Conversation) -> list[str]:
    return [part.text for message in conversation.messages for part in message.parts if isinstance(part, Text)]


def test_what_is_known_of_a_session() -> None:
    conversations, reading = read(
        {"type": "summary", "summary": "A title", "leafUuid": "x"},
        user("u1", None, "go", cwd=None, gitBranch=""),
        answer("a1", "u1", "1", text("one")),
        answer("a2", "a1", "2", text("two"), model="claude-haiku-4-5", version="2.1.41"),
        answer("a3", "a2", "3", text("three"), timestamp="2026-02-03T05:05:06.000+01:00"),
        answer("a4", "a3", "4", text("four"), timestamp="2026-02-03T04:05:07.000Z", cwd="/elsewhere"),
    )
    (c,) = conversations
    assert (c.session_id, c.log_format, c.dialect, c.kind, c.identity) == (
        SESSION,
        "claude-code",
        "anthropic",
        "main",
        "ids",
    )
    assert (c.client, c.client_version, c.model) == ("Claude Code", "2.1.40", MODEL)
    assert (c.cwd, c.git_branch, c.parent_id, c.agent_name) == ("/code/app", "main", None, None)
    assert (c.started_at, c.ended_at) == (1_770_091_506_000_000, 1_770_091_507_000_000)
    assert c.messages[0].timestamp == 1_770_091_506_789_000
    assert c.id == conversation_id("claude-code", SESSION, "", "")
    assert reading.unknown == {}


def test_the_session_is_that_of_the_name_or_of_the_last_line() -> None:
    lines = [user("u1", None, "go", sessionId=OTHER), answer("a1", "u1", "1", text("one"))]
    (c,), _ = read(*lines, path="/logs/full.jsonl")
    assert c.session_id == SESSION
    (c,), _ = read(*lines, path=f"/logs/{OTHER}.jsonl")
    assert c.session_id == OTHER


@pytest.mark.parametrize("copy_of", [{"sessionId": OTHER}, {"forkedFrom": {"sessionId": OTHER, "messageUuid": "u1"}}])
def test_a_fork_copies_keys(copy_of: dict[str, Any]) -> None:
    history = [
        user("u1", None, "go"),
        answer("a1", "u1", "1", task("toolu_1", "look")),
        user("r1", "a1", tool_result("toolu_1", "seen")),
    ]
    (original,), _ = read(*history)
    copied = [{**value, **copy_of} for value in history]
    if "forkedFrom" in copy_of:
        for value in copied:
            value["uuid"] = "new-" + value["uuid"]
            value["parentUuid"] = value["parentUuid"] and "new-" + value["parentUuid"]
        copied[1]["forkedFrom"] = {"sessionId": OTHER, "messageUuid": "a1"}
    (fork,), _ = read(*copied, user("u2", copied[-1]["uuid"], "own"), answer("a2", "u2", "2", text("mine")))
    assert [m.key for m in original.messages] == ["uuid:u1", "msg:msg_1", "results:toolu_1"]
    assert [m.key for m in fork.messages[:3]] == [m.key for m in original.messages]
    assert [m.copied for m in original.messages] == [False] * 3
    assert [m.copied for m in fork.messages] == [True] * 3 + [False] * 2
    assert [(r.key, r.copied) for r in fork.requests] == [("msg:msg_1", True), ("msg:msg_2", False)]


def test_inline_sidechains_are_conversations_of_their_own() -> None:
    conversations, _ = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", task("toolu_1", "look here"), task("toolu_2", "look there")),
        user("s1", None, "look here", isSidechain=True),
        user("t1", None, "look there", isSidechain=True, agentId="a7f"),
        answer("s2", "s1", "S", text("here"), isSidechain=True, output=11),
        answer("t2", "t1", "T", text("there"), isSidechain=True, agentId="a7f", output=12),
        user("r1", "a1", tool_result("toolu_1", "here")),
        user("r2", "a1", tool_result("toolu_2", "there"), toolUseResult={"agentId": "a7f"}),
        answer("a2", "r1", "2", text("done"), output=13),
    )
    main, here, there = conversations
    assert [m.line for m in main.messages] == [1, 2, 7, 8, 9]
    assert [texts(c) for c in conversations] == [["go", "done"], ["look here", "here"], ["look there", "there"]]
    assert [c.kind for c in conversations] == ["main", "subagent", "subagent"]
    assert [c.parent_id for c in conversations] == [None, main.id, main.id]
    assert [c.parent_call_id for c in conversations] == [None, "toolu_1", "toolu_2"]
    assert [c.agent_name for c in conversations] == [None, "Explore", "Explore"]
    assert here.id == conversation_id("claude-code", SESSION, "", "uuid:s1")
    assert there.id == conversation_id("claude-code", SESSION, "a7f", "")
    assert [[r.usage and r.usage.output_tokens for r in c.requests] for c in conversations] == [[7, 13], [11], [12]]
    # The prompt of a subagent was written by a model.
    assert here.messages[0].origin == "model"


def test_a_sidechain_that_replays_its_parent() -> None:
    (main, side), _ = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", text("one"), output=100),
        user("v1", None, "go", isSidechain=True, agentId="b1"),
        answer("b1", "v1", "1", text("one"), isSidechain=True, agentId="b1", output=100),
        user("v2", "b1", "by the way", isSidechain=True, agentId="b1"),
        answer("b2", "v2", "2", text("two"), isSidechain=True, agentId="b1", output=7),
    )
    assert [(r.key, r.copied) for r in main.requests] == [("msg:msg_1", False)]
    assert [(r.key, r.copied) for r in side.requests] == [("msg:msg_1", True), ("msg:msg_2", False)]
    assert [m.copied for m in side.messages] == [False, True, False, False]
    assert texts(side) == ["go", "one", "by the way", "two"]


def test_the_file_of_a_subagent(tmp_path: Path) -> None:
    path = tmp_path / "agent-a7f.jsonl"
    lines = [
        user("s1", None, "look", isSidechain=True, agentId="a7f"),
        answer("s2", "s1", "S", text("here"), isSidechain=True, agentId="a7f"),
    ]
    path.write_text("".join(json.dumps(value) + "\n" for value in lines))
    (c,) = read_log(path).conversations
    assert (c.kind, c.session_id, c.agent_name, c.parent_call_id) == ("subagent", SESSION, None, None)
    assert c.id == conversation_id("claude-code", SESSION, "a7f", "")
    assert c.parent_id == conversation_id("claude-code", SESSION, "", "")
    sidecar = {"agentType": "Explore", "toolUseId": "toolu_1", "parentAgentId": "b2"}
    path.with_suffix(".meta.json").write_text(json.dumps(sidecar))
    (c,) = read_log(path).conversations
    assert (c.agent_name, c.parent_call_id) == ("Explore", "toolu_1")
    assert c.parent_id == conversation_id("claude-code", SESSION, "b2", "")


@pytest.mark.parametrize("content", [b"", b"[1]", b'{"agentType": 3, "toolUseId": []', b"\xff\xfe", b"[" * 60_000])
def test_a_bad_sidecar_says_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "agent-a7f.meta.json").write_bytes(content)
    path = str(tmp_path / "agent-a7f.jsonl")
    (c,), _ = read(user("s1", None, "look", isSidechain=True), path=path)
    assert (c.agent_name, c.parent_call_id) == (None, None)
    assert c.id == conversation_id("claude-code", SESSION, "a7f", "")


def test_a_teammate_is_a_thread_and_the_leader_is_not() -> None:
    (main, mate), _ = read(
        user("u1", None, "go", teamName="crew"),
        answer("a1", "u1", "1", text("one"), teamName="crew"),
        user("m1", None, "help", teamName="crew", agentName="tester"),
        answer("m2", "m1", "2", text("two"), teamName="crew", agentName="tester"),
        user("u2", "a1", "more", teamName="crew"),
    )
    assert texts(main) == ["go", "one", "more"]
    assert (texts(mate), mate.agent_name, mate.kind) == (["help", "two"], "tester", "subagent")


def test_usage_in_progress_records_is_nested() -> None:
    def progress(uuid: str, output: int, stop: str | None, model: str = "claude-haiku-4-5") -> dict[str, Any]:
        usage = {"input_tokens": 3, "cache_read_input_tokens": 7, "output_tokens": output}
        body = {"id": "msg_N", "role": "assistant", "model": model, "usage": usage, "stop_reason": stop}
        copy = {"type": "assistant", "message": body, "requestId": "req_N", "timestamp": "2026-02-03T04:05:07Z"}
        data = {"type": "agent_progress", "agentId": "a7f", "message": copy}
        return line("progress", uuid, "a1", data=data, parentToolUseID="toolu_1")

    (c,), reading = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", task("toolu_1", "look")),
        progress("p1", 2, None),
        progress("p2", 40, "end_turn"),
        progress("p3", 9, None, "<synthetic>"),
        line("progress", "p4", "p2", data={"type": "agent_progress", "message": {"message": {"content": "prompt"}}}),
        line("progress", "p5", "p4", data=["?"]),
        user("r1", "p5", tool_result("toolu_1", "seen")),
        answer("a2", "r1", "2", text("done")),
    )
    assert c.nested_usage == [
        NestedUsage("msg:msg_N", "claude-haiku-4-5", 1_770_091_507_000_000, Usage(10, 3, 7, output_tokens=40))
    ]
    assert [r.key for r in c.requests] == ["msg:msg_1", "msg:msg_2"]
    assert reading.unknown == {}


@pytest.mark.parametrize(
    ("content", "extra", "origin"),
    [
        ("fix it", {}, "human"),
        ([text("fix it"), text("<system-reminder>x</system-reminder>")], {}, "human"),
        ([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}], {}, "human"),
        ("<div> is what I mean", {}, "human"),
        ("fix it", {"isMeta": True}, "harness"),
        ("fix it", {"isMeta": "yes"}, "human"),
        ("This session is being continued", {"isCompactSummary": True}, "harness"),
        ("<system-reminder>\nx", {}, "harness"),
        ("<task-notification>\n<task-id>", {}, "harness"),
        ([text("[Request interrupted by user for tool use]")], {}, "harness"),
        ("<command-name>/exit</command-name>", {}, "command"),
        ("<local-command-stdout>Bye!</local-command-stdout>", {}, "command"),
        ("<bash-input>ls</bash-input>", {}, "command"),
        ("<user-prompt-submit-hook>x", {}, "hook"),
        (tool_result("toolu_9", "x"), {}, "tool"),
        ([*tool_result("toolu_9", "x"), text("and stop")], {}, "tool"),
    ],
)
def test_who_wrote_a_user_line(content: Any, extra: dict[str, Any], origin: str) -> None:
    (c,), _ = read(user("u1", None, content, **extra))
    assert [(m.role, m.origin) for m in c.messages] == [("user", origin)]


def test_attachments_and_local_commands_are_context() -> None:
    def attachment(uuid: str, parent: str, **fields: Any) -> dict[str, Any]:
        return line("attachment", uuid, parent, attachment=fields)

    (c,), reading = read(
        user("u1", None, "go"),
        attachment("t1", "u1", type="queued_command", prompt="also this"),
        attachment("t2", "t1", type="queued_command", prompt=[text("and that")]),
        attachment("t3", "t2", type="nested_memory", path="/a/CLAUDE.md", content={"content": "be brief"}),
        attachment("t4", "t3", type="hook_success", content="", stdout="noise"),
        attachment("t5", "t4", type="hook_additional_context", content=["one", "two"]),
        attachment("t6", "t5", type="brand_new", content="text of it", secret="not this"),
        line("attachment", "t7", "t6", attachment="?"),
        line("system", "l1", "t7", subtype="local_command", content="<command-name>/cost</command-name>"),
        line("system", "l2", "l1", subtype="turn_duration", durationMs=5),
        answer("a1", "l2", "1", text("one")),
    )
    assert [(m.origin, m.line) for m in c.messages] == [
        ("human", 1),
        ("human", 2),
        ("human", 3),
        ("harness", 4),
        ("hook", 6),
        ("harness", 7),
        ("command", 9),
        ("model", 11),
    ]
    assert texts(c)[1:7] == [
        "also this",
        "and that",
        "/a/CLAUDE.md\nbe brief",
        "one\ntwo",
        "text of it",
        "<command-name>/cost</command-name>",
    ]
    assert all(p.context[0].enters == 0 for m in c.messages[:7] for p in m.parts)
    assert reading.unknown == {"attachment": 1, "attachment:brand_new": 1}


def test_unknown_types_are_counted_and_links_go_through_them() -> None:
    (c,), reading = read(
        {"type": "queue-operation", "operation": "enqueue", "content": "x", "sessionId": SESSION},
        user("u1", None, "go"),
        line("from-the-future", "f1", "u1", text="?"),
        line("from-the-future", "f2", "f1"),
        answer("a1", "f2", "1", text("one")),
        {"type": "marble-origami-commit", "sessionId": SESSION},
        [1],
        7,
        {"nothing": True},
    )
    assert reading.unknown == {"from-the-future": 2, "not an object": 2, "no type": 1}
    assert [p.context[0].enters for m in c.messages for p in m.parts] == [0, 1]
    assert c.notes == ["holds records of collapsed context, which are not applied"]


def test_a_log_without_links_is_one_chain() -> None:
    def bare(role: str, content: Any) -> dict[str, Any]:
        return {"type": role, "message": {"role": role, "content": content}}

    (c,), _ = read(
        bare("user", "go"), bare("assistant", [text("one")]), bare("user", "on"), bare("assistant", [text("two")])
    )
    assert [(r.source, r.key) for r in c.requests] == [("implied", ""), ("implied", "")]
    assert [p.context[0].enters for m in c.messages for p in m.parts] == [0, 1, 1, 2]
    assert (c.session_id, [m.key for m in c.messages]) == (None, [""] * 4)


def test_a_line_that_stands_twice_counts_once() -> None:
    lines = [
        user("u1", None, "go"),
        answer("a1", "u1", "1", text("one")),
        user("u2", "a1", tool_result("toolu_8", "x")),
    ]
    (c,), _ = read(*[value for value in lines for _ in range(2)])
    assert [m.key for m in c.messages] == ["uuid:u1", "msg:msg_1", "results:toolu_8"]
    assert [r.usage and r.usage.output_tokens for r in c.requests] == [7]


def test_what_a_result_says_beside_the_message_is_not_context() -> None:
    preview = "<persisted-output>\nOutput too large. Full output saved to: /t/x.txt\nPreview"
    extra = {"toolUseResult": {"stdout": "everything" * 1000, "persistedOutputPath": "/t/x.txt"}}
    (c,), _ = read(
        user("u1", None, "go"),
        answer("a1", "u1", "1", task("toolu_1", "look")),
        user("r1", "a1", tool_result("toolu_1", preview), **extra),
    )
    assert [getattr(p, "text", None) for p in c.messages[2].parts] == [preview]


def test_files_with_damage_byte_order_mark_and_surrogates(tmp_path: Path) -> None:
    lines = [
        json.dumps(user("u1", None, "cut \ud83d emoji")),
        json.dumps(
            answer("a1", "u1", "1", text('the text "usage":{ is no usage'), costUSD=None),
            indent=None,
            separators=(", ", ": "),
        ),
        '{"type":"user","uuid":"u2","par',
    ]
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    reading = read_log(path)
    (c,) = reading.conversations
    assert [r.usage and r.usage.output_tokens for r in c.requests] == [7]
    assert [damage.line for damage in reading.damaged] == [3]


def test_an_empty_file_and_one_without_messages_hold_no_conversation() -> None:
    assert read()[0] == []
    assert (
        read({"type": "summary", "summary": "A title", "leafUuid": "x"}, {"type": "mode", "sessionId": SESSION})[0]
        == []
    )


def test_a_context_that_shrinks_without_a_record_is_told() -> None:
    def sized(uuid: str, parent: str, response: str, tokens: int) -> dict[str, Any]:
        value = answer(uuid, parent, response, text(response))
        value["message"]["usage"]["cache_read_input_tokens"] = tokens
        return value

    (c,), _ = read(
        user("u1", None, "go"),
        sized("a1", "u1", "1", 100_000),
        sized("a2", "a1", "2", 60_000),
        sized("a3", "a2", "3", 58_000),
        user("u2", "a1", "other"),
        sized("a4", "u2", "4", 20_000),
    )
    assert c.notes == ["the recorded context shrank without a record of what left it"]


# Wrong types anywhere must not raise, and every request keeps its place.

BASE: list[dict[str, Any]] = [
    user("u1", None, "go"),
    answer("a1", "u1", "1", {"type": "thinking", "thinking": "hm", "signature": "s"}),
    answer("a2", "a1", "1", task("toolu_1", "look")),
    user("s1", None, "look", isSidechain=True, agentId="a7f"),
    answer("s2", "s1", "S", text("here"), isSidechain=True, agentId="a7f"),
    line(
        "progress",
        "p1",
        "a2",
        data={"type": "agent_progress", "agentId": "a7f", "message": {"message": {"usage": {"output_tokens": 1}}}},
    ),
    user("r1", "p1", tool_result("toolu_1", "seen"), toolUseResult={"agentId": "a7f"}),
    line("attachment", "t1", "r1", attachment={"type": "file", "filename": "a", "content": {"file": {"content": "b"}}}),
    answer("a3", "t1", "3", text("three"), supersedesUuids=["a1"]),
    line(
        "system",
        "m1",
        "a3",
        subtype="microcompact_boundary",
        microcompactMetadata={"compactedToolIds": ["toolu_1"], "clearedAttachmentUUIDs": ["t1"]},
    ),
    {
        "type": "content-replacement",
        "sessionId": SESSION,
        "replacements": [{"toolUseId": "toolu_1", "replacement": "short"}],
    },
    user("u2", "m1", "more", forkedFrom={"sessionId": OTHER, "messageUuid": "x"}),
    answer("a4", "u2", "4", text("four")),
    line(
        "system",
        "b1",
        None,
        subtype="compact_boundary",
        compactMetadata={
            "preservedSegment": {"headUuid": "a3", "tailUuid": "u2", "anchorUuid": "k1"},
            "preservedMessages": {"uuids": []},
        },
    ),
    user("k1", "b1", "summary", isCompactSummary=True),
    line("system", "x1", "k1", subtype="api_refusal", retractedMessageUuids=["u2"]),
    answer("a5", "x1", "5", text("five")),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return found + [place for key, item in items for place in places(item, (*path, key))]


PLACES = places(BASE)
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 2**70)
    | st.floats()
    | st.sampled_from(["", "u1", "a1", "REDACTED", "toolu_1", "x\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "id", "usage", "content"]), inner, max_size=3)
    ),
    max_leaves=5,
)


def check(conversations: list[Conversation]) -> None:
    for c in conversations:
        assert [m.index for m in c.messages] == list(range(len(c.messages)))
        assert [r.index for r in c.requests] == list(range(len(c.requests)))
        keys = [m.key for m in c.messages if m.key]
        assert len(set(keys)) == len(keys)
        for message in c.messages:
            for part in message.parts:
                end = 0
                for enters, leaves, _ in part.context:
                    assert end <= enters <= len(c.requests)
                    assert leaves is None or enters < leaves <= len(c.requests)
                    end = len(c.requests) + 1 if leaves is None else leaves


def test_the_records_that_are_spoilt_below_are_sound() -> None:
    (main, side), reading = read(*BASE)
    check([main, side])
    assert [r.key for r in main.requests] == ["msg:msg_1", "msg:msg_3", "msg:msg_4", "msg:msg_5"]
    assert (main.resets, reading.unknown, len(side.requests)) == ([3], {}, 1)
    assert CLEARED in [getattr(p, "text", "") for m in main.messages for p in m.parts]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PLACES), JUNK), min_size=1, max_size=4), st.booleans())
def test_wrong_types_never_raise(changes: list[tuple[tuple[Any, ...], Any]], drop: bool) -> None:
    values = json.loads(json.dumps(BASE))
    for path, junk in changes:
        at = values
        try:
            for key in path[:-1]:
                at = at[key]
            if drop and isinstance(at, dict):
                at.pop(path[-1], None)
            else:
                at[path[-1]] = junk
        except (TypeError, KeyError, IndexError):
            continue
    check(read(*values)[0])


@settings(max_examples=100, deadline=None)
@given(st.permutations(range(len(BASE))))
def test_any_order_of_lines_is_read(order: list[int]) -> None:
    check(read(*[BASE[n] for n in order])[0])


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from(["u1", "a1", "a2", "r1", "t1", "a3", "m1", "u2", "a4", "b1", "k1", "none"]),
        min_size=len(BASE),
        max_size=len(BASE),
    )
)
def test_any_parents_are_followed(parents: list[str]) -> None:
    check(read(*[{**value, "parentUuid": parent} for value, parent in zip(BASE, parents, strict=True)])[0])


def test_subagents_in_files_of_their_own_are_told_of_by_their_parent() -> None:
    (main,), _ = read(
        user("u1", None, "go"),
        answer("a1", "u1", "A", task("toolu_1", "look there")),
        user("r1", "a1", tool_result("toolu_1", "there"), toolUseResult={"agentId": "a7f"}),
        answer("a2", "r1", "B", text("done")),
    )
    assert main.spawned == [Spawn(conversation_id("claude-code", SESSION, "a7f", ""), "toolu_1", "Explore")]
    own = [user("s1", None, "look there", isSidechain=True, agentId="a7f")]
    (child,) = FORMAT.read([Record(1, own[0])], "agent-a7f.jsonl", Reading("x"))
    assert (child.kind, child.id) == ("subagent", main.spawned[0].conversation_id)


@pytest.mark.parametrize(
    ("agent", "kind", "name"),
    [
        ("acompact-080f79", "side", "compact"),
        ("aprompt_suggestion-09c451", "side", "prompt_suggestion"),
        ("a44e090", "subagent", None),
        ("ab12cd34ef56ab12c", "subagent", None),
    ],
)
def test_agents_that_serve_the_client_are_named_by_their_id(agent: str, kind: str, name: str | None) -> None:
    row = user("s1", None, "sum it up", isSidechain=True, agentId=agent)
    (child,) = FORMAT.read([Record(1, row)], f"agent-{agent}.jsonl", Reading("x"))
    assert (child.kind, child.agent_name) == (kind, name)
