"""Wire shapes as lint sees them: one module a dialect turns a raw message into an `Entry`, losing nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headroom_cli.lint.history import Entry
from headroom_cli.lint.shapes import anthropic, bedrock, gemini, openai, responses

_READERS: dict[str, Callable[[Any, int], Entry]] = {
    "anthropic": anthropic.entry,
    "bedrock": bedrock.entry,
    "gemini": gemini.entry,
    "openai": openai.entry,
    "openai-responses": responses.entry,
}
MESSAGE_KEYS = {"gemini": "contents", "openai-responses": "input"}
"""Where a request body of the dialect keeps its messages; else `messages`."""


def read_entry(dialect: str, raw: Any, index: int) -> Entry:
    """The entry of a raw message in a dialect; unknown dialects are read as chat messages."""
    found = _READERS.get(dialect, openai.entry)(raw, index)
    for block in found.blocks:
        block.entry = found
    return found
