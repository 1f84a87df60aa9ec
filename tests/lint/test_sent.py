"""Histories as they were sent: session logs by epoch, request logs by run and break, rows, documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headroom_cli.lint.history import History
from headroom_cli.lint.sent import Session, own_messages, sessions
from headroom_cli.logs import read_log
from tests.lint.support import Raw, assistant, function_call, function_output, text, tool_result, tool_use, user

Q1, A1, Q2, A2, Q3 = user("one"), assistant("1"), user("two"), assistant("2"), user("three")
TOOLS = [{"name": "read", "input_schema": {"type": "object"}}]


def read(tmp_path: Path, *rows: Any, name: str = "log.jsonl") -> list[Session]:
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return sessions(read_log(path, keeps_sent=True))


def histories(tmp_path: Path, *rows: Any, name: str = "log.jsonl") -> list[History]:
    return [history for session in read(tmp_path, *rows, name=name) for history in session.histories]


def said(history: History) -> list[Any]:
    return [[block.value for block in entry.blocks] for entry in history.entries]


def request(*messages: Raw, **body: Any) -> Raw:
    return {"model": "claude-opus-4-8", "max_tokens": 9, "tools": TOOLS, "messages": [*messages], **body}


# Cumulative request logs


def test_requests_that_only_append_are_one_history(tmp_path: Path) -> None:
    (session,) = read(tmp_path, request(Q1), request(Q1, A1, Q2), request(Q1, A1, Q2, A2, Q3))
    (history,) = session.histories
    assert (history.line, history.judged_as, len(history.entries)) == (3, "request", 5)
    assert history.entries[4].path == ("messages", 4) and history.anchor["messages"][4] == Q3
    sent = session.requests
    assert [request.length for request in sent] == [1, 3, 5]
    assert [request.messages is None for request in sent] == [True, True, False]
    own = own_messages(session.conversation.sent)
    assert [own[id(request)] for request in sent] == [[Q1], [Q1, A1, Q2], [Q1, A1, Q2, A2, Q3]]
    assert sent[0].body["tools"] is sent[2].body["tools"]


def test_each_break_is_a_history_of_its_own(tmp_path: Path) -> None:
    first = request(Q1, A1, Q2)
    rewritten = request(user("one, shorter"), A1, Q2, A2, Q3)
    made = histories(tmp_path, first, rewritten, {**rewritten, "messages": [*rewritten["messages"], A1, Q1]})
    assert [(history.line, len(history.entries), history.epoch) for history in made] == [(1, 3, 0), (3, 7, 1)]
    assert [history.last_epoch for history in made] == [False, True]


def test_other_tools_or_another_model_end_a_run(tmp_path: Path) -> None:
    made = histories(tmp_path, request(Q1), request(Q1, A1, Q2, tools=[]), request(Q1, A1, Q2, A2, Q3, tools=[]))
    assert [(history.line, history.tools) for history in made] == [(1, TOOLS), (3, [])]
    made = histories(tmp_path, request(Q1), request(Q1, A1, Q2, model="claude-sonnet-5"))
    assert [history.model for history in made] == ["claude-opus-4-8", "claude-sonnet-5"]


def test_a_prefill_that_the_next_request_goes_on_from_is_judged(tmp_path: Path) -> None:
    pair = {"request": request(Q1, assistant("{")), "response": {}}
    made = histories(tmp_path, pair, {"request": request(Q1, assistant("{"), Q2), "response": {}})
    assert [len(history.entries) for history in made] == [2, 3]


def test_moved_cache_markers_are_no_break(tmp_path: Path) -> None:
    marked = {**text("one"), "cache_control": {"type": "ephemeral"}}
    (session,) = read(tmp_path, request(user(marked)), request(user(text("one")), A1, user({**marked, "text": "two"})))
    assert len(session.histories) == 1
    assert [sent.markers for sent in session.requests] == [((0, 0),), ((2, 0),)]


def test_equal_messages_of_broken_runs_are_kept_once(tmp_path: Path) -> None:
    rows = [request(user(f"now {n}"), A1, Q2, A2, Q3, metadata={"session_id": "s"}) for n in range(4)]
    (session,) = read(tmp_path, *rows)
    kept = [sent.messages for sent in session.requests]
    assert all(messages is not None for messages in kept)
    assert len({id(messages[2]) for messages in kept if messages is not None}) == 1


def test_captured_pairs_and_side_requests(tmp_path: Path) -> None:
    answer = {"type": "message", "role": "assistant", "content": [text("1")], "stop_reason": "end_turn"}
    rows = [
        {"request": request(Q1), "response": answer},
        {"request": request(user("Give a title")), "response": answer},
    ]
    made = histories(tmp_path, *rows)
    assert [(history.line, said(history)) for history in made] == [(1, [["one"]]), (2, [["Give a title"]])]


# Responses API


def answered(response_id: str, *output: Raw) -> Raw:
    return {"object": "response", "id": response_id, "model": "gpt-5", "output": [*output]}


def linked(given: list[Raw], response: Raw, previous: str | None = None) -> Raw:
    body: Raw = {"model": "gpt-5", "input": given, "store": True}
    if previous:
        body["previous_response_id"] = previous
    return {"request": body, "response": response}


ASK = {"role": "user", "content": "read it"}
CALL, OUTPUT = function_call("call_1"), function_output("call_1")
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is empty."}]}


def test_requests_linked_by_response_ids(tmp_path: Path) -> None:
    rows = [
        linked([ASK], answered("resp_00000001", CALL)),
        linked([OUTPUT], answered("resp_00000002", SAID), "resp_00000001"),
        linked([ASK], answered("resp_00000003", SAID), "resp_00000002"),
    ]
    (history,) = [h for h in histories(tmp_path, *rows) if h.line == 3]
    assert history.complete
    assert [entry.raw for entry in history.entries] == [ASK, CALL, OUTPUT, SAID, ASK]
    assert [entry.line for entry in history.entries] == [1, 1, 2, 2, 3]
    assert history.anchor is None


def test_two_ways_on_from_one_response(tmp_path: Path) -> None:
    rows = [
        linked([ASK], answered("resp_00000001", CALL)),
        linked([OUTPUT], answered("resp_00000002", SAID), "resp_00000001"),
        linked([function_output("call_1", "other")], answered("resp_00000003", SAID), "resp_00000001"),
    ]
    made = {history.line: history for history in histories(tmp_path, *rows)}
    assert [len(made[line].entries) for line in (2, 3)] == [3, 3]


def test_a_response_that_the_log_does_not_have(tmp_path: Path) -> None:
    (history,) = histories(tmp_path, linked([OUTPUT], answered("resp_00000002", SAID), "resp_elsewhere"))
    assert not history.complete and len(history.entries) == 1


def test_many_branches_cost_no_square(tmp_path: Path) -> None:
    rows = [linked([ASK], answered("resp_0000", SAID))]
    rows += [linked([ASK], answered(f"resp_{n:04}", SAID), f"resp_{n - 1:04}") for n in range(1, 200)]
    rows += [linked([ASK], answered(f"leaf_{n:04}", SAID), "resp_0199") for n in range(200)]
    made = histories(tmp_path, *rows)
    assert sum(len(history.entries) for history in made) < 20 * len(rows)
    assert any(not history.complete for history in made) and any(history.complete for history in made)


# Session logs


def line(uuid: str, parent: str | None, content: Any, response: str = "", **more: Any) -> Raw:
    message: Raw = {"role": "assistant" if response else "user", "content": content}
    if response:
        message |= {"id": response, "model": "claude-opus-4-8"}
    return {"type": message["role"], "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message, **more}


def test_claude_code_before_and_after_a_compaction(tmp_path: Path) -> None:
    rows = [
        line("u1", None, "one"),
        line("a1", "u1", [tool_use("toolu_1")], "msg_1"),
        line("r1", "a1", [tool_result("toolu_1", "x")]),
        line("a2", "r1", [text("done")], "msg_2"),
        {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None, "sessionId": "s"},
        line("u2", "b", "A summary.", isCompactSummary=True),
        line("u3", "u2", "two"),
        line("a3", "u3", [text("ok")], "msg_3"),
    ]
    made = histories(tmp_path, *rows)
    assert [said(history) for history in made] == [
        [["one"], [{}], ["x"]],
        [["A summary.", "two"], ["ok"]],
    ]
    assert [(history.judged_as, history.epoch, history.last_epoch) for history in made] == [
        ("history", 0, False),
        ("history", 1, True),
    ]


def test_what_a_compaction_kept_stands_behind_its_summary(tmp_path: Path) -> None:
    kept = {"preservedMessages": {"anchorUuid": "u2", "uuids": ["a2"]}}
    rows = [
        line("u1", None, "one"),
        line("a1", "u1", [tool_use("toolu_1")], "msg_1"),
        line("r1", "a1", [tool_result("toolu_1", "x")]),
        line("a2", "r1", [text("done")], "msg_2"),
        {
            "type": "system",
            "subtype": "compact_boundary",
            "uuid": "b",
            "parentUuid": None,
            "sessionId": "s",
            "compactMetadata": kept,
        },
        line("u2", "b", "A summary.", isCompactSummary=True),
        line("u3", "u2", "two"),
        line("a3", "u3", [text("ok")], "msg_3"),
    ]
    made = histories(tmp_path, *rows)
    assert [said(history) for history in made] == [
        [["one"], [{}], ["x"]],
        [["A summary."], ["done"], ["two"], ["ok"]],
    ]


def test_claude_code_is_cleaned_up_as_its_client_does(tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "EqQ"}
    rows = [
        line("u1", None, "one"),
        line("a1", "u1", [thought], "msg_1"),
        line("u2", "a1", "[Request interrupted by user]"),
        line("u3", "u2", "go on"),
        line("a2", "u3", [text("\n")], "msg_2"),
        line("u4", "a2", "please"),
        line("a3", "u4", [thought, text("ok")], "msg_3"),
    ]
    (history,) = histories(tmp_path, *rows)
    assert [entry.role for entry in history.entries] == ["user", "assistant"]
    assert len(history.entries[0].blocks) == 4


def test_queued_text_goes_after_the_results(tmp_path: Path) -> None:
    rows = [
        line("u1", None, "one"),
        line("a1", "u1", [tool_use("toolu_1")], "msg_1"),
        line("a2", "a1", [tool_use("toolu_2")], "msg_1"),
        line("r1", "a1", [tool_result("toolu_1", "x")]),
        line("q", "r1", "and hurry"),
        line("r2", "a2", [tool_result("toolu_2", "y")]),
    ]
    (history,) = histories(tmp_path, *rows)
    assert [block.kind for block in history.entries[2].blocks] == ["result", "result", "text"]


def item(payload: Raw) -> Raw:
    return {"timestamp": "2026-11-01T10:00:00Z", "type": "response_item", "payload": payload}


def test_codex_before_and_after_a_compaction(tmp_path: Path) -> None:
    meta = {"id": "0b6c7a52-1111-4222-8333-444455556666", "cwd": "/code/shop", "cli_version": "0.60.0"}
    message = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "one"}]}
    summary = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "A summary."}]}
    rows = [
        {"timestamp": "2026-11-01T10:00:00Z", "type": "session_meta", "payload": meta},
        item(message),
        item(CALL),
        item(OUTPUT),
        item(SAID),
        {"timestamp": "t", "type": "compacted", "payload": {"message": "", "replacement_history": [summary]}},
        item({**message, "content": [{"type": "input_text", "text": "two"}]}),
        item(SAID),
    ]
    made = histories(tmp_path, *rows, name="rollout-x.jsonl")
    assert [[entry.raw.get("type") if entry.raw else entry.role for entry in h.entries] for h in made] == [
        ["user", "function_call", "function_call_output"],
        ["user", "user", "assistant"],
    ]
    assert [said(history)[0] for history in made] == [["one"], ["A summary."]]


def test_many_compactions_cost_no_square(tmp_path: Path) -> None:
    rows: list[Raw] = []
    for n in range(1000):
        rows.append(
            {"type": "system", "subtype": "compact_boundary", "uuid": f"b{n}", "parentUuid": None, "sessionId": "s"}
        )
        rows.append(line(f"u{n}", f"b{n}", "A summary.", isCompactSummary=True))
        rows.append(line(f"a{n}", f"u{n}", [text("ok")], f"msg_{n}"))
    made = histories(tmp_path, *rows)
    assert len(made) == 1000 and all(len(history.entries) <= 2 for history in made)


# Rows, documents, lists


def test_rows_for_fine_tuning(tmp_path: Path) -> None:
    rows = [{"messages": [Q1, A1]}, {"messages": [Q2, A2], "tools": []}]
    assert [history.judged_as for history in histories(tmp_path, *rows)] == ["training", "training"]
    prompt = {"prompt": "one", "completion": "1"}
    assert [history.judged_as for history in histories(tmp_path, prompt)] == ["training"]


@pytest.mark.parametrize(
    ("document", "judged_as"),
    [
        ({"messages": [Q1, A1, Q2]}, "history"),
        ({"messages": [Q1, A1, Q2], "model": "gpt-4o"}, "request"),
        ({"messages": [Q1, A1], "model": "gpt-4o"}, "history"),
        ({"messages": [Q1, A1], "model": "claude-opus-4-8", "max_tokens": 9}, "request"),
        ({"input": [ASK, SAID, ASK]}, "history"),
        ({"contents": [{"role": "user", "parts": [{"text": "one"}]}], "generationConfig": {}}, "request"),
        ([Q1, A1, Q2], "history"),
        ([Q1, assistant(tool_use("toolu_1")), user(tool_result("toolu_1"))], "history"),
    ],
)
def test_pretty_printed_documents(tmp_path: Path, document: Any, judged_as: str) -> None:
    path = tmp_path / "golden.json"
    path.write_text(json.dumps(document, indent=2))
    (history,) = [h for session in sessions(read_log(path, keeps_sent=True)) for h in session.histories]
    given = document if isinstance(document, list) else next(v for v in document.values() if isinstance(v, list))
    assert history.judged_as == judged_as
    assert [entry.raw for entry in history.entries] == given
    if isinstance(document, list):  # each message has a line of its own
        assert history.entries[0].line == 2 and history.anchor is None
    else:
        assert history.line == 1 and history.anchor == document


def test_a_string_as_input_has_the_place_of_the_string(tmp_path: Path) -> None:
    (history,) = histories(tmp_path, {"model": "gpt-5", "input": "one"})
    assert [entry.path for entry in history.entries] == [("input",)]


def test_one_message_a_line(tmp_path: Path) -> None:
    (history,) = histories(tmp_path, Q1, assistant(tool_use("toolu_1")), user(tool_result("toolu_1")))
    assert (history.judged_as, [entry.line for entry in history.entries]) == ("history", [1, 2, 3])


def test_formats_that_do_not_keep_the_wire_form(tmp_path: Path) -> None:
    contents = [{"type": "text", "text": "one"}]
    (history,) = histories(tmp_path, {"messages": [{"role": {"value": "user"}, "contents": contents}]})
    assert history.log_format == "agent-framework" and not history.wire
    (history,) = histories(tmp_path, {"message": Q1, "message_id": 0, "created_at": "2026-11-01"})
    assert history.log_format == "strands" and history.wire


def test_batch_requests_are_judged_one_by_one(tmp_path: Path) -> None:
    rows = [{"custom_id": f"c{n}", "method": "POST", "url": "/v1/chat/completions", "body": request(Q1)} for n in "ab"]
    made = histories(tmp_path, *rows)
    assert [(history.line, history.judged_as) for history in made] == [(1, "request"), (2, "request")]


def test_what_is_asked_for_wins(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({"messages": [Q1]}))
    (session,) = sessions(read_log(path, keeps_sent=True), "request")
    assert session.histories[0].judged_as == "request"
