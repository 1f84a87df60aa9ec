"""Texts that clients put in the place of a result that never came (source: the catalogue of docs/rules.md)."""

from __future__ import annotations

from typing import Any

from headroom_cli.lint.history import Block

_BEGINNINGS = (
    "[Tool result missing due to internal error]",
    "[Tool execution was interrupted]",
    "Tool execution aborted",
    "[System: Tool execution skipped/interrupted by user.",
    "[System: Empty message content sanitised to satisfy protocol]",
    "[Orphaned tool result removed due to conversation resume]",
    "[Request interrupted by user",
    "no result recorded",
)
_WHOLE = frozenset({"aborted"})
_INSIDE = "was cancelled - another message came in before it could be completed"
_EMPTY = frozenset({"", "(no content)", "(no output)"})
_LONGEST = 400


def text_of(value: Any) -> str | None:
    """The text of a result's content: a string, or blocks of text; None where it holds anything else, or much."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else None
    if value is None:
        return ""
    if not isinstance(value, list) or len(value) > 4:
        return None
    found = [part.get("text") if isinstance(part, dict) else part for part in value]
    texts = [text for text in found if isinstance(text, str)]
    return text_of("".join(texts)) if len(texts) == len(found) else None


def is_placeholder(result: Block) -> bool:
    """Whether a client made the result up because there was none."""
    text = text_of(result.value)
    if text is None:
        return False
    text = text.strip()
    return text in _WHOLE or text.startswith(_BEGINNINGS) or _INSIDE in text


def says_nothing(result: Block) -> bool:
    """Whether the result is made up or empty, so that any other of the same call is worth more."""
    text = text_of(result.value)
    return text is not None and (text.strip() in _EMPTY or is_placeholder(result))
