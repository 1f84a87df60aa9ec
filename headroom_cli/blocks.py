"""Messages to blocks: what each part put into the context. Definitions: `docs/signals.md` section 1.

A history in any dialect gives the same blocks, save for the recorded text of arguments.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Any

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
from headroom_cli.parallel import batches
from headroom_cli.tokens import TextCounter
from headroom_cli.wire.results import call_text, dump

FRAMING_TOKENS = 4
CALL_TOKENS = 10
UNKNOWN_TOKENS = 4

_COUNTED_TOGETHER = 1_000_000  # characters

_DOCUMENT = re.compile(r"\[document \d+\]", re.IGNORECASE)
_RAG_MARKERS = ("[source: ", "<context>", "<document>", "retrieved from:", "from the knowledge base:")
_RAG_TYPES = frozenset({"document", "search_result"})
_RAG_KEYS = frozenset({"document", "searchResult"})
_SYSTEM_TYPES = ("compaction", "mid_conv_system")
_TEXT_KINDS = frozenset({"user", "rag", "system"})
_OPENINGS = frozenset("{[ \t\r\n")


def compute_hash(text: str) -> str:
    """First 16 hex digits of the MD5 of the UTF-8 text."""
    return hashlib.md5(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:16]


def is_rag_content(text: str) -> bool:
    """Whether a user text carries retrieved documents: a marker of `docs/signals.md` section 1, in any case."""
    lowered = text.lower()
    return any(marker in lowered for marker in _RAG_MARKERS) or (
        "[document " in lowered and _DOCUMENT.search(lowered) is not None
    )


def call_key(name: str, arguments: Any) -> str:
    """The same 16 hex digits for the same call, whether its arguments are an object or a string that holds one."""
    if isinstance(arguments, str):
        canonical = arguments
        if arguments[:1] in _OPENINGS:
            try:
                parsed = json.loads(arguments)
            except (ValueError, RecursionError):
                parsed = None
            if isinstance(parsed, dict | list):
                canonical = dump(parsed, sort_keys=True, separators=(",", ":")) or arguments
    elif arguments is None:
        canonical = ""
    else:
        canonical = dump(arguments, sort_keys=True, separators=(",", ":"))
    return compute_hash(f"{name}\0{canonical}")


def conversation_blocks(conversation: Conversation) -> list[Block]:
    """The blocks of a conversation: what requests carry outside messages first (`message_index` -1), then in order.

    Not yet counted.
    """
    return _outside_blocks(conversation.system, conversation.tools) + message_blocks(conversation.messages)


def message_blocks(messages: Iterable[Message]) -> list[Block]:
    """The blocks of `messages` in wire order, with steps, not yet counted.

    One response is one step, the consecutive results that follow it are one, each other message is one. Text behind
    the results of one message is a step of its own, for in other dialects it is a message of its own.
    """
    blocks: list[Block] = []
    steps: dict[object, int] = {}
    response: int | None = None
    results: object = None
    for message in messages:
        made = _blocks_of(message)
        are_results = message.role == "tool" or (bool(message.parts) and isinstance(message.parts[0], ToolResult))
        group: object
        if message.role == "assistant" and message.request is not None:
            if message.request != response:
                response, results = message.request, object()
            group = response
        elif are_results:
            results = results or object()
            group = results
        else:
            group = results = object()
        for block in made:
            if are_results and group is results and block.kind in _TEXT_KINDS:
                group = results = object()
            block.step = steps.setdefault(group, len(steps))
        blocks += made
    return blocks


def _outside_blocks(system: Sequence[Part], tools: Sequence[Declaration]) -> list[Block]:
    outside = Message(-1, "system", [], origin="harness")
    blocks = []
    for part in (*system, *tools):
        if isinstance(part, Declaration):
            blocks.append(_schema_block(outside, part))
        elif isinstance(part, Text) and part.text:
            blocks.append(_block(outside, part, "system", part.text))
    for block in blocks:
        block.step = -1
    return blocks


def _blocks_of(message: Message) -> list[Block]:
    """At least one block. Text makes one block for each kind of text, where the first of its parts stands."""
    blocks: list[Block] = []
    texts: dict[BlockKind, tuple[Block, list[str]]] = {}
    for part in message.parts:
        if isinstance(part, Text):
            if not part.text:
                continue
            kind = _text_kind(message, part)
            if kind not in texts:
                texts[kind] = _block(message, part, kind, part.text), []
                blocks.append(texts[kind][0])
            texts[kind][1].append(part.text)
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
        elif isinstance(part, Declaration):
            blocks.append(_schema_block(message, part))
    for block, pieces in texts.values():
        if len(pieces) > 1:
            block.text = "\n".join(pieces)
        if block.kind == "user" and (is_rag_content(block.text) or any(map(_is_retrieved, message.parts))):
            block.kind = "rag"
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


def _schema_block(message: Message, part: Declaration) -> Block:
    block = _block(message, part, "system", part.text)
    block.tool_name = part.name
    return block


def _text_kind(message: Message, part: Text) -> BlockKind:
    if message.role == "assistant":
        return "system" if isinstance(part.raw, dict) and part.raw.get("type") in _SYSTEM_TYPES else "assistant"
    if message.role == "system" or message.origin in ("harness", "command", "hook"):
        return "system"
    return "tool_result" if message.role == "tool" else "user"


def _is_retrieved(part: Part) -> bool:
    """Whether the text of a part was given as a document or search result."""
    if not isinstance(part, Text) or not isinstance(part.raw, dict) or not part.text:
        return False
    kind = part.raw.get("type")
    return kind in _RAG_TYPES if isinstance(kind, str) else not _RAG_KEYS.isdisjoint(part.raw)


def count_tokens(histories: Sequence[list[Block]], counter: TextCounter, memo: dict[str, int]) -> None:
    """Number the blocks of each history and fill in their hashes, sizes and tokens; each distinct text is counted once.

    `memo` keeps the token count of each distinct text by its content hash; share it across conversations.
    """
    missing: dict[str, str] = {}
    for blocks in histories:
        for index, block in enumerate(blocks):
            block.index = index
            if block.kind == "image":
                continue
            data = block.text.encode("utf-8", "replace")
            block.bytes = len(data)
            block.content_hash = digest = hashlib.md5(data, usedforsecurity=False).hexdigest()[:16]
            if block.text and digest not in memo:
                missing[digest] = block.text
    many = getattr(counter, "count_many", None) or partial(map, counter.count_text)
    for some in batches(missing.items(), lambda item: len(item[1]), _COUNTED_TOGETHER):
        digests, texts = zip(*some, strict=True)
        memo.update(zip(digests, many(texts), strict=True))
    for block in chain.from_iterable(histories):
        if block.kind == "unknown":
            block.tokens = UNKNOWN_TOKENS
        elif block.text:
            overhead = CALL_TOKENS if block.kind == "tool_call" else FRAMING_TOKENS
            block.tokens = memo[block.content_hash] + overhead
