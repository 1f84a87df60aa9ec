"""What lint judges: one history as it was, or would be, sent to a provider; never the lines of a log.

A history holds *entries* (messages or items, as they stand on the wire) made of *blocks*. Both keep their raw form,
for what the wire accepts depends on details that mean nothing to a model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

BlockKind = Literal["text", "thinking", "call", "result", "server_call", "server_result", "media", "reference", "other"]
JudgedAs = Literal["request", "history", "training"]
Pointer = tuple[str | int, ...]
"""Keys and indices from a value down to one inside it: the tokens of a JSON Pointer (RFC 6901)."""


@dataclass(slots=True, eq=False)
class Block:
    """One piece of an entry. `type` is its name on the wire (`tool_use`, `function_call`, `toolResult`, `text` …).

    `id` is a call's own id; of a result, the id of the call that it answers; None where there is none or it is no
    string. `value` is what it carries, unchecked: the text, the arguments of a call, the content of a result, the
    text of thinking. `path` leads to the block from its entry's raw form. `line` is the physical line it came from.
    """

    kind: BlockKind
    type: str
    raw: Any
    path: Pointer = ()
    line: int = 0
    id: str | None = None
    name: str = ""
    value: Any = None
    entry: Entry = field(init=False, repr=False)

    @property
    def place(self) -> str:
        """Where it stands in a request, as Anthropic and Bedrock write it: `messages.2.content.0`."""
        path = self.path or ("content", self.entry.blocks.index(self))
        return ".".join(map(str, ("messages", self.entry.index, *path)))


@dataclass(slots=True, eq=False)
class Entry:
    """One message or item as it stands on the wire. `role` as given; `side` says whose turn it is part of.

    `path` leads to it from the body of the request; `index` is its place there.
    """

    index: int
    role: str
    side: Literal["assistant", "user", "system"]
    raw: Any
    blocks: list[Block] = field(default_factory=list)
    path: Pointer = ()
    line: int = 0

    def of_kind(self, *kinds: BlockKind) -> list[Block]:
        """Its blocks of these kinds."""
        return [block for block in self.blocks if block.kind in kinds]


@dataclass(slots=True, eq=False)
class Turn:
    """Consecutive entries of one side, as a provider that merges them sees them; else one entry."""

    index: int
    side: Literal["assistant", "user", "system"]
    entries: list[Entry]

    @property
    def blocks(self) -> list[Block]:
        """The blocks of all its entries."""
        return [block for entry in self.entries for block in entry.blocks]


@dataclass(eq=False)
class History:
    """One history in one wire dialect, with what stands around it.

    `body` is the request's envelope, or the row that held the messages; {} where there is none. `system` and `tools`
    are raw; None = not recorded. `anchor` is the value on `line` that `Entry.path` starts from; None where entries
    and blocks lie on lines of their own (session logs). `complete` is False where the log begins in the middle, or the
    server holds more of the history. `is_branch`: it is a subagent's, or of another thread beside the main one. `wire`
    is False where the log does not keep the provider's own form: then only pairing can be judged. `replaced` are the
    strings of the file, by line, that held lone surrogates; None where strings stand as given.
    """

    dialect: str
    judged_as: JudgedAs
    entries: list[Entry]
    path: str = ""
    line: int = 0
    body: dict[str, Any] = field(default_factory=dict)
    anchor: Any = None
    system: Any = None
    tools: list[Any] | None = None
    model: str | None = None
    log_format: str = ""
    client: str | None = None
    conversation_id: str = ""
    session_id: str | None = None
    epoch: int = 0
    complete: bool = True
    is_branch: bool = False
    wire: bool = True
    last_epoch: bool = True
    replaced: dict[int, list[str]] | None = None

    @cached_property
    def blocks(self) -> list[Block]:
        """All blocks, in order."""
        return [block for entry in self.entries for block in entry.blocks]

    @cached_property
    def by_kind(self) -> dict[BlockKind, list[Block]]:
        """All blocks by kind; kinds that do not occur are missing."""
        found: dict[BlockKind, list[Block]] = {}
        for block in self.blocks:
            if block.kind in found:
                found[block.kind].append(block)
            else:
                found[block.kind] = [block]
        return found

    def of_kind(self, kind: BlockKind) -> list[Block]:
        """All blocks of a kind, in order."""
        return self.by_kind.get(kind, [])

    @cached_property
    def merged_turns(self) -> list[Turn]:
        """Turns as a provider sees them that merges consecutive entries of one side. System entries stand between."""
        turns: list[Turn] = []
        for entry in self.entries:
            if turns and turns[-1].side == entry.side:
                turns[-1].entries.append(entry)
            else:
                turns.append(Turn(len(turns), entry.side, [entry]))
        return turns

    @cached_property
    def single_turns(self) -> list[Turn]:
        """Each entry as a turn of its own."""
        return [Turn(index, entry.side, [entry]) for index, entry in enumerate(self.entries)]

    @property
    def spares_frontier(self) -> bool:
        """Whether the end may be open: a log that was cut, or goes on, is no error; a request must be complete."""
        return self.judged_as != "request"
