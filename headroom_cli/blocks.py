"""Messages to blocks: what each part put into the context. Definitions: `waste.md` section 1.

A history in any dialect gives the same blocks, save for the recorded text of arguments.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from headroom_cli.model import (
    Block,
    BlockKind,
    Conversation,
    Declaration,
    Media,
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from headroom_cli.tokens import TextCounter

FRAMING_TOKENS = 4
CALL_TOKENS = 10
UNKNOWN_TOKENS = 4

_DOCUMENT = re.compile(r"\[document \d+\]", re.IGNORECASE)
_RAG_MARKERS = ("[source: ", "<context>", "<document>", "retrieved from:", "from the knowledge base:")
_RAG_TYPES = frozenset({"document", "search_result"})


def compute_hash(text: str) -> str:
    """First 16 hex digits of the MD5 of the UTF-8 text."""
    return hashlib.md5(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:16]


def is_rag_content(text: str) -> bool:
    """Whether a user text carries retrieved documents: one of the markers of `waste.md` section 1, in any case."""
    lowered = text.lower()
    return any(marker in lowered for marker in _RAG_MARKERS) or (
        "[document " in lowered and _DOCUMENT.search(lowered) is not None
    )


def call_text(name: str, arguments: Any) -> str:
    """`name(arguments)`: a string as recorded, anything else as JSON with sorted keys; None is no argument."""
    if arguments is None:
        return f"{name}()"
    if isinstance(arguments, str):
        return f"{name}({arguments})"
    return f"{name}({_dumps(arguments, (', ', ': '))})"


def call_key(name: str, arguments: Any) -> str:
    """The same 16 hex digits for the same call, whether its arguments are an object or a string that holds one."""
    if isinstance(arguments, str):
        canonical = arguments
        if arguments[:1] in "{[ \t\r\n":
            try:
                parsed = json.loads(arguments)
            except (ValueError, RecursionError):
                parsed = None
            if isinstance(parsed, dict | list):
                canonical = _dumps(parsed, (",", ":"))
    elif arguments is None:
        canonical = ""
    else:
        canonical = _dumps(arguments, (",", ":"))
    return compute_hash(f"{name}\0{canonical}")


def _dumps(value: Any, separators: tuple[str, str]) -> str:
    try:
        return json.dumps(value, sort_keys=True, separators=separators)
    except (RecursionError, TypeError, ValueError):  # deeper than the encoder goes, or not JSON at all
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS, default=repr).decode()


def conversation_blocks(conversation: Conversation, counter: TextCounter, memo: dict[str, int]) -> list[Block]:
    """The blocks of a conversation: what requests carry outside messages first (`message_index` -1), then in order.

    `memo` keeps the token count of each distinct text by its content hash; share it across conversations.
    """
    blocks = _outside_blocks(conversation.system, conversation.tools)
    blocks += message_blocks(conversation.messages)
    count_tokens(blocks, counter, memo)
    return blocks


def message_blocks(messages: Iterable[Message]) -> list[Block]:
    """The blocks of `messages` in wire order, with steps, not yet counted."""
    blocks: list[Block] = []
    step = -1
    previous: object = None
    for message in messages:
        made = _blocks_of(message)
        results_first = bool(made) and made[0].kind == "tool_result"
        group: object = object()
        if message.role == "assistant" and message.request is not None:
            group = message.request
        elif results_first or (message.role == "tool" and not any(block.text for block in made)):
            group = "results"
        if group != previous:
            step += 1
        previous = group
        for block in made:
            # Text after the results of one message is a message of its own in other dialects.
            if results_first and group == previous == "results" and block.kind in ("user", "rag", "system"):
                step += 1
                results_first, previous = False, None
            block.step = step
        blocks += made
    return blocks


def _outside_blocks(system: Sequence[Part], tools: Sequence[Declaration]) -> list[Block]:
    blocks = []
    for part in (*system, *tools):
        if isinstance(part, Text | Declaration) and part.text:
            name = part.name if isinstance(part, Declaration) else None
            block = Block(0, "system", -1, part.text, 0, "", -1, part.line, tool_name=name, origin="harness")
            block.context, block.part = part.context, part
            blocks.append(block)
    return blocks


def _blocks_of(message: Message) -> list[Block]:
    blocks: list[Block] = []
    text_block: Block | None = None
    texts: list[str] = []
    for part in message.parts:
        if isinstance(part, Text):
            if not part.text:
                continue
            if text_block is None:
                text_block = _block(message, part, _text_kind(message, part), part.text)
                blocks.append(text_block)
            texts.append(part.text)
        elif isinstance(part, ToolResult):
            if part.text:
                blocks.append(_block(message, part, "tool_result", part.text))
                blocks[-1].call_id, blocks[-1].is_error = part.call_id, part.is_error
            blocks += [_media_block(message, media, part) for media in part.media]
        elif isinstance(part, ToolCall):
            block = _block(message, part, "tool_call", call_text(part.name, part.arguments))
            block.call_id, block.tool_name, block.server = part.id, part.name, part.server
            block.call_key = call_key(part.name, part.arguments)
            blocks.append(block)
        elif isinstance(part, Thinking):
            blocks.append(_block(message, part, "thinking", part.text))
        elif isinstance(part, Media):
            blocks.append(_media_block(message, part, part))
    if text_block is not None and len(texts) > 1:
        text_block.text = "\n".join(texts)
    if text_block is not None and text_block.kind == "user" and is_rag_content(text_block.text):
        text_block.kind = "rag"
    if not blocks:
        first = message.parts[0] if message.parts else Part(line=message.line)
        blocks.append(_block(message, first, "unknown", ""))
        if isinstance(first, ToolResult):
            blocks[-1].call_id, blocks[-1].is_error = first.call_id, first.is_error
    return blocks


def _block(message: Message, part: Part, kind: BlockKind, text: str) -> Block:
    return Block(
        0,
        kind,
        message.index,
        text,
        0,
        "",
        line=part.line or message.line,
        origin=message.origin,
        request=message.request,
        copied=message.copied,
        context=part.context,
        part=part,
    )


def _media_block(message: Message, media: Media, owner: Part) -> Block:
    block = _block(message, owner, "image", "")
    block.part, block.bytes, block.content_hash = media, media.bytes, media.digest or ""
    if isinstance(owner, ToolResult):
        block.call_id = owner.call_id
    return block


def _text_kind(message: Message, part: Text) -> BlockKind:
    if message.role == "assistant":
        return "assistant"
    if message.role == "system" or message.origin in ("harness", "command", "hook"):
        return "system"
    if message.role == "tool":
        return "tool_result"
    if isinstance(part.raw, dict) and part.raw.get("type") in _RAG_TYPES:
        return "rag"
    return "user"


def count_tokens(blocks: list[Block], counter: TextCounter, memo: dict[str, int]) -> None:
    """Number the blocks and fill in their hashes, sizes and tokens; each distinct text is counted once."""
    missing: dict[str, str] = {}
    for index, block in enumerate(blocks):
        block.index = index
        if block.kind == "image":
            continue
        data = block.text.encode("utf-8", "replace")
        block.bytes = len(data)
        block.content_hash = digest = hashlib.md5(data, usedforsecurity=False).hexdigest()[:16]
        if block.text and digest not in memo:
            missing[digest] = block.text
    if missing:
        many = getattr(counter, "count_many", None)
        counts = many(list(missing.values())) if many else [counter.count_text(text) for text in missing.values()]
        memo.update(zip(missing, counts, strict=True))
    for block in blocks:
        if block.kind == "unknown":
            block.tokens = UNKNOWN_TOKENS
        elif block.text:
            overhead = CALL_TOKENS if block.kind == "tool_call" else FRAMING_TOKENS
            block.tokens = memo[block.content_hash] + overhead
