"""What a message or block says, in a few words, for the lines of a report that show where a finding stands."""

from __future__ import annotations

from typing import Any

import orjson

from headroom_cli.lint.history import Block, Entry

_LONGEST = 160


def excerpt(target: Entry | Block) -> str:
    """One block, or the first blocks of a message; text from the log in it is cut, not made harmless."""
    if isinstance(target, Block):
        return _block(target)
    if not target.blocks:
        return "nothing"
    said = [_block(block) for block in target.blocks[:3]]
    more = len(target.blocks) - len(said)
    return ", ".join(said) + (f" and {more} more" if more else "")


def _block(block: Block) -> str:
    if block.kind in ("call", "server_call"):
        name = block.name or ("a server tool" if block.kind == "server_call" else "a tool")
        return " ".join(word for word in ("calls", name, block.id or "", _short(block.value)) if word)
    if block.kind in ("result", "server_result"):
        return f"result of {block.id or block.name or 'a call'} ({_bytes(block.value)})"
    if block.kind == "text":
        return f'"{_short(block.value)}"'
    if block.kind == "thinking":
        return f"thinking ({_bytes(block.value)})"
    return " ".join(word for word in (block.type or "a block", _short(block.name)) if word)


def _short(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else _dump(value).decode("utf-8", "replace")
    return text[:_LONGEST]


def _bytes(value: Any) -> str:
    if value is None:
        return "empty"
    data = value.encode("utf-8", "replace") if isinstance(value, str) else _dump(value)
    return "1 byte" if len(data) == 1 else f"{len(data):,} bytes"


def _dump(value: Any) -> bytes:
    try:
        return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError, RecursionError):
        return b""
