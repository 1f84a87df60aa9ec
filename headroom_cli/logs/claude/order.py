"""The records of a Claude Code session in the order in which they follow each other.

Clients of 2026 (2.1.16x) write their lines as they come, so that a result may stand some lines before the call that it
answers, whose uuid it names as its parent. It is read after it. A parent that does not come soon was lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from headroom_cli.source.records import Record

AHEAD = 64
"""How many records further down a parent is looked for: two to five of them in real sessions."""


def in_order(records: Iterable[Record], is_known: Callable[[str], bool]) -> Iterator[Record]:
    """The records, each that names one further down as its parent behind that one.

    `is_known` says of a uuid whether its record has been taken in; it is asked when the next record is due.
    """
    source = iter(records)
    ahead: deque[Record] = deque()
    held: dict[str, list[Record]] = {}  # by the uuid that they wait for
    waits_for: dict[str | None, str] = {}  # by the uuid of who waits
    while record := (ahead.popleft() if ahead else next(source, None)):
        uuid, parent = _links(record)
        if parent is not None and not is_known(parent):
            ahead.extend(islice(source, AHEAD - len(ahead)))
            first = parent
            while first in waits_for:
                first = waits_for[first]
            # Records that name each other all around come as they stand.
            if (
                first != uuid
                and uuid not in waits_for
                and (first != parent or any(_links(later)[0] == parent for later in ahead))
            ):
                held.setdefault(parent, []).append(record)
                if uuid is not None:
                    waits_for[uuid] = parent
                continue
        yield record
        if uuid is not None and uuid in held:
            followers = held.pop(uuid)
            for follower in followers:
                waits_for.pop(_links(follower)[0], "")
            ahead.extendleft(reversed(followers))


def _links(record: Record) -> tuple[str | None, str | None]:
    """The uuid of a record, and that of its parent."""
    value = record.value
    if type(value) is not dict:
        return None, None
    uuid, parent = value.get("uuid"), value.get("parentUuid")
    return uuid if type(uuid) is str else None, parent if type(parent) is str else None
