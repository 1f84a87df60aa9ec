"""Many files, one run: read, analyse, keep columns, settle. A file that can't be read costs itself, never the run."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from headroom_cli.analysis import Analyser
from headroom_cli.logs import read_log, read_stream
from headroom_cli.model import Reading
from headroom_cli.result import FileReport, Run
from headroom_cli.selection import Selection
from headroom_cli.settle import settle
from headroom_cli.source.discover import Found
from headroom_cli.tables import Tables

_BATCH_BYTES = 8_000_000
_COLLECT_EVERY = 16

Progress = Callable[[int, int], None]
"""Called after each file with the files and bytes done so far."""


def analyse_files(
    files: Iterable[Found],
    analyser: Analyser,
    *,
    selection: Selection | None = None,
    tool_units: bool = False,
    exported: bool = False,
    progress: Progress | None = None,
) -> Run:
    """Read and analyse `files` in order, then settle what spans them; `exported` keeps the columns of an export too."""
    tables = Tables(exported=exported)
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
    return Run(settle(tables.frames(), selection), reports, units, selection or Selection())


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
