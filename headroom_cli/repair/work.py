"""What a fix works on, and how it says what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from headroom_cli.lint.base import Check, Finding
from headroom_cli.lint.history import Block, Entry, History
from headroom_cli.lint.providers import Profile
from headroom_cli.repair import shapes
from headroom_cli.repair.draft import Draft


class CannotRepair(Exception):  # noqa: N818 - says why a finding stays
    """A finding that no repair removes without guessing; the text completes "left: …"."""


@dataclass(eq=False)
class Work:
    """One round of repairs of one history for one provider."""

    draft: Draft
    check: Check
    unsafe: bool = False
    emptied: dict[int, Entry] = field(default_factory=dict)
    added: dict[int, list[Any]] = field(default_factory=dict)

    @property
    def history(self) -> History:
        """The history as lint judged it in this round."""
        return self.check.history

    @property
    def profile(self) -> Profile:
        """The provider that it is repaired for."""
        return self.check.profile

    @property
    def dialect(self) -> str:
        """The wire dialect of the history."""
        return self.check.history.dialect

    @cached_property
    def order(self) -> dict[int, int]:
        """The number of each block in the history, by its identity."""
        return {id(block): number for number, block in enumerate(self.history.blocks)}

    @cached_property
    def callers(self) -> dict[int, Block]:
        """The call that a result in its place answers, by the result's identity."""
        return {id(result): call for call, result in self.check.matching.answered}

    @cached_property
    def calls_by_id(self) -> dict[str, list[Block]]:
        """Calls and results by call id."""
        found: dict[str, list[Block]] = {}
        for block in self.history.blocks:
            if block.kind in ("call", "result") and block.id is not None:
                found.setdefault(block.id, []).append(block)
        return found

    @cached_property
    def results_by_call(self) -> dict[int, Block]:
        """The result of a call, wherever it stands, by the call's identity."""
        matching = self.check.matching
        found = {id(pair.call): pair.result for pair in matching.displaced}
        return found | {id(call): result for call, result in matching.answered}

    def neighbour(self, entry: Entry, step: int) -> Entry | None:
        """The entry before or after one."""
        position = entry.index + step
        entries = self.history.entries
        return entries[position] if 0 <= position < len(entries) else None

    def place(self, block: Block) -> tuple[str | int, ...]:
        """Where a block stands, from the root."""
        return (*block.entry.path, *block.path)

    def take_out(self, block: Block) -> None:
        """Take a block out of its message; a message that this leaves empty is settled at the end of the round."""
        if block.path and block.type != "string":
            self.draft.drop(self.place(block))
            self.emptied[id(block.entry)] = block.entry
        elif block.path and len(block.entry.blocks) > 1:  # text beside calls, in a chat message
            self.draft.set(self.place(block), None)
        else:
            self.draft.drop(block.entry.path)

    def settle_empty(self) -> None:
        """Messages that have lost all their blocks go, or say that they are empty where they hold roles apart."""
        for entry in sorted(self.emptied.values(), key=lambda entry: -entry.index):
            if not self.draft.stands(entry.path):
                continue
            if self.dialect == "openai":
                self._settle_chat(entry)
                continue
            path = shapes.content_path(entry, self.dialect)
            if self.draft.length(path):
                continue
            before, after = self.neighbour(entry, -1), self.neighbour(entry, 1)
            first = entry.side == "user" and (before is None or before.side == "system")
            apart = before is not None and after is not None and before.side == after.side != entry.side
            merges = self.profile.merges_turns and entry.side == "assistant"
            if first or (apart and not merges):
                self.draft.set(path, [shapes.text(self.dialect, shapes.EMPTY, role=entry.role)])
            else:
                self.draft.drop(entry.path)

    def _settle_chat(self, entry: Entry) -> None:
        raw = self.draft.get(entry.path)
        calls = isinstance(raw.get("tool_calls"), list) and not self.draft.length((*entry.path, "tool_calls"))
        if calls:
            self.draft.drop((*entry.path, "tool_calls"))
        content = raw.get("content")
        bare = isinstance(content, list) and not self.draft.length((*entry.path, "content"))
        if bare or (calls and not content):
            if raw.get("tool_calls") or raw.get("function_call"):
                self.draft.set((*entry.path, "content"), None)
            else:
                self.draft.drop(entry.path)


Fixer = Callable[[Work, Finding], str | None]
"""Makes a repair and says what it did in words that follow "repair:"; None: not in this round, for another one touches
the same place. Raises `CannotRepair`."""
