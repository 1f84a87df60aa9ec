"""What stood in the context of each request: replays a history and writes the intervals onto its parts.

This is the only mechanism by which context is described. A reader calls `enter` when a part comes into the context,
`leave` when compaction, rollback, rewind, clearing, replacement or stripping takes it out, and `request` for each API
call. A part that comes back opens a new interval.
"""

from __future__ import annotations

from collections.abc import Iterable

from headroom_cli.model import Conversation, Interval, LeftBy, Part, Request


class ContextTracker:
    """Replays one conversation in order. Cost: constant per event, whatever the size of the context."""

    __slots__ = ("_live", "requests")

    def __init__(self) -> None:
        self._live: dict[int, tuple[Part, int]] = {}
        self.requests = 0

    def enter(self, parts: Iterable[Part]) -> None:
        """The next request sees these parts; parts that are in the context already stay as they are."""
        live, requests = self._live, self.requests
        for part in parts:
            live.setdefault(id(part), (part, requests))

    def leave(self, parts: Iterable[Part], left_by: LeftBy) -> None:
        """The next request no longer sees these parts. A part that no request saw gets no interval."""
        for part in parts:
            entry = self._live.pop(id(part), None)
            if entry is not None and entry[1] < self.requests:
                part.context += (Interval(entry[1], self.requests, left_by),)

    def request(self) -> int:
        """An API call is made over what is in the context now; returns its index."""
        self.requests += 1
        return self.requests - 1

    def live(self) -> list[Part]:
        """The parts in the context now, in the order in which they entered."""
        return [part for part, _ in self._live.values()]

    def finish(self) -> None:
        """The history ends: what is in the context stays open-ended."""
        interval = Interval(0)
        for part, enters in self._live.values():
            if enters != interval.enters:
                interval = Interval(enters)  # shared: parts that entered together stand together
            part.context += (interval,)
        self._live.clear()


def replay_append_only(conversation: Conversation, *, merge_runs: bool = False) -> None:
    """Give a plain history its context, and the requests that its assistant messages imply.

    Nothing leaves. Each assistant message is one request; with `merge_runs` (item-wise dialects, where one response is
    several messages) each run of them is one. Requests that exist already are used in order.
    """
    tracker = ContextTracker()
    tracker.enter(conversation.system)
    tracker.enter(conversation.tools)
    pending: list[Part] = []
    in_run = False
    for message in conversation.messages:
        if message.role != "assistant":
            tracker.enter(pending)
            pending.clear()
            tracker.enter(message.parts)
            in_run = False
            continue
        if not (in_run and merge_runs):
            tracker.enter(pending)
            pending.clear()
            index = tracker.request()
            if index == len(conversation.requests):
                conversation.requests.append(
                    Request(index, model=conversation.model, timestamp=message.timestamp, line=message.line)
                )
        message.request = tracker.requests - 1
        pending.extend(message.parts)
        in_run = True
    tracker.enter(pending)
    tracker.finish()
