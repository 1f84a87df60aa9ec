"""The floor: what no reader of these logs can beat in one process on one core.

Decode every line once with orjson and drop it; count each distinct text once with the tokenizer in use. The texts are
those that `waste.md` counts: messages, calls as `name(arguments)`, results, thinking. Nothing else is done: no
pairing, no contexts, no signals, no report. `python -m benchmarks.floor DIR` prints its figures as JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from headroom_cli.tokens import get_tokenizer


def content_texts(content: Any) -> Iterator[tuple[str, str]]:
    """`(kind, text)` of the content of a message in the Anthropic, chat or Responses shape."""
    if isinstance(content, str):
        yield "text", content
        return
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, dict) else None
        if kind in ("text", "input_text", "output_text"):
            yield "text", part["text"]
        elif kind == "thinking":
            yield "thinking", part["thinking"]
        elif kind == "tool_use":
            yield "tool_call", f"{part['name']}({json.dumps(part['input'], sort_keys=True)})"
        elif kind == "tool_result":
            result = part.get("content")
            yield "tool_result", "\n".join(text for _, text in content_texts(result))


def item_texts(item: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """`(kind, text)` of a Responses item: messages, reasoning, calls, outputs."""
    kind = item.get("type")
    if kind == "message":
        yield from content_texts(item.get("content"))
    elif kind == "reasoning":
        for part in item.get("summary") or ():
            yield "thinking", part["text"]
    elif kind in ("function_call", "custom_tool_call"):
        yield "tool_call", f"{item['name']}({item.get('arguments') or item.get('input')})"
    elif kind in ("function_call_output", "custom_tool_call_output"):
        output = item.get("output")
        yield "tool_result", output if isinstance(output, str) else "\n".join(text for _, text in content_texts(output))


def chat_texts(message: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """`(kind, text)` of a chat message."""
    kind = "tool_result" if message.get("role") == "tool" else "text"
    for _, text in content_texts(message.get("content")):
        yield kind, text
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        yield "tool_call", f"{function.get('name')}({function.get('arguments')})"


def line_texts(line: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """`(kind, text)` of what one decoded line of any of the three families puts into a context."""
    kind, payload = line.get("type"), line.get("payload")
    if kind in ("user", "assistant"):
        yield from content_texts(line["message"]["content"])
    elif kind == "attachment":
        content = line["attachment"].get("content")
        yield from content_texts(content.get("content") if isinstance(content, dict) else content)
    elif isinstance(payload, dict):
        if kind == "response_item":
            yield from item_texts(payload)
        elif kind == "compacted":
            for item in payload.get("replacement_history") or ():
                yield from item_texts(item)
        elif kind == "session_meta":
            yield "text", (payload.get("base_instructions") or {}).get("text") or ""
    elif "request" in line:
        request, response = line["request"], line["response"]
        for tool in request.get("tools") or ():
            yield "text", json.dumps(tool)
        for message in request["messages"]:
            yield from chat_texts(message)
        for choice in response["choices"]:
            yield from chat_texts(choice["message"])
    elif kind in ("progress", "system", "event_msg", "turn_context"):
        return
    elif kind is not None:
        yield from item_texts(line)
    elif "role" in line:
        yield from chat_texts(line)


def log_files(folder: Path) -> list[Path]:
    """The logs in a folder, in path order."""
    return sorted(path for path in folder.rglob("*.jsonl") if path.is_file())


def floor(folder: Path) -> dict[str, float]:
    """Run the floor over a folder: bytes, lines, distinct texts with their characters and tokens, seconds."""
    start = time.perf_counter()
    count = get_tokenizer().count_text
    loaded = time.perf_counter()
    seen: set[int] = set()
    size = lines = chars = tokens = 0
    for path in log_files(folder):
        with path.open("rb") as file:
            for raw in file:
                size += len(raw)
                lines += 1
                for _, text in line_texts(orjson.loads(raw)):
                    key = hash(text)
                    if key not in seen:
                        seen.add(key)
                        tokens += count(text)
                        chars += len(text)
    end = time.perf_counter()
    return {
        "bytes": size,
        "lines": lines,
        "texts": len(seen),
        "text_chars": chars,
        "tokens": tokens,
        "load_seconds": loaded - start,
        "seconds": end - loaded,
    }


def main(arguments: list[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.floor")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    print(json.dumps(floor(options.folder)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
