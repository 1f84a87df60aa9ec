"""OpenAI-style logs: request logs that repeat the history on every line, and histories with one message a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from benchmarks.text import Clock, Text, estimate

Line = dict[str, Any]
TOOLS = ("get_order", "list_orders", "search_docs", "read_file", "update_order", "send_message")


def schemas(text: Text) -> list[Line]:
    """Tool schemas as a request declares them."""
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": text.prose(3),
                "parameters": {
                    "type": "object",
                    "properties": {
                        text.pick(text.names): {"type": "string", "description": text.prose(1)} for _ in range(4)
                    },
                    "required": [],
                },
            },
        }
        for name in TOOLS
    ]


def history(text: Text) -> Iterator[Line]:
    """The messages of one endless conversation with tools, assistant messages last before each pause."""
    rng = text.rng
    known: list[tuple[str, str]] = []
    while True:
        yield {"role": "user", "content": text.prose(text.skewed(4, 20))}
        for _ in range(text.number(1, 6)):
            calls, results = [], []
            for _ in range(1 if rng.random() < 0.8 else 3):
                if known and rng.random() < 0.12:
                    arguments, result = known[int(rng.random() * len(known))]
                else:
                    arguments = json.dumps({text.pick(text.names): text.number(1, 99999), "limit": 20})
                    result = answer(text)
                    known.append((arguments, result))
                id_ = text.token("call_")
                name = TOOLS[text.number(0, len(TOOLS))]
                calls.append({"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}})
                results.append({"role": "tool", "tool_call_id": id_, "content": result})
            yield {"role": "assistant", "content": None, "tool_calls": calls}
            yield from results
        yield {"role": "assistant", "content": text.prose(text.skewed(7, 40))}


def answer(text: Text) -> str:
    """A tool result: JSON, documents, or code."""
    u = text.rng.random()
    if u < 0.45:
        return json.dumps([text.record() for _ in range(text.skewed(7, 60))])
    if u < 0.7:
        return "\n\n".join(f"[Document {n}] {text.prose(6)}" for n in range(1, text.number(2, 5)))
    return "\n".join(text.code(text.skewed(40, 300), "py"))


def requests(rng: Random) -> Iterator[Line]:
    """Captured requests of one agent after another: each line has the whole history so far and the response."""
    while True:
        text, clock = Text(rng), Clock(rng)
        model = text.pick(("gpt-5.1", "gpt-5-mini", "gpt-4.1"))
        tools, user = schemas(text), text.token("user_")
        messages: list[Line] = [{"role": "system", "content": "You are the assistant of acme.\n" + text.prose(24)}]
        tokens = estimate(json.dumps(tools) + str(messages))
        cached = 0
        limit = text.number(30_000, 70_000)
        for message in history(text):
            if message["role"] == "assistant":
                output = estimate(str(message))
                stop = "tool_calls" if message.get("tool_calls") else "stop"
                usage = {
                    "prompt_tokens": tokens,
                    "completion_tokens": output,
                    "total_tokens": tokens + output,
                    "prompt_tokens_details": {"cached_tokens": cached},
                }
                clock.tick(9000)
                yield {
                    "request": {"model": model, "user": user, "tools": tools, "messages": list(messages)},
                    "response": {
                        "id": text.token("chatcmpl-"),
                        "object": "chat.completion",
                        "created": 1793491200 + clock.now // 1000,
                        "model": model,
                        "choices": [{"index": 0, "message": message, "finish_reason": stop}],
                        "usage": usage,
                    },
                }
                cached = tokens // 128 * 128
                if tokens > limit:
                    break
            messages.append(message)
            tokens += estimate(str(message))


def messages(rng: Random) -> Iterator[Line]:
    """Histories with one message a line; a system message starts the next conversation."""
    while True:
        text = Text(rng)
        yield {"role": "system", "content": "You are the assistant of acme.\n" + text.prose(24)}
        for count, message in enumerate(history(text)):
            yield message
            if count > 160 and message["role"] == "assistant" and not message.get("tool_calls"):
                break


def session(rng: Random, number: int) -> Iterator[tuple[str, Line]]:
    """An endless log: `(path, line)`. Every fourth file has one message a line, the others are captured requests."""
    kind, lines = ("messages", messages(rng)) if number % 4 == 3 else ("requests", requests(rng))
    path = f"openai/{kind}-{number:04}.jsonl"
    for line in lines:
        yield path, line
