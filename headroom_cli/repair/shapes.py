"""What a repair writes, in each dialect: results, texts and messages; and what a result says, to keep it as text."""

from __future__ import annotations

import json
from typing import Any

from headroom_cli.lint.history import Block, Entry
from headroom_cli.lint.shapes.responses import CALLS

NO_RESULT = "no result recorded"
"""What a result says that a repair had to add: no output was invented."""

EMPTY = "(no content)"
"""What stands in a message that must not be empty."""

ENTRY_RESULTS = frozenset({"openai", "openai-responses"})
"""Dialects whose results are messages of their own."""

_LISTS = {"gemini": "parts"}


def content_key(dialect: str) -> str:
    """Where a message of the dialect keeps its blocks."""
    return _LISTS.get(dialect, "content")


def content_path(entry: Entry, dialect: str) -> tuple[str | int, ...]:
    """The place of an entry's blocks."""
    return (*entry.path, content_key(dialect))


def text(dialect: str, words: str, *, role: str = "user") -> Any:
    """A block of text."""
    if dialect in ("bedrock", "gemini"):
        return {"text": words}
    if dialect == "openai-responses":
        return {"type": "output_text" if role == "assistant" else "input_text", "text": words}
    return {"type": "text", "text": words}


def message(dialect: str, role: str, blocks: list[Any]) -> dict[str, Any]:
    """A message of blocks."""
    if dialect == "gemini":
        return {"role": "model" if role == "assistant" else role, "parts": blocks}
    if dialect == "openai-responses":
        return {"type": "message", "role": role, "content": blocks}
    if dialect == "openai" and len(blocks) == 1 and isinstance(blocks[0].get("text"), str):
        return {"role": role, "content": blocks[0]["text"]}
    return {"role": role, "content": blocks}


def result(dialect: str, call: Block, words: str = NO_RESULT) -> dict[str, Any]:
    """An error result for a call: a block, or a message of its own (`ENTRY_RESULTS`)."""
    if dialect == "anthropic":
        return {"type": "tool_result", "tool_use_id": call.id, "content": words, "is_error": True}
    if dialect == "bedrock":
        return {"toolResult": {"toolUseId": call.id, "content": [{"text": words}], "status": "error"}}
    if dialect == "gemini":
        snake = call.type == "function_call"
        made: dict[str, Any] = {"name": call.name, "response": {"error": words}}
        return {"function_response" if snake else "functionResponse": {"id": call.id, **made} if call.id else made}
    if dialect == "openai-responses":
        if call.type == "tool_search_call":
            return {
                "type": CALLS[call.type],
                "call_id": call.id,
                "status": "completed",
                "execution": "client",
                "tools": [],
            }
        return {"type": CALLS.get(call.type, "function_call_output"), "call_id": call.id, "output": words}
    if call.type == "function_call":
        return {"role": "function", "name": call.name, "content": words}
    return {"role": "tool", "tool_call_id": call.id, "content": words}


def result_media(block: Block) -> list[Any]:
    """The blocks of a result that may stand beside text in a user message of the dialect (Anthropic, Bedrock)."""
    if not isinstance(block.value, list):
        return []
    return [
        part
        for part in block.value
        if isinstance(part, dict)
        and (part.get("type") in ("image", "document") or "image" in part or "document" in part)
    ]


def neutral(block: Block, call: Block | None = None) -> str:
    """A result as text: whose result it was, and what it said, its parts on lines of their own.

    `call` is None where the history has none.
    """
    known = call if call is not None else block
    name = known.name or "a call"
    of = f"{name} ({block.id})" if block.id else name
    where = "" if call is not None else ", which is not in this history"
    return "\n".join([f"[result of {of}{where}]", *_words(block.value)])


def call_words(block: Block) -> str:
    """A call as text."""
    value = block.value
    given = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return f"[called {block.name or 'a tool'}{f' ({block.id})' if block.id else ''} with {given}]"


def _words(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [line for part in value for line in _words(part)]
    if not isinstance(value, dict):
        return [str(value)]
    for key in ("text", "tool_name"):
        if isinstance(value.get(key), str):
            return [value[key]]
    kind = value.get("type")
    if (
        kind in ("image", "document", "input_image", "image_url", "input_file")
        or "image" in value
        or "document" in value
    ):
        return []
    return [json.dumps(value, ensure_ascii=False, default=str)]
