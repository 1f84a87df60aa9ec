"""What earlier runs found in files that have not changed since: columns, before anything that spans files is settled.

A *pack* is what one run read: a folder with the columns and a list of its files. A file is found by path and stamp; a
pack serves only a program and options that would find the same. Packs come whole or not at all, are checked before use,
and the longest unused ones go when all together are too large: two runs at once do each other no harm.
"""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import shutil
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from headroom_cli.model import Damage
from headroom_cli.result import FileReport
from headroom_cli.source.stamps import Stamp
from headroom_cli.tables import FRAME_NAMES, Frames, merge, of_files
from headroom_cli.version import __version__

VARIABLE = "HEADROOM_CACHE_DIR"
MAX_BYTES = 2_000_000_000
"""All packs together are kept below this."""

_MANY_PACKS = 6
_MAX_PACKS = 50
_META = "pack.json"
_NEW = ".new-"
_STALE_SECONDS = 3600  # an unfinished pack this old belongs to a run that died


def cache_folder() -> Path:
    """Where packs lie: `HEADROOM_CACHE_DIR`, else the user's cache folder."""
    given = os.environ.get(VARIABLE, "")
    if given:
        return Path(given)
    import platformdirs

    return Path(platformdirs.user_cache_dir("headroom", appauthor=False))


@dataclass(frozen=True, slots=True)
class Pack:
    """One pack on disk. `files`: the stamp and report of each of its files, by path."""

    folder: Path
    fingerprint: str
    files: dict[str, tuple[Stamp, dict[str, Any]]]
    sums: dict[str, int]
    bytes: int
    used: float


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
        self.folder = (folder or cache_folder()) / "analysis"
        self.fingerprint = hashlib.sha256(f"{_program()} {options}".encode()).hexdigest()

    def find(self, stamps: dict[str, Stamp | None]) -> Hits:
        """The rows of those of these files that have not changed; `stamps` in the order of the run."""
        wanted: dict[Path, list[str]] = {}
        packs = {pack.folder: pack for pack in packs_in(self.folder) if pack.fingerprint == self.fingerprint}
        newest = sorted(packs.values(), key=lambda pack: pack.used, reverse=True)
        for path, stamp in stamps.items():
            home = next((pack for pack in newest if path in pack.files and pack.files[path][0] == stamp), None)
            if home is not None:
                wanted.setdefault(home.folder, []).append(path)
        hits = Hits()
        parts = []
        for folder, paths in wanted.items():
            frames = _load(packs[folder])
            if frames is None:
                shutil.rmtree(folder, ignore_errors=True)
                continue
            parts.append(frames if paths == list(packs[folder].files) else of_files(frames, paths))
            hits.paths += paths
            for path in paths:
                hits.reports[path] = _report(packs[folder].files[path][1])
            _touch(folder)
        if parts:
            hits.frames = merge(parts)
        hits.scattered = len(parts) > _MANY_PACKS
        return hits

    def store(self, frames: Frames, reports: Sequence[FileReport], stamps: dict[str, Stamp | None]) -> None:
        """Keep what a run found in files. Nothing is kept, and nothing said, where that fails: it is only a cache."""
        files = {
            report.path: (stamp, asdict(report)) for report in reports if (stamp := stamps.get(report.path)) is not None
        }
        if not files:
            return
        try:
            self._write(frames, files)
            _tidy(self.folder, self.fingerprint)
        except (OSError, pl.exceptions.PolarsError):
            return

    def _write(self, frames: Frames, files: dict[str, tuple[Stamp, dict[str, Any]]]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = secrets.token_hex(8)
        new = self.folder / (_NEW + name)
        new.mkdir()
        try:
            sums = {}
            for table in FRAME_NAMES:
                buffer = io.BytesIO()
                getattr(frames, table).write_ipc(buffer, compression="lz4")
                data = buffer.getbuffer()
                sums[table] = zlib.crc32(data)
                (new / f"{table}.arrow").write_bytes(data)
            meta = {"fingerprint": self.fingerprint, "files": files, "sums": sums}
            (new / _META).write_bytes(orjson.dumps(meta))
            new.rename(self.folder / name)
        finally:
            shutil.rmtree(new, ignore_errors=True)


def packs_in(folder: Path) -> Iterator[Pack]:
    """The packs in a folder; what is none, or is damaged, is passed over."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(_NEW):
            continue
        try:
            meta = orjson.loads((entry / _META).read_bytes())
            files = {path: (tuple(stamp), report) for path, (stamp, report) in meta["files"].items()}
            used = (entry / _META).stat().st_mtime
            size = sum(file.stat().st_size for file in entry.iterdir())
            yield Pack(entry, meta["fingerprint"], files, meta["sums"], size, used)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue


def clear(folder: Path | None = None) -> int:
    """Remove all packs; returns the bytes that they took."""
    place = (folder or cache_folder()) / "analysis"
    size = sum(pack.bytes for pack in packs_in(place))
    shutil.rmtree(place, ignore_errors=True)
    return size


def _load(pack: Pack) -> Frames | None:
    """The columns of a pack; None where anything about them is not as it was written."""
    tables = {}
    try:
        for name in FRAME_NAMES:
            data = (pack.folder / f"{name}.arrow").read_bytes()
            if zlib.crc32(data) != pack.sums.get(name):
                return None
            tables[name] = pl.read_ipc(data)
    except (OSError, pl.exceptions.PolarsError):
        return None
    return Frames(**tables)


def _report(entry: dict[str, Any]) -> FileReport:
    return FileReport(**{**entry, "damaged": [Damage(**damage) for damage in entry["damaged"]]})


def _touch(folder: Path) -> None:
    try:
        os.utime(folder / _META)
    except OSError:
        return


def _tidy(folder: Path, fingerprint: str) -> None:
    """Remove packs whose files all stand in newer ones, unfinished ones, and the longest unused beyond the bound."""
    packs = sorted(packs_in(folder), key=lambda pack: pack.used, reverse=True)
    seen: set[tuple[str, Stamp]] = set()
    total = 0
    for number, pack in enumerate(packs):
        held = {(path, stamp) for path, (stamp, _) in pack.files.items()}
        useless = pack.fingerprint == fingerprint and held <= seen
        total += pack.bytes
        if useless or total > MAX_BYTES or number >= _MAX_PACKS:
            total -= pack.bytes
            shutil.rmtree(pack.folder, ignore_errors=True)
        elif pack.fingerprint == fingerprint:
            seen |= held
    for entry in folder.iterdir():
        if entry.name.startswith(_NEW) and time.time() - entry.stat().st_mtime > _STALE_SECONDS:
            shutil.rmtree(entry, ignore_errors=True)


def _program() -> str:
    """What tells this program from any other that might have written a pack: its version, and its files as they lie."""
    root = Path(__file__).parent
    files = sorted(root.rglob("*.py"))
    state = [(str(file.relative_to(root)), (status := file.stat()).st_size, status.st_mtime_ns) for file in files]
    return f"{__version__} {pl.__version__} {hashlib.sha256(repr(state).encode()).hexdigest()}"
