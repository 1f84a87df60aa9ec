"""Walking directories for log files: sorted, each file once, symlink loops end, what cannot be read is reported."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

COMPRESSED_SUFFIXES = (".gz", ".zst", ".zstd")
LOG_SUFFIXES = (".jsonl", ".ndjson", ".json", ".traj")
SESSION_SUFFIXES = (".jsonl",)
YAML_SUFFIXES = (".yaml", ".yml")
GOLDEN_SUFFIXES = (*LOG_SUFFIXES, ".har", *YAML_SUFFIXES)
"""Files that lint takes from a directory: also those that tests keep."""

_SKIPPED_DIRECTORIES = frozenset(
    {".git", ".hg", ".svn", ".jj", "node_modules", ".venv", "venv", "site-packages", "__pycache__", ".tox", ".nox"}
    | {".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
)
_SIDECAR_SUFFIX = ".meta.json"
_CLIENT_FILES = frozenset({"history.jsonl", "session_index.jsonl", "journal.jsonl"})
_CLIENT_DIRECTORIES = frozenset({".claude", ".codex"})


@dataclass(frozen=True, slots=True)
class Found:
    """A log file. `size` in bytes and `mtime` in seconds since the epoch, as they were; `named`: not from a walk."""

    path: Path
    size: int
    mtime: float
    named: bool = False
    stdin: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was there and could not be read. `reason` is a short fixed phrase."""

    path: Path
    reason: str


@dataclass(slots=True)
class Collection:
    """Files gathered from several places, each once, however many ways lead to it."""

    files: dict[object, Found] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    suffixes: tuple[str, ...] = LOG_SUFFIXES

    def add(self, path: Path, status: os.stat_result, *, named: bool) -> None:
        """Take a file; one that was named stays named."""
        key = _identity(path, status)
        if named or key not in self.files:
            regular = stat.S_ISREG(status.st_mode)
            self.files[key] = Found(path, status.st_size if regular else 0, status.st_mtime, named)

    def walk(self, root: Path, *, sessions_only: bool) -> None:
        """Take the log files under `root`; `sessions_only`: in a client's own directory, only what can be sessions."""
        suffixes = SESSION_SUFFIXES if sessions_only else self.suffixes
        seen = set(_ancestors(root))
        pending = [root]
        while pending:
            directory = pending.pop()
            try:
                with os.scandir(directory) as entries:
                    names = sorted(entries, key=lambda entry: entry.name)
            except OSError as error:
                self.skipped.append(Skipped(directory, reason_of(error)))
                continue
            in_client = sessions_only or not _CLIENT_DIRECTORIES.isdisjoint(directory.parts)
            present = {entry.name for entry in names}
            for entry in names:
                is_log = _is_log(entry.name, suffixes, present, in_client)
                try:
                    is_directory = entry.is_dir()
                    if not is_log and not is_directory:
                        continue
                    status = os.stat(entry.path)
                except OSError as error:
                    if is_log:
                        self.skipped.append(Skipped(directory / entry.name, reason_of(error)))
                    continue
                path = directory / entry.name
                if is_directory:
                    identity = _identity(path, status)
                    if entry.name not in _SKIPPED_DIRECTORIES and identity not in seen:
                        seen.add(identity)
                        pending.append(path)
                elif stat.S_ISREG(status.st_mode):
                    self.add(path, status, named=False)
                else:
                    self.skipped.append(Skipped(path, "not a regular file"))


def path_text(path: str | Path) -> str:
    """A path as reports name it: bytes of a name that are not UTF-8 are written `\\xff`, for a report is UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def log_stem(name: str) -> str:
    """A file name without what it says about form: `a.jsonl.zst` -> `a`."""
    for suffix in COMPRESSED_SUFFIXES:
        name = name.removesuffix(suffix)
    for suffix in LOG_SUFFIXES:
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return name


def reason_of(error: OSError | ValueError) -> str:
    """Why a path could not be used, as a short fixed phrase."""
    if isinstance(error, PermissionError):
        return "permission denied"
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, NotADirectoryError):
        return "not a directory"
    return "cannot be read"


def _is_log(name: str, suffixes: tuple[str, ...], present: set[str], in_client: bool) -> bool:
    plain = name
    for suffix in COMPRESSED_SUFFIXES:
        plain = plain.removesuffix(suffix)
    if not plain.endswith(suffixes) or plain.endswith(_SIDECAR_SUFFIX):
        return False
    if name.endswith(".zst") and plain in present:  # Codex at work: the plain twin is the newer one
        return False
    return not (in_client and plain in _CLIENT_FILES)


def _identity(path: Path, status: os.stat_result) -> object:
    return (status.st_dev, status.st_ino) if status.st_ino else os.path.realpath(path)


def _ancestors(root: Path) -> Iterator[object]:
    """`root` and what it lies in: a link back to any of them is not followed."""
    resolved = Path(os.path.realpath(root))
    for directory in (resolved, *resolved.parents):
        try:
            yield _identity(directory, os.stat(directory))
        except OSError:
            continue
