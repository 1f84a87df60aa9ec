"""Cache markers of a request, in the order in which a provider works through them: tools, system, messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from headroom_cli.lint.history import Block, History, Pointer


@dataclass(slots=True, eq=False)
class Marker:
    """One marker. `at` leads to it from `block`, or from the request where `block` is None; `carrier` is what has it.

    `ttl` is `1h`, or `5m` where it names none.
    """

    tier: Literal["request", "tools", "system", "messages"]
    block: Block | None
    at: Pointer
    carrier: Any
    ttl: str


def markers_of(history: History) -> list[Marker]:
    """All markers: `cache_control` of Anthropic, `cachePoint` blocks of Bedrock."""
    body = history.body
    found: list[Marker] = []
    if (whole := _marker("request", None, (), body)) is not None:
        found.append(whole)
    config = body.get("toolConfig")
    for tools, path in (
        (body.get("tools"), ("tools",)),
        (config.get("tools") if isinstance(config, dict) else None, ("toolConfig", "tools")),
    ):
        found += _in_list("tools", None, path, tools)
    found += _in_list("system", None, ("system",), body.get("system"))
    for block in history.blocks:
        raw = block.raw
        if type(raw) is not dict:
            continue
        if "cache_control" in raw or "cachePoint" in raw:
            marker = _marker("messages", block, (), raw)
            if marker is not None:
                found.append(marker)
        if block.kind == "result" and isinstance(block.value, list):
            path = ("toolResult", "content") if block.type == "toolResult" else ("content",)
            found += _in_list("messages", block, path, block.value)
    return found


def _in_list(tier: Any, block: Block | None, path: Pointer, items: Any) -> Iterator[Marker]:
    if isinstance(items, list):
        for i, item in enumerate(items):
            found = _marker(tier, block, (*path, i), item)
            if found is not None:
                yield found


def _marker(tier: Any, block: Block | None, path: Pointer, raw: Any) -> Marker | None:
    if not isinstance(raw, dict):
        return None
    for key in ("cache_control", "cachePoint"):
        value = raw.get(key)
        if isinstance(value, dict):
            return Marker(tier, block, (*path, key), raw, "1h" if value.get("ttl") == "1h" else "5m")
    return None
