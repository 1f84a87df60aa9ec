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
    from headroom_cli.repair.library import RepairedMessages, repair_messages
    from headroom_cli.sendable import NotSendable, assert_sendable, lint_messages

_MODULES = {
    "NotSendable": "sendable",
    "RepairedMessages": "repair.library",
    "assert_sendable": "sendable",
    "lint_messages": "sendable",
    "repair_messages": "repair.library",
}
"""Where it is, if not in `library`: what needs no tokens and no data frames costs little to import."""

__all__ = [
    "NotSendable",
    "ParsedBlock",
    "ParsedHistory",
    "RepairedMessages",
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
    "repair_messages",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"headroom_cli.{_MODULES.get(name, 'library')}"), name)


def __dir__() -> list[str]:
    return __all__
