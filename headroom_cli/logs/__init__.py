"""Log formats: records to conversations. Each module of `formats` is one, and nothing else registers it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from headroom_cli.logs import formats
from headroom_cli.logs.base import LogFormat, conversation_id
from headroom_cli.logs.detection.detect import HISTORY_FAMILIES, LOOKALIKES, PEEK, UNKNOWN, Verdict, detect, unwrap
from headroom_cli.model import Conversation, Damage, Reading
from headroom_cli.source.cassettes import Cassette, is_yaml
from headroom_cli.source.decode import NESTED
from headroom_cli.source.records import DEFAULT_LIMITS, Limits, Record, Records, Unreadable
from headroom_cli.source.walk import path_text

__all__ = ["known_formats", "open_log", "read_log", "read_records", "read_stream"]

_PEEK_MORE = 2000
_MAX_KEYS = 6
_MAX_KEY = 24


@cache
def known_formats() -> tuple[LogFormat, ...]:
    """All formats, sorted by name."""
    found = []
    for info in pkgutil.iter_modules(formats.__path__):
        log_format = getattr(importlib.import_module(f"{formats.__name__}.{info.name}"), "FORMAT", None)
        if isinstance(log_format, LogFormat):
            found.append(log_format)
    return tuple(sorted(found, key=lambda log_format: log_format.name))


def open_log(
    source: str | Path | BinaryIO,
    name: str | None = None,
    *,
    keeps_sent: bool = False,
    alone: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Reading, Iterator[Conversation]]:
    """The conversations of a file, or of an open binary stream, while it is read; `name` stands for its path.

    Only what of a file is not finished yet is in memory. The `Reading` is complete after the last conversation, and
    does not hold them. Content never raises: `Reading.skipped` says why nothing could be read.
    `keeps_sent` asks for `Conversation.sent`: requests in raw form. `alone` does without what other files are for.
    """
    path = name if name is not None else path_text(source) if isinstance(source, str | Path) else "-"
    reading = Reading(path, keeps_sent=keeps_sent, alone=alone)
    return reading, _read(source, reading, limits)


def read_log(
    path: str | Path, *, keeps_sent: bool = False, alone: bool = False, limits: Limits = DEFAULT_LIMITS
) -> Reading:
    """Everything one file gives, at once; otherwise as `open_log`."""
    return _whole(*open_log(path, keeps_sent=keeps_sent, alone=alone, limits=limits))


def read_stream(
    stream: BinaryIO,
    name: str = "-",
    *,
    keeps_sent: bool = False,
    alone: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Reading:
    """The same for an open binary stream; `name` stands for its path."""
    return _whole(*open_log(stream, name, keeps_sent=keeps_sent, alone=alone, limits=limits))


def read_records(records: Iterable[Record], reading: Reading) -> Reading:
    """Read records into `reading`."""
    return _whole(reading, _conversations(records, reading))


def _whole(reading: Reading, conversations: Iterable[Conversation]) -> Reading:
    reading.conversations = list(conversations)
    return reading


def _read(source: str | Path | BinaryIO, reading: Reading, limits: Limits) -> Iterator[Conversation]:
    given = 0
    try:
        records = Cassette(source, limits=limits) if is_yaml(source) else Records(source, limits=limits)  # type: ignore[arg-type]
        reading.damaged, reading.replaced = records.damaged, records.replaced
        for conversation in _conversations(records, reading):
            given += 1
            yield conversation
    except Unreadable as problem:
        if given:
            reading.damaged.append(Damage(reading.damaged[-1].line if reading.damaged else 0, problem.reason))
        else:
            reading.skipped, reading.damaged, reading.replaced = problem.reason, [], {}
            return
    reading.records = records.records
    reading.bytes = records.bytes
    if reading.skipped == "empty" and records.damaged:
        reasons = {damage.reason for damage in records.damaged}
        reading.skipped = NESTED if reasons == {NESTED} else "no JSON object in it"


def _conversations(records: Iterable[Record], reading: Reading) -> Iterator[Conversation]:
    """Detect what the records are and read them. More are looked at while nothing is recognised."""
    source = iter(records)
    head = list(islice(source, PEEK))
    verdict = detect([record.value for record in head], reading.path)
    while verdict.family == UNKNOWN and len(head) < _PEEK_MORE:
        more = list(islice(source, len(head)))
        if not more:
            break
        head += more
        verdict = detect([record.value for record in head], reading.path)
    if not head:
        reading.skipped = reading.skipped or "empty"
        return
    log_format = None if verdict.family in HISTORY_FAMILIES else _choose(verdict)
    if log_format is None:
        reading.skipped = _why_skipped(verdict)
        for _ in source:  # to the end, so that damage is counted whatever the format
            pass
        return
    reading.log_format = log_format.name
    everything: Iterable[Record] = chain(head, source)
    del head  # its records live no longer than their conversations
    if verdict.wrapper_path:
        everything = _unwrapped(everything, verdict.wrapper_path, reading)
    names: set[str] = set()
    for conversation in _told_apart(log_format.read(everything, reading.path, reading)):
        names.add(conversation.log_format)
        yield conversation
    if len(names) == 1:
        reading.log_format = names.pop()
    elif not names and reading.skipped is None:
        reading.skipped = "no conversation in it"


def _choose(verdict: Verdict) -> LogFormat | None:
    """The format that reads the most of the families found; the winner's own format if they are one client's."""
    families = verdict.families()
    candidates = [log_format for log_format in known_formats() if verdict.family in log_format.families]
    return max(candidates, key=lambda log_format: len(log_format.families & families), default=None)


def _unwrapped(records: Iterable[Record], wrapper_path: tuple[str, ...], reading: Reading) -> Iterable[Record]:
    for record in records:
        value = unwrap(record.value, wrapper_path)
        if isinstance(value, dict | list):
            yield Record(record.line, value)
        else:
            reading.unknown["unwrapped"] = reading.unknown.get("unwrapped", 0) + 1


def _told_apart(conversations: Iterable[Conversation]) -> Iterator[Conversation]:
    """Equal ids in one file are told apart by the row's ordinal among them."""
    seen: dict[str, int] = {}
    for conversation in conversations:
        ordinal = seen.get(conversation.id, 0)
        seen[conversation.id] = ordinal + 1
        if ordinal:
            conversation.id = conversation_id(conversation.id, str(ordinal))
        yield conversation


def _why_skipped(verdict: Verdict) -> str:
    if verdict.family in HISTORY_FAMILIES:
        return "prompt history, no context"
    if verdict.family in LOOKALIKES:
        return f"{LOOKALIKES[verdict.family]} logs are not read"
    if verdict.family != UNKNOWN:
        return f"no reader for {verdict.family}"
    if not verdict.histogram:
        return "unknown format"
    keys = [key for key, _ in verdict.histogram.most_common(_MAX_KEYS)]
    return f"unknown format (keys: {', '.join(_plain(key) for key in keys)})"


def _plain(key: str) -> str:
    """A key from a log, cut to what can stand in a message: letters, digits and a few signs."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "_-.$@") else "?" for c in key[:_MAX_KEY])
