from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.repair.documents import Options, repair_document
from headroom_cli.repair.messages import repair
from headroom_cli.repair.splice import positions, value_at
from tests.repair.support import PROVIDERS, TURNS, Turns, break_history, build, errors, profile_of

TIMES = st.integers(1, 3)
INDENTS = st.sampled_from([None, 1, 2, 4, "\t"])
KEYS = {"gemini": "contents", "openai-responses": "input"}
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}]}
HELLO = {"role": "user", "content": "hello"}
DONE = {"role": "assistant", "content": "done"}


def options(name: str) -> Options:
    return Options(profiles=[profile_of(name)], judged_as="history", unsafe=True)


def fixed(text: str, name: str = "anthropic", path: str = "golden.json") -> str:
    outcome = repair_document(text.encode(), path, options(name))
    assert outcome.refused is None
    return outcome.after.decode()


def broken_history(turns: Turns, name: str, times: int, data: st.DataObject) -> list[Any]:
    # The ends stay sound, so that what is broken is still seen to be a history of its dialect.
    around: Turns = [(1, False), (0, False)]
    whole = build([*around, *turns, *around], PROVIDERS[name])
    length = len(build(around, PROVIDERS[name]))
    broken = whole[length:-length]
    for _ in range(times):
        broken = break_history(broken, PROVIDERS[name], data.draw) if broken else broken
    return [*whole[:length], *broken, *whole[-length:]]


@pytest.mark.parametrize("name", PROVIDERS)
@given(turns=TURNS, times=TIMES, indent=INDENTS, data=st.data())
@settings(max_examples=30)
def test_a_document_changes_only_where_its_history_does(
    name: str, turns: Turns, times: int, indent: int | str | None, data: st.DataObject
) -> None:
    dialect = PROVIDERS[name]
    key = KEYS.get(dialect, "messages")
    rows = [json.dumps(row, indent=indent) for row in broken_history(turns, name, times, data)]
    head = f'{{ "note" : "caf\\u00e9 \\/",\n"seed":1.0E+2, "{key}" :[\n'
    text = head + " ,\n".join(rows) + ']\n\n, "tail": [ ] }\n'
    after = fixed(text, name)

    body = json.loads(text)
    expected = repair(body[key], dialect, profiles=[profile_of(name)], body=body, judged_as="history", unsafe=True)
    assert json.loads(after) == expected.body
    assert errors(json.loads(after)[key], name) == [left.finding.rule.code for left in expected.left]
    assert fixed(after, name) == after
    assert (after == text) is not expected.changed

    # All around stays as it was written, and so do messages and blocks that no repair touched.
    assert after.startswith(head) and after.endswith(']\n\n, "tail": [ ] }\n')
    given_ones = {id(row): rows[number] for number, row in enumerate(body[key])}
    for message in expected.messages:
        if id(message) in given_ones:
            assert given_ones[id(message)] in after
    for pointer in pointers_of_kept_blocks(body[key], expected.messages):
        start = positions(text, 0, [(key, *pointer)])[(key, *pointer)]
        assert text[start : value_at(text, start).end] in after


def pointers_of_kept_blocks(before: list[Any], after: list[Any]) -> list[tuple[str | int, ...]]:
    kept = {id(block) for message in after for _, block in blocks_of(message)}
    return [
        (number, *pointer)
        for number, row in enumerate(before)
        for pointer, block in blocks_of(row)
        if id(block) in kept
    ]


def blocks_of(message: dict[str, Any]) -> list[tuple[tuple[str, int], Any]]:
    return [
        ((key, number), block)
        for key in ("content", "parts", "tool_calls")
        if isinstance(message.get(key), list)
        for number, block in enumerate(message[key])
    ]


@pytest.mark.parametrize("name", ["anthropic", "openai", "gemini"])
@given(turns=TURNS, times=TIMES, data=st.data())
@settings(max_examples=30)
def test_of_a_message_on_each_line_only_broken_lines_change(
    name: str, turns: Turns, times: int, data: st.DataObject
) -> None:
    rows = broken_history(turns, name, times, data)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    after = fixed(text, name, "chat.jsonl")
    expected = repair(rows, PROVIDERS[name], profiles=[profile_of(name)], judged_as="history", unsafe=True)
    assert [json.loads(line) for line in after.splitlines()] == expected.messages
    given_ones = {id(row): line for row, line in zip(rows, text.splitlines(), strict=True)}
    for message, line in zip(expected.messages, after.splitlines(), strict=True):
        assert given_ones.get(id(message), line) == line
    assert fixed(after, name, "chat.jsonl") == after


PRETTY = """{
  "model": "claude-haiku-4-5",
  "messages": [
    { "role": "user", "content": "\\u00fcber" },
    {
      "role": "assistant",
      "content": [
        { "type": "tool_use", "id": "toolu_1", "name": "read", "input": { "n": 1.50 } }
      ]
    },
    { "role": "user", "content": [ { "type": "text", "text": "never mind" } ] },
    { "role": "assistant", "content": "Fine." }
  ]
}
"""


def test_an_added_result_looks_like_its_neighbours() -> None:
    after = fixed(PRETTY)
    assert after == PRETTY.replace(
        '[ { "type": "text"',
        '[ {"type": "tool_result", "tool_use_id": "toolu_1", "content": "no result recorded", "is_error": true}, '
        '{ "type": "text"',
    )


TOOLS = [{"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}}]
CHAT = [HELLO, {"role": "assistant", "content": None, "tool_calls": TOOLS}, DONE]
ADDED = {"role": "tool", "tool_call_id": "call_1", "content": "no result recorded"}


@pytest.mark.parametrize("indent", [None, 1, 4, "\t"])
def test_an_added_message_is_written_like_the_others(indent: int | str | None) -> None:
    before, after = ({"messages": rows} for rows in (CHAT, [*CHAT[:2], ADDED, DONE]))
    assert fixed(json.dumps(before, indent=indent), "openai") == json.dumps(after, indent=indent)
    compact = json.dumps(before, separators=(",", ":"))
    assert fixed(compact, "openai") == json.dumps(after, separators=(",", ":"))


def test_windows_line_ends_and_a_byte_order_mark_stay() -> None:
    before, after = ({"messages": rows} for rows in (CHAT, [*CHAT[:2], ADDED, DONE]))
    text, expected = ("\ufeff" + json.dumps(each, indent=2).replace("\n", "\r\n") + "\r\n" for each in (before, after))
    assert fixed(text, "openai") == expected


def test_what_moves_keeps_its_text() -> None:
    moved = '{"tool_use_id" :"toolu_1", "type": "tool_result","content":"\\u00fc","n":1.50}'
    text = (
        f'[{json.dumps(HELLO)}, {json.dumps(CALL)}, {{"role": "user", "content": [{{"type": "text", "text": "so"}},'
        f" {moved}]}}, {json.dumps(DONE)}]"
    )
    after = fixed(text)
    assert after == text.replace(
        f'{{"type": "text", "text": "so"}}, {moved}', f'{moved}, {{"type": "text", "text": "so"}}'
    )
    chat = "".join(json.dumps(row) + "\n" for row in (HELLO, CALL, HELLO, DONE))
    after = fixed(chat + f'{{"role":"user","content":[{moved}]}}\n', path="chat.jsonl")
    filled = f'{{"role": "user", "content": [{moved}, {{"type": "text", "text": "hello"}}]}}'
    assert after.splitlines() == [json.dumps(HELLO), json.dumps(CALL), filled, json.dumps(DONE)]


def test_a_body_that_a_recorder_keeps_as_text_is_repaired_inside_it() -> None:
    body = json.dumps({"model": "claude-haiku-4-5", "messages": [HELLO, CALL, HELLO]})
    entry = {
        "request": {
            "method": "POST",
            "url": "https://api.anthropic.com/v1/messages",
            "postData": {"mimeType": "application/json", "text": body},
        },
        "response": {"status": 200, "content": {"mimeType": "application/json", "text": "{}"}},
        "startedDateTime": "2026-11-12T09:00:00.000Z",
    }
    text = json.dumps({"log": {"version": "1.2", "entries": [entry]}}, indent=2)
    after = fixed(text, path="run.har")
    text_after = json.loads(after)["log"]["entries"][0]["request"]["postData"]["text"]
    assert text_after == body.replace(
        json.dumps(HELLO) + "]",
        '{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": '
        '"no result recorded", "is_error": true}, {"type": "text", "text": "hello"}]}]',
    )
    assert after == text.replace(json.dumps(body), json.dumps(text_after))


CASSETTE = """interactions:
- request:
    body: '{"model": "claude-haiku-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "hello"}]}'
    method: POST
    uri: https://api.anthropic.com/v1/messages
  response:
    body: {string: '{}'}
    status: {code: 200, message: OK}
version: 1
"""
SESSION = '{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"hi"}}\n'
STREAM = (
    '{"type":"system","subtype":"init","session_id":"s","tools":[],"model":"claude-haiku-4-5"}\n'
    '{"type":"assistant","session_id":"s","message":{"id":"m","type":"message","role":"assistant",'
    '"content":[{"type":"text","text":"hi"}],"usage":{"input_tokens":1,"output_tokens":1}}}\n'
)

# Its results name no call: the agent makes the messages that it sends of these.
TRAJECTORY = json.dumps(
    {
        "trajectory": [{"action": "ls", "observation": "a", "response": "x", "thought": "t", "state": {}}],
        "history": [
            {**HELLO, "agent": "main"},
            {**DONE, "agent": "main", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "ls"}}]},
            {"role": "tool", "content": "a", "tool_call_ids": ["c1"], "agent": "main"},
        ],
        "info": {},
    }
)


@pytest.mark.parametrize(
    ("data", "path", "why"),
    [
        (SESSION.encode(), "s.jsonl", "a session of a client: headroom repair FILE repairs it"),
        (gzip.compress(SESSION.encode()), "s.jsonl.gz", "it is compressed; expand it first"),
        (CASSETTE.encode(), "a.yaml", "it is YAML: only JSON is repaired"),
        (STREAM.encode(), "run.jsonl", "histories of this format cannot be written back"),
        (TRAJECTORY.encode(), "run.traj", "histories of this format cannot be written back"),
        (b'{"name": "acme"}', "package.json", None),  # lint says why it cannot be read
    ],
)  # fmt: skip
def test_what_cannot_be_repaired_is_refused(data: bytes, path: str, why: str | None) -> None:
    outcome = repair_document(data, path)
    assert (outcome.refused, outcome.after) == (why, data)


def test_the_line_of_each_repair_is_known() -> None:
    outcome = repair_document(PRETTY.encode(), "golden.json", options("anthropic"))
    assert [(placed.line, placed.change.rule) for placed in outcome.changes] == [(5, "HR101")]


def rows_of(*contents: list[Any]) -> list[str]:
    """A stored session of Bedrock, a row a line, the user first."""
    roles = ("user", "assistant")
    return [
        json.dumps({"message": {"role": roles[number % 2], "content": blocks}, "message_id": number, "x": 1.50})
        for number, blocks in enumerate(contents)
    ]


USE = {"toolUse": {"toolUseId": "t1", "name": "read", "input": {}}}
RESULT = {"toolResult": {"toolUseId": "t1", "content": [{"text": "14 open orders"}], "status": "success"}}


def test_a_result_whose_call_was_trimmed_off_stays_as_text_in_its_stored_row() -> None:
    rows = rows_of([RESULT], [{"text": "Two."}], [{"text": "Thanks"}], [{"text": "Bye"}])
    outcome = repair_document(("\n".join(rows) + "\n").encode(), "session.jsonl")
    assert [(placed.line, placed.change.rule) for placed in outcome.changes] == [(1, "HR102")]
    first, *rest = outcome.after.decode().splitlines()
    assert rest == rows[1:]
    said = "[result of a call (t1), which is not in this history]\n14 open orders"
    assert json.loads(first) == {"message": {"role": "user", "content": [{"text": said}]}, "message_id": 0, "x": 1.5}
    assert first.endswith('"message_id": 0, "x": 1.5}')
    assert repair_document(outcome.after, "session.jsonl").after == outcome.after


def test_a_call_without_result_gets_one_in_a_row_of_its_own_or_in_the_one_that_follows() -> None:
    rows = rows_of([{"text": "How many?"}], [USE], [{"text": "Well?"}], [{"text": "None."}])
    made = {"toolResult": {"toolUseId": "t1", "content": [{"text": "no result recorded"}], "status": "error"}}
    after = repair_document("\n".join(rows).encode(), "session.jsonl").after.decode().splitlines()
    assert [after[0], after[1], after[3]] == [rows[0], rows[1], rows[3]]
    assert json.loads(after[2])["message"]["content"] == [made, {"text": "Well?"}]

    said = [rows[0], rows[1], json.dumps({"message": {"role": "system", "content": [{"text": "s"}]}}), rows[3]]
    after = repair_document("\n".join(said).encode(), "session.jsonl").after.decode().splitlines()
    assert {"message": {"role": "user", "content": [made]}} in [json.loads(line) for line in after]


def test_a_history_with_something_else_in_the_place_of_a_call_stays_as_it_is() -> None:
    rows = [
        {"role": "user", "content": "Where is my order?"},
        {"role": "assistant", "content": None, "tool_calls": ["call_1"]},
        {"role": "tool", "tool_call_id": "call_1", "content": "on its way"},
        {"role": "assistant", "content": "It is on its way."},
    ]
    data = json.dumps({"model": "gpt-5.1", "messages": rows}).encode()
    outcome = repair_document(data, "request.json", Options(severities=("error", "warning")))
    assert outcome.after == data and outcome.changes == []
    assert {left.why for left in outcome.left} == {"a message of this history is not shaped like one"}


_WRONG: list[Any] = [None, True, -1, 2**64, "", "x", [], {}, [None], [[]], ["x"], {"role": "user"}, {"type": []}]


@pytest.mark.parametrize("name", PROVIDERS)
@given(turns=TURNS, times=st.integers(1, 4), unsafe=st.booleans(), data=st.data())
@settings(max_examples=60)
def test_wrong_types_anywhere_are_repaired_or_left_but_never_raise(
    name: str, turns: Turns, times: int, unsafe: bool, data: st.DataObject
) -> None:
    messages = broken_history(turns, name, 1, data)
    for _ in range(times):
        places = list(_places(messages))
        holder, key = data.draw(st.sampled_from(places))
        holder[key] = json.loads(json.dumps(data.draw(st.sampled_from(_WRONG))))
    text = json.dumps(messages)
    outcome = repair(messages, PROVIDERS[name], profiles=[profile_of(name)], judged_as="history", unsafe=unsafe)
    assert json.dumps(messages) == text
    assert sorted(errors(outcome.messages, name)) == sorted(left.finding.rule.code for left in outcome.left)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def test_what_only_a_repair_lets_be_seen_is_repaired_as_well() -> None:
    # The first repair gives the third message a place in the turn of the user; only then are there three to merge.
    call = {"type": "tool_use", "id": "t99", "name": "Read", "input": {"n": 99}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "start"}]},
        {"role": "tool", "content": [{"type": "thinking", "thinking": "first", "signature": "s"}, call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t99", "content": "first"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "alpha"}]},
        {"role": "user", "content": [{"type": "text", "text": "beta"}]},
    ]
    body = {
        "request": {"model": "claude-opus-4-5", "max_tokens": 9, "messages": messages},
        "response": {"error": "cut"},
    }
    daring = Options(unsafe=True, severities=("error", "warning"))
    once = repair_document(json.dumps(body).encode(), "log.jsonl", daring)
    assert [placed.change.rule for placed in once.changes] == ["HR102", "HR301", "HR604"]
    again = repair_document(once.after, "log.jsonl", daring)
    assert (again.after, again.changes) == (once.after, [])
