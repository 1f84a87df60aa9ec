"""Healthy histories of each dialect give no error; broken ones do, exactly where a simple oracle says so.

Histories are made in an abstract form: messages of a role with items, each a text, a call or a result. The oracle reads
that form, and knows nothing of blocks, turns or keys. What cannot be known (`None`) may be told or not.
"""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.lint.base import Finding
from tests.lint.support import Raw, findings


@dataclass
class Item:
    kind: str  # text, call, result
    id: str = ""
    name: str = "f"
    text: str = "x"


@dataclass
class Message:
    role: str  # user, assistant, tool
    items: list[Item] = field(default_factory=list)

    def of(self, kind: str) -> list[Item]:
        return [item for item in self.items if item.kind == kind]


History = list[Message]

PROVIDERS = {
    "openai": "chat",
    "mistral": "chat",
    "anthropic": "blocks",
    "bedrock": "blocks",
    "gemini": "contents",
    "gemini-ids": "contents",
    "openai-responses": "items",
    "strict": "chat",
    "strict-anthropic": "blocks",
}


# Healthy histories


@st.composite
def healthy(draw: st.DrawFn, form: str) -> History:
    """Turns of a human's question, rounds of one to three calls with their results, and an answer."""
    history: History = []
    number = 0
    for turn in range(draw(st.integers(1, 3))):
        history.append(Message("user", [Item("text", text=f"question {turn}")]))
        for _ in range(draw(st.integers(0, 2))):
            calls = []
            for _ in range(draw(st.integers(1, 3))):
                number += 1
                calls.append(Item("call", f"toolcal{number:02}", draw(st.sampled_from(["f", "g", "h"]))))
            results = [Item("result", call.id, call.name, f"result of {call.id}") for call in calls]
            results = draw(st.permutations(results))
            says = [Item("text", text="let me look")] if draw(st.booleans()) else []
            if form == "items":
                history += [Message("assistant", [item]) for item in [*says, *calls]]
                history += [Message("tool", [result]) for result in results]
            else:
                history.append(Message("assistant", [*says, *calls]))
                if form == "chat":
                    history += [Message("tool", [result]) for result in results]
                else:
                    after = [Item("text", text="go on")] if form == "blocks" and draw(st.booleans()) else []
                    history.append(Message("user", [*results, *after]))
        history.append(Message("assistant", [Item("text", text=f"answer {turn}")]))
    return history


# Mutations: each may break a rule of some providers, or of none


def places(history: History, kind: str) -> list[tuple[int, int]]:
    return [(m, i) for m, message in enumerate(history) for i, item in enumerate(message.items) if item.kind == kind]


@st.composite
def mutated(draw: st.DrawFn, form: str) -> tuple[str, History]:
    history = draw(healthy(form))
    result_places, call_places = places(history, "result"), places(history, "call")
    if not result_places:
        history[0].items.append(Item("text", text="more"))
        return "nothing to mutate", history
    name = draw(st.sampled_from(MUTATIONS))
    m, i = draw(st.sampled_from(result_places))
    c, j = draw(st.sampled_from(call_places))
    result, call = history[m].items[i], history[c].items[j]
    if name == "drop a result":
        del history[m].items[i]
    elif name == "drop a call":
        del history[c].items[j]
    elif name == "drop a pair":
        del history[m].items[i]
        for message in history:
            message.items = [item for item in message.items if item.id != result.id or not result.id]
    elif name == "duplicate a result":
        put(history, m, i + 1, deepcopy(result), form)
    elif name == "duplicate a result at the end":
        put(history, len(history) - 1, 0, deepcopy(result), form, alone=True)
    elif name == "duplicate a call":
        put(history, c, j + 1, deepcopy(call), form)
    elif name == "swap two results":
        n, k = draw(st.sampled_from(result_places))
        history[m].items[i], history[n].items[k] = history[n].items[k], history[m].items[i]
    elif name == "split results":
        if len(history[m].items) > 1:
            tail = history[m].items[i:]
            if i and all(item.kind == "result" for item in tail):
                history[m].items = history[m].items[:i]
                history.insert(m + 1, Message(history[m].role, tail))
    elif name == "rename a result":
        result.id, result.name = "renamed09", "other"
    elif name == "rename a pair":
        for message in history:
            for item in message.items:
                if item.id == result.id and item is not result:
                    item.id = "renamed09"
        result.id = "renamed09"
    elif name == "displace a result":
        target = draw(st.integers(0, len(history)))
        del history[m].items[i]
        history.insert(target, Message("tool" if form in ("chat", "items") else "user", [result]))
    elif name in ("a user between", "an assistant between"):
        role = "user" if name == "a user between" else "assistant"
        history.insert(m, Message(role, [Item("text", text="by the way")]))
    elif name == "a text before the results" and form in ("blocks", "contents"):
        history[m].items.insert(0, Item("text", text="here:"))
    return name, [message for message in history if message.items]


MUTATIONS = [
    "drop a result",
    "drop a call",
    "drop a pair",
    "duplicate a result",
    "duplicate a result at the end",
    "duplicate a call",
    "swap two results",
    "split results",
    "rename a result",
    "rename a pair",
    "displace a result",
    "a user between",
    "an assistant between",
    "a text before the results",
]


def put(history: History, m: int, i: int, item: Item, form: str, *, alone: bool = False) -> None:
    """Beside another item; where each has a message of its own, in a message after it."""
    if form == "items" or (form == "chat" and item.kind == "result"):
        history.insert(m + 1, Message(history[m].role if item.kind == "call" else "tool", [item]))
    elif alone:
        history.append(Message("user", [item]))
    else:
        history[m].items.insert(i, item)


# The oracle: True = refused, False = taken, None = not known


def refused(provider: str, history: History) -> bool | None:
    if provider == "openai-responses":
        return refused_anywhere(history)
    if provider in ("openai", "strict"):
        return refused_in_run(history, unique=provider == "strict")
    if provider == "mistral":
        return refused_before_assistant(history)
    if provider == "anthropic":
        merged = [
            Message(role, [item for message in group for item in message.items])
            for role, group in groupby(history, key=lambda message: message.role)
        ]
        return refused_next(merged, first=True, unique=True)
    if provider == "strict-anthropic":
        return refused_next(history, first=True, unique=True)
    return refused_next(history, first=False, unique=False, counts=provider.startswith("gemini"))


def ids(items: list[Item]) -> Counter[str]:
    return Counter(item.id for item in items)


def refused_anywhere(history: History) -> bool:
    called: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    for message in history:
        for item in message.items:
            if item.kind == "call":
                called[item.id] += 1
            elif item.kind == "result":
                answered[item.id] += 1
                if answered[item.id] > called[item.id]:
                    return True
    return called != answered or any(count > 1 for count in called.values())


def refused_next(history: History, *, first: bool, unique: bool, counts: bool = False) -> bool | None:
    """Each message's results answer exactly the calls of the message before."""
    everything = Counter[str]()
    doubtful = False
    before: list[Item] = []
    for message in [*history, Message("user")]:
        results, calls = message.of("result"), message.of("call")
        everything += ids(calls)
        repeated = any(count > 1 for count in ids(calls).values())
        if counts:
            if len(results) != len(before):
                return True
            key = (lambda item: item.id) if before and before[0].id else (lambda item: item.name)
            doubtful = doubtful or Counter(map(key, results)) != Counter(map(key, before))
        elif ids(results) != ids(before) or repeated:
            return True
        if first and results and any(item.kind != "result" for item in message.items[: len(results)]):
            return True
        before = calls
    if unique and any(count > 1 for count in everything.values()):
        return True
    return None if doubtful else False


def refused_in_run(history: History, *, unique: bool) -> bool | None:
    everything = Counter[str]()
    awaited, seen, doubtful = Counter[str](), Counter[str](), False
    for message in [*history, Message("user")]:
        if message.role == "tool":
            seen += ids(message.items)
            continue
        if seen != awaited:
            # Of two calls with one id one result may do; a text says only that the id is not known to be taken.
            if set(seen) != set(awaited) or any(seen[each] > awaited[each] for each in seen):
                return True
            doubtful = True
        awaited, seen = ids(message.of("call")), Counter()
        everything += awaited
        doubtful = doubtful or any(count > 1 for count in awaited.values())
    if unique and any(count > 1 for count in everything.values()):
        return True
    return None if doubtful else False


def refused_before_assistant(history: History) -> bool:
    awaited, seen = Counter[str](), Counter[str]()
    for message in [*history, Message("assistant")]:
        if message.role == "assistant":
            if seen != awaited or any(count > 1 for count in awaited.values()):
                return True
            awaited, seen = ids(message.of("call")), Counter()
        else:
            seen += ids(message.of("result"))
    return False


# On the wire


def render(provider: str, history: History) -> list[Raw]:
    write = {"chat": chat, "blocks": blocks, "contents": contents, "items": items}[PROVIDERS[provider]]
    return [raw for message in history for raw in write(message, provider)]


def chat(message: Message, provider: str) -> list[Raw]:
    if message.role == "tool":
        return [{"role": "tool", "tool_call_id": item.id, "content": item.text} for item in message.items]
    raw: Raw = {"role": message.role, "content": "\n".join(item.text for item in message.of("text")) or None}
    calls = [
        {"id": item.id, "type": "function", "function": {"name": item.name, "arguments": "{}"}}
        for item in message.of("call")
    ]
    if calls:
        raw["tool_calls"] = calls
    return [raw]


def blocks(message: Message, provider: str) -> list[Raw]:
    write = bedrock if provider == "bedrock" else anthropic
    role = "user" if message.role == "tool" else message.role
    return [{"role": role, "content": [write(item) for item in message.items]}]


def anthropic(item: Item) -> Raw:
    if item.kind == "text":
        return {"type": "text", "text": item.text}
    if item.kind == "call":
        return {"type": "tool_use", "id": item.id, "name": item.name, "input": {}}
    return {"type": "tool_result", "tool_use_id": item.id, "content": item.text}


def bedrock(item: Item) -> Raw:
    if item.kind == "text":
        return {"text": item.text}
    if item.kind == "call":
        return {"toolUse": {"toolUseId": item.id, "name": item.name, "input": {}}}
    return {"toolResult": {"toolUseId": item.id, "content": [{"text": item.text}]}}


def contents(message: Message, provider: str) -> list[Raw]:
    parts: list[Any] = []
    for item in message.items:
        own = {"id": item.id} if provider == "gemini-ids" and item.kind != "text" else {}
        if item.kind == "text":
            parts.append({"text": item.text})
        elif item.kind == "call":
            parts.append({"functionCall": {**own, "name": item.name, "args": {}}})
        else:
            parts.append({"functionResponse": {**own, "name": item.name, "response": {"text": item.text}}})
    return [{"role": "model" if message.role == "assistant" else "user", "parts": parts}]


def items(message: Message, provider: str) -> list[Raw]:
    made: list[Raw] = []
    for item in message.items:
        if item.kind == "text":
            kind = "output_text" if message.role == "assistant" else "input_text"
            made.append({"type": "message", "role": message.role, "content": [{"type": kind, "text": item.text}]})
        elif item.kind == "call":
            made.append({"type": "function_call", "call_id": item.id, "name": item.name, "arguments": "{}"})
        else:
            made.append({"type": "function_call_output", "call_id": item.id, "output": item.text})
    return made


def without_ids(provider: str, history: History) -> History:
    """Gemini's older form: the oracle must not know what the wire does not say."""
    if provider == "gemini":
        for message in history:
            for item in message.items:
                item.id = ""
    return history


def pairing_errors(provider: str, messages: list[Raw]) -> list[Finding]:
    dialect = "anthropic" if provider == "strict-anthropic" else None
    found = findings(
        messages,
        provider.split("-")[0] if provider in ("gemini-ids", "strict-anthropic") else provider,
        dialect=dialect,
    )
    return [finding for finding in found if finding.severity == "error" and finding.rule.code < "HR3"]


@pytest.mark.parametrize("provider", PROVIDERS)
@settings(max_examples=60)
@given(data=st.data())
def test_healthy_histories_have_no_errors(provider: str, data: st.DataObject) -> None:
    history = without_ids(provider, data.draw(healthy(PROVIDERS[provider])))
    assert refused(provider, history) is False
    wire = "strict" if provider == "strict-anthropic" else "gemini" if provider == "gemini-ids" else provider
    dialect = "anthropic" if provider == "strict-anthropic" else None
    found = findings(render(provider, history), wire, as_="history", dialect=dialect)
    assert [(finding.rule.code, finding.message) for finding in found if finding.severity == "error"] == []


@pytest.mark.parametrize("provider", PROVIDERS)
@settings(max_examples=120)
@given(data=st.data())
def test_what_a_mutation_breaks_is_found_and_nothing_else(provider: str, data: st.DataObject) -> None:
    name, history = data.draw(mutated(PROVIDERS[provider]))
    history = without_ids(provider, history)
    expected = refused(provider, history)
    found = [(finding.rule.code, finding.message) for finding in pairing_errors(provider, render(provider, history))]
    if expected is not None:
        assert bool(found) is expected, (name, found)


# Identical histories of OpenAI and Anthropic

SAME = [
    "drop a result",
    "drop a call",
    "drop a pair",
    "duplicate a result",
    "swap two results",
    "rename a result",
    "rename a pair",
    "an assistant between",
]


def to_anthropic(history: History) -> list[Raw]:
    """Tool messages and the user's text after them become one message of Anthropic's, results first."""
    made: list[Raw] = []
    for message in history:
        (raw,) = blocks(message, "anthropic")
        if made and made[-1]["role"] == raw["role"] == "user":
            made[-1]["content"] += raw["content"]
        else:
            made.append(raw)
    return made


@settings(max_examples=300)
@given(pair=mutated("chat").filter(lambda pair: pair[0] in SAME))
def test_identical_histories_of_openai_and_anthropic_get_identical_verdicts(pair: tuple[str, History]) -> None:
    name, history = pair
    if name == "an assistant between":  # Anthropic merges it with the turn of the calls, where it follows them
        following = {m for m, message in enumerate(history[:-1]) if message.of("call") and not message.of("result")}
        if any(m + 1 < len(history) and history[m + 1].role == "assistant" for m in following):
            return
    chat_codes = [(f.rule.code, f.call_ids) for f in pairing_errors("openai", render("openai", history))]
    block_codes = [(f.rule.code, f.call_ids) for f in pairing_errors("anthropic", to_anthropic(history))]
    assert sorted(chat_codes) == sorted(block_codes), name
