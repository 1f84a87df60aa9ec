from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from headroom_cli.analysis import Analyser
from headroom_cli.logs.context import ContextTracker
from headroom_cli.model import (
    Conversation,
    Interval,
    Message,
    NestedUsage,
    Part,
    Request,
    Spawn,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from headroom_cli.report.summary import conversation_figures, totals
from headroom_cli.selection import Selection
from headroom_cli.settle import Settled, settle
from headroom_cli.tables import Tables

MINUTE = 60_000_000
START = 1_767_225_600_000_000  # 2026-01-01


class Words:
    """A tokenizer that counts words, so that figures can be checked by hand."""

    def count_text(self, text: str, /) -> int:
        return len(text.split())


@dataclass
class Session:
    """A session: human words and answers by turns, each answer with a recorded response."""

    session_id: str = "s1"
    path: str = "s1.jsonl"
    kind: Any = "main"
    start: int = START
    log: Conversation = field(init=False)

    def __post_init__(self) -> None:
        self.log = Conversation(
            f"{self.session_id:0<32}", self.session_id, "claude-code", "anthropic", self.path, self.kind
        )
        self.log.started_at = self.start
        self.tracker = ContextTracker()

    def turn(self, number: int, *, copied: bool = False, name: str = "", output: int = 5) -> list[Part]:
        """`number` identifies the turn wherever it is copied to. 10 tokens in, 5 out, as 6 and 3 words and framing."""
        name = name or "t"
        stamp = START + number * MINUTE
        question, answer = Text(f"{name} {number} a b c d"), Text(f"{name} {number} ok")
        self._add("user", f"{name}-u{number}", stamp, copied, question)
        request = self.tracker.request()
        usage = Usage(input_tokens=100, uncached_input_tokens=100, output_tokens=output)
        self.log.requests.append(
            Request(request, "recorded", f"msg_{name}{number}", "m", stamp, usage=usage, copied=copied)
        )
        self._add("assistant", f"{name}-a{number}", stamp, copied, answer, request=request)
        return [question, answer]

    def done(self) -> Conversation:
        self.tracker.finish()
        return self.log

    def _add(self, role: Any, key: str, stamp: int, copied: bool, *parts: Part, request: int | None = None) -> None:
        index = len(self.log.messages)
        self.log.messages.append(
            Message(index, role, list(parts), index + 1, index + 1, stamp, key, request=request, copied=copied)
        )
        self.tracker.enter(parts)


def session(turns: int, **options: Any) -> Conversation:
    made = Session(**options)
    for number in range(turns):
        made.turn(number)
    return made.done()


def chat(words: list[str], path: str) -> Conversation:
    """A chat without ids: the key of a message stands for the whole history up to it."""
    log = Conversation(f"{words[0]:0<32}", None, "openai-chat", "openai", path, identity="content")
    tracker = ContextTracker()
    for index, word in enumerate(words):
        assistant = index % 2 == 1
        message = Message(index, "assistant" if assistant else "user", [Text(word)], key="/".join(words[: index + 1]))
        if assistant:
            message.request = tracker.request()
            log.requests.append(Request(message.request))
        log.messages.append(message)
        tracker.enter(message.parts)
    tracker.finish()
    return log


def settled(*conversations: Conversation, selection: Selection | None = None) -> Settled:
    tables = Tables()
    for analysis in Analyser(Words()).analyse(list(conversations)):
        tables.add(analysis)
    return settle(tables.frames(), selection)


def sums(result: Settled) -> dict[str, Any]:
    figures = totals(result, 1)
    usage = figures["usage"] or {}
    return {
        "conversations": figures["conversations"],
        "messages": figures["messages"],
        "requests": figures["requests"],
        "tokens": figures["tokens"]["total"],
        "copied": figures["copied_tokens"],
        "input": usage.get("input_tokens"),
        "output": usage.get("output_tokens"),
    }


ONE = {"conversations": 1, "messages": 80, "requests": 40, "tokens": 680, "copied": 0, "input": 4000, "output": 200}


def test_one_session() -> None:
    assert sums(settled(session(40))) == ONE


def test_forty_growing_snapshots_are_one_session() -> None:
    result = settled(*(session(turns, path=f"snapshot_{turns:02}.jsonl") for turns in range(1, 41)))
    assert sums(result) == {**ONE, "copied": 17 * sum(range(1, 40))}
    figures = conversation_figures(result)
    assert [f["messages"] for f in figures] == [0] * 39 + [80]
    assert [f["copied_messages"] for f in figures] == [2 * turns for turns in range(1, 40)] + [0]
    assert len({f["id"] for f in figures}) == 40
    assert figures[-1]["id"] == f"{'s1':0<32}"


def test_a_fork_owns_what_came_after() -> None:
    original = session(3)
    fork = Session("s2", "s2.jsonl", start=START + 60 * MINUTE)
    for number in range(2):
        fork.turn(number)
    fork.turn(7)
    result = settled(fork.done(), original)
    assert sums(result) == {
        "conversations": 2,
        "messages": 8,
        "requests": 4,
        "tokens": 4 * 17,
        "copied": 2 * 17,
        "input": 400,
        "output": 20,
    }
    first, second = conversation_figures(result)
    assert (first["path"], first["tokens"]["total"], first["copied_tokens"]) == ("s1.jsonl", 51, 0)
    assert (second["tokens"]["total"], second["copied_tokens"], second["requests"]) == (17, 34, 1)
    # Copied blocks were sent for the fork's own request only: 34 tokens; own ones: the question, once.
    sent = result.blocks.filter(path_is(result, "s2.jsonl")).select("sent_tokens", "carried_tokens", "times_sent")
    assert sent.rows() == [(10, 10, 1), (7, 7, 1), (10, 10, 1), (7, 7, 1), (10, 0, 1), (0, 0, 0)]


def path_is(result: Settled, path: str) -> Any:
    import polars as pl

    numbers = result.conversations.filter(pl.col("path") == path)["conversation"]
    return pl.col("conversation").is_in(numbers.implode())


def test_what_a_file_marks_as_copied_is_owned_there_only_if_its_original_is_gone() -> None:
    def fork() -> Conversation:
        log = Session("s2", "s2.jsonl", start=START - 10 * MINUTE)
        log.turn(0, copied=True)
        log.turn(1)
        return log.done()

    assert sums(settled(fork()))["tokens"] == 34
    assert sums(settled(fork(), session(1)))["copied"] == 17
    keyless = fork()
    for message in keyless.messages[:2]:
        message.key = ""
    keyless.requests[0].key = ""
    assert sums(settled(keyless))["tokens"] == 17


def test_a_subagent_that_replays_its_parents_history() -> None:
    side = Session("s1", "side.jsonl", kind="subagent", start=START - 10 * MINUTE)
    side.turn(0)
    side.turn(0, name="own")
    result = settled(side.done(), session(2))
    main, agent = sorted(conversation_figures(result), key=lambda f: str(f["kind"]))
    assert (main["tokens"]["total"], main["copied_tokens"], main["requests"]) == (34, 0, 2)
    assert (agent["tokens"]["total"], agent["copied_tokens"], agent["requests"]) == (17, 17, 1)


def test_a_response_has_its_largest_usage_once() -> None:
    logs = []
    for output, path in ((3, "a.jsonl"), (9, "b.jsonl"), (1, "c.jsonl")):
        made = Session(path=path)
        made.turn(0, output=output)
        logs.append(made.done())
    assert sums(settled(*logs))["output"] == 9
    assert sums(settled(*logs))["input"] == 100


def test_a_response_that_one_file_repeats_is_one_request() -> None:
    log = session(2)
    for request in log.requests:
        request.key = "msg_same"
    figures = sums(settled(log))
    assert (figures["requests"], figures["input"]) == (1, 100)


def test_a_request_without_identity_goes_with_its_message() -> None:
    logs = [session(2), session(2, path="copy.jsonl")]
    for log in logs:
        for request in log.requests:
            request.key, request.source = "", "implied"
    assert sums(settled(*logs))["requests"] == 2


def test_an_implied_request_of_a_copied_answer_is_none() -> None:
    """A snapshot cut before the usage was written knows the request by another name."""
    whole, cut = session(2), session(2, path="cut.jsonl")
    cut.requests[1].key, cut.requests[1].source, cut.requests[1].usage = "call_1", "implied", None
    whole.ended_at, cut.ended_at = START + 9, START + 5
    result = settled(cut, whole)
    assert sums(result)["requests"] == 2
    assert [f["requests"] for f in conversation_figures(result)] == [0, 2]


def test_tools_of_a_conversation_without_messages_are_in_no_total() -> None:
    log = Conversation("c", None, "codex", "openai-responses", "x.jsonl", system=[Text("Be brief.")])
    log.system[0].context = (Interval(0),)
    assert sums(settled(log))["tokens"] == 0


class TestWithoutIds:
    def test_the_beginning_of_another_is_a_copy(self) -> None:
        result = settled(chat(["hi", "yes", "more", "sure"], "b.jsonl"), chat(["hi", "yes"], "a.jsonl"))
        assert (sums(result)["messages"], sums(result)["copied"]) == (4, 10)

    def test_of_equal_ones_the_first_path_owns(self) -> None:
        result = settled(*(chat(["hi", "yes"], f"{name}.jsonl") for name in "cab"))
        assert [f["messages"] for f in conversation_figures(result)] == [2, 0, 0]

    def test_the_same_beginning_is_a_coincidence(self) -> None:
        result = settled(chat(["hi", "yes"], "a.jsonl"), chat(["hi", "no"], "b.jsonl"))
        assert (sums(result)["messages"], sums(result)["copied"]) == (4, 0)
        assert len({f["id"] for f in conversation_figures(result)}) == 2

    def test_rows_of_one_file_are_no_copies(self) -> None:
        result = settled(*(chat(["hi", "yes"], "a.jsonl") for _ in range(3)))
        assert (sums(result)["messages"], sums(result)["copied"]) == (6, 0)

    def test_a_longer_one_in_the_same_file_does_not_hide_one_elsewhere(self) -> None:
        logs = [
            chat(["hi", "yes"], "a.jsonl"),
            chat(["hi", "yes", "x", "y"], "a.jsonl"),
            chat(["hi", "yes"], "b.jsonl"),
        ]
        result = settled(*logs, chat(["hi", "yes", "x"], "b.jsonl"))
        assert sums(result)["messages"] == 4

    def test_a_first_prompt_is_a_copy_if_it_was_never_sent(self) -> None:
        prompt, answered = chat(["hi"], "a.jsonl"), chat(["hi", "yes"], "b.jsonl")
        assert sums(settled(prompt, answered))["messages"] == 2
        prompt.requests = [Request(0, "recorded")]
        assert sums(settled(prompt, answered))["messages"] == 3

    def test_a_response_that_a_copy_holds_belongs_to_the_longer_one(self) -> None:
        short, long = chat(["hi", "yes"], "a.jsonl"), chat(["hi", "yes", "more", "sure"], "b.jsonl")
        for log in (short, long):
            log.requests[0].key, log.requests[0].usage = "chatcmpl-123", Usage(input_tokens=7)
        short.started_at, long.started_at = START, START + MINUTE
        assert sums(settled(short, long))["input"] == 7

    def test_many_equal_ones(self) -> None:
        result = settled(*(chat(["hi", "yes"], f"{number}.jsonl") for number in range(2_000)))
        assert (sums(result)["messages"], sums(result)["conversations"]) == (2, 1)


class TestSent:
    def test_by_hand(self) -> None:
        rows = settled(session(3)).blocks.select("tokens", "times_sent", "sent_tokens", "carried_tokens").rows()
        assert rows == [
            (10, 3, 30, 20),
            (7, 2, 14, 7),
            (10, 2, 20, 10),
            (7, 1, 7, 0),
            (10, 1, 10, 0),
            (7, 0, 0, 0),  # the last answer: in the context, not sent yet
        ]

    def test_compaction_ends_it_and_a_return_opens_it_again(self) -> None:
        made = Session()
        first = made.turn(0)
        made.turn(1)
        made.tracker.leave(first, "compaction")
        made.turn(2)
        made.turn(3)
        made.tracker.enter(first[:1])
        made.turn(4)
        result = settled(made.done())
        assert result.blocks["times_sent"].to_list()[:4] == [3, 1, 4, 3]
        assert result.blocks["carried_tokens"].to_list()[:4] == [20, 0, 30, 14]
        assert totals(result, 1)["tokens"]["sent"] == sum(result.blocks["sent_tokens"])

    def test_what_no_request_saw_is_in_no_total(self) -> None:
        log = session(1)
        log.messages.append(Message(2, "user", [Text("never sent at all")], key="x"))
        assert sums(settled(log))["tokens"] == 17

    def test_waste_is_carried_too(self) -> None:
        made = Session()
        text = " ".join(f"w{n}" for n in range(60))
        for number in range(3):
            call = f"toolu_{number}"
            request = made.tracker.request()
            made.log.requests.append(Request(request, key=f"r{number}"))
            made._add("assistant", f"c{number}", START, False, ToolCall(call, "Read", {"p": "a"}), request=request)
            made._add("tool", f"r{number}", START, False, ToolResult(call, text))
            made.turn(number)
            made.turn(10 + number)
        result = settled(made.done())
        rows = result.waste.select("signal", "cause", "tokens", "times_sent", "carried_tokens").rows()
        assert rows == [("reread", "in_context", 64, 5, 256), ("reread", "in_context", 64, 2, 64)]
        waste = totals(result, 1)["waste"]
        assert (waste["flagged"], waste["avoidable"], waste["carried"]) == (128, 128, 320)


class TestSelected:
    def test_window(self) -> None:
        result = settled(session(4), selection=Selection(since=START + MINUTE, until=START + 3 * MINUTE))
        figures = sums(result)
        assert (figures["requests"], figures["input"], figures["tokens"], figures["copied"]) == (2, 200, 34, 0)
        # The first question was sent by both requests in the window, though it was asked before it.
        assert result.blocks["times_sent"].to_list()[:2] == [2, 2]

    def test_nothing_left(self) -> None:
        result = settled(session(4), selection=Selection(since=START + 99 * MINUTE))
        assert conversation_figures(result) == []
        assert totals(result, 1)["usage"] is None

    def test_kind(self) -> None:
        logs = [session(2), session(3, session_id="s2", path="agent.jsonl", kind="subagent")]
        for message in logs[1].messages:
            message.key += "-agent"
        for request in logs[1].requests:
            request.key += "-agent"
        assert sums(settled(*logs, selection=Selection(kinds=("subagent",))))["requests"] == 3

    def test_nested_usage_of_what_is_left_out(self) -> None:
        log = session(1)
        log.nested_usage = [NestedUsage("msg_hidden", "m", START, Usage(output_tokens=4))]
        assert len(settled(log).nested) == 1
        assert len(settled(log, selection=Selection(kinds=("side",))).nested) == 0


def test_nested_usage_only_of_responses_that_no_log_has() -> None:
    log = session(1)
    log.nested_usage = [
        NestedUsage("msg_t0", "m", START, Usage(output_tokens=4)),
        NestedUsage("msg_hidden", "m", START, Usage(output_tokens=4)),
        NestedUsage("msg_hidden", "m", START, Usage(output_tokens=6)),
    ]
    assert settled(log).nested.select("key", "output_tokens").rows() == [("msg_hidden", 6)]
    assert sums(settled(log))["output"] == 5


@pytest.mark.parametrize("conversations", [(), (Conversation("c", None, "x", "openai", "x.jsonl"),)])
def test_nothing(conversations: tuple[Conversation, ...]) -> None:
    assert sums(settled(*conversations))["tokens"] == 0
    assert len(conversation_figures(settled(*conversations))) == len(conversations)


@pytest.mark.parametrize("first_has_usage", [True, False])
def test_a_copy_without_usage_takes_none_from_the_response(first_has_usage: bool) -> None:
    one, other = session(2, path="a.jsonl"), session(2, path="b.jsonl")
    bare, full = (other, one) if first_has_usage else (one, other)
    for request in bare.requests:
        request.usage = None
    for request in full.requests:
        assert request.usage is not None
        request.usage.output_is_lower_bound = True
    result = settled(one, other)
    owners = [figures["usage"] for figures in conversation_figures(result) if figures["usage"] is not None]
    assert owners == [totals(result, 2)["usage"]]
    assert (owners[0]["requests"], owners[0]["output_tokens"], owners[0]["lower_bound_requests"]) == (2, 10, 2)


def test_the_file_of_a_parent_tells_what_its_subagents_are() -> None:
    parent, child = Session(), Session("s2", "agent-a7f.jsonl", "subagent")
    parent.turn(1)
    child.turn(2)
    parent.log.spawned = [Spawn(child.log.id, "toolu_1", "Explore"), Spawn("elsewhere", "toolu_2", None)]
    told = settled(parent.log, child.log).conversations.select("agent_name", "parent_call_id")
    assert told.rows() == [(None, None), ("Explore", "toolu_1")]
    child.log.agent_name, child.log.parent_call_id = "Plan", "toolu_9"
    assert settled(child.log, parent.log).conversations["agent_name"].to_list() == ["Plan", None]
