from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.logs.base import conversation_id
from headroom_cli.logs.formats.claude_stream_json import FORMAT
from headroom_cli.model import Conversation, Reading, Text
from headroom_cli.source.records import Record

SESSION = "0b3c9a52-1111-4222-8333-944445555666"
MODEL = "claude-opus-4-5-20251101"
INIT = {
    "type": "system",
    "subtype": "init",
    "session_id": SESSION,
    "model": MODEL,
    "tools": ["Bash", "Task"],
    "cwd": "/code/app",
    "claude_code_version": "2.1.222",
}


def read(*values: Any) -> tuple[list[Conversation], Reading]:
    reading = Reading("run.jsonl")
    records = (Record(number, value) for number, value in enumerate(values, 1))
    return list(FORMAT.read(records, "run.jsonl", reading)), reading


def answer(response: str, *blocks: Any, parent: str | None = None, fresh: int = 3, **extra: Any) -> dict[str, Any]:
    usage = {"input_tokens": fresh, "cache_read_input_tokens": 100, "output_tokens": 1}
    message = {"id": f"msg_{response}", "role": "assistant", "model": MODEL, "stop_reason": None, "usage": usage}
    line = {
        "type": "assistant",
        "session_id": SESSION,
        "parent_tool_use_id": parent,
        "uuid": f"u-{response}-{len(blocks)}",
    }
    return {**line, "message": {**message, "content": list(blocks)}, **extra}


def user(content: Any, parent: str | None = None, **extra: Any) -> dict[str, Any]:
    line = {"type": "user", "session_id": SESSION, "parent_tool_use_id": parent, "uuid": f"r-{content!r}"}
    return {**line, "message": {"role": "user", "content": content}, **extra}


def event(value: dict[str, Any], parent: str | None = None) -> dict[str, Any]:
    return {"type": "stream_event", "session_id": SESSION, "parent_tool_use_id": parent, "event": value}


def start(response: str, parent: str | None = None) -> dict[str, Any]:
    return event({"type": "message_start", "message": {"id": f"msg_{response}", "usage": {"output_tokens": 1}}}, parent)


def delta(output: int, stop: str, parent: str | None = None) -> dict[str, Any]:
    return event({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": output}}, parent)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def tool_result(call_id: str, words: str) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": call_id, "content": words}]


TASK = {"type": "tool_use", "id": "toolu_1", "name": "Task", "input": {"prompt": "look", "subagent_type": "Explore"}}


def test_threads_and_final_counts_of_partial_messages() -> None:
    conversations, reading = read(
        INIT,
        start("1"),
        answer("1", text("I look")),
        answer("1", text("I look"), TASK),
        delta(57, "tool_use"),
        user("look", "toolu_1"),
        start("S", "toolu_1"),
        answer("S", text("here"), parent="toolu_1"),
        delta(21, "end_turn", "toolu_1"),
        user(tool_result("toolu_1", "here")),
        start("2"),
        answer("2", text("done"), fresh=9),
        delta(13, "end_turn"),
        {"type": "result", "subtype": "success", "session_id": SESSION, "usage": {"output_tokens": 91}, "num_turns": 2},
        {"type": "rate_limit_event", "session_id": SESSION},
        {"type": "new_thing", "session_id": SESSION},
    )
    main, side = conversations
    assert (main.session_id, main.log_format, main.client_version) == (SESSION, "claude-stream-json", "2.1.222")
    assert (main.cwd, main.model, main.notes) == ("/code/app", MODEL, [])
    assert main.id == conversation_id("claude-stream-json", SESSION, "", "")
    assert (side.kind, side.parent_id, side.parent_call_id, side.agent_name) == (
        "subagent",
        main.id,
        "toolu_1",
        "Explore",
    )
    counts = [
        [(r.key, r.usage.output_tokens, r.usage.output_is_lower_bound) for r in c.requests if r.usage]
        for c in conversations
    ]
    assert counts == [[("msg:msg_1", 57, False), ("msg:msg_2", 13, False)], [("msg:msg_S", 21, False)]]
    assert [r.stop_reason for r in main.requests] == ["tool_use", "end_turn"]
    assert [len(p.context) and p.context[0].enters for m in main.messages for p in m.parts] == [1, 1, 1, 2]
    assert [m.origin for m in side.messages] == ["model", "model"]
    assert reading.unknown == {"new_thing": 1}


def test_the_total_of_a_run_with_one_request_is_its_count() -> None:
    result = {"input_tokens": 3, "cache_read_input_tokens": 100, "output_tokens": 457}
    (c,), _ = read(INIT, answer("1", text("hi")), {"type": "result", "session_id": SESSION, "usage": result})
    assert [(r.usage.output_tokens, r.usage.output_is_lower_bound) for r in c.requests if r.usage] == [(457, False)]
    assert c.notes == []


def test_the_total_of_a_run_with_more_requests_is_a_note() -> None:
    result = {"input_tokens": 12, "cache_read_input_tokens": 200, "output_tokens": 457}
    (c,), _ = read(
        INIT,
        answer("1", TASK),
        user(tool_result("toolu_1", "x")),
        answer("2", text("done"), fresh=9),
        {"type": "result", "session_id": SESSION, "usage": result},
    )
    assert [(r.usage.output_tokens, r.usage.output_is_lower_bound) for r in c.requests if r.usage] == [
        (1, True),
        (1, True),
    ]
    assert c.notes == ["output counts of the lines are placeholders: 2 in all, the result of the run says 457"]


def test_compaction_and_sessions_in_one_stream() -> None:
    compaction = {
        "type": "system",
        "subtype": "compact_boundary",
        "session_id": SESSION,
        "compact_metadata": {"trigger": "auto"},
    }
    (one, two), _ = read(
        INIT,
        user("go", isReplay=True),
        answer("1", text("one")),
        compaction,
        user("summary", isSynthetic=True),
        answer("2", text("two")),
        {**INIT, "session_id": "other", "model": "m2"},
        {**answer("3", text("three")), "session_id": "other"},
    )
    assert one.resets == [1]
    assert [(m.origin, [tuple(i) for i in m.parts[0].context]) for m in one.messages] == [
        ("human", [(0, 1, "compaction")]),
        ("model", []),
        ("harness", [(1, None, None)]),
        ("model", [(2, None, None)]),
    ]
    assert (two.session_id, [p.text for m in two.messages for p in m.parts if isinstance(p, Text)]) == (
        "other",
        ["three"],
    )


def test_an_error_that_the_client_wrote_is_no_request() -> None:
    line = answer("x", text("Invalid API key"))
    line["message"]["model"] = "<synthetic>"
    (c,), _ = read(INIT, line)
    assert (c.requests, c.model, [m.origin for m in c.messages]) == ([], MODEL, ["harness"])


JUNK = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=3)
    | st.lists(st.none(), max_size=2)
    | st.just({"type": "x"})
)
KEYS = ["type", "subtype", "session_id", "parent_tool_use_id", "event", "message", "usage", "uuid", "compact_metadata"]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.sampled_from(KEYS), JUNK), min_size=1, max_size=5))
def test_wrong_types_never_raise(changes: list[tuple[int, str, Any]]) -> None:
    values: list[Any] = [
        INIT,
        start("1"),
        answer("1", TASK),
        delta(5, "tool_use"),
        user(tool_result("toolu_1", "x")),
        answer("S", text("s"), parent="toolu_1"),
        {"type": "result", "session_id": SESSION, "usage": {"output_tokens": 9}},
    ]
    for position, key, junk in changes:
        values[position] = {**values[position], key: junk}
    for c in read(*values, None, [], 3)[0]:
        assert [r.index for r in c.requests] == list(range(len(c.requests)))
