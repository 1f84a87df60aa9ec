from __future__ import annotations

from typing import Any

import pytest

from headroom_cli.logs.formats.claude_code import FORMAT
from headroom_cli.model import Conversation, Part, Reading, Request, Text, Thinking, ToolCall, Usage
from headroom_cli.source.records import Record

MODEL = "claude-opus-4-5-20251101"
SESSION = "0b3c9a52-1111-4222-8333-944445555666"


def read(*values: Any) -> Conversation:
    records = (Record(number, value) for number, value in enumerate(values, 1))
    (conversation,) = FORMAT.read(records, f"{SESSION}.jsonl", Reading("x"))
    return conversation


def user(uuid: str, parent: str | None, content: Any, **extra: Any) -> dict[str, Any]:
    return {
        "type": "user",
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": SESSION,
        "message": {"role": "user", "content": content},
        **extra,
    }


def result(uuid: str, parent: str | None, call: str, text: str) -> dict[str, Any]:
    return user(uuid, parent, [{"type": "tool_result", "tool_use_id": call, "content": text}])


def usage(output: int, fresh: int = 3, read: int = 900, write: int = 50) -> dict[str, Any]:
    return {
        "input_tokens": fresh,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": write,
        "cache_creation": {"ephemeral_5m_input_tokens": write, "ephemeral_1h_input_tokens": 0},
        "output_tokens": output,
        "service_tier": "standard",
    }


def answer(
    uuid: str, parent: str | None, block: Any, counts: Any, stop: str | None = None, **extra: Any
) -> dict[str, Any]:
    message = {
        "id": extra.pop("id", "msg_01A"),
        "role": "assistant",
        "model": extra.pop("model", MODEL),
        "content": block if isinstance(block, list) else [block],
        "stop_reason": stop,
        "usage": counts,
    }
    line = {"type": "assistant", "uuid": uuid, "parentUuid": parent, "sessionId": SESSION, "requestId": "req_1"}
    return {**line, "message": message, **extra}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(call_id: str, command: str = "ls") -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "Bash", "input": {"command": command}}


def words(parts: list[Part]) -> list[str]:
    return [
        part.id or "" if isinstance(part, ToolCall) else part.text
        for part in parts
        if isinstance(part, (Text, Thinking, ToolCall))
    ]


def counted(request: Request) -> tuple[int | None, int | None, bool]:
    assert request.usage is not None
    return request.usage.input_tokens, request.usage.output_tokens, request.usage.output_is_lower_bound


def test_n_no_line_is_final() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", text("ok"), usage(2)),
        answer("a2", "a1", call("toolu_1"), usage(2)),
    )
    (request,) = c.requests
    assert counted(request) == (953, 2, True)
    assert words(c.messages[1].parts) == ["ok", "toolu_1"]
    assert [part.line for part in c.messages[1].parts] == [2, 3]
    assert (c.messages[1].line, c.messages[1].last_line) == (2, 3)


def test_a_last_line_is_final() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", text("ok"), usage(1)),
        answer("a2", "a1", call("toolu_1"), usage(108), "tool_use"),
    )
    (request,) = c.requests
    assert request.usage == Usage(953, 3, 900, 50, 50, 0, 108, None, False)
    assert (request.stop_reason, request.service_tier, request.source) == ("tool_use", "standard", "recorded")
    assert (request.key, request.response_id, request.line) == ("msg:msg_01A", "msg_01A", 2)


def test_b_every_line_is_final() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", text("ok"), usage(500), "tool_use"),
        answer("a2", "a1", call("toolu_1"), usage(500), "tool_use"),
    )
    assert [counted(request) for request in c.requests] == [(953, 500, False)]


def test_m_later_lines_are_zeroed() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", text("ok"), usage(1)),
        answer("a2", "a1", call("toolu_1"), usage(0, 0, 0, 0), "tool_use"),
    )
    # The stop reason comes with a count of zero: it says nothing, so the maximum stays a lower bound.
    assert [counted(request) for request in c.requests] == [(953, 1, True)]


def test_s_one_line_with_all_blocks() -> None:
    c = read(user("u1", None, "go"), answer("a1", "u1", [text("ok"), call("toolu_1")], usage(77), "tool_use"))
    assert [counted(request) for request in c.requests] == [(953, 77, False)]
    assert words(c.messages[1].parts) == ["ok", "toolu_1"]


def test_c_cumulative_snapshots() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", [text("I will")], usage(2)),
        answer("a2", "a1", [text("I will look"), call("toolu_1")], usage(9)),
        answer("a3", "a2", [text("I will look"), call("toolu_1"), call("toolu_2")], usage(40), "tool_use"),
    )
    assert words(c.messages[1].parts) == ["I will look", "toolu_1", "toolu_2"]
    assert [part.line for part in c.messages[1].parts] == [3, 3, 4]
    assert [counted(request) for request in c.requests] == [(953, 40, False)]


def test_d_results_stand_between_the_lines() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", text("ok"), usage(1)),
        answer("a2", "a1", call("toolu_1"), usage(1)),
        result("r1", "a2", "toolu_1", "a.txt"),
        answer("a3", "r1", call("toolu_2"), usage(108), "tool_use"),
        result("r2", "a3", "toolu_2", "b.txt"),
    )
    assert [counted(request) for request in c.requests] == [(953, 108, False)]
    assert [(m.role, m.origin) for m in c.messages] == [
        ("user", "human"),
        ("assistant", "model"),
        ("user", "tool"),
        ("user", "tool"),
    ]
    assert words(c.messages[1].parts) == ["ok", "toolu_1", "toolu_2"]
    assert (c.messages[1].line, c.messages[1].last_line) == (2, 5)


def test_r_replayed_in_the_same_file() -> None:
    first = [
        user("u1", None, "go"),
        answer("a1", "u1", call("toolu_1"), usage(20), "tool_use"),
        result("r1", "a1", "toolu_1", "a.txt"),
        answer("a2", "r1", text("done"), usage(30), "end_turn", id="msg_01B", requestId="req_2"),
    ]
    again = [
        user("U1", None, "go"),
        answer("A1", "U1", call("toolu_1"), usage(20), "tool_use"),
        result("R1", "A1", "toolu_1", "a.txt"),
        answer("A2", "R1", text("done"), usage(30), "end_turn", id="msg_01B", requestId="req_2"),
        user("U2", "A2", "more"),
        answer("A3", "U2", text("yes"), usage(5), "end_turn", id="msg_01C", requestId="req_3"),
    ]
    c = read(*first, *again)
    assert [request.usage and request.usage.output_tokens for request in c.requests] == [20, 30, 5]
    assert [words(m.parts) for m in c.messages] == [["go"], ["toolu_1"], [], ["done"], ["more"], ["yes"]]
    assert [m.index for m in c.messages] == [0, 1, 2, 3, 4, 5]
    # The last request saw each message once.
    assert [[(i.enters, i.leaves) for i in p.context] for m in c.messages for p in m.parts] == [
        [(0, None)],
        [(1, None)],
        [(1, None)],
        [(2, None)],
        [(2, None)],
        [(3, None)],
    ]


def test_a_prompt_that_was_typed_twice_is_not_a_replay() -> None:
    c = read(
        user("u1", None, "continue"),
        answer("a1", "u1", text("one"), usage(5), "end_turn"),
        user("u2", "a1", "continue"),
        answer("a2", "u2", text("two"), usage(5), "end_turn", id="msg_01B", requestId="req_2"),
    )
    assert [words(m.parts) for m in c.messages] == [["continue"], ["one"], ["continue"], ["two"]]


def test_one_id_and_two_responses() -> None:
    """A gateway that mints ids by the second."""
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", text("one"), usage(5, 100, 0, 0), "end_turn", id="msg_20260101", requestId=None),
        user("u2", "a1", "go on"),
        answer("a2", "u2", text("two"), usage(6, 200, 0, 0), "end_turn", id="msg_20260101", requestId=None),
        user("u3", "a2", "and on"),
        answer(
            "a3", "u3", text("three"), usage(7, 200, 0, 0), "end_turn", id="msg_20260101", requestId=None, model="m2"
        ),
    )
    assert [request.usage and request.usage.output_tokens for request in c.requests] == [5, 6, 7]
    keys = [request.key for request in c.requests]
    assert keys[0] == "msg:msg_20260101"
    assert keys[1] == f"msg:msg_20260101|{MODEL}|200.0.0"
    assert keys[2] == "msg:msg_20260101|m2|200.0.0"


def test_placeholders_of_the_input_do_not_split() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", text("one"), usage(1, 1, 0, 0), requestId=None),
        answer("a2", "a1", call("toolu_1"), usage(60, 4000, 0, 0), "tool_use", requestId=None),
    )
    assert [counted(request) for request in c.requests] == [(4000, 60, False)]


def test_server_tools_raise_the_input_within_one_request() -> None:
    final = usage(60, 15665, 0, 0)
    final["iterations"] = [
        {"type": "message", "input_tokens": 2037, "output_tokens": 20},
        {"type": "message", "input_tokens": 13628, "output_tokens": 40},
    ]
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", text("one"), usage(1, 2037, 0, 0)),
        answer("a2", "a1", text("two"), final, "end_turn"),
    )
    (request,) = c.requests
    assert counted(request) == (15665, 60, False)
    assert request.context_tokens == 13628


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"requestId": "req_1"}, {"requestId": None}),
        ({"requestId": None}, {"requestId": "req_1"}),
        ({"requestId": None}, {"requestId": None}),
        ({"requestId": "req_1"}, {"requestId": "req_2"}),
        ({"id": None}, {"id": "REDACTED"}),
    ],
)
def test_ids_that_come_and_go_count_once(first: dict[str, Any], second: dict[str, Any]) -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", text("one"), usage(65), "end_turn", **first),
        answer("a2", "a1", text("one"), usage(65), "end_turn", **second),
    )
    assert [counted(request) for request in c.requests] == [(953, 65, False)]


def test_lines_without_any_id_are_responses_of_their_own() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", text("one"), usage(5), "end_turn", id=None, requestId=None),
        answer("a2", "a1", text("two"), usage(6), "end_turn", id=None, requestId=None),
    )
    assert [request.key for request in c.requests] == ["uuid:a1", "uuid:a2"]


@pytest.mark.parametrize("extra", [{"model": "<synthetic>"}, {"isApiErrorMessage": True}])
def test_what_the_client_wrote_is_no_request(extra: dict[str, Any]) -> None:
    c = read(
        user("u1", None, "go"),
        answer("e1", "u1", text("API Error: 529"), usage(0, 0, 0, 0), "stop_sequence", id="x", requestId=None, **extra),
        answer("a1", "e1", text("ok"), usage(66), "end_turn"),
    )
    assert [counted(request) for request in c.requests] == [(953, 66, False)]
    assert [(m.origin, m.request) for m in c.messages] == [("human", None), ("harness", None), ("model", 0)]
    assert [len(p.context) for m in c.messages for p in m.parts] == [1, 0, 1]


def test_a_line_without_usage_is_no_request_where_others_have_it() -> None:
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", text("one"), None, id="msg_01Z", requestId=None),
        user("u2", "a1", "go on"),
        answer("a2", "u2", text("two"), usage(5), "end_turn"),
    )
    assert [request.line for request in c.requests] == [4]
    assert [m.request for m in c.messages] == [None, None, None, 0]
    assert [[tuple(i) for i in p.context] for m in c.messages for p in m.parts][:3] == [[(0, None, None)]] * 3


def test_a_log_without_usage_implies_its_requests() -> None:
    c = read(user("u1", None, "go"), answer("a1", "u1", text("one"), None), user("u2", "a1", "go on"))
    (request,) = c.requests
    assert (request.source, request.usage, request.key) == ("implied", None, "msg:msg_01A")


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        (
            {"type": "thinking", "thinking": "", "signature": "s1"},
            {"type": "thinking", "thinking": "", "signature": "s2"},
            2,
        ),
        (
            {"type": "thinking", "thinking": "hm", "signature": "s1"},
            {"type": "thinking", "thinking": "hm", "signature": "s1"},
            1,
        ),
        (text("hm"), {"type": "thinking", "thinking": "hm", "signature": "s1"}, 2),
        (call("toolu_1", "ls"), call("toolu_2", "ls"), 2),
        (call("toolu_1", "ls"), call("toolu_1", "ls"), 1),
    ],
)
def test_which_blocks_are_the_same(one: dict[str, Any], two: dict[str, Any], expected: int) -> None:
    c = read(user("u1", None, "go"), answer("a1", "u1", one, usage(1)), answer("a2", "a1", two, usage(1)))
    assert len(c.messages[1].parts) == expected


def test_counters_of_wrong_types_are_unknown() -> None:
    counts = {
        "input_tokens": "3",
        "cache_read_input_tokens": True,
        "cache_creation_input_tokens": 2**60,
        "output_tokens": 64.0,
    }
    c = read(user("u1", None, "go"), answer("a1", "u1", text("one"), {**counts, "costUSD": None}, "end_turn"))
    assert [request.usage for request in c.requests] == [None]
    c = read(user("u1", None, "go"), answer("a1", "u1", text("one"), {**counts, "output_tokens": 64}, "end_turn"))
    assert [counted(request) for request in c.requests] == [(None, 64, False)]


def test_many_lines_of_one_response_stay_linear() -> None:
    lines = [user("u1", None, "go")]
    lines += [answer(f"a{n}", f"a{n - 1}" if n else "u1", text(f"{n} word"), usage(n, 1000 + n)) for n in range(5000)]
    c = read(*lines)
    assert len(c.requests) == 1
    assert len(c.messages[1].parts) == 5000


def test_counters_that_were_guessed_when_the_stream_began_are_those_of_one_response() -> None:
    # Hosts of other models estimate the input, without output, and correct it with the last lines.
    guess, end = {"input_tokens": 87_782, "output_tokens": 0}, {"input_tokens": 101_039, "output_tokens": 178}
    later = {"input_tokens": 101_500, "output_tokens": 9}
    c = read(
        user("u1", None, "go"),
        answer("a1", "u1", text("I look."), guess, requestId=None),
        answer("a2", "a1", call("toolu_1"), guess, requestId=None),
        result("r1", "a2", "toolu_1", "x"),
        answer("a3", "r1", call("toolu_2"), end, "tool_use", requestId=None),
        answer("a4", "a3", call("toolu_3"), end, "tool_use", requestId=None),
        result("r2", "a3", "toolu_2", "y"),
        result("r3", "a4", "toolu_3", "z"),
        # Under the same id, but after the end: another response.
        answer("b1", "r3", text("Done."), later, "end_turn", requestId=None),
    )
    counted = [(r.usage.input_tokens, r.usage.output_tokens) for r in c.requests if r.usage is not None]
    assert counted == [(101_039, 178), (101_500, 9)]
