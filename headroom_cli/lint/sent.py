"""What the readers found, as histories that were sent: session logs by context epoch, request logs by request.

A session log is judged before each compaction and at its end, after the clean-up that its client does before it
sends. A cumulative request log is judged once per run of requests that only append, and at each break.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from headroom_cli.lint.history import Block, Entry, History, JudgedAs
from headroom_cli.lint.shapes import MESSAGE_KEYS, anthropic, read_entry
from headroom_cli.logs.detection.shapes import as_object
from headroom_cli.model import Conversation, Message, Part, Reading, Sent, Text, Thinking, ToolCall, ToolResult

_CLAUDE = frozenset({"claude-code", "claude-stream-json"})
_ITEMS = frozenset({"codex"})
_ENVELOPE = frozenset(
    {
        "model",
        "modelId",
        "max_tokens",
        "max_completion_tokens",
        "max_output_tokens",
        "temperature",
        "inferenceConfig",
        "generationConfig",
        "toolConfig",
        "stream",
        "store",
        "previous_response_id",
        "thinking",
        "reasoning",
    }
)


@dataclass(eq=False)
class Session:
    """One conversation of a log for lint: its histories, and the reading that it came from.

    `conversation.sent` has the requests in raw form, where the log records requests.
    """

    conversation: Conversation
    reading: Reading
    judged_as: JudgedAs | None = None
    histories: list[History] = field(init=False)

    def __post_init__(self) -> None:
        self.histories = list(_histories(self.conversation, self.judged_as))

    @property
    def dialect(self) -> str:
        """The wire dialect."""
        return self.conversation.dialect

    @property
    def model(self) -> str | None:
        """The model of the first request that names one."""
        return self.conversation.model

    @cached_property
    def requests(self) -> list[Sent]:
        """The recorded requests, in order."""
        return [sent for sent in self.conversation.sent if sent.recorded]


def sessions(reading: Reading, judged_as: JudgedAs | None = None) -> list[Session]:
    """All conversations of a file. `judged_as` overrides what each seems to be."""
    return [Session(conversation, reading, judged_as) for conversation in reading.conversations]


def history_of(
    messages: Sequence[Any],
    dialect: str,
    *,
    body: dict[str, Any] | None = None,
    judged_as: JudgedAs | None = None,
    model: str | None = None,
) -> History:
    """The history of raw messages, with the body that holds them if there is one."""
    body = body or {}
    sent = Sent(0, dialect, list(messages), anchor=body or list(messages), body=body, recorded=False, model=model)
    return _of_sent(sent, None, judged_as)


def _histories(conversation: Conversation, judged_as: JudgedAs | None) -> Iterable[History]:
    if conversation.sent:
        judged = [sent for sent in conversation.sent if sent.messages is not None]
        for epoch, sent in enumerate(judged):
            history = _of_sent(sent, conversation, judged_as)
            history.epoch, history.last_epoch = epoch, epoch == len(judged) - 1
            yield history
    elif conversation.messages:
        yield from _epochs(conversation, judged_as)


def _of_sent(sent: Sent, conversation: Conversation | None, judged_as: JudgedAs | None) -> History:
    key = MESSAGE_KEYS.get(sent.dialect, "messages")
    rows = sent.messages or []
    anchor = sent.anchor
    if isinstance(anchor, dict):
        key = next((name for name in ("messages", "contents", "input") if isinstance(anchor.get(name), list)), key)
    entries = []
    for index, raw in enumerate(rows):
        entry = read_entry(sent.dialect, raw, index)
        if isinstance(anchor, dict):
            entry.path = (key, index)
        elif anchor is not None:
            entry.path = (index,)
        entry.line = sent.lines[index] if sent.lines is not None else sent.line
        for block in entry.blocks:
            block.line = entry.line
        entries.append(entry)
    body = sent.body
    history = History(
        sent.dialect,
        judged_as or _seems(sent, conversation),
        entries,
        line=sent.line,
        body=body,
        anchor=anchor,
        system=_first(body, "system", "instructions", "systemInstruction", "system_instruction"),
        tools=_tools(body),
        model=sent.model or (conversation.model if conversation is not None else None),
        complete=not (sent.previous_response_id is not None),
    )
    if conversation is not None:
        _describe(history, conversation)
    return history


def _seems(sent: Sent, conversation: Conversation | None) -> JudgedAs:
    """A request if anything of an envelope stands around the messages; else what kind of history it is."""
    if conversation is not None and conversation.log_format == "training":
        return "training"
    if sent.recorded or not _ENVELOPE.isdisjoint(sent.body):
        return "request"
    # Rows for fine-tuning hold nothing but messages and tools, and lie in lines of a file.
    rows = set(sent.body) <= {"tools", "functions", "parallel_tool_calls", "weight"}
    return "training" if rows and sent.body and sent.anchor is not None else "history"


def _tools(body: dict[str, Any]) -> list[Any] | None:
    """The declared tools as they stand; None where nothing tells. A request without the key declares none."""
    config = body.get("toolConfig")
    found = body.get("tools", config.get("tools") if isinstance(config, dict) else None)
    found = as_object(found)
    return found if isinstance(found, list) else None


def _first(body: dict[str, Any], *names: str) -> Any:
    return next((body[name] for name in names if name in body), None)


def _describe(history: History, conversation: Conversation) -> None:
    history.path = conversation.path
    history.log_format = conversation.log_format
    history.client = conversation.client
    history.conversation_id = conversation.id
    history.session_id = conversation.session_id


def _epochs(conversation: Conversation, judged_as: JudgedAs | None) -> Iterable[History]:
    """What was in the context at the last request before each reset, and what is in it at the end."""
    ends: list[int | None] = [*(reset - 1 for reset in conversation.resets if reset > 0), None]
    for epoch, request in enumerate(ends):
        entries = _entries(conversation, request)
        if not entries:
            continue
        history = History(
            conversation.dialect,
            judged_as or "history",
            entries,
            line=entries[0].line,
            model=conversation.model,
            complete=not any(note.startswith("begins in the middle") for note in conversation.notes),
            wire=conversation.log_format in _CLAUDE | _ITEMS,
            epoch=epoch,
            last_epoch=request is None,
        )
        _describe(history, conversation)
        yield history


def _entries(conversation: Conversation, request: int | None) -> list[Entry]:
    """The entries that a request saw (None: that stand in the context at the end)."""
    claude, items = conversation.log_format in _CLAUDE, conversation.log_format in _ITEMS
    entries: list[Entry] = []
    for message in conversation.messages:
        parts = [part for part in message.parts if _stands(part, request)]
        if not parts:
            continue
        if claude:
            _add_claude(entries, message, parts)
        elif items:
            _add_items(entries, parts, message)
        else:
            entries.append(_entry_of_parts(message, parts, len(entries)))
    return entries


def _stands(part: Part, request: int | None) -> bool:
    if request is None:
        return bool(part.context) and part.context[-1].leaves is None
    return any(
        interval.enters <= request and (interval.leaves is None or interval.leaves > request)
        for interval in part.context
    )


def _add_claude(entries: list[Entry], message: Message, parts: list[Part]) -> None:
    """A message as Claude Code sends it.

    User messages in a row are one, results first; assistant turns of nothing but thinking or blanks are dropped.
    """
    if message.role == "assistant":
        if message.origin != "model":
            return  # written by the client in the place of an answer, and never sent
        blocks = [_claude_block(part) for part in parts]
        if all(block.kind == "thinking" or _is_blank(block) for block in blocks):
            return
        role = "assistant"
    else:
        blocks = [_claude_block(part) for part in parts]
        role = "user"
    if role == "user" and entries and entries[-1].role == "user":
        entry = entries[-1]
        # What was queued between a result and the next one is sent after the results.
        if any(block.kind == "result" for block in blocks) and any(b.kind != "result" for b in entry.blocks):
            results = [block for block in [*entry.blocks, *blocks] if block.kind == "result"]
            rest = [block for block in [*entry.blocks, *blocks] if block.kind != "result"]
            entry.blocks = results + rest
        else:
            entry.blocks += blocks
    else:
        entry = Entry(len(entries), role, role, None, blocks, line=message.line)  # type: ignore[arg-type]
        entries.append(entry)
    for block in blocks:
        block.entry = entry
    entry.raw = {"role": role, "content": [block.raw for block in entry.blocks]}


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
