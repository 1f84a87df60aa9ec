"""Consecutive requests of one conversation: what the later one kept of the one before, and what it changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from headroom_cli.lint.history import Block, History
from headroom_cli.lint.sent import Session
from headroom_cli.model import Sent


@dataclass(slots=True, eq=False)
class Step:
    """Two requests in a row. `kept`: so many messages of the first stand unchanged at the beginning of the second.

    `messages` are those of the second, and of requests that only append to it; `history` is what they are judged as.
    """

    before: Sent
    after: Sent
    kept: int
    messages: list[Any]
    history: History | None

    @property
    def appends(self) -> bool:
        """Whether all messages of the first are there, unchanged."""
        return self.kept == self.before.length

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[Block]:
        """The blocks of the second request's messages from `start` on."""
        if self.history is not None:
            end = self.after.length if stop is None else min(stop, self.after.length)
            for entry in self.history.entries[start:end]:
                yield from entry.blocks


def steps(session: Session) -> list[Step]:
    """All pairs of consecutive requests that carry their whole history, in order."""
    requests = [sent for sent in session.requests if sent.parent is None and sent.previous_response_id is None]
    histories = {id(history.anchor): history for history in session.histories if history.anchor is not None}
    found: list[Step] = []
    holder: Sent | None = None  # the request whose messages begin with those of `after`
    for before, after in zip(reversed(requests[:-1]), reversed(requests[1:]), strict=True):
        if after.messages is not None:
            holder = after
        if holder is None or holder.messages is None:
            continue
        kept = before.length if before.messages is None else _common(before.keys, holder.keys[: after.length])
        found.append(Step(before, after, kept, holder.messages, histories.get(id(holder.anchor))))
    return found[::-1]


def _common(one: list[bytes], other: list[bytes]) -> int:
    if other[: len(one)] == one:
        return len(one)
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
