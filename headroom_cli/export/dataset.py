"""A folder of tables: built beside its place, then put there as a whole.

`OUT/<table>/part-0.parquet`, or `OUT/<table>/month=2026-11/part-<16 hex>.parquet`; `OUT/_headroom.json` says what it
holds, `OUT/views.sql` makes views of it. A run that dies at any moment leaves the old dataset or the new one.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson
import polars as pl

from headroom_cli.export import swap
from headroom_cli.export.schema import SCHEMA_VERSION, TABLES, TEXTS, Table
from headroom_cli.frames import FRAME_NAMES
from headroom_cli.version import __version__

MANIFEST = "_headroom.json"
VIEWS = "views.sql"
STATE = "_state"
STATE_FILES = ("files.json", "texts.parquet", *(f"{name}.parquet" for name in FRAME_NAMES))
LOCK_SUFFIX = ".headroom-lock"

Format = Literal["parquet", "ndjson"]

_ROW_GROUP = 131_072
_PART_BYTES = 128 * 1024 * 1024
_NO_MONTH = "unknown"
_DISK_FULL = "os error 28"  # Polars' own words for ENOSPC
_OWN = frozenset({MANIFEST, VIEWS, STATE, TEXTS.name, *TABLES})
_LITTER = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})  # what desktops leave where somebody looked


class DatasetProblem(Exception):  # noqa: N818
    """The target can't be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How tables lie in files. `by_month`: one folder a UTC month in which the conversation started."""

    format: Format = "parquet"
    by_month: bool = False


@contextmanager
def building(target: Path) -> Iterator[Path]:
    """A folder beside `target` to build the dataset in; put in its place if nothing fails, else removed.

    Raises DatasetProblem where another run is at work there, or where something else lies in the place.
    """
    from filelock import FileLock, Timeout

    target = Path(os.path.realpath(target))
    if not target.name:
        raise DatasetProblem(f"{target} is no place for an export; name a folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(target.with_name(target.name + LOCK_SUFFIX), timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise DatasetProblem(f"another export is writing to {target}; wait for it, or choose another folder") from None
    try:
        for leftover in swap.leftovers(target):
            if leftover.exists() and not _is_dataset(leftover):
                raise DatasetProblem(f"{leftover} is in the way, and no part of an export: move it elsewhere")
        swap.recover(target)
        refuse_foreign(target)
        folder = swap.staging(target)
        folder.mkdir()
        try:
            yield folder
            swap.replace(target)
        except (OSError, pl.exceptions.ComputeError) as problem:
            if getattr(problem, "errno", None) == errno.ENOSPC or _DISK_FULL in str(problem):
                raise DatasetProblem(f"no space left while writing to {folder.parent}; {target} is unchanged") from None
            raise
        finally:
            if folder.exists():
                shutil.rmtree(folder)
    finally:
        lock.release()
        Path(lock.lock_file).unlink(missing_ok=True)


def refuse_foreign(target: Path) -> None:
    """Only a dataset with nothing else in it, or an empty folder, is ever replaced."""
    if not target.exists():
        return
    if not target.is_dir():
        raise DatasetProblem(f"{target} is a file; an export needs a folder")
    if any(target.iterdir()) and manifest(target) is None:
        raise DatasetProblem(f"{target} holds something else than an export; choose an empty or a new folder")
    own = _files_of(manifest(target) or {})
    for folder, _, names in os.walk(target):
        for name in sorted(names):
            entry = Path(folder, name)
            if name not in _LITTER and entry.relative_to(target).as_posix() not in own:
                raise DatasetProblem(f"{entry} is no part of the export, and would be lost: move it elsewhere")


def _files_of(described: Mapping[str, Any]) -> set[str]:
    """The files of a dataset, by their places in it."""
    tables = described.get("tables")
    parts = [
        part["path"]
        for table in (tables.values() if isinstance(tables, dict) else ())
        for part in (table.get("parts") if isinstance(table, dict) else None) or ()
        if isinstance(part, dict) and isinstance(part.get("path"), str)
    ]
    return {MANIFEST, VIEWS, *parts, *(f"{STATE}/{name}" for name in STATE_FILES)}


def _is_dataset(folder: Path) -> bool:
    """Whether a folder has nothing but what an export makes, finished or not."""
    return folder.is_dir() and all(entry.name in _OWN | _LITTER for entry in folder.iterdir())


def manifest(target: Path) -> dict[str, Any] | None:
    """What `_headroom.json` says; None where there is no dataset."""
    try:
        found = orjson.loads((target / MANIFEST).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return found if isinstance(found, dict) and "schema_version" in found else None


def write_dataset(
    folder: Path,
    tables: Mapping[str, pl.DataFrame],
    layout: Layout,
    facts: Mapping[str, Any],
    only: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Write tables (`only` some of them), views and the manifest into a folder; returns the manifest, with `facts`."""
    months = _months(tables["conversations"]) if layout.by_month else None
    tables = {name: frame for name, frame in tables.items() if only is None or name in only}
    described = {}
    for name, frame in tables.items():
        parts = list(_write_table(folder / name, TABLES.get(name), name, frame, layout, months))
        described[name] = {
            "rows": len(frame),
            "parts": [{**part, "path": f"{name}/{part['path']}"} for part in parts],
        }
    body = {"schema_version": SCHEMA_VERSION, "headroom_version": __version__, **facts, "tables": described}
    (folder / VIEWS).write_text(views(tables, layout), "utf-8", newline="\n")
    (folder / MANIFEST).write_bytes(orjson.dumps(body, option=orjson.OPT_INDENT_2) + b"\n")
    return body


def views(tables: Mapping[str, pl.DataFrame], layout: Layout) -> str:
    """SQL (DuckDB) that makes a view of each table; run it in the dataset's folder."""
    if layout.format == "ndjson":
        return "".join(
            f"CREATE OR REPLACE VIEW {name} AS FROM read_json_auto('{name}/**/*.ndjson', union_by_name=true);\n"
            for name in tables
        )
    hive = ", hive_partitioning=true" if layout.by_month else ""
    return "".join(
        f"CREATE OR REPLACE VIEW {name} AS FROM read_parquet('{name}/**/*.parquet', union_by_name=true{hive});\n"
        for name in tables
    )


def _months(conversations: pl.DataFrame) -> pl.DataFrame:
    started = pl.col("started_at").dt.strftime("%Y-%m").fill_null(_NO_MONTH)
    return conversations.select("conversation_id", _month=started)


def _write_table(
    folder: Path,
    table: Table | None,
    name: str,
    frame: pl.DataFrame,
    layout: Layout,
    months: pl.DataFrame | None,
) -> Iterator[dict[str, Any]]:
    folder.mkdir(parents=True)
    if months is None or "conversation_id" not in frame.columns:
        yield from _write_parts(folder, name, frame, layout, lambda index: f"part-{index}")
        return
    placed = frame.join(months, on="conversation_id", how="left", maintain_order="left").with_columns(
        pl.col("_month").fill_null(_NO_MONTH)
    )
    split = placed.partition_by("_month", as_dict=True, maintain_order=True) or {(_NO_MONTH,): placed}
    for (month,), rows in sorted(split.items()):
        place = folder / f"month={month}"
        place.mkdir()
        for part in _write_parts(place, name, rows.drop("_month"), layout, _hashed(name, str(month))):
            yield {**part, "path": f"{place.name}/{part['path']}"}


def _hashed(name: str, month: str) -> Callable[[int], str]:
    def stem(index: int) -> str:
        return f"part-{hashlib.sha256(f'{name}/{month}/{index}'.encode()).hexdigest()[:16]}"

    return stem


def _write_parts(
    folder: Path, name: str, frame: pl.DataFrame, layout: Layout, stem: Callable[[int], str]
) -> Iterator[dict[str, Any]]:
    """A table in parts of about `_PART_BYTES`; an empty one as one part, so that it can be read all the same."""
    size = _rows_of_a_part(frame)
    for index, start in enumerate(range(0, max(len(frame), 1), size)):
        rows = frame.slice(start, size)
        path = folder / f"{stem(index)}.{layout.format}"
        if layout.format == "parquet":
            _write_parquet(rows, path, name)
        else:
            rows.write_ndjson(path)
        yield {"path": path.name, "rows": len(rows), "bytes": path.stat().st_size}


def _rows_of_a_part(frame: pl.DataFrame) -> int:
    if len(frame) <= _ROW_GROUP:
        return _ROW_GROUP
    sample = io.BytesIO()
    frame.head(_ROW_GROUP).write_parquet(sample, compression="zstd")
    groups = max(1, round(_PART_BYTES / max(1, sample.tell())))
    return groups * _ROW_GROUP


def _write_parquet(frame: pl.DataFrame, path: Path, name: str) -> None:
    frame.write_parquet(
        path,
        compression="zstd",
        statistics=True,
        row_group_size=_ROW_GROUP,
        metadata={
            "headroom.schema_version": SCHEMA_VERSION,
            "headroom.version": __version__,
            "headroom.table": name,
        },
    )
