"""Healthy histories in every dialect, ways to break them, and what they say."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from headroom_cli.lint.engine import judge
from headroom_cli.lint.history import Block
from headroom_cli.lint.providers import PROFILES, Profile
from headroom_cli.lint.sent import history_of

PROVIDERS = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "gemini": "gemini",
    "openai": "openai",
    "mistral": "openai",
    "openai-responses": "openai-responses",
    "strict": "anthropic",
    "strict-chat": "openai",
}
"""A name for each pair of provider and dialect."""

Draw = Callable[[Any], Any]

Turns = list[tuple[int, bool]]
"""Per turn: how many tools are called, and whether the model thinks before (Anthropic)."""

TURNS: st.SearchStrategy[Turns] = st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=5)


def turns_where(*, thinks: bool) -> st.SearchStrategy[Turns]:
    return st.lists(st.tuples(st.integers(0, 3), st.just(thinks)), min_size=1, max_size=5)


def profile_of(name: str) -> Profile:
    return PROFILES[name.removesuffix("-chat")]


def errors(messages: list[Any], name: str) -> list[str]:
    """The codes of the errors in a history."""
    history = history_of(messages, PROVIDERS[name], judged_as="history")
    return [f.rule.code for f in judge(history, [profile_of(name)]) if f.severity == "error"]


def build(turns: Turns, dialect: str) -> list[Any]:
    """A healthy history. Each text, call and result says something of its own, so that what is lost shows."""
    messages: list[Any] = []
    number = 0
    for turn, (calls, thinks) in enumerate(turns):
        messages.append(_says("user", f"question {turn}{'?' * (turn % 2)}", dialect))
        if calls:
            # Nine letters and digits: an id that every provider takes.
            ids = [f"call{number + n:05d}" for n in range(calls)]
            number += calls
            asked = _calls(ids, dialect)
            if thinks and dialect == "anthropic":
                thought = {"type": "thinking", "thinking": f"hm {turn}", "signature": f"c2lnbmVk{turn:04d}"}
                asked[0]["content"].insert(0, thought)
            messages += asked
        messages.append(_says("assistant", f"answer {turn}{'.' * (turn % 2)}", dialect))
    return messages


def _says(role: str, words: str, dialect: str) -> dict[str, Any]:
    if dialect == "gemini":
        return {"role": "model" if role == "assistant" else "user", "parts": [{"text": words}]}
    if dialect == "bedrock":
        return {"role": role, "content": [{"text": words}]}
    if dialect == "openai-responses":
        kind = "output_text" if role == "assistant" else "input_text"
        return {"type": "message", "role": role, "content": [{"type": kind, "text": words}]}
    if dialect == "anthropic" and len(words) % 2:
        return {"role": role, "content": [{"type": "text", "text": words}]}
    return {"role": role, "content": words}


def _calls(ids: list[str], dialect: str) -> list[Any]:
    given = {each: {"path": f"src/{each}.py"} for each in ids}
    found = {each: f"text of {each}" for each in ids}
    if dialect == "anthropic":
        uses = [{"type": "tool_use", "id": each, "name": "read", "input": given[each]} for each in ids]
        results = [{"type": "tool_result", "tool_use_id": each, "content": found[each]} for each in ids]
        return [{"role": "assistant", "content": uses}, {"role": "user", "content": results}]
    if dialect == "bedrock":
        uses = [_one("toolUse", toolUseId=each, name="read", input=given[each]) for each in ids]
        results = [_one("toolResult", toolUseId=each, content=[{"text": found[each]}]) for each in ids]
        return [{"role": "assistant", "content": uses}, {"role": "user", "content": results}]
    if dialect == "gemini":
        uses = [_one("functionCall", id=each, name="read", args=given[each]) for each in ids]
        results = [_one("functionResponse", id=each, name="read", response={"text": found[each]}) for each in ids]
        return [{"role": "model", "parts": uses}, {"role": "user", "parts": results}]
    named = {each: {"name": "read", "arguments": json.dumps(given[each])} for each in ids}
    if dialect == "openai-responses":
        calls = [{"type": "function_call", "call_id": each, **named[each]} for each in ids]
        outputs = [{"type": "function_call_output", "call_id": each, "output": found[each]} for each in ids]
        return [*calls, *outputs]
    asked = [{"id": each, "type": "function", "function": named[each]} for each in ids]
    tools = [{"role": "tool", "tool_call_id": each, "content": found[each]} for each in ids]
    return [{"role": "assistant", "content": None, "tool_calls": asked}, *tools]


def _one(kind: str, **members: Any) -> dict[str, Any]:
    return {kind: members}


def break_history(messages: list[Any], dialect: str, draw: Draw) -> list[Any]:
    """A copy with one thing wrong: something dropped, doubled, moved, renamed or split."""
    broken: list[Any] = json.loads(json.dumps(messages))
    blocks = [block for block in history_of(broken, dialect).blocks if block.kind in ("call", "result")]
    how = draw(st.sampled_from(["drop", "double", "move", "rename", "drop message", "swap", "split"]))
    if not blocks or how in ("drop message", "swap", "split"):
        place = draw(st.integers(0, len(broken) - 1))
        if how == "swap" and place + 1 < len(broken):
            broken[place], broken[place + 1] = broken[place + 1], broken[place]
        elif how == "split":
            _split(broken, place)
        else:
            del broken[place]
        return broken
    block = draw(st.sampled_from(blocks))
    holder, at = _holder(broken, block)
    if how == "drop":
        del holder[at]
    elif how == "double":
        holder.insert(at, json.loads(json.dumps(holder[at])))
    elif how == "rename":
        _rename(holder[at], block, dialect)
    else:
        raw = holder.pop(at)
        if holder is broken:
            broken.insert(draw(st.integers(0, len(broken))), raw)
        else:
            target = draw(st.sampled_from([m for m in broken if isinstance(_content(m), list)] or [None]))
            (_content(target) if target is not None else holder).append(raw)
    return [message for message in broken if _content(message) != []]


def _holder(messages: list[Any], block: Block) -> tuple[list[Any], int]:
    """The list that a block stands in, and its place there: its message, or the history for a message of its own."""
    holder: Any = messages[block.entry.index]
    for key in block.path[:-1]:
        holder = holder[key]
    last = block.path[-1] if block.path else None
    return (holder, last) if isinstance(last, int) else (messages, block.entry.index)


def _content(message: Any) -> Any:
    return next((message[key] for key in ("content", "parts") if isinstance(message.get(key), list)), None)


def _rename(raw: Any, block: Block, dialect: str) -> None:
    other = "otherone1"
    if dialect == "anthropic":
        raw["id" if block.kind == "call" else "tool_use_id"] = other
    elif dialect in ("bedrock", "gemini"):
        raw[block.type]["toolUseId" if dialect == "bedrock" else "id"] = other
    elif dialect == "openai-responses":
        raw["call_id"] = other
    else:
        raw["id" if block.kind == "call" else "tool_call_id"] = other


def _split(messages: list[Any], place: int) -> None:
    content = _content(messages[place])
    if content is None or len(content) < 2:
        return
    key = next(key for key in ("content", "parts") if messages[place].get(key) is content)
    messages[place : place + 1] = [{**messages[place], key: [part]} for part in content]


def texts(messages: list[Any], dialect: str) -> list[str]:
    """What the user and the model say, in order; of thinking, the signed blocks as JSON."""
    blocks = history_of(messages, dialect).blocks
    return [
        json.dumps(block.raw) if block.kind == "thinking" else str(block.value)
        for block in blocks
        if block.kind in ("text", "thinking")
    ]


def exchanged(messages: list[Any], dialect: str) -> set[str]:
    """What was called and what came back, without ids."""
    blocks = history_of(messages, dialect).blocks
    return {json.dumps(block.value) for block in blocks if block.kind in ("call", "result")}
