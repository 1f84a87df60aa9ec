"""Offline analyser of coding-agent and LLM transcripts.

The library takes plain dicts, SDK objects or paths; the command line is a thin layer over it. What stands here is
loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headroom_cli.version import __version__

if TYPE_CHECKING:
    from headroom_cli.library import (
        ParsedBlock,
        ParsedHistory,
        WasteSignals,
        analyze,
        compute_hash,
        detect_waste_signals,
        find_tool_units,
        get_message_content_text,
        is_rag_content,
        parse_message_to_blocks,
        parse_messages,
        read,
    )
    from headroom_cli.sendable import NotSendable, assert_sendable, lint_messages

_SENDABLE = ("NotSendable", "assert_sendable", "lint_messages")

__all__ = [
    "NotSendable",
    "ParsedBlock",
    "ParsedHistory",
    "WasteSignals",
    "__version__",
    "analyze",
    "assert_sendable",
    "compute_hash",
    "detect_waste_signals",
    "find_tool_units",
    "get_message_content_text",
    "is_rag_content",
    "lint_messages",
    "parse_message_to_blocks",
    "parse_messages",
    "read",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    module = "sendable" if name in _SENDABLE else "library"
    return getattr(importlib.import_module(f"headroom_cli.{module}"), name)


def __dir__() -> list[str]:
    return __all__
