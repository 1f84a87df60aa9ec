"""One export: which files are read, what an earlier export of the same folder still knows, what is written."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from headroom_cli.analysis import Analyser
from headroom_cli.cost import PriceList
from headroom_cli.export import dataset, redact
from headroom_cli.export.frames import exported
from headroom_cli.export.state import DamagedState, Known, State, load, no_texts, save, unchanged
from headroom_cli.frames import merge, of_files
from headroom_cli.result import FileReport
from headroom_cli.run import Progress, Wanted, gather
from headroom_cli.settle import settle
from headroom_cli.source.discover import Found
from headroom_cli.source.stamps import stamp_of
from headroom_cli.source.walk import path_text
from headroom_cli.version import __version__


@dataclass(frozen=True, slots=True)
class Options:
    """What is written, and how. `only`: these tables (None: all). `key`: what hashes are keyed with, if redacted."""

    layout: dataset.Layout = field(default_factory=dataset.Layout)
    only: tuple[str, ...] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    with_text: bool = False
    update: bool = False
    key: bytes | None = None
    jobs: int = 1
    prices: PriceList = field(default_factory=PriceList)


@dataclass(frozen=True, slots=True)
class Summary:
    """What an export did: rows and bytes by table, files read and files known from before, conversations by fate."""

    rows: dict[str, int]
    bytes: int
    files_read: int
    files_kept: int
    files_gone: int
    added: list[str]
    replaced: list[str]
    reports: list[FileReport]


def export(
    files: Sequence[Found], analyser: Analyser, target: Path, options: Options, *, progress: Progress | None = None
) -> Summary:
    """Read what has to be read, settle everything, and put the new dataset in the place of the old one.

    Raises DatasetProblem where the target can't be used.
    """
    with dataset.building(target) as folder:
        try:
            before = load(target / dataset.STATE) if options.update else None
        except DamagedState as problem:
            raise dataset.DatasetProblem(
                f"{target} can't be updated: what it keeps in {dataset.STATE} is damaged, or another version's; "
                "export it anew"
            ) from problem
        if options.update and before is None and dataset.manifest(target) is not None:
            raise dataset.DatasetProblem(
                f"{target} can't be updated: it keeps no state (it was redacted, or made by another version)"
            )
        state, read = _gathered(files, analyser, options, before, progress)
        tables = _tables(state, analyser, options)
        added, replaced = _changes(before, state)
        labels = dict(sorted(options.labels.items()))
        if options.key is not None:
            labels = redact.redacted_labels(labels, options.key)
            added, replaced = (redact.redacted_conversations(ids, options.key) for ids in (added, replaced))
        body = dataset.write_dataset(
            folder,
            tables,
            options.layout,
            {
                "prices": options.prices.title,
                "options": {
                    "format": options.layout.format,
                    "partition_by": ["month"] if options.layout.by_month else [],
                    "labels": labels,
                    "with_text": options.with_text,
                    "redacted": options.key is not None,
                },
                "files_read": len(read),
                "conversations_added": added,
                "conversations_replaced": replaced,
            },
            options.only,
        )
        if options.key is None:
            save(state, folder / dataset.STATE)
    size = sum(part["bytes"] for table in body["tables"].values() for part in table["parts"])
    gone = sum(path not in read and stamp_of(path) != known.stamp for path, known in state.known.items())
    return Summary(
        {name: table["rows"] for name, table in body["tables"].items()},
        size,
        len(read),
        len(state.known) - len(read) - gone,
        gone,
        added,
        replaced,
        [known.report for path, known in state.known.items() if path in read],
    )


def tables_of(
    files: Sequence[Found], analyser: Analyser, options: Options, *, progress: Progress | None = None
) -> dict[str, pl.DataFrame]:
    """The tables that an export would write, without writing any."""
    state, _ = _gathered(files, analyser, options, None, progress)
    return _tables(state, analyser, options)


def _tables(state: State, analyser: Analyser, options: Options) -> dict[str, pl.DataFrame]:
    settled = settle(state.frames, prices=options.prices, ignored_signals=analyser.settings.ignored_signals)
    tables = exported(settled, state.known, texts=state.texts if options.with_text else None)
    if options.key is not None:
        tables = redact.redacted(tables, options.key)
    return tables


def _gathered(
    files: Sequence[Found],
    analyser: Analyser,
    options: Options,
    before: State | None,
    progress: Progress | None,
) -> tuple[State, set[str]]:
    """The state after reading what is new, and the paths that were read."""
    fingerprint = f"{__version__} {options.with_text} {analyser.settings}"
    found = {path_text(file.path): file for file in files}
    known = dict(before.known) if before is not None else {}
    same = unchanged(known, list(found)) if before is not None and before.fingerprint == fingerprint else set()
    stale = sorted((path, file) for path, file in found.items() if path not in same)
    stamps = {path: stamp_of(path) for path, _ in stale}
    wanted = Wanted(exported=True, with_text=options.with_text)
    gathered = gather([file for _, file in stale], analyser, wanted, jobs=options.jobs, progress=progress)
    now = time.time_ns() // 1000
    emptied = {
        report.path
        for report in gathered.reports
        if report.skipped and report.path in known and known[report.path].report.conversations
    }
    for report in gathered.reports:
        earlier = known.get(report.path)
        if report.path in emptied:
            continue  # what it once gave is kept, as of files that are gone
        known[report.path] = Known(
            report,
            stamps.get(report.path) or (report.bytes, 0, 0),
            earlier.first_seen_at if earlier is not None else now,
            now,
            dict(options.labels),
        )
    read = {report.path for report in gathered.reports} - emptied
    order = sorted(known)
    texts = pl.DataFrame(
        {"content_hash": list(gathered.texts), "text": list(gathered.texts.values())}, no_texts().schema
    )
    frames = gathered.frames
    if before is not None:
        kept = of_files(before.frames, [path for path in order if path not in read])
        frames = merge([kept, frames])
        texts = pl.concat([before.texts, texts]).unique("content_hash", keep="first", maintain_order=True)
    return State(fingerprint, {path: known[path] for path in order}, of_files(frames, order), texts), read


def _changes(before: State | None, after: State) -> tuple[list[str], list[str]]:
    """Conversations that are new, and those whose rows are others than before."""
    had = _marks(before) if before is not None else {}
    has = _marks(after)
    return (
        sorted(name for name in has if name not in had),
        sorted(name for name, mark in has.items() if had.get(name, mark) != mark),
    )


def _marks(state: State) -> dict[str, tuple[object, ...]]:
    columns = ("messages", "requests", "ended_at", "path")
    return {row[0]: row[1:] for row in state.frames.conversations.select("conversation_id", *columns).iter_rows()}
