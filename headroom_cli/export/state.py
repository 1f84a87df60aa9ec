"""What a dataset remembers for its next update: every file's rows before settling, and what the files were like.

It lies in `OUT/_state` (readers skip names that begin with `_`). With it, an update reads only files that changed, and
keeps what files that no longer exist once gave; settling always runs over everything.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from headroom_cli.frames import EXPORTED, FRAME_NAMES, SCHEMAS, Frames
from headroom_cli.model import Damage
from headroom_cli.result import FileReport
from headroom_cli.source.stamps import Stamp, stamp_of

_FILES = "files.json"
_TEXTS = "texts"
_MOST = 2**63


class DamagedState(Exception):  # noqa: N818
    """What a dataset remembers is not as it was written."""


@dataclass(frozen=True, slots=True)
class Known:
    """A file as it was when it was last read. `stamp` is its size and times."""

    report: FileReport
    stamp: Stamp
    first_seen_at: int
    last_read_at: int
    labels: dict[str, str]


@dataclass(frozen=True, slots=True)
class State:
    """The rows of all known files before settling. `fingerprint` is what they depend on besides the files."""

    fingerprint: str
    known: dict[str, Known]
    frames: Frames
    texts: pl.DataFrame


def save(state: State, folder: Path) -> None:
    """Write the state into a folder that is made for it."""
    folder.mkdir()
    for name in FRAME_NAMES:
        getattr(state.frames, name).write_parquet(_part(folder, name), compression="zstd", compression_level=1)
    state.texts.write_parquet(_part(folder, _TEXTS), compression="zstd")
    sums = {name: zlib.crc32(_part(folder, name).read_bytes()) for name in (*FRAME_NAMES, _TEXTS)}
    body = {"fingerprint": state.fingerprint, "sums": sums, "files": [asdict(known) for known in state.known.values()]}
    (folder / _FILES).write_bytes(orjson.dumps(body))


def load(folder: Path) -> State | None:
    """The state in a folder; None where there is none. Raises `DamagedState`."""
    try:
        data = (folder / _FILES).read_bytes()
    except FileNotFoundError:
        return None
    try:
        body = orjson.loads(data)
        known = [_known(entry) for entry in body["files"]]
        tables = {name: _read(folder, name, body["sums"][name]) for name in (*FRAME_NAMES, _TEXTS)}
        texts = tables.pop(_TEXTS)
        return State(body["fingerprint"], {entry.report.path: entry for entry in known}, Frames(**tables), texts)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, pl.exceptions.PolarsError) as problem:
        raise DamagedState from problem


def _part(folder: Path, name: str) -> Path:
    return folder / f"{name}.parquet"


def _read(folder: Path, name: str, known_sum: int) -> pl.DataFrame:
    data = _part(folder, name).read_bytes()
    if zlib.crc32(data) != known_sum:
        raise DamagedState
    frame = pl.read_parquet(io.BytesIO(data))
    expected = no_texts().schema if name == _TEXTS else pl.Schema({**SCHEMAS[name], **EXPORTED.get(name, {})})
    if frame.schema != expected:
        raise DamagedState
    return frame


def _known(entry: dict[str, Any]) -> Known:
    report, labels, stamp = entry["report"], entry["labels"], tuple(entry["stamp"])
    first, last = entry["first_seen_at"], entry["last_read_at"]
    report["damaged"] = [Damage(**damage) for damage in report["damaged"]]
    words = [report["path"], report["log_format"], *report["notes"], *report["unknown"], *labels, *labels.values()]
    numbers = [report[name] for name in ("bytes", "records", "conversations")]
    numbers += [first, last, *stamp, *report["unknown"].values(), *(damage.line for damage in report["damaged"])]
    if not all(isinstance(word, str) for word in words) or not all(
        type(number) is int and -_MOST <= number < _MOST for number in numbers
    ):
        raise DamagedState
    return Known(FileReport(**report), stamp, first, last, labels)


def no_texts() -> pl.DataFrame:
    """A table of texts with nothing in it."""
    return pl.DataFrame(schema={"content_hash": pl.String, "text": pl.String})


def unchanged(known: dict[str, Known], paths: Sequence[str]) -> set[str]:
    """Of these files, those that are as they were when they were last read."""
    return {path for path in paths if path in known and known[path].stamp == stamp_of(path)}
