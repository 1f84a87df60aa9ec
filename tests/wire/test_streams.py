"""Recorded streams, put together: the shapes and traps of `formats.md` section 6.4."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.model import Usage
from headroom_cli.wire import anthropic, openai_chat, openai_responses
from headroom_cli.wire.streams import assemble, stream_dialect

Event = dict[str, Any]


def lines(events: list[Event]) -> list[tuple[int, Event]]:
    return list(enumerate(events, 1))


def only(events: list[Event]) -> Event:
    ((line, body, _),) = assemble(lines(events))
    assert line == 1
    return body


# Chat Completions


def chunk(delta: Event | None, finish: str | None = None, *, id: str = "chatcmpl-1", **more: Any) -> Event:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {
        "id": id,
        "object": "chat.completion.chunk",
        "created": 1700000000,
        "model": "gpt-5",
        "choices": choices,
        **more,
    }


def fragment(index: int | None, id: str | None = None, name: str | None = None, arguments: str | None = None) -> Event:
    entry: Event = {"function": {}}
    if index is not None:
        entry["index"] = index
    if id is not None:
        entry |= {"id": id, "type": "function"}
    if name is not None:
        entry["function"]["name"] = name
    if arguments is not None:
        entry["function"]["arguments"] = arguments
    return {"tool_calls": [entry]}


def calls_of(events: list[Event]) -> list[tuple[Any, Any, Any]]:
    message = only(events)["choices"][0]["message"]
    return [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in message.get("tool_calls", [])]


def test_text_and_usage_of_a_chat_stream() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
    body = only(
        [
            chunk({"role": "assistant", "content": "", "refusal": None}, usage=None),
            chunk({"content": "Hel"}, usage=None),
            chunk({"content": "lo"}, usage=None, obfuscation="xx"),
            chunk({}, "stop", usage=None),
            chunk(None, usage=usage),
        ]
    )
    assert body == {
        "id": "chatcmpl-1",
        "created": 1700000000,
        "model": "gpt-5",
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Hello"},
                "finish_reason": "stop",
            }
        ],
        "usage": usage,
    }
    response = openai_chat.parse_response(body)
    assert response is not None
    assert response.usage == Usage(9, 9, output_tokens=2)


@pytest.mark.parametrize(
    ("deltas", "calls"),
    [
        pytest.param(
            [
                fragment(0, "a", "read", ""),
                fragment(1, "b", "list", ""),
                fragment(0, arguments='{"p":'),
                fragment(1, arguments="{"),
                fragment(0, arguments='"x"}'),
                fragment(1, arguments="}"),
            ],
            [("a", "read", '{"p":"x"}'), ("b", "list", "{}")],
            id="interleaved indices",
        ),
        pytest.param(
            [fragment(0, "a", "read", "{"), fragment(0, "a", "read", "}"), fragment(0, "a", "read", "")],
            [("a", "read", "{}")],
            id="id and name in each fragment",
        ),
        pytest.param(
            [fragment(0, "a", "read", "{"), fragment(0, "", None, "}")],
            [("a", "read", "{}")],
            id="empty id behind the first fragment",
        ),
        pytest.param(
            [fragment(0, "a", "read", "{}"), fragment(0, "b", "read", "{}"), fragment(0, "c", "list", "{}")],
            [("a", "read", "{}"), ("b", "read", "{}"), ("c", "list", "{}")],
            id="index 0 for every call",
        ),
        pytest.param(
            [fragment(None, "a", "read", "{"), fragment(None, arguments="}"), fragment(None, "b", "read", "{}")],
            [("a", "read", "{}"), ("b", "read", "{}")],
            id="no index",
        ),
        pytest.param(
            [fragment(None, None, "read", "{}"), fragment(None, None, "list", "{}")],
            [(None, "read", "{}"), (None, "list", "{}")],
            id="neither index nor id",
        ),
        pytest.param(
            [fragment(0, "a", "read", "{"), fragment(0, "x1", None, "1"), fragment(0, "x2", None, "}")],
            [("a", "read", "{1}")],
            id="a new id for each fragment",
        ),
        pytest.param(
            [fragment(0, "a", "get_"), fragment(0, None, "weather"), fragment(0, arguments="{}")],
            [("a", "get_weather", "{}")],
            id="name in pieces",
        ),
        pytest.param(
            [{"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {"x": 1}}}, None, 3]}],
            [("a", "f", {"x": 1})],
            id="arguments as an object",
        ),
        pytest.param([{"tool_calls": None}, {"tool_calls": []}], [], id="none"),
    ],
)
def test_calls_in_fragments(deltas: list[Event], calls: list[tuple[Any, Any, Any]]) -> None:
    assert calls_of([*map(chunk, deltas), chunk({}, "tool_calls")]) == calls


def test_custom_and_legacy_calls() -> None:
    body = only(
        [
            chunk({"tool_calls": [{"index": 0, "id": "a", "type": "custom", "custom": {"name": "sh", "input": "l"}}]}),
            chunk({"tool_calls": [{"index": 0, "custom": {"input": "s"}}]}),
            chunk({"function_call": {"name": "now", "arguments": "{"}}),
            chunk({"function_call": {"arguments": "}"}}, "function_call"),
        ]
    )
    message = body["choices"][0]["message"]
    assert message["tool_calls"] == [{"id": "a", "type": "custom", "custom": {"name": "sh", "input": "ls"}}]
    assert message["function_call"] == {"name": "now", "arguments": "{}"}


def test_reasoning_beside_the_content() -> None:
    details = [{"type": "reasoning.text", "text": text, "index": 0} for text in ("Hm", ".")]
    body = only(
        [
            chunk({"reasoning_content": "H", "reasoning_details": details[:1]}),
            chunk({"reasoning_content": "m.", "reasoning_details": [{**details[1], "signature": "s"}]}),
            chunk({"content": "4"}, "stop"),
        ]
    )
    message = body["choices"][0]["message"]
    assert message["reasoning_content"] == "Hm."
    assert message["reasoning_details"] == [{"type": "reasoning.text", "text": "Hm.", "index": 0, "signature": "s"}]


def test_content_in_parts() -> None:
    body = only(
        [
            chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "H"}]}]}),
            chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "m"}]}]}),
            chunk({"content": "4"}),
            chunk({"content": "2"}, "stop"),
        ]
    )
    assert body["choices"][0]["message"]["content"] == [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]},
        {"type": "text", "text": "42"},
    ]


def test_usage_on_each_chunk_is_cumulative() -> None:
    counts = [{"prompt_tokens": 9, "completion_tokens": n} for n in (1, 2, 3)]
    events = [chunk({"content": str(n)}, usage=usage) for n, usage in enumerate(counts)]
    assert only([*events, chunk({}, "stop", usage=None)])["usage"] == counts[-1]


@pytest.mark.parametrize(
    "last",
    [
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": {"prompt_tokens": 5}}]},
        {"choices": [], "x_groq": {"usage": {"prompt_tokens": 5}}},
    ],
)
def test_usage_in_odd_places(last: Event) -> None:
    body = only([chunk({"content": "a"}), {**chunk(None), **last}])
    assert body["usage"] == {"prompt_tokens": 5}


def test_parallel_chat_streams_are_told_apart_by_id() -> None:
    found = assemble(
        lines(
            [
                chunk({"content": "a1"}, id="a"),
                chunk({"content": "b1"}, id="b"),
                chunk({"content": "a2"}, "stop", id="a"),
                chunk({"content": "b2"}, "stop", id="b"),
            ]
        )
    )
    assert [(line, body["id"], body["choices"][0]["message"]["content"]) for line, body, _ in found] == [
        (1, "a", "a1a2"),
        (2, "b", "b1b2"),
    ]


def test_an_id_that_comes_again_is_another_response() -> None:
    events = [
        chunk({"content": "one"}),
        chunk({}, "stop"),
        chunk({"content": "two"}) | {"created": 1700000009},
        chunk({}, "stop") | {"created": 1700000009},
    ]
    contents = [body["choices"][0]["message"]["content"] for _, body, _ in assemble(lines(events))]
    assert contents == ["one", "two"]


def test_chunks_without_id() -> None:
    events = [chunk({"content": c}, f, id="") for c, f in (("a", None), ("b", "stop"), ("c", None), ("d", "stop"))]
    found = assemble(lines([*events[:2], chunk(None, id="", usage={"prompt_tokens": 3}), *events[2:]]))
    assert [(line, body["choices"][0]["message"]["content"], body["usage"]) for line, body, _ in found] == [
        (1, "ab", {"prompt_tokens": 3}),
        (4, "cd", None),
    ]


def test_the_first_chunk_of_azure_is_no_response() -> None:
    azure = {"choices": [], "created": 0, "id": "", "model": "", "object": "", "prompt_filter_results": [{}]}
    ((line, body, _),) = assemble(lines([azure, chunk({"content": "Hi"}, "stop")]))
    assert (line, body["id"]) == (2, "chatcmpl-1")


def test_several_choices() -> None:
    events = [
        {**chunk(None), "choices": [{"index": n, "delta": {"content": text}, "finish_reason": None}]}
        for n, text in ((1, "b"), (0, "a"), (1, "B"))
    ]
    assert [c["message"]["content"] for c in only(events)["choices"]] == ["a", "bB"]


def test_a_cut_chat_stream_gives_what_there_is() -> None:
    body = only([chunk(fragment(0, "a", "read", '{"pa'))])
    assert body["usage"] is None
    assert body["choices"][0]["finish_reason"] is None
    assert body["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] == '{"pa'


# Responses


def created(id: str = "resp_1", **more: Any) -> Event:
    response: Event = {
        "id": id,
        "object": "response",
        "model": "gpt-5",
        "status": "in_progress",
        "output": [],
        "usage": None,
    }
    return {"type": "response.created", "response": response, **more}


def completed(output: list[Event], id: str = "resp_1", **more: Any) -> Event:
    response = {"id": id, "object": "response", "model": "gpt-5", "status": "completed", "output": output}
    usage = {"input_tokens": 7, "output_tokens": 3}
    return {"type": "response.completed", "response": {**response, "usage": usage}, **more}


MESSAGE = {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": '{"a":1}'}


def test_the_terminal_event_wins() -> None:
    delta = {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "H"}
    end = completed([MESSAGE])
    assert only([created(), delta, end]) == end["response"]


@pytest.mark.parametrize("end", [[], [completed([])]])
def test_items_that_are_done(end: list[Event]) -> None:
    added = {"type": "response.output_item.added", "output_index": 1, "item": {**CALL, "id": "fc_9", "arguments": ""}}
    done = [
        {"type": "response.output_item.done", "output_index": index, "item": item}
        for index, item in ((1, CALL), (0, MESSAGE))
    ]
    body = only([created(), added, *done, *end])
    assert body["output"] == [MESSAGE, CALL]
    assert (body["id"], body["usage"] is not None) == ("resp_1", bool(end))


def test_deltas_are_keyed_by_output_index() -> None:
    """Behind some gateways each event of an item has another `item_id`."""
    ids = iter(range(100))

    def event(kind: str, index: int, **more: Any) -> Event:
        return {"type": f"response.{kind}", "output_index": index, "item_id": f"rotating_{next(ids)}", **more}

    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    body = only(
        [
            created(),
            event("output_item.added", 0, item=reasoning),
            event("reasoning_summary_text.delta", 0, summary_index=0, delta="Hm"),
            event("output_item.added", 2, item={**CALL, "arguments": ""}),
            event("reasoning_summary_text.delta", 0, summary_index=0, delta="."),
            event("reasoning_summary_text.delta", 0, summary_index=1, delta="Ah."),
            event("function_call_arguments.delta", 2, delta='{"a"'),
            event("output_text.delta", 1, content_index=0, delta="He"),
            event("output_text.delta", 1, content_index=0, delta="y", logprobs=[]),
            event("function_call_arguments.delta", 2, delta=":1}"),
        ]
    )
    assert body["output"] == [
        {**reasoning, "summary": [{"type": "summary_text", "text": "Hm."}, {"type": "summary_text", "text": "Ah."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hey"}]},
        CALL,
    ]
    assert body["usage"] is None
    response = openai_responses.parse_response(body)
    assert response is not None
    assert response.stop_reason == "in_progress"


def test_the_full_text_replaces_its_deltas() -> None:
    events = [
        {"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": "l"},
        {"type": "response.custom_tool_call_input.done", "output_index": 0, "input": "ls"},
        {"type": "response.refusal.delta", "output_index": 1, "content_index": 0, "delta": "N"},
        {"type": "response.refusal.done", "output_index": 1, "content_index": 0, "refusal": "No"},
    ]
    assert only(events)["output"] == [
        {"type": "custom_tool_call", "input": "ls"},
        {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "No"}]},
    ]


def test_events_out_of_order_are_sorted_by_their_number() -> None:
    deltas = [
        {"type": "response.output_text.delta", "output_index": 0, "delta": text, "sequence_number": number}
        for text, number in (("c", 3), ("a", 1), ("b", 2))
    ]
    body = only([created(sequence_number=0), *deltas])
    assert body["output"][0]["content"] == [{"type": "output_text", "text": "abc"}]


def test_deltas_without_output_index_go_by_item_id() -> None:
    events = [
        {"type": "response.output_text.delta", "item_id": name, "delta": text}
        for name, text in (("m1", "a"), ("m2", "x"), ("m1", "b"))
    ]
    assert [item["content"][0]["text"] for item in only(events)["output"]] == ["ab", "x"]


def test_one_response_after_another() -> None:
    late = {"type": "response.output_text.delta", "output_index": 0, "delta": "late"}
    found = assemble(
        lines([created("r1"), completed([MESSAGE], "r1"), late, created("r2"), created("r3"), completed([CALL], "r3")])
    )
    assert [(line, body["id"], body["output"]) for line, body, _ in found] == [
        (1, "r1", [MESSAGE]),
        (4, "r2", []),
        (5, "r3", [CALL]),
    ]


# Anthropic


def start(id: str = "msg_1", **usage: int) -> Event:
    message: Event = {
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [],
        "stop_reason": None,
    }
    return {"type": "message_start", "message": {**message, "usage": usage or {"input_tokens": 9, "output_tokens": 1}}}


def block(index: int, body: Event, *deltas: Event) -> list[Event]:
    return [
        {"type": "content_block_start", "index": index, "content_block": body},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def end(reason: str = "end_turn", **usage: Any) -> list[Event]:
    return [
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def partial(text: str) -> Event:
    return {"type": "input_json_delta", "partial_json": text}


def test_an_anthropic_message() -> None:
    citation = {"type": "char_location", "cited_text": "x"}
    body = only(
        [
            start(),
            *block(
                0,
                {"type": "thinking", "thinking": "", "signature": ""},
                {"type": "thinking_delta", "thinking": "H"},
                {"type": "thinking_delta", "thinking": "m"},
                {"type": "signature_delta", "signature": "sig"},
            ),
            {"type": "ping"},
            *block(
                1,
                {"type": "text", "text": ""},
                {"type": "text_delta", "text": "Rea"},
                {"type": "citations_delta", "citation": citation},
                {"type": "text_delta", "text": "ding"},
            ),
            *block(
                2,
                {"type": "tool_use", "id": "t1", "name": "read", "input": {}},
                partial(""),
                partial('{"p":'),
                partial("1}"),
            ),
            *block(3, {"type": "tool_use", "id": "t2", "name": "list", "input": {}}, partial("")),
            *block(4, {"type": "compaction", "content": None}, {"type": "compaction_delta", "content": "Summary"}),
            *end("tool_use", output_tokens=30, input_tokens=12, cache_read_input_tokens=None),
        ]
    )
    assert body["content"] == [
        {"type": "thinking", "thinking": "Hm", "signature": "sig"},
        {"type": "text", "text": "Reading", "citations": [citation]},
        {"type": "tool_use", "id": "t1", "name": "read", "input": {"p": 1}},
        {"type": "tool_use", "id": "t2", "name": "list", "input": {}},
        {"type": "compaction", "content": "Summary"},
    ]
    assert (body["stop_reason"], body["usage"]) == ("tool_use", {"input_tokens": 12, "output_tokens": 30})


def test_a_repeated_message_start_is_passed_over() -> None:
    events = [start(), start(), *block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "Hi"})]
    body = only([*events, *end(output_tokens=227)])
    assert (body["content"], body["usage"]["output_tokens"]) == ([{"type": "text", "text": "Hi"}], 227)


def test_a_spliced_message_start_begins_another_message() -> None:
    cut = block(0, {"type": "tool_use", "id": "t1", "name": "f", "input": {}}, partial('{"v":"Sp'))[:-1]
    again = block(0, {"type": "tool_use", "id": "t2", "name": "f", "input": {}}, partial('{"v":"Sparkle"}'))
    found = assemble(lines([start("m1"), *cut, start("m2"), *again, *end("tool_use", output_tokens=65)]))
    assert [(line, body["id"], body["content"][0]["input"]) for line, body, _ in found] == [
        (1, "m1", '{"v":"Sp'),
        (4, "m2", {"v": "Sparkle"}),
    ]
    first = anthropic.parse_response(found[0][1])
    assert first is not None
    assert first.usage is not None
    assert (first.usage.input_tokens, first.usage.output_tokens, first.stop_reason) == (9, None, None)


def test_a_file_that_begins_in_the_middle() -> None:
    events = [
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "end"}},
        *end(output_tokens=5),
    ]
    body = only(events)
    assert body["content"] == [{"type": "text", "text": "end"}]
    assert body["usage"] == {"output_tokens": 5}


# Gemini


def part(text: str, finish: str | None = None, **more: Any) -> Event:
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}
    return {"candidates": [candidate | ({"finishReason": finish} if finish else {})], "modelVersion": "gemini", **more}


def test_gemini_chunks_share_their_response_id() -> None:
    counts = [{"promptTokenCount": 8, "candidatesTokenCount": n} for n in (1, 2)]
    found = assemble(
        lines(
            [
                part("Hel", responseId="a", usageMetadata=counts[0]),
                part("x", "STOP", responseId="b"),
                part("lo", "STOP", responseId="a", usageMetadata=counts[1]),
            ]
        )
    )
    assert [(line, body["responseId"], dialect) for line, body, dialect in found] == [
        (1, "a", "gemini"),
        (2, "b", "gemini"),
    ]
    assert found[0][1]["candidates"][0]["content"]["parts"] == [{"text": "Hello"}]
    assert found[0][1]["usageMetadata"] == counts[1]


def test_gemini_chunks_without_id_end_with_a_reason() -> None:
    usage = {"usageMetadata": {"promptTokenCount": 3}}
    found = assemble(lines([part("a"), part("b", "STOP"), usage, part("c", "STOP")]))
    texts = [(line, body["candidates"][0]["content"]["parts"][0]["text"]) for line, body, _ in found]
    assert texts == [(1, "ab"), (4, "c")]
    assert found[0][1]["usageMetadata"] == {"promptTokenCount": 3}


# All


def test_streams_of_several_dialects_in_one_file() -> None:
    events = [start(), chunk({"content": "a"}, "stop"), *end(output_tokens=2), part("x", "STOP"), created()]
    assert [(line, dialect) for line, _, dialect in assemble(lines(events))] == [
        (1, "anthropic"),
        (2, "openai"),
        (5, "gemini"),
        (6, "openai-responses"),
    ]


@pytest.mark.parametrize(
    "event", [None, [], 3, {}, {"type": "ping"}, {"type": "error"}, {"type": ["x"]}, {"choices": 3}]
)
def test_what_is_no_event(event: Any) -> None:
    assert stream_dialect(event) is None
    assert assemble([(1, event)]) == []


@given(st.lists(st.text(max_size=4), min_size=1, max_size=30))
def test_however_a_text_is_cut_it_comes_out_whole(pieces: list[str]) -> None:
    text = "".join(pieces)
    chat = only([chunk({"role": "assistant", "content": piece}) for piece in pieces])
    assert (chat["choices"][0]["message"]["content"] or "") == text
    deltas = [{"type": "response.output_text.delta", "output_index": 0, "delta": piece} for piece in pieces]
    assert only(deltas)["output"][0]["content"][0]["text"] == text
    body = only(
        [start(), *block(0, {"type": "text", "text": ""}, *({"type": "text_delta", "text": p} for p in pieces))]
    )
    assert body["content"][0]["text"] == text


@given(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=5), st.data())
def test_however_arguments_are_cut_they_come_out_whole(arguments: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(arguments)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert calls_of([chunk(fragment(0, "a", "f", "")), *(chunk(fragment(0, arguments=p)) for p in pieces)]) == [
        ("a", "f", text)
    ]
    body = only([start(), *block(0, {"type": "tool_use", "id": "t", "name": "f", "input": {}}, *map(partial, pieces))])
    assert body["content"][0]["input"] == arguments


def test_long_streams_take_linear_time() -> None:
    pieces = 200_000
    began = time.perf_counter()
    body = only([chunk({"content": "word "})] * pieces)
    assert len(body["choices"][0]["message"]["content"]) == 5 * pieces
    assert time.perf_counter() - began < 5


KEYS = [
    *("type", "id", "choices", "delta", "index", "content", "tool_calls", "function", "name", "arguments", "usage"),
    *("finish_reason", "message", "response", "output", "output_index", "item", "item_id", "content_index", "text"),
    *("sequence_number", "content_block", "partial_json", "candidates", "parts", "functionCall", "partialArgs"),
    *("usageMetadata", "jsonPath", "stringValue", "responseId", "reasoning_details", "thinking", "citation", "custom"),
]
KINDS = [
    *("message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta"),
    *("message_stop", "response.created", "response.completed", "response.output_item.added", "text_delta"),
    *("response.output_item.done", "response.output_text.delta", "response.function_call_arguments.done"),
    *("input_json_delta", "thinking_delta", "citations_delta", "text", "custom", "$.a[0].b"),
]
LEAF = st.none() | st.booleans() | st.integers(-1, 5) | st.floats() | st.text(max_size=3) | st.sampled_from(KINDS)
JSON: st.SearchStrategy[Any] = st.recursive(
    LEAF,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=20,
)
EVENT = st.builds(
    lambda kind, fields: {**fields, **kind},
    st.sampled_from([{"type": kind} for kind in KINDS]) | st.sampled_from([{"choices": []}, {"candidates": []}, {}]),
    st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6),
)


@given(st.lists(EVENT | JSON, max_size=8))
def test_any_events_give_readable_bodies(events: list[Any]) -> None:
    parsers = {"openai": openai_chat, "openai-responses": openai_responses, "anthropic": anthropic}
    found = assemble(lines(events))
    assert [line for line, _, _ in found] == sorted(line for line, _, _ in found)
    for _, body, dialect in found:
        if dialect in parsers:
            assert parsers[dialect].parse_response(body) is not None
