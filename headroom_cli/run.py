"""Many files, one run: read, analyse, keep columns, settle. A file that can't be read costs itself, never the run."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from headroom_cli.analysis import Analyser, Settings
from headroom_cli.cost import PriceList
from headroom_cli.frames import Frames, merge, of_files
from headroom_cli.logs import open_log
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
_SLICE_MESSAGES = 3_000  # analysed together, and more only if a conversation has more
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
            waiting = _Waiting()
            for found in batch:
                reading, conversations = _open(found, analyser.settings.limits, keeps_sent=wanted.exported)
                judge = _FileJudge(reading, analyser.settings.limits) if wanted.exported else None
                given = 0
                for conversation in conversations:
                    given += 1
                    if judge is not None:
                        judge.take(conversation, tables.conversations + len(waiting.conversations))
                    if waiting.add(conversation):
                        _analyse(waiting.take(), analyser, tables, units if wanted.tool_units else None)
                if judge is not None:
                    judge.finish(found, tables)
                reports.append(_report(reading, found, given))
                done += found.size
                if progress:
                    progress(len(reports), done)
            _analyse(waiting.take(), analyser, tables, units if wanted.tool_units else None)
            if number % _COLLECT_EVERY == 0:
                gc.collect()
    analyser.forget()
    return Gathered(tables.frames(), reports, units, tables.texts or {})


class _Waiting:
    """Conversations that are read, and wait to be analysed together."""

    def __init__(self) -> None:
        self.conversations: list[Conversation] = []
        self._messages = 0

    def add(self, conversation: Conversation) -> bool:
        """One more; whether there are enough now."""
        self.conversations.append(conversation)
        self._messages += len(conversation.messages) + 1  # those without messages count too
        return self._messages >= _SLICE_MESSAGES

    def take(self) -> list[Conversation]:
        """All of them, which wait no longer."""
        taken, self.conversations, self._messages = self.conversations, [], 0
        return taken


def _analyse(
    conversations: list[Conversation],
    analyser: Analyser,
    tables: Tables,
    units: dict[int, list[tuple[int, list[int]]]] | None,
) -> None:
    for analysis in analyser.analyse(conversations):
        if units is not None:
            units[tables.conversations] = analysis.history.units
        tables.add(analysis)


def _open(found: Found, limits: Limits, *, keeps_sent: bool) -> tuple[Reading, Iterator[Conversation]]:
    if found.stdin:
        return open_log(sys.stdin.buffer, "-", keeps_sent=keeps_sent, limits=limits)
    return open_log(found.path, keeps_sent=keeps_sent, limits=limits)


class _FileJudge:
    """Judges the conversations of one file by the default rules, for the tables of an export."""

    def __init__(self, reading: Reading, limits: Limits) -> None:
        from headroom_cli.lint.engine import Selection
        from headroom_cli.lint.run import Judge, Options

        self._judge = Judge(reading, Options(rules=Selection().rules(), limits=limits))
        self._numbers: dict[str, int] = {}

    def take(self, conversation: Conversation, number: int) -> None:
        """Judge a conversation; `number` is what it has in the tables."""
        self._numbers[conversation.id] = number
        self._judge.take(conversation)

    def finish(self, found: Found, tables: Tables) -> None:
        """Keep what was found."""
        _, diagnosed = self._judge.finish(found.path)
        by_number: dict[int, list[Diagnostic]] = {}
        for diagnostic in diagnosed:
            by_number.setdefault(self._numbers[diagnostic.conversation_id or ""], []).append(diagnostic)
        for number, of_conversation in sorted(by_number.items()):
            tables.add_diagnostics(number, of_conversation)


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
    return Gathered(Tables(exported=wanted.exported).frames(), [_report(reading, found, 0)], {}, {})


def _report(reading: Reading, found: Found, conversations: int) -> FileReport:
    return FileReport(
        path=reading.path,
        log_format=reading.log_format,
        bytes=reading.bytes,
        records=reading.records,
        conversations=conversations,
        damaged=reading.damaged,
        unknown=reading.unknown,
        skipped=reading.skipped,
        notes=reading.notes,
        named=found.named,
    )
