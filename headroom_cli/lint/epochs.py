"""Session logs as histories: what stood in the context before each reset, and at the end, as their client sends it.

Claude Code unites user messages in a row, puts results first, and drops turns of nothing but thinking or blanks; Codex
sends items. Of other session logs the wire form is not known: then only pairing can be judged.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from headroom_cli.lint.history import Block, Entry, History, JudgedAs
from headroom_cli.lint.shapes import anthropic, read_entry
from headroom_cli.model import Conversation, Message, Part, Text, Thinking, ToolCall, ToolResult

_CLAUDE = frozenset({"claude-code", "claude-stream-json"})
_ITEMS = frozenset({"codex"})


def describe(history: History, conversation: Conversation) -> None:
    """Say where a history comes from."""
    history.path = conversation.path
    history.log_format = conversation.log_format
    history.client = conversation.client
    history.conversation_id = conversation.id
    history.session_id = conversation.session_id
    history.is_branch = conversation.kind != "main"


def epochs(conversation: Conversation, judged_as: JudgedAs | None) -> Iterable[History]:
    """What was in the context at the last request before each reset, and what is in it at the end."""
    ends = sorted({reset - 1 for reset in conversation.resets if reset > 0})
    kept = not any(note.startswith("begins in the middle") for note in conversation.notes)
    summaries = frozenset(conversation.summaries)
    for epoch, standing in enumerate(_standing(conversation.messages, ends)):
        if summaries:
            standing.sort(key=lambda seen: seen[0].index not in summaries)
        entries = _entries(conversation, standing)
        if not entries:
            continue
        history = History(
            conversation.dialect,
            judged_as or "history",
            entries,
            line=entries[0].line,
            model=conversation.model,
            complete=kept or epoch > 0,
            wire=conversation.log_format in _CLAUDE | _ITEMS,
            epoch=epoch,
            last_epoch=epoch == len(ends),
        )
        describe(history, conversation)
        yield history


_Standing = list[tuple[Message, list[Part]]]


def _standing(messages: Sequence[Message], ends: list[int]) -> list[_Standing]:
    """For each request in `ends` (ascending) the messages and parts that it saw; then those that stand at the end."""
    epochs: list[_Standing] = [[] for _ in range(len(ends) + 1)]
    for message in messages:
        for part in message.parts:
            for enters, leaves, _ in part.context:
                first = bisect_left(ends, enters)
                # Without a leaving request the part stands to the end, which is the last epoch.
                for epoch in range(first, len(epochs) if leaves is None else bisect_left(ends, leaves)):
                    seen = epochs[epoch]
                    if seen and seen[-1][0] is message:
                        seen[-1][1].append(part)
                    else:
                        seen.append((message, [part]))
    return epochs


def _entries(conversation: Conversation, standing: _Standing) -> list[Entry]:
    """The entries that an epoch ended with."""
    if conversation.log_format in _CLAUDE:
        return _claude_entries(standing)
    entries: list[Entry] = []
    for message, parts in standing:
        if conversation.log_format in _ITEMS:
            _add_items(entries, parts, message)
        else:
            entries.append(_entry_of_parts(message, parts, len(entries)))
    return entries


def _claude_entries(standing: _Standing) -> list[Entry]:
    """Messages as Claude Code sends them.

    User messages in a row are one, results first; assistant turns of nothing but thinking or blanks are dropped.
    """
    entries: list[Entry] = []
    queued = sorted_until = 0  # of the last entry: blocks that are no results, and how far results come first
    for message, parts in standing:
        if message.role == "assistant" and message.origin != "model":
            continue  # written by the client in the place of an answer, and never sent
        blocks = [_claude_block(part) for part in parts]
        role = "assistant" if message.role == "assistant" else "user"
        if role == "assistant" and all(block.kind == "thinking" or _is_blank(block) for block in blocks):
            continue
        if role == "user" and entries and entries[-1].role == "user":
            entry = entries[-1]
            entry.blocks += blocks
            # What was queued between a result and the next one is sent after the results.
            if queued and any(block.kind == "result" for block in blocks):
                sorted_until = len(entry.blocks)
        else:
            _close(entries, sorted_until)
            entry = Entry(len(entries), role, role, None, blocks, line=message.line)  # type: ignore[arg-type]
            entries.append(entry)
            queued = sorted_until = 0
        queued += sum(block.kind != "result" for block in blocks)
        for block in blocks:
            block.entry = entry
    _close(entries, sorted_until)
    return entries


def _close(entries: list[Entry], sorted_until: int) -> None:
    """The last entry has all its blocks."""
    if not entries:
        return
    entry = entries[-1]
    if sorted_until:
        first = sorted(entry.blocks[:sorted_until], key=lambda block: block.kind != "result")
        entry.blocks = first + entry.blocks[sorted_until:]
    entry.raw = {"role": entry.role, "content": [block.raw for block in entry.blocks]}


def _claude_block(part: Part) -> Block:
    raw = part.raw
    if isinstance(part, Text) and not (isinstance(raw, dict) and raw.get("type") == "text"):
        if isinstance(raw, dict) and isinstance(raw.get("type"), str) and raw["type"] in ("document", "search_result"):
            return anthropic.block(raw, line=part.line)
        return Block("text", "text", raw, line=part.line, value=part.text)
    if raw is None and isinstance(part, ToolResult):
        # A placeholder that the client put in the place of a result.
        return Block("result", "tool_result", raw, line=part.line, id=part.call_id, value=part.text)
    return anthropic.block(raw, line=part.line)


def _is_blank(block: Block) -> bool:
    return block.kind == "text" and isinstance(block.value, str) and not block.value.strip()


def _add_items(entries: list[Entry], parts: list[Part], message: Message) -> None:
    """Items as Codex sends them: the parts of one item lie together, and share its raw form or stand inside it."""
    for part in parts:
        if isinstance(part, ToolCall | ToolResult | Thinking) and isinstance(part.raw, dict):
            entry = read_entry("openai-responses", part.raw, len(entries))
            entry.line = part.line
            for block in entry.blocks:
                block.line = part.line
            entries.append(entry)
            continue
        last = entries[-1] if entries else None
        if last is None or last.line != message.line:
            side = "assistant" if message.role == "assistant" else "system" if message.role == "system" else "user"
            last = Entry(len(entries), message.role, side, None, line=message.line)  # type: ignore[arg-type]
            entries.append(last)
        block = _block_of_part(part)
        block.entry = last
        last.blocks.append(block)


def _entry_of_parts(message: Message, parts: list[Part], index: int) -> Entry:
    """An entry of a log that does not keep the wire form."""
    side = "assistant" if message.role == "assistant" else "system" if message.role == "system" else "user"
    entry = Entry(index, message.role, side, None, line=message.line)  # type: ignore[arg-type]
    for part in parts:
        block = _block_of_part(part)
        block.entry = entry
        entry.blocks.append(block)
    return entry


def _block_of_part(part: Part) -> Block:
    if isinstance(part, ToolCall):
        kind = "server_call" if part.type == "server" else "call"
        return Block(kind, "tool_call", part.raw, (), part.line, part.id, part.name, part.arguments)  # type: ignore[arg-type]
    if isinstance(part, ToolResult):
        return Block("result", "tool_result", part.raw, (), part.line, part.call_id, part.name or "", part.text)
    if isinstance(part, Text):
        return Block("text", "text", part.raw, (), part.line, value=part.text)
    if isinstance(part, Thinking):
        return Block("thinking", "thinking", part.raw, (), part.line, value=part.text)
    return Block("media" if type(part).__name__ == "Media" else "other", "", part.raw, (), part.line)
