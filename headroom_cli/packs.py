"""What earlier runs found in files that have not changed since, in packs on disk.

A *pack* is what one run read: a folder with a list of its files, and parts that hold what was found. A file is found by
path and stamp; a pack serves only a program and options that would find the same. Packs come whole or not at all, are
checked before use, and the longest unused ones go when all together are too large: two runs at once do each other no
harm.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from headroom_cli.source.stamps import Stamp
from headroom_cli.version import __version__

VARIABLE = "HEADROOM_CACHE_DIR"
MAX_BYTES = {"analysis": 2_000_000_000, "lint": 200_000_000}
"""The kinds of packs, each in a folder of that name, and below what all of a kind together are kept."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Pack:
    """One pack on disk. `files`: the stamp of each of its files and what is said of it, by path."""

    folder: Path
    fingerprint: str
    files: dict[str, tuple[Stamp, Any]]
    sums: dict[str, int]
    size: int
    used: float

    def part(self, name: str) -> bytes | None:
        """What one part holds; None where it is not as it was written."""
        try:
            data = (self.folder / name).read_bytes()
        except OSError:
            return None
        return data if zlib.crc32(data) == self.sums.get(name) else None

    def touch(self) -> None:
        """Say that it was of use."""
        try:
            os.utime(self.folder / _META)
        except OSError:
            return

    def remove(self) -> None:
        """Take it away, as far as that is possible."""
        shutil.rmtree(self.folder, ignore_errors=True)


class Packs:
    """The packs of one kind that serve this program (and `libraries`) with one set of options, told by `options`."""

    def __init__(self, kind: str, options: str, folder: Path | None = None, libraries: str = "") -> None:
        self.kind = kind
        self.folder = (folder or cache_folder()) / kind
        self.fingerprint = hashlib.sha256(f"{_program()} {libraries} {options}".encode()).hexdigest()

    def holding(self, stamps: Mapping[str, Stamp | None]) -> list[tuple[Pack, list[str]]]:
        """The packs that have some of these files as they are now, each with those paths, in the order of `stamps`."""
        packs = [pack for pack in packs_in(self.folder) if pack.fingerprint == self.fingerprint]
        packs.sort(key=lambda pack: pack.used, reverse=True)
        wanted: dict[Pack, list[str]] = {}
        for path, stamp in stamps.items():
            home = next((pack for pack in packs if path in pack.files and pack.files[path][0] == stamp), None)
            if home is not None:
                wanted.setdefault(home, []).append(path)
        return list(wanted.items())

    def store(self, files: Mapping[str, tuple[Stamp, Any]], parts: Mapping[str, bytes | memoryview]) -> None:
        """Keep a pack, and drop what it makes useless. Nothing is kept where that fails: it is only a cache."""
        try:
            self._write(files, parts)
            _tidy(self.folder, self.fingerprint, MAX_BYTES[self.kind])
        except OSError:
            return

    def _write(self, files: Mapping[str, tuple[Stamp, Any]], parts: Mapping[str, bytes | memoryview]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = secrets.token_hex(8)
        new = self.folder / (_NEW + name)
        new.mkdir()
        try:
            for part, data in parts.items():
                (new / part).write_bytes(data)
            sums = {part: zlib.crc32(data) for part, data in parts.items()}
            meta = orjson.dumps({"fingerprint": self.fingerprint, "files": files, "sums": sums})
            (new / _META).write_bytes(b"%08x\n%b" % (zlib.crc32(meta), meta))
            new.rename(self.folder / name)
        finally:
            shutil.rmtree(new, ignore_errors=True)


def too_scattered(packs: int) -> bool:
    """Whether what comes from so many packs had better be stored as one."""
    return packs > _MANY_PACKS


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
            checksum, _, written = (entry / _META).read_bytes().partition(b"\n")
            if int(checksum, 16) != zlib.crc32(written):
                continue
            meta = orjson.loads(written)
            files = {path: (tuple(stamp), report) for path, (stamp, report) in meta["files"].items()}
            used = (entry / _META).stat().st_mtime
            size = sum(file.stat().st_size for file in entry.iterdir())
            yield Pack(entry, meta["fingerprint"], files, meta["sums"], size, used)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue


def all_packs(folder: Path | None = None) -> list[Pack]:
    """The packs of every kind."""
    place = folder or cache_folder()
    return [pack for kind in MAX_BYTES for pack in packs_in(place / kind)]


def clear(folder: Path | None = None) -> int:
    """Remove all packs; returns the bytes that they took."""
    place = folder or cache_folder()
    size = sum(pack.size for pack in all_packs(place))
    for kind in MAX_BYTES:
        shutil.rmtree(place / kind, ignore_errors=True)
    return size


def _tidy(folder: Path, fingerprint: str, most: int) -> None:
    """Remove packs whose files all stand in newer ones, unfinished ones, and the longest unused beyond the bound."""
    packs = sorted(packs_in(folder), key=lambda pack: pack.used, reverse=True)
    seen: set[tuple[str, Stamp]] = set()
    total = 0
    for number, pack in enumerate(packs):
        held = {(path, stamp) for path, (stamp, _) in pack.files.items()}
        useless = pack.fingerprint == fingerprint and held <= seen
        total += pack.size
        if useless or total > most or number >= _MAX_PACKS:
            total -= pack.size
            pack.remove()
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
    return f"{__version__} {hashlib.sha256(repr(state).encode()).hexdigest()}"
