"""Events of Bedrock's ConverseStream, put together to the bodies that Converse gives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from headroom_cli.wire.base import text_or_none


class _Message:
    def __init__(self, line: int) -> None:
        self.line = line
        self.blocks: dict[int, dict[str, Any]] = {}
        self.tail: dict[str, Any] = {}
        self.stopped = False

    def block(self, event: dict[str, Any]) -> dict[str, Any]:
        index = event.get("contentBlockIndex")
        return self.blocks.setdefault(index if isinstance(index, int) else 0, {})

    def body(self) -> dict[str, Any]:
        content = [_finished(block) for _, block in sorted(self.blocks.items())]
        return {"output": {"message": {"role": "assistant", "content": content}}, **self.tail}


def assemble_bedrock(events: Iterable[tuple[int, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """The responses in a sequence of `(line, event)`, as `(first line, body)`. One stream follows the other."""
    messages: list[_Message] = []
    for line, event in events:
        if not isinstance(event, dict):
            continue
        begins = "metadata" not in event and (not messages or messages[-1].stopped or "messageStart" in event)
        if begins or not messages:
            messages.append(_Message(line))
        _feed(messages[-1], event)
    return [(message.line, message.body()) for message in messages]


def _feed(message: _Message, event: dict[str, Any]) -> None:
    for kind, fields in event.items():
        if not isinstance(fields, dict):
            continue
        if kind == "contentBlockStart":
            start = fields.get("start")
            tool = start.get("toolUse") if isinstance(start, dict) else None
            if isinstance(tool, dict):
                message.block(fields)["toolUse"] = dict(tool)
        elif kind == "contentBlockDelta" and isinstance(fields.get("delta"), dict):
            _add(message.block(fields), fields["delta"])
        elif kind == "messageStop":
            message.stopped = True
            message.tail["stopReason"] = fields.get("stopReason")
        elif kind == "metadata":
            message.tail["usage"] = fields.get("usage")


def _add(block: dict[str, Any], delta: dict[str, Any]) -> None:
    text = text_or_none(delta.get("text"))
    if text is not None:
        block["text"] = block.get("text", "") + text
    tool = delta.get("toolUse")
    if isinstance(tool, dict) and isinstance(tool.get("input"), str):
        block["pieces"] = block.get("pieces", "") + tool["input"]
    reasoning = delta.get("reasoningContent")
    if isinstance(reasoning, dict):
        known = block.setdefault("reasoning", {})
        for key in ("text", "signature"):
            piece = text_or_none(reasoning.get(key))
            if piece is not None:
                known[key] = known.get(key, "") + piece


def _finished(block: dict[str, Any]) -> dict[str, Any]:
    if "toolUse" in block or "pieces" in block:
        pieces = block.get("pieces", "")
        try:
            arguments = orjson.loads(pieces) if pieces else {}
        except orjson.JSONDecodeError:
            arguments = pieces
        return {"toolUse": {**block.get("toolUse", {}), "input": arguments}}
    if "reasoning" in block:
        return {"reasoningContent": {"reasoningText": block["reasoning"]}}
    return {"text": block.get("text", "")}
