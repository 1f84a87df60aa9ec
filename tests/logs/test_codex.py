from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.logs.base import conversation_id
from headroom_cli.logs.formats.codex import FORMAT, read
from headroom_cli.model import Conversation, Interval, Reading, Text, Thinking, ToolCall, ToolResult
from headroom_cli.source.records import Record

PARENT = "019a0000-0000-7000-8000-00000000aaaa"
CHILD = "019a5000-0000-7000-8000-00000000bbbb"
Line = dict[str, Any]


class Log:
    """Builds a rollout line by line; every line is a tenth of a second later than the one before."""

    def __init__(self, start: int = 0) -> None:
        self.lines: list[Line] = []
        self.clock = start
        self.total = {"input": 0, "cached": 0, "output": 0, "reasoning": 0}

    def add(self, kind: str, payload: Line, after: float = 0.1, **more: Any) -> Log:
        self.clock += round(after * 1000)
        seconds, ms = divmod(self.clock, 1000)
        stamp = f"2026-01-02T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{ms:03}Z"
        self.lines.append({"timestamp": stamp, "type": kind, "payload": payload, **more})
        return self

    def meta(self, thread: str = PARENT, **more: Any) -> Log:
        payload = {"id": thread, "timestamp": "2026-01-02T00:00:00.000Z", "cwd": "/w", "cli_version": "0.99.0"}
        return self.add("session_meta", payload | {"git": {"branch": "main", "repository_url": "u"}} | more, 0.001)

    def item(self, kind: str, after: float = 0.1, **fields: Any) -> Log:
        return self.add("response_item", {"type": kind, **fields}, after)

    def event(self, kind: str, after: float = 0.1, **fields: Any) -> Log:
        return self.add("event_msg", {"type": kind, **fields}, after)

    def context(self, model: str = "gpt-5-codex", **more: Any) -> Log:
        return self.add("turn_context", {"cwd": "/w", "model": model, **more})

    def user(self, text: str, role: str = "user", after: float = 0.1) -> Log:
        return self.item("message", after, role=role, content=[{"type": "input_text", "text": text}])

    def prompt(self, text: str) -> Log:
        return self.user(text).event("user_message", message=text)

    def say(self, text: str, **more: Any) -> Log:
        return self.item("message", role="assistant", content=[{"type": "output_text", "text": text}], **more)

    def think(self, cipher: str = "gAAAA", after: float = 0.1) -> Log:
        return self.item("reasoning", after, summary=[], content=None, encrypted_content=cipher)

    def call(self, n: int) -> Log:
        return self.item("function_call", name="shell", arguments='{"command":["ls"]}', call_id=call_id(n))

    def result(self, n: int, text: str = "a.txt") -> Log:
        return self.item("function_call_output", call_id=call_id(n), output=text)

    def count(self, *last: int, after: float = 0.1) -> Log:
        """A new request: input, cached, output, reasoning."""
        for name, value in zip(self.total, last, strict=True):
            self.total[name] += value
        return self.repeat(*last, after=after)

    def repeat(self, *last: int, after: float = 0.1) -> Log:
        return self.event(
            "token_count",
            after,
            info={
                "total_token_usage": vector(*self.total.values()),
                "last_token_usage": vector(*last),
                "model_context_window": 258400,
            },
        )


def call_id(n: int) -> str:
    return f"call_{n:024}"


def vector(input_tokens: int, cached: int, output: int, reasoning: int) -> Line:
    return {
        "input_tokens": input_tokens,
        "cached_input_tokens": cached,
        "output_tokens": output,
        "reasoning_output_tokens": reasoning,
        "total_tokens": input_tokens + output,
    }


def records(lines: Iterable[Any]) -> list[Record]:
    return [Record(n, line) for n, line in enumerate(lines, 1)]


def parse(lines: Iterable[Any]) -> tuple[list[Conversation], Reading]:
    reading = Reading("rollout.jsonl")
    return read(records(lines), "rollout.jsonl", reading), reading


def one(log: Log | list[Any]) -> Conversation:
    conversations, _ = parse(log.lines if isinstance(log, Log) else log)
    assert len(conversations) == 1
    return conversations[0]


def inputs(conversation: Conversation) -> list[int | None]:
    return [None if r.usage is None else r.usage.input_tokens for r in conversation.requests]


def contexts(conversation: Conversation) -> list[list[str]]:
    """For each request and the one to come, a short name of every part that it sees."""

    def seen(k: int) -> list[str]:
        return [
            label(part)
            for message in conversation.messages
            for part in message.parts
            if any(i.enters <= k and (i.leaves is None or k < i.leaves) for i in part.context)
        ]

    return [seen(k) for k in range(len(conversation.requests) + 1)]


def label(part: Any) -> str:
    if isinstance(part, Text):
        return part.text
    if isinstance(part, Thinking):
        return "thinking"
    if isinstance(part, ToolCall):
        return f"call {part.id[-1] if part.id else part.name}"
    if isinstance(part, ToolResult):
        return f"result {part.call_id[-1] if part.call_id else ''}"
    return type(part).__name__


# The same two-request turn as four generations of clients laid it out on disk.
def batch_0_34() -> Log:
    log = Log().meta().user("<environment_context>x").prompt("hi")
    log.context().count(100, 0, 10, 4).think().call(1).result(1)
    return log.context().count(130, 100, 20, 0).say("done")


def batch_0_46() -> Log:
    log = Log().meta().user("<environment_context>x").prompt("hi")
    log.context().event("token_count", info=None).count(100, 0, 10, 4).think().call(1).result(1)
    return log.context().repeat(100, 0, 10, 4).count(130, 100, 20, 0).say("done")


def live_0_80() -> Log:
    log = Log().meta().user("<environment_context>x").prompt("hi")
    log.context().event("token_count", info=None).think().call(1).count(100, 0, 10, 4).result(1)
    return log.context().repeat(100, 0, 10, 4).repeat(100, 0, 10, 4).say("done").count(130, 100, 20, 0)


def live_2026() -> Log:
    log = Log().meta().user("<environment_context>x").prompt("hi").context()
    return log.think().call(1).result(1).count(100, 0, 10, 4).say("done").count(130, 100, 20, 0)


@pytest.mark.parametrize("layout", [batch_0_34, batch_0_46, live_0_80, live_2026])
def test_every_layout_gives_the_same_requests(layout: Any) -> None:
    conversation = one(layout())
    first, second = conversation.requests
    assert (first.source, second.source) == ("recorded", "recorded")
    assert first.usage is not None and second.usage is not None
    assert (first.usage.input_tokens, first.usage.uncached_input_tokens) == (100, 100)
    assert (first.usage.output_tokens, first.usage.reasoning_output_tokens) == (10, 4)
    assert (second.usage.input_tokens, second.usage.cache_read_input_tokens) == (130, 100)
    assert second.usage.uncached_input_tokens == 30
    assert second.usage.cache_write_input_tokens is None
    assert (first.model, first.context_limit) == ("gpt-5-codex", 258400)
    assert [m.request for m in conversation.messages] == [None, None, 0, 0, None, 1]
    assert contexts(conversation)[:2] == [
        ["<environment_context>x", "hi"],
        ["<environment_context>x", "hi", "thinking", "call 1", "result 1"],
    ]
    assert [m.origin for m in conversation.messages] == ["harness", "human", "model", "model", "tool", "model"]
    assert conversation.notes == []


def test_metadata() -> None:
    log = Log().meta(
        base_instructions={"text": "You are Codex."},
        dynamic_tools=[{"name": "lookup", "inputSchema": {}}],
    )
    conversation = one(log.prompt("hi").context("gpt-5").say("hello").count(5, 0, 2, 0))
    assert conversation.id == conversation_id("codex", PARENT, "", "")
    assert (conversation.session_id, conversation.client, conversation.client_version) == (PARENT, "Codex", "0.99.0")
    assert (conversation.cwd, conversation.git_branch, conversation.repo_url) == ("/w", "main", "u")
    assert (conversation.kind, conversation.parent_id, conversation.model) == ("main", None, "gpt-5")
    assert (conversation.dialect, conversation.log_format) == ("openai-responses", FORMAT.name)
    (system,) = conversation.system
    assert isinstance(system, Text) and system.text == "You are Codex." and system.context == (Interval(0),)
    assert conversation.tools[0].name == "lookup"
    assert conversation.tools[0].text == '{"name": "lookup", "inputSchema": {}}'
    assert conversation.tools[0].context == (Interval(0),)
    # 2026-01-02T00:00:00Z
    assert conversation.started_at == 1_767_312_000_000_000
    assert conversation.messages[0].timestamp == 1_767_312_000_101_000


def test_instructions_that_a_message_repeats_are_not_a_system_prompt() -> None:
    repeated = Log().meta(instructions="Use tabs.").user("# AGENTS.md instructions for /w\n\nUse tabs.").say("ok")
    assert one(repeated).system == []
    alone = Log().meta(instructions="Use tabs.").prompt("hi").say("ok")
    assert [p.text for p in one(alone).system if isinstance(p, Text)] == ["Use tabs."]


def test_repeated_totals_and_estimates_are_no_requests() -> None:
    log = Log().meta().prompt("hi").say("a").count(100, 0, 10, 0)
    log.repeat(100, 0, 10, 0).repeat(100, 0, 10, 0)
    estimate = {
        "total_token_usage": {**vector(100, 0, 10, 0)},
        "last_token_usage": {**vector(0, 0, 0, 0), "total_tokens": 999},
    }
    log.event("token_count", info=estimate)
    full = {"total_token_usage": {**vector(0, 0, 0, 0), "total_tokens": 258400}, "last_token_usage": vector(0, 0, 0, 0)}
    log.event("token_count", info=full)
    log.total = dict.fromkeys(log.total, 0)
    log.prompt("on").say("b").count(50, 0, 5, 0)
    conversation = one(log)
    assert inputs(conversation) == [100, 50]
    assert conversation.notes == []


def test_a_total_that_falls_restarts() -> None:
    log = Log().meta().prompt("hi").say("a").count(100, 0, 10, 0)
    log.total = dict.fromkeys(log.total, 0)
    log.prompt("more").say("b").count(60, 0, 6, 0)
    assert inputs(one(log)) == [100, 60]


def test_a_total_without_last_gives_its_growth() -> None:
    log = Log().meta().prompt("hi").say("a").event("token_count", info={"total_token_usage": vector(100, 20, 10, 0)})
    log.prompt("more").say("b").event("token_count", info={"total_token_usage": vector(160, 70, 15, 0)})
    first, second = (r.usage for r in one(log).requests)
    assert first is not None and second is not None
    assert (first.input_tokens, first.cache_read_input_tokens, first.output_tokens) == (100, 20, 10)
    assert (second.input_tokens, second.cache_read_input_tokens, second.output_tokens) == (60, 50, 5)


def test_a_difference_in_any_counter_is_a_new_total() -> None:
    log = Log().meta().prompt("hi").say("a").count(100, 0, 10, 0).prompt("b").say("b")
    log.total["cached"] += 1
    log.repeat(100, 1, 10, 0)
    assert inputs(one(log)) == [100, 100]


def test_tokens_that_no_record_explains_are_noted() -> None:
    log = Log().meta().prompt("hi").say("a").count(100, 0, 10, 0)
    log.total["input"] += 40
    log.prompt("b").say("b").count(100, 0, 10, 0)
    conversation = one(log)
    assert inputs(conversation) == [100, 100]
    assert conversation.notes == ["the running total counts 40 tokens more than the requests that are recorded"]


def test_a_run_without_usage_shifts_nothing() -> None:
    log = Log().meta().prompt("one").context().think().call(1)
    log.event("turn_aborted", reason="interrupted").prompt("two")
    log.say("b").count(200, 0, 20, 0)
    conversation = one(log)
    first, second = conversation.requests
    assert (first.source, first.usage, first.stop_reason) == ("implied", None, "aborted")
    assert (second.source, second.stop_reason) == ("recorded", None)
    assert inputs(conversation) == [None, 200]


def test_within_a_turn_usage_goes_to_the_nearest_run() -> None:
    live = Log().meta().prompt("x").call(1).count(10, 0, 1, 0).result(1).call(2).result(2).say("c").count(30, 0, 3, 0)
    assert inputs(one(live)) == [10, None, 30]
    batch = Log().meta().prompt("x").count(10, 0, 1, 0).call(1).result(1).call(2).result(2).count(30, 0, 3, 0).say("c")
    assert inputs(one(batch)) == [10, None, 30]


def test_usage_without_a_run_is_a_request_that_nothing_came_from() -> None:
    log = Log().meta().prompt("hi").say("a").count(100, 0, 10, 0).prompt("again").count(120, 0, 1, 0)
    log.prompt("third").say("c").count(130, 0, 3, 0)
    conversation = one(log)
    assert inputs(conversation) == [100, 120, 130]
    assert [m.request for m in conversation.messages] == [None, 0, None, None, 2]
    assert contexts(conversation)[1] == ["hi", "a", "again"]


def test_responses_without_an_input_between_them() -> None:
    log = Log().meta().prompt("hi").say("part one").count(10, 0, 1, 0).say("part two").count(12, 0, 1, 0)
    conversation = one(log)
    assert inputs(conversation) == [10, 12]
    assert [m.request for m in conversation.messages] == [None, 0, 1]


def test_parallel_calls_are_one_request() -> None:
    log = Log().meta().prompt("hi").call(1).call(2).count(10, 0, 1, 0).result(2).result(1).say("ok").count(20, 0, 1, 0)
    conversation = one(log)
    assert [m.request for m in conversation.messages] == [None, 0, 0, None, None, 1]


def test_usage_records_and_their_twins() -> None:
    def record(log: Log, response: str, *last: int, thread: str = PARENT) -> Log:
        return log.add("token_usage_record", {"thread_id": thread, "response_id": response, "usage": vector(*last)})

    log = Log().meta().prompt("hi").call(1)
    record(log, "resp_1", 100, 0, 10, 0).count(100, 0, 10, 0).result(1).say("done").count(130, 0, 5, 0)
    record(log, "resp_2", 130, 0, 5, 0).add(
        "compacted", {"message": "", "latest_token_usage_record": {"usage": vector(1, 0, 1, 0)}}
    )
    log.prompt("only record").say("x")
    record(log, "resp_3", 140, 0, 5, 0)
    conversation = one(log)
    assert inputs(conversation) == [100, 130, 140]
    assert [r.response_id for r in conversation.requests] == ["resp_1", "resp_2", "resp_3"]
    assert [r.key for r in conversation.requests] == ["resp_1", "resp_2", "resp_3"]


def test_bare_format() -> None:
    lines: list[Line] = [
        {"id": PARENT, "timestamp": "2025-08-06T18:02:11.123Z", "instructions": None, "git": {"branch": "dev"}},
        {"record_type": "state"},
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "<environment_context>\n  <cwd>/home/x</cwd>\n"}],
        },
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"record_type": "state"},
        {"type": "reasoning", "id": "rs_0123456789abcdef0", "summary": [], "encrypted_content": "gAAA"},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": call_id(1)},
        {
            "type": "function_call_output",
            "call_id": call_id(1),
            "output": '{"output":"a\\n","metadata":{"exit_code":0}}',
        },
        {"record_type": "state"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
    ]
    conversations, reading = parse(lines)
    (conversation,) = conversations
    assert reading.unknown == {}
    assert (conversation.session_id, conversation.cwd, conversation.git_branch) == (PARENT, "/home/x", "dev")
    assert conversation.started_at == 1_754_503_331_123_000
    assert [r.source for r in conversation.requests] == ["implied", "implied"]
    assert contexts(conversation)[1][1:] == ["hi", "thinking", "call 1", "result 1"]
    assert conversation.notes == ["no usage is recorded: rollouts without envelope have none"]
    result = conversation.messages[4].parts[0]
    assert isinstance(result, ToolResult) and result.text.startswith('{"output"') and result.line == 8


def test_bare_and_enveloped_lines_mix() -> None:
    bare: list[Line] = [
        {"id": PARENT, "timestamp": "2025-08-06T18:02:11.123Z", "instructions": None},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
    ]
    conversation = one(bare + Log().meta().prompt("on").say("b").count(50, 0, 5, 0).lines)
    assert inputs(conversation) == [None, 50]
    assert (conversation.cwd, conversation.client_version) == ("/w", "0.99.0")
    assert contexts(conversation)[1] == ["hi", "a", "on"]


def test_server_side_calls_have_no_call_id() -> None:
    log = Log().meta().prompt("hi")
    log.item("web_search_call", status="completed", action={"type": "search", "query": "q"}).say("found")
    conversation = one(log.count(10, 0, 1, 0))
    call = conversation.messages[1].parts[0]
    assert isinstance(call, ToolCall) and (call.id, call.name, call.type) == (None, "web_search", "server")
    assert len(conversation.requests) == 1


def test_harness_text_is_told_from_prompts() -> None:
    log = Log().meta().user("be terse", role="developer").user("# AGENTS.md instructions for /w\nx")
    log.user("<user_shell_command>ls").user("<hook_prompt id=1>x").user("<brand_new_tag>x").prompt("<b>bold</b> claim")
    log.item("agent_message", author="/lead", recipient="/lead/a", content=[{"type": "input_text", "text": "go"}])
    conversation = one(log)
    assert [(m.role, m.origin) for m in conversation.messages] == [
        ("system", "harness"),
        ("user", "harness"),
        ("user", "command"),
        ("user", "hook"),
        ("user", "harness"),
        ("user", "human"),
        ("user", "model"),
    ]


def test_a_prompt_with_an_image_is_a_prompt() -> None:
    content = [
        {"type": "input_text", "text": "<image name=[Image #1]>"},
        {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="},
        {"type": "input_text", "text": "what is this?"},
    ]
    log = Log().meta().item("message", role="user", content=content).event("user_message", message="what is this?")
    assert one(log).messages[0].origin == "human"


def test_a_message_between_agents_counts_once() -> None:
    log = Log().meta()
    log.item("agent_message", author="a", recipient="b", content=[{"type": "input_text", "text": "task"}])
    log.add("inter_agent_communication", {"author": "a", "recipient": "b", "content": "task", "trigger_turn": True})
    log.add("inter_agent_communication", {"author": "a", "recipient": "b", "content": "more", "trigger_turn": True})
    assert [label(p) for m in one(log).messages for p in m.parts] == ["task", "more"]


def test_compaction_with_replacement_history() -> None:
    log = Log().meta().user("<environment_context>x").prompt("hi").call(1).count(10, 0, 1, 0).result(1)
    log.say("done").count(20, 0, 1, 0)
    kept = copy.deepcopy([line["payload"] for line in log.lines if line["type"] == "response_item"][1])
    kept["id"] = "msg_that_the_first_copy_lacked"
    summary = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "SUMMARY"}]}
    log.add("compacted", {"message": "SUMMARY", "replacement_history": [kept, summary, {"type": "ghost_snapshot"}]})
    log.user("<environment_context>y").prompt("on").say("ok").count(9, 0, 1, 0)
    conversation = one(log)
    assert contexts(conversation)[2] == ["hi", "SUMMARY", "<environment_context>y", "on"]
    prompt = conversation.messages[1].parts[0]
    assert prompt.context == (Interval(0),)
    assert conversation.messages[0].parts[0].context == (Interval(0, 2, "compaction"),)
    # The answer came in and left without a request between: no request saw it.
    assert conversation.messages[4].parts[0].context == ()
    inserted = conversation.messages[5]
    assert (inserted.origin, inserted.line) == ("harness", 10)
    assert conversation.resets == [2]


def test_replacement_items_are_matched_by_call_id_and_once_each() -> None:
    log = Log().meta().prompt("go").prompt("go").call(1).count(10, 0, 1, 0).result(1, "long output")
    go, call = (log.lines[i]["payload"] for i in (1, 5))
    cut = {"type": "function_call_output", "call_id": call_id(1), "output": "cut"}
    log.add("compacted", {"message": "", "replacement_history": [go, call, cut]})
    log.say("x").count(5, 0, 1, 0)
    conversation = one(log)
    assert contexts(conversation)[1] == ["go", "call 1", "result 1"]
    assert conversation.messages[0].parts[0].context == (Interval(0),)
    assert conversation.messages[1].parts[0].context == (Interval(0, 1, "compaction"),)


def test_remote_compaction_has_only_ciphertext() -> None:
    log = Log().meta().prompt("hi").say("a").count(10, 0, 1, 0)
    log.add("compacted", {"message": "", "replacement_history": [{"type": "compaction", "encrypted_content": "gAA"}]})
    log.prompt("b").say("c").count(4, 0, 1, 0)
    assert contexts(one(log))[1] == ["Other", "b"]


def test_compaction_without_replacement_history() -> None:
    log = Log().meta().user("<environment_context>x").prompt("first").say("a").count(10, 0, 1, 0)
    log.prompt("second").say("b").count(20, 0, 1, 0).count(25, 0, 9, 0)
    log.add("compacted", {"message": "SUMMARY"}).prompt("third").say("c").count(12, 0, 1, 0)
    conversation = one(log)
    assert inputs(conversation) == [10, 20, 25, 12]
    # The compaction's own request saw everything; what follows sees prompts, the initial context and the summary.
    assert contexts(conversation)[2] == ["<environment_context>x", "first", "a", "second", "b"]
    assert contexts(conversation)[3] == ["<environment_context>x", "first", "second", "SUMMARY", "third"]
    assert conversation.messages[2].parts[0].context == (Interval(1, 3, "compaction"),)
    assert conversation.resets == [3]


def test_initial_context_that_is_written_again_replaces_the_old_one() -> None:
    log = Log().meta().user("<environment_context>x").prompt("first").say("a").count(10, 0, 1, 0)
    log.add("compacted", {"message": "SUMMARY"}).user("<environment_context>y").prompt("b").say("c").count(9, 0, 1, 0)
    assert contexts(one(log))[1] == ["first", "SUMMARY", "<environment_context>y", "b"]


def test_old_compaction_keeps_twenty_thousand_tokens_of_prompts() -> None:
    log = Log().meta().prompt("a" * 60_000).say("x").count(1, 0, 1, 0).prompt("b" * 40_000).say("y").count(2, 0, 1, 0)
    log.prompt("c" * 20_000).say("z").count(3, 0, 1, 0).add("compacted", {"message": "S"}).say("w").count(4, 0, 1, 0)
    seen = contexts(one(log))[3]
    assert [(text[0], len(text)) for text in seen] == [("b", 40_000), ("c", 20_000), ("a", 20_001), ("S", 1)]


def test_a_new_prompt_strips_the_reasoning_before_it() -> None:
    log = Log().meta().prompt("one").think().call(1).count(100, 0, 90, 80).result(1).say("a").count(195, 100, 5, 0)
    log.prompt("two").think().say("b").count(121, 0, 5, 4)
    conversation = one(log)
    assert contexts(conversation)[1] == ["one", "thinking", "call 1", "result 1"]
    assert contexts(conversation)[2] == ["one", "call 1", "result 1", "a", "two"]
    assert conversation.messages[1].parts[0].context == (Interval(1, 2, "strip"),)
    assert conversation.resets == []


def test_each_compaction_replaces_the_summary_of_the_last() -> None:
    log = Log().meta().user("<environment_context>x").prompt("one").say("a").count(10, 0, 1, 0)
    log.add("compacted", {"message": "S1"}).add("compacted", {"message": "S2"}).say("b").count(5, 0, 1, 0)
    log.add("compacted", {"message": "S3"}).say("c").count(5, 0, 1, 0)
    conversation = one(log)
    assert contexts(conversation)[1] == ["<environment_context>x", "one", "S2"]
    assert contexts(conversation)[2] == ["<environment_context>x", "one", "S3"]
    alone = Log().meta().say("a").add("compacted", {"message": "S1"}).say("b").add("compacted", {"message": "S2"})
    assert contexts(one(alone.say("c")))[2] == ["S2"]


def test_rollback_drops_turns_and_the_context_above_them() -> None:
    log = Log().meta().user("<environment_context>x").prompt("one").say("a").count(10, 0, 1, 0)
    log.user("<environment_context>y").prompt("two").say("b").count(20, 0, 1, 0)
    log.event("thread_rolled_back", num_turns=1).prompt("three").say("c").count(15, 0, 1, 0)
    conversation = one(log)
    assert contexts(conversation)[1] == ["<environment_context>x", "one", "a", "<environment_context>y", "two"]
    assert contexts(conversation)[2] == ["<environment_context>x", "one", "a", "three"]
    assert conversation.messages[4].parts[0].context == (Interval(1, 2, "rollback"),)
    assert inputs(conversation) == [10, 20, 15]
    assert conversation.resets == [2]


def test_rollback_of_more_turns_than_there_are_keeps_the_initial_context() -> None:
    log = Log().meta().user("<environment_context>x").prompt("one").say("a").count(10, 0, 1, 0)
    log.event("thread_rolled_back", num_turns=9).prompt("two").say("b").count(11, 0, 1, 0)
    assert contexts(one(log))[1] == ["<environment_context>x", "two"]


def parent_log() -> Log:
    log = Log().meta(PARENT).user("<environment_context>x").prompt("hi").context()
    log.count(100, 0, 10, 0).call(1).result(1).count(130, 0, 5, 0).say("done")
    return log


def copied(into: Log, source: Log) -> Log:
    for line in source.lines:
        into.add(line["type"], copy.deepcopy(line["payload"]), 0.001)
    into.total = dict(source.total)
    return into


def test_a_fork_owns_only_what_came_after_the_copy() -> None:
    parent = one(parent_log())
    log = copied(Log(3_600_000).meta(CHILD, forked_from_id=PARENT), parent_log())
    log.user("on", after=20.0).context().count(150, 100, 7, 0).say("ok")
    fork = one(log)
    assert (fork.session_id, fork.kind, fork.parent_id) == (CHILD, "main", parent.id)
    assert [m.copied for m in fork.messages] == [True] * 5 + [False] * 2
    assert [r.copied for r in fork.requests] == [True, True, False]
    assert inputs(fork) == [100, 130, 150]
    assert [bool(r.key) for r in fork.requests] == [False, False, True]
    assert [bool(m.key) for m in fork.messages] == [False] * 5 + [True] * 2
    assert {r.key for r in fork.requests} & {r.key for r in parent.requests} == set()
    assert contexts(fork)[2] == ["<environment_context>x", "hi", "call 1", "result 1", "done", "on"]
    assert fork.notes == ["starts with history copied from another thread"]


def test_an_old_fork_tells_nothing_but_a_second_session_meta() -> None:
    log = Log(3_600_000).meta(CHILD)
    log.clock += 6_000
    copied(log, parent_log())
    log.total = dict.fromkeys(log.total, 0)
    log.user("on", after=22.0).context().count(140, 0, 7, 0).say("ok")
    fork = one(log)
    assert (fork.session_id, fork.parent_id) == (CHILD, conversation_id("codex", PARENT, "", ""))
    assert [r.copied for r in fork.requests] == [True, True, False]
    assert inputs(fork)[2] == 140


def test_a_turn_made_after_the_thread_is_its_own_at_any_speed() -> None:
    old, new = "019a0001-0000-7000-8000-000000000001", "019a5001-0000-7000-8000-000000000002"
    log = Log(3_600_000).meta(CHILD, forked_from_id=PARENT).meta(PARENT)
    log.event("task_started", 0.001, turn_id=old).user("hi", after=0.001).say("a").count(10, 0, 1, 0, after=0.001)
    log.event("task_started", 0.001, turn_id=new).user("on", after=0.001).count(12, 0, 2, 0, after=0.001).say("b")
    fork = one(log)
    assert [(m.copied, label(m.parts[0])) for m in fork.messages] == [
        (True, "hi"),
        (True, "a"),
        (False, "on"),
        (False, "b"),
    ]
    assert [r.copied for r in fork.requests] == [True, False]


def test_a_line_that_names_the_thread_starts_its_own_history() -> None:
    log = Log().meta(CHILD, forked_from_id=PARENT).meta(PARENT)
    log.event("thread_settings_applied", 0.001, thread_id=PARENT, thread_settings={"model": "a"})
    log.user("hi", after=0.001).say("a").count(10, 0, 1, 0, after=0.001)
    log.event("thread_settings_applied", 0.001, thread_id=CHILD, thread_settings={"model": "b", "service_tier": "flex"})
    log.user("on", after=0.001).say("b").count(12, 0, 2, 0, after=0.001)
    fork = one(log)
    assert [r.copied for r in fork.requests] == [True, False]
    assert [(r.model, r.service_tier) for r in fork.requests] == [("a", None), ("b", "flex")]


def test_a_tier_told_as_none_is_the_default_again() -> None:
    log = Log().meta(CHILD)
    told: list[dict[str, Any]] = [{"service_tier": "priority"}, {"model": "m"}, {"service_tier": None}]
    for number, changed in enumerate(told, start=1):
        log.event("thread_settings_applied", thread_id=CHILD, thread_settings=changed)
        log.user("on").say("a").count(10 * number, 0, 1, 0)
    assert [(r.model, r.service_tier) for r in one(log).requests] == [
        (None, "priority"),
        ("m", "priority"),
        ("m", None),
    ]


def test_a_subagent_with_its_parents_history() -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1, "agent_role": "explorer"}}}
    log = Log().meta(CHILD, source=source, session_id=PARENT, subagent_history_start_ordinal=4, forked_from_id=PARENT)
    log.add("response_item", {"type": "message", "role": "user", "content": "hi"}, ordinal=1)
    log.add(
        "response_item",
        {"type": "message", "role": "assistant", "content": "final", "phase": "final_answer"},
        ordinal=2,
    )
    log.count(500, 0, 50, 0).lines[-1]["ordinal"] = 3
    log.add("response_item", {"type": "agent_message", "content": [{"type": "input_text", "text": "go"}]}, ordinal=4)
    log.say("b").count(80, 0, 8, 0)
    agent = one(log)
    assert (agent.kind, agent.agent_name, agent.session_id) == ("subagent", "explorer", PARENT)
    assert agent.parent_id == conversation_id("codex", PARENT, "", "")
    assert [m.copied for m in agent.messages] == [True, True, False, False]
    assert [(r.copied, r.usage.input_tokens) for r in agent.requests if r.usage] == [(True, 500), (False, 80)]
    assert agent.messages[2].origin == "model"


def test_a_fresh_subagent_copies_nothing() -> None:
    log = Log().meta(CHILD, source={"subagent": "review"}, parent_thread_id=PARENT, forked_from_id=PARENT)
    agent = one(log.prompt("review").think(after=3.0).say("fine").count(10, 0, 1, 0))
    assert (agent.kind, agent.agent_name) == ("subagent", "review")
    assert not any(m.copied for m in agent.messages) and not agent.requests[0].copied
    assert one(Log().meta(CHILD, source={"subagent": "compact"}).say("s")).kind == "side"


def test_a_thread_that_refers_to_its_history_copies_nothing() -> None:
    base = {"thread_id": PARENT, "end_ordinal_exclusive": 9, "end_byte_offset": 999}
    log = Log().meta(CHILD, forked_from_id=PARENT, history_base=base).user("be terse", role="developer")
    log.event("thread_settings_applied", thread_id=CHILD, thread_settings={"model": "m"}).prompt("on").say("a")
    fork = one(log.count(900, 800, 5, 0))
    assert not any(m.copied for m in fork.messages) and not fork.requests[0].copied
    assert fork.notes == ["continues a thread whose history stands in another file: contexts are larger than shown"]


def test_appended_files_are_two_threads() -> None:
    conversations, _ = parse(
        Log().meta(PARENT).prompt("a").say("b").count(10, 0, 1, 0).lines
        + Log(9_000).meta(CHILD).prompt("c").say("d").count(20, 0, 2, 0).lines
    )
    assert [(c.session_id, inputs(c)) for c in conversations] == [(PARENT, [10]), (CHILD, [20])]


def test_short_ids_are_not_identities() -> None:
    log = Log().meta().item("function_call", name="f", arguments="{}", call_id="call_0")
    first, second = one(log), one(Log().meta(CHILD).item("function_call", name="f", arguments="{}", call_id="call_0"))
    assert first.messages[0].key != second.messages[0].key


def test_unknown_types_are_counted_and_known_ones_are_not() -> None:
    log = Log().meta().add("world_state", {"full": True}).add("hologram", {"x": 1}).event("agent_reasoning", text="x")
    log.event("new_event").event("new_event").item("new_item", id="x").event("collab_close_end").event("task_complete")
    conversations, reading = parse([*log.lines, [1, 2], {"no": "type"}])
    assert reading.unknown == {
        "hologram": 1,
        "event_msg:new_event": 2,
        "response_item:new_item": 1,
        "not an object": 1,
        "no type": 1,
    }
    assert len(conversations) == 1


def test_a_file_without_output() -> None:
    conversation = one(Log().meta().user("<environment_context>x"))
    assert (len(conversation.messages), conversation.requests) == (1, [])
    assert conversation.messages[0].parts[0].context == (Interval(0),)


def test_a_torn_head_still_has_an_identity() -> None:
    lines = parent_log().lines[1:]
    first, again = one(lines), one(copy.deepcopy(lines))
    assert first.id == again.id != conversation_id("codex", "", "", "")
    assert first.session_id is None


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


def full_log() -> list[Line]:
    log = Log().meta(CHILD, forked_from_id=PARENT, source={"subagent": {"thread_spawn": {"parent_thread_id": PARENT}}})
    copied(log, parent_log())
    log.event("task_started", turn_id=CHILD, model_context_window=1).prompt("on").context()
    log.event("thread_settings_applied", thread_id=CHILD, thread_settings={"model": "m", "service_tier": "flex"})
    log.think().call(2).count(10, 0, 1, 0).result(2).say("x").event("thread_rolled_back", num_turns=1)
    log.add("token_usage_record", {"thread_id": CHILD, "response_id": "r", "usage": vector(1, 2, 3, 4)})
    log.add("compacted", {"message": "S", "replacement_history": [log.lines[-4]["payload"], {"type": "compaction"}]})
    log.add("compacted", {"message": "S"}).add("inter_agent_communication", {"content": "x"})
    return log.event("turn_aborted").lines


def paths(value: Any, prefix: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [prefix] if prefix else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += paths(inner, (*prefix, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += paths(inner, (*prefix, index))
    return found


PATHS = paths(full_log())


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PATHS), JUNK), min_size=1, max_size=4))
def test_any_damage_is_survived(damage: list[tuple[tuple[Any, ...], Any]]) -> None:
    lines: Any = full_log()
    for path, junk in damage:
        holder = lines
        for step in path[:-1]:
            if not isinstance(holder, dict | list) or (isinstance(holder, dict) and step not in holder):
                break
            if isinstance(holder, list) and not (isinstance(step, int) and step < len(holder)):
                break
            holder = holder[step]
        else:
            if isinstance(holder, dict) or (isinstance(holder, list) and path[-1] in range(len(holder))):
                holder[path[-1]] = junk
    conversations, _ = parse(lines)
    for conversation in conversations:
        assert [m.index for m in conversation.messages] == list(range(len(conversation.messages)))
        assert [r.index for r in conversation.requests] == list(range(len(conversation.requests)))
        for message in conversation.messages:
            assert message.request is None or message.request < len(conversation.requests)


@settings(max_examples=100, deadline=None)
@given(st.lists(JUNK, max_size=6))
def test_any_values_are_survived(values: list[Any]) -> None:
    parse(values)


@given(st.permutations(range(len(full_log()))))
@settings(max_examples=100, deadline=None)
def test_any_order_of_lines_is_survived(order: list[int]) -> None:
    lines = full_log()
    parse([lines[i] for i in order])


def test_long_sessions_stay_linear() -> None:
    log = Log().meta()
    for n in range(3000):
        log.prompt("hi").call(n).count(10, 0, 1, 0).result(n)
        log.event("thread_rolled_back", num_turns=1)
        if n % 100 == 0:
            log.add("compacted", {"message": "S"})
    conversation = one(log)
    assert len(conversation.requests) == 3000
    json.dumps(conversation.resets)
