from __future__ import annotations

import io
import json
from typing import Any

from headroom_cli.logs import read_stream
from headroom_cli.model import Conversation, Interval, Part, Reading, Text, Thinking, ToolCall, ToolResult

TOOL = {"type": "function", "function": {"name": "ls", "description": "List.", "parameters": {"type": "object"}}}
GREP = {"type": "function", "function": {"name": "grep", "parameters": {"type": "object"}}}


def read(rows: list[Any]) -> Reading:
    return read_stream(io.BytesIO(b"".join(json.dumps(row).encode() + b"\n" for row in rows)))


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def call(call_id: str, name: str = "ls") -> dict[str, Any]:
    function = {"name": name, "arguments": "{}"}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def result(call_id: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def chat(number: int, message: dict[str, Any], prompt: int = 100, completion: int = 7) -> dict[str, Any]:
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    return {
        "id": f"chatcmpl-{number:04d}",
        "object": "chat.completion",
        "created": 1_760_000_000 + number,
        "model": "gpt-5-2025-08-07",
        "choices": [{"index": 0, "message": {**message, "refusal": None, "annotations": []}, "finish_reason": "stop"}],
        "usage": usage,
    }


def pair(number: int, messages: list[dict[str, Any]], answer: dict[str, Any], **more: Any) -> dict[str, Any]:
    request = {"model": "gpt-5", "messages": messages, "tools": [TOOL], **more}
    return {"request": request, "response": chat(number, answer)}


def intervals(conversation: Conversation) -> list[tuple[Interval, ...]]:
    return [message.parts[0].context for message in conversation.messages]


def texts(parts: list[Part]) -> list[str]:
    return [part.text for part in parts if isinstance(part, Text | Thinking | ToolResult)]


def test_cumulative_captures_are_one_conversation() -> None:
    history = [system("Be brief."), user("list")]
    rows = [pair(0, history, call("c1"))]
    history = [*history, call("c1"), result("c1", "a.py")]
    rows.append(pair(1, history, said("one file")))
    history = [*history, said("one file"), user("thanks")]
    rows.append(pair(2, history, said("welcome")))
    reading = read(rows)
    assert (reading.log_format, reading.records, reading.skipped) == ("openai-chat", 3, None)
    (conversation,) = reading.conversations
    assert [m.role for m in conversation.messages] == [
        "system", "user", "assistant", "tool", "assistant", "user", "assistant"
    ]  # fmt: skip
    assert [m.index for m in conversation.messages] == list(range(7))
    assert [m.line for m in conversation.messages] == [1, 1, 1, 2, 2, 3, 3]
    assert [m.request for m in conversation.messages] == [None, None, 0, None, 1, None, 2]
    assert intervals(conversation) == [
        (Interval(0),),
        (Interval(0),),
        (Interval(1),),
        (Interval(1),),
        (Interval(2),),
        (Interval(2),),
        (Interval(3),),
    ]
    assert [r.key for r in conversation.requests] == ["chatcmpl-0000", "chatcmpl-0001", "chatcmpl-0002"]
    assert [r.source for r in conversation.requests] == ["recorded"] * 3
    assert [r.usage.input_tokens for r in conversation.requests if r.usage] == [100, 100, 100]
    assert conversation.requests[0].timestamp == 1_760_000_000_000_000
    assert conversation.requests[0].model == "gpt-5-2025-08-07"
    assert len({r.tools_hash for r in conversation.requests}) == 1
    assert len({r.system_hash for r in conversation.requests}) == 1
    (tool,) = conversation.tools
    assert (tool.name, tool.context) == ("ls", (Interval(0),))


def test_three_hundred_requests_grow_with_the_log_not_its_square() -> None:
    history: list[dict[str, Any]] = [system("s")]
    rows = []
    for k in range(300):
        history.append(user(f"q{k}"))
        rows.append(pair(k, list(history), said(f"a{k}")))
        history.append(said(f"a{k}"))
    (conversation,) = read(rows).conversations
    assert (len(conversation.messages), len(conversation.requests)) == (601, 300)
    for k in range(300):
        question, answer = conversation.messages[1 + 2 * k : 3 + 2 * k]
        assert question.parts[0].context == (Interval(k),)
        assert answer.parts[0].context == (Interval(k + 1),)
        assert answer.request == k


def test_interleaved_sub_agents_are_threads_of_their_own() -> None:
    main = [system("main"), user("do it")]
    first = [system("helper"), user("part one")]
    second = [system("helper"), user("part two")]
    rows = [pair(0, main, call("m1")), pair(1, first, call("x1")), pair(2, second, call("y1"))]
    rows.append(pair(3, [*second, call("y1"), result("y1", "two")], said("done two")))
    rows.append(pair(4, [*first, call("x1"), result("x1", "one")], said("done one")))
    rows.append(pair(5, [*main, call("m1"), result("m1", "both")], said("all done")))
    conversations = read(rows).conversations
    assert [[r.line for r in c.requests] for c in conversations] == [[1, 6], [2, 5], [3, 4]]
    assert len({c.id for c in conversations}) == 3


def test_requests_alone_get_their_answers_from_the_next_request() -> None:
    first = [user("q1")]
    second = [*first, call("c1"), result("c1", "r"), user("q2")]
    rows = [{"model": "gpt-5", "messages": first}, {"model": "gpt-5", "messages": second}]
    (conversation,) = read(rows).conversations
    assert [(m.role, m.request) for m in conversation.messages] == [
        ("user", None),
        ("assistant", 0),
        ("tool", None),
        ("user", None),
    ]
    assert [r.usage for r in conversation.requests] == [None, None]
    assert intervals(conversation) == [(Interval(0),), (Interval(1),), (Interval(1),), (Interval(1),)]


def test_a_changed_result_is_replaced_and_a_moved_cache_marker_is_not() -> None:
    def blocks(text: str, **more: Any) -> dict[str, Any]:
        return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": text, **more}]}

    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"p": 1}}]}
    marked = {"role": "user", "content": [{"type": "text", "text": "q", "cache_control": {"type": "ephemeral"}}]}
    plain = {"role": "user", "content": "q"}
    base = {"model": "claude-sonnet-4-5", "max_tokens": 9, "system": [{"type": "text", "text": "S"}]}
    ok = {"role": "assistant", "content": [{"type": "text", "text": "ok"}]}
    rows = [
        {**base, "messages": [marked, use, blocks("long text")]},
        {**base, "messages": [plain, use, blocks("[cleared]"), ok, user("next")]},
    ]
    (conversation,) = read(rows).conversations
    assert conversation.dialect == "anthropic"
    shown = [(m.role, texts(m.parts), m.parts[0].context) for m in conversation.messages]
    assert shown == [
        ("user", ["q"], (Interval(0),)),
        ("assistant", [], (Interval(0),)),
        ("user", ["long text"], (Interval(0, 1, "replacement"),)),
        ("user", ["[cleared]"], (Interval(1),)),
        ("assistant", ["ok"], (Interval(1),)),
        ("user", ["next"], (Interval(1),)),
    ]
    assert texts(conversation.system) == ["S"]
    assert conversation.system[0].context == (Interval(0),)


def test_stripped_thinking_leaves_and_the_rest_stays() -> None:
    answer = [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {}},
    ]
    back = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}
    base = {"model": "claude-sonnet-4-5", "max_tokens": 9}
    third = [user("q"), {"role": "assistant", "content": answer[1:]}, back, said("done"), user("next")]
    rows = [
        {"request": {**base, "messages": [user("q")]}, "response": _message("msg_000001", answer)},
        {"request": {**base, "messages": [user("q"), {"role": "assistant", "content": answer}, back]}, "response": {}},
        {"request": {**base, "messages": third}, "response": {}},
    ]
    (conversation,) = read(rows).conversations
    thinking, use = conversation.messages[1].parts
    assert isinstance(thinking, Thinking)
    assert thinking.context == (Interval(1, 2, "strip"),)
    assert isinstance(use, ToolCall)
    assert use.context == (Interval(1),)
    assert len(conversation.messages) == 5
    assert conversation.requests[0].usage is not None
    assert conversation.requests[0].usage.input_tokens == 130


def _message(message_id: str, content: list[Any]) -> dict[str, Any]:
    usage = {"input_tokens": 10, "cache_read_input_tokens": 120, "output_tokens": 30}
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": content,
        "stop_reason": "tool_use",
        "usage": usage,
    }


def test_a_clock_in_the_system_prompt_replaces_it_only() -> None:
    rows = [
        pair(0, [system("It is 10:00."), user("q")], said("a")),
        pair(1, [system("It is 10:01."), user("q"), said("a"), user("r")], said("b")),
    ]
    (conversation,) = read(rows).conversations
    assert [(m.role, m.parts[0].context) for m in conversation.messages] == [
        ("system", (Interval(0, 1, "replacement"),)),
        ("user", (Interval(0),)),
        ("assistant", (Interval(1),)),
        ("system", (Interval(1),)),
        ("user", (Interval(1),)),
        ("assistant", (Interval(2),)),
    ]
    assert conversation.requests[0].system_hash != conversation.requests[1].system_hash


def test_a_tool_declared_later_enters_later() -> None:
    rows = [
        pair(0, [user("q")], said("a")),
        pair(1, [user("q"), said("a"), user("r")], said("b"), tools=[TOOL, GREP]),
        pair(2, [user("q"), said("a"), user("r"), said("b"), user("s")], said("c"), tools=[GREP]),
    ]
    (conversation,) = read(rows).conversations
    assert [(t.name, t.context) for t in conversation.tools] == [
        ("ls", (Interval(0, 2, "replacement"),)),
        ("grep", (Interval(1),)),
    ]
    assert len({r.tools_hash for r in conversation.requests}) == 3


def test_compaction_with_a_session_key_continues_the_thread() -> None:
    meta = {"metadata": {"session_id": "s-1"}}
    history = [system("s"), user("q1"), said("a1"), user("q2"), said("a2"), user("q3")]
    rows = [
        pair(0, history, said("a3"), **meta),
        pair(1, [system("s"), user("summary of all"), user("q4")], said("a4"), **meta),
    ]
    (conversation,) = read(rows).conversations
    assert conversation.session_id == "s-1"
    assert conversation.resets == [1]
    assert [(texts(m.parts), m.parts[0].context) for m in conversation.messages[:3]] == [
        (["s"], (Interval(0),)),
        (["q1"], (Interval(0, 1, "compaction"),)),
        (["a1"], (Interval(0, 1, "compaction"),)),
    ]
    assert conversation.messages[-2].parts[0].context == (Interval(1),)


def test_sub_agents_share_a_session_and_stay_apart() -> None:
    meta = {"metadata": {"user_id": "user_1_account__session_abc"}, "max_tokens": 9, "model": "claude-opus-4-5"}
    tools = [{"name": "Read", "input_schema": {"type": "object"}}]

    def exchange(number: int, messages: list[Any], answer: str, system_text: str) -> dict[str, Any]:
        response = _message(f"msg_{number:06d}", [{"type": "text", "text": answer}])
        return {"request": {**meta, "system": system_text, "tools": tools, "messages": messages}, "response": response}

    title = exchange(0, [user("Name this: fix it")], "Fixing", "Write a title.")
    main = [user("fix it")]
    helper = [user("look here")]
    again = [user("look there")]
    rows = [
        title,
        exchange(1, main, "m1", "Main."),
        exchange(2, helper, "h1", "Helper."),
        exchange(3, [*helper, said("h1"), user("r1")], "h2", "Helper."),
        exchange(4, again, "k1", "Helper."),
        exchange(5, [*main, said("m1"), user("r2")], "m2", "Main."),
        exchange(6, [user("This session is being continued from a previous conversation."), user("r3")], "m3", "Main."),
    ]
    conversations = read(rows).conversations
    assert [[r.line for r in c.requests] for c in conversations] == [[1], [2, 6, 7], [3, 4], [5]]
    assert conversations[1].resets == [2]


def test_other_sessions_stay_apart_however_alike() -> None:
    rows = [
        {**pair(0, [user("q")], said("a")), "session_id": "one"},
        {**pair(1, [user("q"), said("a"), user("r")], said("b")), "session_id": "two"},
        {**pair(2, [user("q"), said("a"), user("r")], said("b")), "session_id": "one"},
    ]
    conversations = read(rows).conversations
    assert [(c.session_id, [r.line for r in c.requests]) for c in conversations] == [("one", [1, 3]), ("two", [2])]


def test_one_shot_calls_with_a_shared_prompt_stay_apart() -> None:
    rows = [pair(k, [system("Classify."), user(f"text {k}")], said("yes")) for k in range(5)]
    assert len(read(rows).conversations) == 5
    same = [pair(k, [system("Classify."), user("text")], said("yes")) for k in range(5)]
    conversations = read(same).conversations
    assert len(conversations) == 5
    assert len({c.id for c in conversations}) == 5


def test_a_rewind_takes_the_tail_out() -> None:
    history = [user("q1"), said("a1"), user("q2")]
    rows = [
        pair(0, history[:1], said("a1")),
        pair(1, history, said("a2")),
        pair(2, [*history[:2], user("other")], said("b2")),
    ]
    rows.insert(2, pair(3, [*history, said("a2"), user("q3")], said("a3")))
    (conversation,) = read(rows).conversations
    assert [(texts(m.parts), m.parts[0].context) for m in conversation.messages[2:5]] == [
        (["q2"], (Interval(1, 3, "rewind"),)),
        (["a2"], (Interval(2, 3, "rewind"),)),
        (["q3"], (Interval(2, 3, "rewind"),)),
    ]
    assert conversation.messages[5].parts[0].context == ()  # a3: no request saw it
    assert conversation.messages[6].parts[0].context == (Interval(3),)


def test_zero_usage_of_a_wrapper_is_no_usage() -> None:
    row = pair(0, [user("q")], said("a"))
    row["response"]["usage"] = {"prompt_tokens": 50, "completion_tokens": 0, "total_tokens": 50}
    zero = pair(1, [user("other")], said("b"))
    zero["response"]["usage"] = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    first, second = read([row, zero]).conversations
    assert first.requests[0].usage is not None
    assert (first.requests[0].usage.input_tokens, first.requests[0].usage.output_tokens) == (50, None)
    assert second.requests[0].usage is None
    assert (first.notes, second.notes) == ([], ["usage recorded as zero"])


def test_histories_are_conversations_with_implied_requests() -> None:
    rows = [{"messages": [system("s"), user(f"q{k}"), said("a"), user("r"), said("b")]} for k in range(3)]
    conversations = read(rows).conversations
    assert len(conversations) == 3
    for conversation in conversations:
        assert [r.source for r in conversation.requests] == ["implied", "implied"]
        assert intervals(conversation) == [
            (Interval(0),),
            (Interval(0),),
            (Interval(1),),
            (Interval(1),),
            (Interval(2),),
        ]
        assert conversation.identity == "content"


def test_equal_rows_get_ids_of_their_own() -> None:
    rows = [{"messages": [user("q"), said("a")]}] * 3
    reading = read(rows)
    assert len({c.id for c in reading.conversations}) == 3
    assert [c.id for c in read(rows).conversations] == [c.id for c in reading.conversations]
    assert read(rows[:1]).conversations[0].id == reading.conversations[0].id


def test_growing_histories_without_a_model_are_one_conversation() -> None:
    history = [user("q1"), said("a1"), user("q2"), said("a2"), user("q3"), said("a3")]
    (conversation,) = read([{"messages": history[:2]}, {"messages": history[:4]}, {"messages": history}]).conversations
    assert [(m.line, m.request) for m in conversation.messages] == [
        (1, None),
        (1, 0),
        (2, None),
        (2, 1),
        (3, None),
        (3, 2),
    ]
    assert [r.line for r in conversation.requests] == [1, 2, 3]
    assert intervals(conversation)[:4] == [(Interval(0),), (Interval(1),), (Interval(1),), (Interval(2),)]


def test_usage_beside_a_history_is_that_of_its_last_message() -> None:
    usage = {"prompt_tokens": 40, "completion_tokens": 2, "total_tokens": 42}
    rows = [{"model": "gpt-5", "messages": [user("q"), said("a")], "usage": usage, "timestamp": "2026-01-02T03:04:05Z"}]
    (conversation,) = read(rows).conversations
    (request,) = conversation.requests
    assert request.usage is not None
    assert (request.usage.input_tokens, request.usage.output_tokens) == (40, 2)
    assert request.timestamp == 1_767_323_045_000_000
    assert conversation.messages[1].request == 0


def test_previous_response_ids_are_followed() -> None:
    def responses(number: int, text: str, previous: str | None) -> dict[str, Any]:
        item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
        return {
            "request": {
                "model": "gpt-5",
                "input": f"q{number}",
                "previous_response_id": previous,
                "instructions": "Be.",
            },
            "response": {
                "object": "response",
                "id": f"resp_{number:06d}",
                "model": "gpt-5",
                "output": [{"type": "reasoning", "id": f"rs_{number}", "summary": []}, item],
                "usage": {"input_tokens": 10 * number, "output_tokens": 3, "total_tokens": 10 * number + 3},
            },
        }

    rows = [responses(1, "a1", None), responses(2, "a2", "resp_000001"), responses(3, "a3", "resp_000002")]
    rows.append(responses(4, "b2", "resp_000001"))
    (conversation,) = read(rows).conversations
    assert conversation.log_format == "openai-responses"
    shown = [
        (m.role, m.request, m.parts[0].context) for m in conversation.messages if not isinstance(m.parts[0], Thinking)
    ]
    assert shown == [
        ("user", None, (Interval(0),)),
        ("assistant", 0, (Interval(1),)),
        ("user", None, (Interval(1, 3, "rewind"),)),
        ("assistant", 1, (Interval(2, 3, "rewind"),)),
        ("user", None, (Interval(2, 3, "rewind"),)),
        ("assistant", 2, ()),
        ("user", None, (Interval(3),)),
        ("assistant", 3, (Interval(4),)),
    ]
    assert [r.usage.input_tokens for r in conversation.requests if r.usage] == [10, 20, 30, 40]
    assert texts(conversation.system) == ["Be."]
    assert conversation.notes == []


def test_a_missing_ancestor_is_noted() -> None:
    rows = [{"model": "gpt-5", "input": "q", "previous_response_id": "resp_gone"}]
    (conversation,) = read(rows).conversations
    assert conversation.notes == ["incomplete context: a previous response is not in this log"]


def test_a_response_that_holds_a_run_is_a_history() -> None:
    output = [
        {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "r"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
    ]
    params = {"input": [{"role": "user", "content": "q"}]}
    response = {
        "object": "response",
        "id": "resp_1",
        "output": output,
        "usage": {"input_tokens": 900, "output_tokens": 9},
    }
    (conversation,) = read([{"responses_create_params": params, "response": response}]).conversations
    assert [(m.role, m.request) for m in conversation.messages] == [
        ("user", None),
        ("assistant", 0),
        ("tool", None),
        ("assistant", 1),
    ]
    assert [r.usage for r in conversation.requests] == [None, None]
    assert conversation.notes == ["a response object holds a whole run: its usage is a sum and was left out"]


def test_captures_on_two_lines_and_a_retry() -> None:
    request = {"type": "request", "timestamp": "2026-01-01T00:00:00Z", "model": "gpt-5", "messages": [user("q")]}
    response = {"type": "response", "timestamp": "2026-01-01T00:00:02Z", "response": chat(1, said("a"))}
    (conversation,) = read([request, request, response]).conversations
    assert [r.usage is not None for r in conversation.requests] == [False, True]
    assert [r.line for r in conversation.requests] == [1, 2]
    assert [m.role for m in conversation.messages] == ["user", "assistant"]
    assert conversation.messages[1].request == 1


def test_http_captures_with_bodies_as_text() -> None:
    request = {"model": "m", "max_tokens": 1, "messages": [user("q")]}
    response = _message("msg_0000001", [{"type": "text", "text": "a"}])
    row = {
        "request": {"url": "/v1/messages", "headers": {"X-Session-Id": "abc"}, "body": json.dumps(request)},
        "response": {"status": 200, "body": json.dumps(response)},
    }
    (conversation,) = read([row]).conversations
    assert (conversation.session_id, len(conversation.messages)) == ("abc", 2)
    assert conversation.dialect == "anthropic"  # nothing in the request tells, the response does
    assert conversation.requests[0].response_id == "msg_0000001"


def test_a_streamed_response_in_a_capture() -> None:
    head = {"id": "chatcmpl-stream1", "object": "chat.completion.chunk", "model": "gpt-5"}
    chunks = [
        {**head, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hel"}}]},
        {**head, "choices": [{"index": 0, "delta": {"content": "lo"}, "finish_reason": "stop"}]},
        {**head, "choices": [], "usage": {"prompt_tokens": 8, "completion_tokens": 2}},
    ]
    text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    for response in (chunks, text, {"status": 200, "body": text}):
        row = {"request": {"model": "gpt-5", "messages": [user("q")]}, "response": response}
        (conversation,) = read([row]).conversations
        assert texts(conversation.messages[1].parts) == ["Hello"]
        usage = conversation.requests[0].usage
        assert usage is not None
        assert (usage.input_tokens, usage.output_tokens) == (8, 2)


def test_kept_messages_without_the_bodies() -> None:
    row = {
        "input": [user("q")],
        "output": said("a"),
        "model": "gpt-5",
        "usage": {"prompt_tokens": 5, "completion_tokens": 1},
    }
    (conversation,) = read([row]).conversations
    assert [m.role for m in conversation.messages] == ["user", "assistant"]
    assert conversation.requests[0].usage is not None


def test_mixed_dialects_in_one_file_are_read_line_by_line() -> None:
    anthropic = {"model": "claude-opus-4-5", "max_tokens": 5, "system": "S", "messages": [user("q")]}
    gemini = {"contents": [{"role": "user", "parts": [{"text": "q"}]}], "model": "gemini-3-pro"}
    reading = read([pair(0, [user("q")], said("a")), anthropic, gemini, {"noise": 1}])
    assert [c.log_format for c in reading.conversations] == ["openai-chat", "anthropic", "gemini"]
    assert reading.log_format == "requests"
    assert reading.unknown == {"dict": 1}


def test_wrapped_rows_are_unwrapped() -> None:
    rows = [{"n": k, "trace": {"data": pair(k, [user(f"q{k}")], said("a"))}} for k in range(2)]
    reading = read([*rows, {"n": 3}])
    assert len(reading.conversations) == 2
    assert reading.unknown == {"unwrapped": 1}


def test_garbage_among_messages_keeps_their_indices() -> None:
    (conversation,) = read([{"messages": [user("q"), 17, None, said("a")]}]).conversations
    assert [m.index for m in conversation.messages] == [0, 1, 2, 3]
    assert [m.role for m in conversation.messages][3] == "assistant"


def test_files_that_hold_nothing_say_why() -> None:
    assert read([]).skipped == "empty"
    assert read([{"audio_url": "u", "size": 3}]).skipped == "unknown format (keys: audio_url, size)"
    assert read([{"a\x1b[31m": 1}]).skipped == "unknown format (keys: a??31m)"
    assert read([{"session_id": "s", "ts": 1, "text": "t"}]).skipped == "prompt history, no context"
    assert read([{"id": "c", "type": "message-start", "delta": {}}]).skipped == "Cohere logs are not read"
    assert read_stream(io.BytesIO(b"{broken\n")).skipped == "no JSON object in it"
