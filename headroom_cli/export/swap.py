"""Replacing a folder as a whole: whoever looks, at whatever moment, sees the old one or the new one.

Linux and macOS can exchange two paths in one step. Elsewhere two renames do it; if the process dies between them,
`recover` puts the old folder back before anything else is done.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from pathlib import Path

NEW_SUFFIX = ".headroom-new"
OLD_SUFFIX = ".headroom-old"

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2  # linux/fs.h
_RENAME_SWAP = 2  # sys/stdio.h of macOS


def staging(target: Path) -> Path:
    """Where the new folder is built: beside the target, so that it lies on the same file system."""
    return target.with_name(target.name + NEW_SUFFIX)


def leftovers(target: Path) -> tuple[Path, Path]:
    """Where a run that died may have left the old folder, and a half-built new one."""
    return target.with_name(target.name + OLD_SUFFIX), staging(target)


def recover(target: Path) -> None:
    """Undo what a run that died left behind: a half-built new folder, an old one not put back or not removed."""
    old, _ = leftovers(target)
    if old.exists() and not target.exists():
        old.rename(target)
    for leftover in leftovers(target):
        if leftover.exists():
            shutil.rmtree(leftover)


def replace(target: Path) -> None:
    """Put the staged folder in the place of the target, and remove what stood there."""
    new = staging(target)
    sync_tree(new)
    if not target.exists():
        new.rename(target)
    elif _exchange(new, target):
        shutil.rmtree(new)
    else:
        old = target.with_name(target.name + OLD_SUFFIX)
        target.rename(old)
        new.rename(target)
        shutil.rmtree(old)
    _sync(target.parent)


def sync_tree(folder: Path) -> None:
    """Have all files of a folder, and the folders themselves, on the disk."""
    for root, _, names in os.walk(folder):
        for name in names:
            _sync(Path(root, name))
        _sync(Path(root))


def _sync(path: Path) -> None:
    if os.name == "nt":  # folders cannot be opened there, and renames are durable
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two paths in one step; False where the system or the file system can't."""
    names = os.fsencode(one), os.fsencode(other)
    if sys.platform == "win32":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        if sys.platform == "darwin":
            return int(libc.renamex_np(*names, _RENAME_SWAP)) == 0
        return int(libc.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE)) == 0
    except AttributeError:  # an older C library
        return False
