"""Usage in a Codex rollout: which `token_count` is a new request, and which output items it belongs to.

A `token_count` event is repeated on every rate limit update, resume and compaction: about half of them say nothing
new. A new request is one whose running total differs from the one before and whose last usage is not empty. Where the
event stands relative to its items changed four times, so it is paired by order within a stretch of the session, never
by a fixed position.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from headroom_cli.model import Usage
from headroom_cli.wire.base import count

_COUNTERS = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
    "total_tokens",
)


class Counters(NamedTuple):
    """The six counters of a Codex usage object; None = not recorded. Input includes cached, output reasoning."""

    input: int | None
    cached: int | None
    cache_write: int | None
    output: int | None
    reasoning: int | None
    total: int | None

    @property
    def empty(self) -> bool:
        """Neither input nor output: no request, or only an estimate in `total`."""
        return not (self.input or self.output)

    def usage(self) -> Usage:
        """In the project's terms."""
        uncached = None
        if self.input is not None:
            uncached = max(0, self.input - (self.cached or 0) - (self.cache_write or 0))
        return Usage(
            input_tokens=self.input,
            uncached_input_tokens=uncached,
            cache_read_input_tokens=self.cached,
            cache_write_input_tokens=self.cache_write,
            output_tokens=self.output,
            reasoning_output_tokens=self.reasoning,
        )

    def since(self, before: Counters) -> Counters | None:
        """The growth since `before`; None if any counter fell."""
        grown = []
        for now, then in zip(self, before, strict=True):
            if now is not None and then is not None and now < then:
                return None
            grown.append(None if now is None else now - (then or 0))
        return Counters(*grown)


def counters(value: object) -> Counters | None:
    """A usage object of a log, or None if it is none."""
    if not isinstance(value, dict):
        return None
    return Counters._make([count(value.get(name)) for name in _COUNTERS])


@dataclass(slots=True)
class UsageRecord:
    """What the log says of one API response. `unrecorded` = tokens by which the running total grew beyond it."""

    last: Counters
    ordinal: int
    total: Counters | None = None
    response_id: str | None = None
    thread_id: str | None = None
    context_limit: int | None = None
    unrecorded: int = 0

    def key(self, owner: str) -> str:
        """The identity of the response in every file that holds it; `owner` is the thread that made the request."""
        if self.response_id:
            return self.response_id
        vector = ",".join("" if n is None else str(n) for n in self.total or self.last)
        return f"codex:{owner}:{self.ordinal}:{vector}" if owner else ""


class Ledger:
    """Follows the running total of one thread and tells new requests from repeated events."""

    __slots__ = ("_awaiting_count", "_awaiting_record", "_info", "_last", "_total", "records")

    def __init__(self) -> None:
        self.records = 0
        self._info: dict[str, Any] | None = None
        self._total: Counters | None = None
        self._last: Counters | None = None
        self._awaiting_count: UsageRecord | None = None
        self._awaiting_record: UsageRecord | None = None

    def token_count(self, payload: dict[str, Any]) -> UsageRecord | None:
        """A `token_count` event: its request if it is a new one."""
        info = payload.get("info")
        if not isinstance(info, dict) or info == self._info:
            return None
        self._info = info
        total, last = counters(info.get("total_token_usage")), counters(info.get("last_token_usage"))
        before, before_last = self._total, self._last
        self._total, self._last = total or before, last
        if total is None:
            if last is None or last == before_last:
                return None
        elif total == before:
            return None
        growth = total.since(before) if total is not None and before is not None else None
        if last is None:
            last = growth or total
        if last is None or last.empty:
            return None
        twin, self._awaiting_count = self._awaiting_count, None
        if twin is not None and twin.last[:2] == last[:2] and twin.last.output == last.output:
            twin.total = total
            twin.context_limit = twin.context_limit or count(info.get("model_context_window"))
            return None
        unrecorded = 0
        if growth is not None:
            unrecorded = (growth.input or 0) + (growth.output or 0) - (last.input or 0) - (last.output or 0)
        record = self._new(last, total)
        record.context_limit = count(info.get("model_context_window"))
        record.unrecorded = max(0, unrecorded)
        self._awaiting_record = record
        return record

    def usage_record(self, payload: dict[str, Any]) -> UsageRecord | None:
        """A `token_usage_record` (0.153 and later), exact and keyed; None if it is the twin of a counted event."""
        last = counters(payload.get("usage"))
        response_id, thread_id = payload.get("response_id"), payload.get("thread_id")
        response_id = response_id if isinstance(response_id, str) and response_id else None
        thread_id = thread_id if isinstance(thread_id, str) and thread_id else None
        if last is None or (last.empty and response_id is None):
            return None
        twin, self._awaiting_record = self._awaiting_record, None
        if twin is not None and twin.last[:2] == last[:2] and twin.last.output == last.output:
            twin.response_id, twin.thread_id, twin.last = response_id, thread_id, last
            return None
        record = self._new(last, None)
        record.response_id, record.thread_id = response_id, thread_id
        self._awaiting_count = record
        return record

    def _new(self, last: Counters, total: Counters | None) -> UsageRecord:
        self._awaiting_count = self._awaiting_record = None
        self.records += 1
        return UsageRecord(last, self.records, total)


class Mark(NamedTuple):
    """A point in a stretch of a session: where a run of output items starts, or where a usage record stands."""

    position: int
    is_record: bool


class Pairing:
    """Pairs runs of output items with usage records, stretch by stretch (a stretch ends at a prompt or an abort).

    The k-th run belongs to the k-th record. Where their numbers differ, records go to the run that follows or precedes
    them, as in the stretch before. `opens` maps the position of a run to its record's (None: no usage); `lone` are the
    records without a run.
    """

    __slots__ = ("_before", "lone", "opens")

    def __init__(self) -> None:
        self.opens: dict[int, int | None] = {}
        self.lone: set[int] = set()
        self._before: bool | None = None

    def stretch(self, marks: Sequence[Mark]) -> None:
        """Pair what stands between two cuts."""
        runs = [mark.position for mark in marks if not mark.is_record]
        records = [mark.position for mark in marks if mark.is_record]
        if len(runs) == len(records):
            if runs:
                self._before = records[0] < runs[0]
            self.opens.update(zip(runs, records, strict=True))
        elif not records:
            self.opens.update(dict.fromkeys(runs))
        elif not runs:
            self.lone.update(records)
        else:
            before = self._before if self._before is not None else records[0] < runs[0]
            self._by_position(marks if before else marks[::-1])

    def _by_position(self, marks: Sequence[Mark]) -> None:
        waiting: int | None = None
        for mark in marks:
            if mark.is_record:
                if waiting is not None:
                    self.lone.add(waiting)
                waiting = mark.position
            else:
                self.opens[mark.position] = waiting
                waiting = None
        if waiting is not None:
            self.lone.add(waiting)
