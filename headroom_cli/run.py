"""Many files, one run: read, analyse, keep columns, settle. A file that can't be read costs itself, never the run."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from headroom_cli.analysis import Analyser
from headroom_cli.logs import read_log, read_stream
from headroom_cli.model import Reading
from headroom_cli.result import FileReport, Run
from headroom_cli.selection import Selection
from headroom_cli.settle import settle
from headroom_cli.source.discover import Found
from headroom_cli.tables import Frames, Tables

_BATCH_BYTES = 8_000_000
_COLLECT_EVERY = 16

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
    tool_units: bool = False,
    progress: Progress | None = None,
) -> Run:
    """Read and analyse `files` in order, then settle what spans them."""
    gathered = gather(files, analyser, tool_units=tool_units, progress=progress)
    chosen = selection or Selection()
    return Run(settle(gathered.frames, chosen), gathered.reports, gathered.tool_units, chosen)


def gather(
    files: Iterable[Found],
    analyser: Analyser,
    *,
    tool_units: bool = False,
    exported: bool = False,
    with_text: bool = False,
    progress: Progress | None = None,
) -> Gathered:
    """Read and analyse `files` in order. `exported` keeps the columns that only an export reads."""
    tables = Tables(exported=exported, with_text=with_text)
    reports: list[FileReport] = []
    units: dict[int, list[tuple[int, list[int]]]] = {}
    done = 0
    with _collecting_seldom():
        for number, batch in enumerate(_batches(files), start=1):
            conversations = []
            for found in batch:
                reading = read_stream(sys.stdin.buffer, "-") if found.stdin else read_log(found.path)
                reports.append(_report(reading, found))
                conversations += reading.conversations
                done += found.size
                if progress:
                    progress(len(reports), done)
            for analysis in analyser.analyse(conversations):
                if tool_units:
                    units[tables.conversations] = analysis.history.units
                tables.add(analysis)
            del conversations
            if number % _COLLECT_EVERY == 0:
                gc.collect()
    analyser.forget()
    return Gathered(tables.frames(), reports, units, tables.texts or {})


def _batches(files: Iterable[Found]) -> Iterator[list[Found]]:
    """Neighbouring files that are analysed together: scanning many texts at once costs less than many scans."""
    batch: list[Found] = []
    size = 0
    for found in files:
        if batch and size + found.size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(found)
        size += found.size
    if batch:
        yield batch


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Readers leave no cycles behind; looking for some whenever many objects were made costs a tenth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        if was_enabled:
            gc.enable()


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
