"""What earlier runs of `analyze` found in unchanged files: columns, before anything that spans files is settled."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from headroom_cli.frames import FRAME_NAMES, Frames, merge, of_files
from headroom_cli.model import Damage
from headroom_cli.packs import Pack, Packs, too_scattered
from headroom_cli.parallel import KILLED
from headroom_cli.result import FileReport
from headroom_cli.source.stamps import Stamp


@dataclass(slots=True)
class Hits:
    """What the cache knows: the rows of these files in the order of `paths`, and what became of each.

    `scattered`: they come from so many packs that they had better be stored as one.
    """

    paths: list[str] = field(default_factory=list)
    frames: Frames | None = None
    reports: dict[str, FileReport] = field(default_factory=dict)
    scattered: bool = False


class Cache:
    """The packs that serve one program with one set of options, told by `options`."""

    def __init__(self, options: str, folder: Path | None = None) -> None:
        self._packs = Packs("analysis", options, folder, f"polars {pl.__version__}")
        self.folder = self._packs.folder

    def find(self, stamps: dict[str, Stamp | None]) -> Hits:
        """The rows of those of these files that have not changed; `stamps` in the order of the run."""
        hits = Hits()
        parts = []
        for pack, paths in self._packs.holding(stamps):
            frames = _load(pack)
            if frames is None:
                pack.remove()
                continue
            parts.append(frames if paths == list(pack.files) else of_files(frames, paths))
            hits.paths += paths
            for path in paths:
                hits.reports[path] = _report(pack.files[path][1])
            pack.touch()
        if parts:
            hits.frames = merge(parts)
        hits.scattered = too_scattered(len(parts))
        return hits

    def store(self, frames: Frames, reports: Sequence[FileReport], stamps: dict[str, Stamp | None]) -> None:
        """Keep what a run found in files. Nothing is kept, and nothing said, where that fails: it is only a cache."""
        files = {
            report.path: (stamp, asdict(report))
            for report in reports
            if (stamp := stamps.get(report.path)) is not None and report.skipped != KILLED
        }
        if files:
            self._packs.store(files, {f"{table}.arrow": _written(getattr(frames, table)) for table in FRAME_NAMES})


def _written(frame: pl.DataFrame) -> memoryview:
    buffer = io.BytesIO()
    frame.write_ipc(buffer, compression="lz4")
    return buffer.getbuffer()


def _load(pack: Pack) -> Frames | None:
    """The columns of a pack; None where anything about them is not as it was written."""
    tables: dict[str, pl.DataFrame] = {}
    for name in FRAME_NAMES:
        data = pack.part(f"{name}.arrow")
        if data is None:
            return None
        try:
            tables[name] = pl.read_ipc(data)
        except pl.exceptions.PolarsError:
            return None
    return Frames(**tables)


def _report(entry: dict[str, Any]) -> FileReport:
    return FileReport(**{**entry, "damaged": [Damage(**damage) for damage in entry["damaged"]]})
