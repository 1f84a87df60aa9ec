"""Reading and writing the file that is repaired: whole or not at all, with a backup, and never under its writer."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from headroom_cli.source.stream import DEFAULT_LIMITS, Limits, over_limit

FRESH_SECONDS = 60
COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""What files of gzip and zstd begin with."""


class Snapshot(NamedTuple):
    """A file's bytes, and what tells whether it has changed since: size, time of change (ns), inode."""

    path: Path
    data: bytes
    state: tuple[int, int, int]


class TooLarge(Exception):  # noqa: N818 - a reason, which the command words
    """The file is longer than what is held in memory; the text says how long, and what reads it."""


class InUse(Exception):  # noqa: N818 - a reason, which the command words
    """The file may still be written by its client; the text says why."""


def read(path: Path, limits: Limits = DEFAULT_LIMITS, *, force: bool = False) -> Snapshot:
    """Read a file; raises `InUse` where it changes meanwhile or did in the last minute, OSError where it can't be read.

    `TooLarge` where it is over the limit for documents: a repair holds a file whole, and several times.

    A symbolic link is followed: what is written later is the file itself.
    """
    real = path.resolve(strict=True)
    if not real.is_file():
        raise OSError(errno.EINVAL, "not a regular file", str(real))
    before = _state(real)
    if before[0] > limits.document_bytes:
        raise TooLarge(over_limit("file", before[0], limits.document_bytes))
    data = real.read_bytes()
    if _state(real) != before and not force:
        raise InUse("it changed while it was read")
    return Snapshot(real, data, before)


def refuse_if_fresh(snapshot: Snapshot) -> None:
    """Raise `InUse` if the file was changed in the last minute: its client may be writing it."""
    age = time.time() - snapshot.state[1] / 1e9
    if age < FRESH_SECONDS:
        raise InUse(f"it changed {max(int(age), 0)} s ago: its client may still write it")


def write(snapshot: Snapshot, data: bytes, *, force: bool = False) -> Path:
    """Put new bytes in the place of a file, and keep the old ones beside it as `NAME.bak-N`; gives the backup's path.

    The new file is complete on disk before it takes the name; mode and owner stay. Raises `InUse` if the file has
    changed since it was read, or in the last minute.
    """
    if not force:
        refuse_if_fresh(snapshot)
        if _state(snapshot.path) != snapshot.state:
            raise InUse("it changed since it was read")
    backup = _backup(snapshot.path)
    replace(snapshot.path, data)
    return backup


def write_checked(snapshot: Snapshot, data: bytes) -> None:
    """Put new bytes in the place of a file, without a backup; raises `InUse` if it has changed since it was read."""
    if _state(snapshot.path) != snapshot.state:
        raise InUse("it changed since it was read")
    replace(snapshot.path, data)


def replace(path: Path, data: bytes) -> None:
    """Write a file whole: a new one in the same folder, flushed to disk, takes the name of the old one.

    A pipe or a device is written to, as it stands: its place cannot be taken.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        with open(path, "wb") as target:
            target.write(data)
        return
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, name)
            with contextlib.suppress(OSError, AttributeError):
                stat = path.stat()
                os.chown(name, stat.st_uid, stat.st_gid)
        else:
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise
    _sync_folder(path.parent)


def _backup(path: Path) -> Path:
    """A copy of the file as it is, under the first name that is free."""
    number = 1
    while True:
        backup = path.with_name(f"{path.name}.bak-{number}")
        try:
            with open(backup, "xb") as target, open(path, "rb") as source:
                shutil.copyfileobj(source, target)
                target.flush()
                os.fsync(target.fileno())
        except FileExistsError:
            number += 1
            continue
        except OSError:
            backup.unlink(missing_ok=True)
            raise
        shutil.copystat(path, backup)
        return backup


def _sync_folder(folder: Path) -> None:
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _state(path: Path) -> tuple[int, int, int]:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns, stat.st_ino
