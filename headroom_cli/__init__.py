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

__all__ = [
    "ParsedBlock",
    "ParsedHistory",
    "WasteSignals",
    "__version__",
    "analyze",
    "compute_hash",
    "detect_waste_signals",
    "find_tool_units",
    "get_message_content_text",
    "is_rag_content",
    "parse_message_to_blocks",
    "parse_messages",
    "read",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from headroom_cli import library

    return getattr(library, name)


def __dir__() -> list[str]:
    return __all__
