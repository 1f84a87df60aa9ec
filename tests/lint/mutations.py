"""Histories of calls and results in an abstract form, ways to break them, and how each provider writes them.

A history is messages of a role with items, each a text, a call or a result.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Literal

from hypothesis import strategies as st

from tests.lint.support import Raw

Form = Literal["chat", "blocks", "contents", "items"]
Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass
class Item:
    kind: Literal["text", "call", "result"]
    id: str = ""
    name: str = "f"
    text: str = "x"


@dataclass
class Message:
    role: Literal["user", "assistant", "tool"]
    items: list[Item] = field(default_factory=list)

    def of(self, kind: str) -> list[Item]:
        return [item for item in self.items if item.kind == kind]


History = list[Message]

FORMS: dict[str, Form] = {
    "openai": "chat",
    "mistral": "chat",
    "strict": "chat",
    "anthropic": "blocks",
    "bedrock": "blocks",
    "strict-anthropic": "blocks",
    "gemini": "contents",
    "gemini-ids": "contents",
    "openai-responses": "items",
}
"""Providers by the form in which they want histories; `strict` speaks two, and Gemini knew no ids before."""


# Healthy histories


@st.composite
def healthy(draw: st.DrawFn, form: Form) -> History:
    """Turns of a human's question, rounds of one to three calls with their results, and an answer; then thanks."""
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
            if form != "contents":
                results = draw(st.permutations(results))
            says = [Item("text", text="let me look")] if draw(st.booleans()) else []
            if form == "items":
                history += [Message("assistant", [item]) for item in [*says, *calls]]
            else:
                history.append(Message("assistant", [*says, *calls]))
            if form in ("items", "chat"):
                history += [Message("tool", [result]) for result in results]
            else:
                after = [Item("text", text="go on")] if form == "blocks" and draw(st.booleans()) else []
                history.append(Message("user", [*results, *after]))
        history.append(Message("assistant", [Item("text", text=f"answer {turn}")]))
    return [*history, Message("user", [Item("text", text="thanks")])]


# Mutations: each may break a rule of some providers, or of none

Place = tuple[int, int]


def places(history: History, kind: str) -> list[Place]:
    return [(m, i) for m, message in enumerate(history) for i, item in enumerate(message.items) if item.kind == kind]


def put(history: History, place: Place, item: Item, form: Form) -> None:
    """Beside another item; where each has a message of its own, in a message after it."""
    m, i = place
    if form == "items" or (form == "chat" and item.kind == "result"):
        history.insert(m + 1, Message("assistant" if item.kind == "call" else "tool", [item]))
    else:
        history[m].items.insert(i + 1, item)


def alone(item: Item, form: Form) -> Message:
    if item.kind == "result":
        return Message("tool" if form in ("chat", "items") else "user", [item])
    return Message("assistant", [item])


def drop(history: History, place: Place, draw: Draw, form: Form) -> None:
    del history[place[0]].items[place[1]]


def drop_pair(history: History, place: Place, draw: Draw, form: Form) -> None:
    call_id = history[place[0]].items[place[1]].id
    for message in history:
        message.items = [item for item in message.items if item.kind == "text" or item.id != call_id]


def duplicate(history: History, place: Place, draw: Draw, form: Form) -> None:
    put(history, place, deepcopy(history[place[0]].items[place[1]]), form)


def duplicate_elsewhere(history: History, place: Place, draw: Draw, form: Form) -> None:
    copy = alone(deepcopy(history[place[0]].items[place[1]]), form)
    history.insert(draw(st.integers(0, len(history))), copy)


def swap(history: History, place: Place, draw: Draw, form: Form) -> None:
    m, i = place
    n, k = draw(st.sampled_from(places(history, history[m].items[i].kind)))
    history[m].items[i], history[n].items[k] = history[n].items[k], history[m].items[i]


def swap_messages(history: History, place: Place, draw: Draw, form: Form) -> None:
    m = place[0]
    history[m - 1 : m + 1] = reversed(history[m - 1 : m + 1])


def split(history: History, place: Place, draw: Draw, form: Form) -> None:
    m, i = place
    tail = history[m].items[i:]
    history[m].items = history[m].items[:i]
    history.insert(m + 1, Message(history[m].role, tail))


def rename(history: History, place: Place, draw: Draw, form: Form) -> None:
    item = history[place[0]].items[place[1]]
    item.id, item.name = "renamed09", "other"


def rename_pair(history: History, place: Place, draw: Draw, form: Form) -> None:
    call_id = history[place[0]].items[place[1]].id
    for message in history:
        for item in message.items:
            if item.kind != "text" and item.id == call_id:
                item.id = "renamed09"


def take_name_of_another(history: History, place: Place, draw: Draw, form: Form) -> None:
    m, i = place
    n, k = draw(st.sampled_from(places(history, history[m].items[i].kind)))
    item, other = history[m].items[i], history[n].items[k]
    item.id, item.name = other.id, other.name


def displace(history: History, place: Place, draw: Draw, form: Form) -> None:
    item = history[place[0]].items.pop(place[1])
    history.insert(draw(st.integers(0, len(history))), alone(item, form))


def user_before(history: History, place: Place, draw: Draw, form: Form) -> None:
    history.insert(place[0], Message("user", [Item("text", text="by the way")]))


def assistant_before(history: History, place: Place, draw: Draw, form: Form) -> None:
    history.insert(place[0], Message("assistant", [Item("text", text="one moment")]))


def text_before(history: History, place: Place, draw: Draw, form: Form) -> None:
    if form in ("blocks", "contents"):
        history[place[0]].items.insert(place[1], Item("text", text="here:"))


MUTATIONS = [
    drop,
    drop_pair,
    duplicate,
    duplicate_elsewhere,
    swap,
    swap_messages,
    split,
    rename,
    rename_pair,
    take_name_of_another,
    displace,
    user_before,
    assistant_before,
    text_before,
]
IN_PLACE = [drop, drop_pair, duplicate, rename, rename_pair, take_name_of_another, swap]
"""Those that leave the messages of a chat in the order that Anthropic's have."""


@st.composite
def mutated(draw: st.DrawFn, form: Form, mutations: list[Any] = MUTATIONS, most: int = 2) -> tuple[list[str], History]:
    """A healthy history after up to `most` mutations of a call or a result, and their names."""
    history = draw(healthy(form))
    names = []
    for _ in range(draw(st.integers(1, most))):
        kind = draw(st.sampled_from(["call", "result"]))
        found = places(history, kind)
        if found:
            mutation = draw(st.sampled_from(mutations))
            mutation(history, draw(st.sampled_from(found)), draw, form)
            names.append(f"{mutation.__name__} ({kind})")
            history = [message for message in history if message.items]
    return names, history


# On the wire


def render(provider: str, history: History) -> list[Raw]:
    write = {"chat": chat, "blocks": blocks, "contents": contents, "items": items}[FORMS[provider]]
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
        own = {"id": item.id} if provider == "gemini-ids" else {}
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
