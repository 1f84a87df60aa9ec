"""Many files, one run: read, analyse, keep columns, settle. A file that can't be read costs itself, never the run."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from headroom_cli.analysis import Analyser, Settings
from headroom_cli.cost import PriceList
from headroom_cli.frames import Frames, merge, of_files
from headroom_cli.logs import read_log, read_stream
from headroom_cli.model import Conversation, Reading
from headroom_cli.parallel import KILLED, Lost, batches, spread
from headroom_cli.result import FileReport, Run
from headroom_cli.selection import Selection
from headroom_cli.settle import settle
from headroom_cli.source.discover import Found
from headroom_cli.source.memory import collecting_seldom
from headroom_cli.source.stamps import stamp_of
from headroom_cli.source.stream import Limits
from headroom_cli.source.walk import path_text
from headroom_cli.tables import Tables

if TYPE_CHECKING:
    from headroom_cli.cache import Cache
    from headroom_cli.lint.diagnostic import Diagnostic

_BATCH_BYTES = 6_000_000  # files read together: scanning many texts at once costs less than many scans
_FILE_BYTES = 20_000  # what a file counts at least, so that a batch holds few hundreds of them
_SLICE_MESSAGES = 3_000  # of a batch, analysed together
_PIECE_BYTES = 16_000_000
_WORTH_PROCESSES = 40_000_000  # bytes: starting a process takes as long as reading half of that
_COLLECT_EVERY = 64  # batches: next to nothing of what is read points back at itself

Progress = Callable[[int, int], None]
"""Called after each file with the files and bytes done so far."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What files gave, before anything that spans them is settled. `texts` by content hash, where asked for."""

    frames: Frames
    reports: list[FileReport]
    tool_units: dict[int, list[tuple[int, list[int]]]]
    texts: dict[str, str]


def analyse_files(
    files: Iterable[Found],
    analyser: Analyser,
    *,
    selection: Selection | None = None,
    prices: PriceList | None = None,
    tool_units: bool = False,
    jobs: int = 1,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Run:
    """Read and analyse `files`, then settle what spans them.

    The result is the same for any number of `jobs`, and with a `cache` or without.
    """
    wanted = Wanted(tool_units=tool_units)
    if cache is not None and not tool_units:
        gathered = _gather_cached(list(files), analyser, cache, jobs, progress)
    else:
        gathered = gather(files, analyser, wanted, jobs=jobs, progress=progress)
    chosen = selection or Selection()
    listed = prices or PriceList()
    settled = settle(gathered.frames, chosen, listed, analyser.settings.ignored_signals)
    return Run(settled, gathered.reports, gathered.tool_units, chosen, listed)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is kept of the files beside what every report reads: see `Tables`."""

    tool_units: bool = False
    exported: bool = False
    with_text: bool = False


def gather(
    files: Iterable[Found],
    analyser: Analyser,
    wanted: Wanted = Wanted(),
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Gathered:
    """Read and analyse `files` in order, in this process or (`jobs` > 1) in others."""
    given = list(files)
    if jobs > 1 and sum(found.size for found in given) >= _WORTH_PROCESSES and not any(f.stdin for f in given):
        return _gather_apart(given, analyser, wanted, jobs, progress)
    return _gather_here(given, analyser, wanted, progress)


def _gather_cached(
    files: list[Found], analyser: Analyser, cache: Cache, jobs: int, progress: Progress | None
) -> Gathered:
    """Read only files that the cache does not know as they are now."""
    stamps = {path_text(found.path): None if found.stdin else stamp_of(found.path) for found in files}
    hits = cache.find(stamps)
    fresh = [found for found in files if path_text(found.path) not in hits.reports]
    gathered = gather(fresh, analyser, jobs=jobs, progress=progress)
    if hits.frames is None:
        cache.store(gathered.frames, gathered.reports, stamps)
        return gathered
    read = [report.path for report in gathered.reports]
    frames = merge([hits.frames, gathered.frames]) if read else hits.frames
    if [*hits.paths, *read] != list(stamps):
        frames = of_files(frames, list(stamps))
    known = {**hits.reports, **{report.path: report for report in gathered.reports}}
    named = {path_text(found.path): found.named for found in files}
    reports = [replace(known[path], named=named[path]) for path in stamps]
    if hits.scattered:
        cache.store(frames, reports, stamps)
    elif read:
        cache.store(gathered.frames, gathered.reports, stamps)
    return Gathered(frames, reports, {}, {})


def _gather_here(
    files: Iterable[Found], analyser: Analyser, wanted: Wanted, progress: Progress | None = None
) -> Gathered:
    tables = Tables(exported=wanted.exported, with_text=wanted.with_text)
    reports: list[FileReport] = []
    units: dict[int, list[tuple[int, list[int]]]] = {}
    done = 0
    with collecting_seldom():
        for number, batch in enumerate(batches(files, _weight, _BATCH_BYTES), start=1):
            conversations: list[Conversation] = []
            for found in batch:
                reading = _read(found, analyser.settings.limits, keeps_sent=wanted.exported)
                reports.append(_report(reading, found))
                if wanted.exported:
                    _lint(reading, found, tables.conversations + len(conversations), tables, analyser.settings.limits)
                conversations += reading.conversations
                del reading  # it would keep what is dropped below
                done += found.size
                if progress:
                    progress(len(reports), done)
            conversations.reverse()
            while conversations:
                for analysis in analyser.analyse(_taken(conversations)):
                    if wanted.tool_units:
                        units[tables.conversations] = analysis.history.units
                    tables.add(analysis)
            if number % _COLLECT_EVERY == 0:
                gc.collect()
    analyser.forget()
    return Gathered(tables.frames(), reports, units, tables.texts or {})


def _taken(conversations: list[Conversation]) -> list[Conversation]:
    """Conversations from the end of the list, which no longer holds them: one, and more while messages are few."""
    taken = [conversations.pop()]
    messages = len(taken[0].messages)
    while conversations and messages + len(conversations[-1].messages) < _SLICE_MESSAGES:
        messages += len(conversations[-1].messages) + 1  # those without messages count too
        taken.append(conversations.pop())
    return taken


def _read(found: Found, limits: Limits, *, keeps_sent: bool) -> Reading:
    if found.stdin:
        return read_stream(sys.stdin.buffer, "-", keeps_sent=keeps_sent, limits=limits)
    return read_log(found.path, keeps_sent=keeps_sent, limits=limits)


def _lint(reading: Reading, found: Found, number: int, tables: Tables, limits: Limits) -> None:
    """Judge what was read; `number` is that of its first conversation in the tables."""
    from headroom_cli.lint.engine import Selection
    from headroom_cli.lint.run import Options, judge_reading

    _, diagnosed = judge_reading(reading, found.path, Options(rules=Selection().rules(), limits=limits))
    numbers = {conversation.id: number + place for place, conversation in enumerate(reading.conversations)}
    by_number: dict[int, list[Diagnostic]] = {}
    for diagnostic in diagnosed:
        by_number.setdefault(numbers[diagnostic.conversation_id or ""], []).append(diagnostic)
    for place, of_conversation in sorted(by_number.items()):
        tables.add_diagnostics(place, of_conversation)
    for conversation in reading.conversations:
        conversation.sent = []


class _Task:
    """What each process does with its share of the files; what it has counted is not counted again there."""

    def __init__(self, settings: Settings, wanted: Wanted) -> None:
        self._analyser = Analyser(settings=settings)
        self._wanted = wanted

    def __call__(self, files: list[Found]) -> Gathered:
        gathered = _gather_here(files, self._analyser, self._wanted)
        gc.collect()
        return gathered


def _gather_apart(
    files: list[Found], analyser: Analyser, wanted: Wanted, jobs: int, progress: Progress | None
) -> Gathered:
    done = [0, 0]

    def tell(items: list[Found]) -> None:
        done[0] += len(items)
        done[1] += sum(found.size for found in items)
        if progress:
            progress(done[0], done[1])

    results = spread(
        partial(_Task, analyser.settings, wanted),
        list(batches(files, _size, _PIECE_BYTES)),
        jobs,
        size=lambda items: sum(found.size for found in items),
        done=tell,
    )
    return joined([_lost(result.item, wanted) if isinstance(result, Lost) else result for result in results])


def joined(parts: Sequence[Gathered]) -> Gathered:
    """What was gathered apart, as if it had been gathered in one go."""
    units: dict[int, list[tuple[int, list[int]]]] = {}
    texts: dict[str, str] = {}
    number = 0
    for part in parts:
        units.update((number + conversation, found) for conversation, found in part.tool_units.items())
        texts.update(part.texts)
        number += len(part.frames.conversations)
    frames = merge([part.frames for part in parts])
    return Gathered(frames, [report for part in parts for report in part.reports], units, texts)


def _size(found: Found) -> int:
    return found.size


def _weight(found: Found) -> int:
    return max(found.size, _FILE_BYTES)


def _lost(found: Found, wanted: Wanted) -> Gathered:
    reading = Reading(path_text(found.path), bytes=found.size)
    reading.skipped = KILLED
    return Gathered(Tables(exported=wanted.exported).frames(), [_report(reading, found)], {}, {})


def _report(reading: Reading, found: Found) -> FileReport:
    return FileReport(
        path=reading.path,
        log_format=reading.log_format,
        bytes=reading.bytes,
        records=reading.records,
        conversations=len(reading.conversations),
        damaged=reading.damaged,
        unknown=reading.unknown,
        skipped=reading.skipped,
        notes=reading.notes,
        named=found.named,
    )
