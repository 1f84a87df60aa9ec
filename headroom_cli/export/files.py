"""The table of source files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import polars as pl

from headroom_cli.export.state import Known
from headroom_cli.logs import known_formats
from headroom_cli.source.stamps import stamp_of


def file_id(path: str) -> str:
    """16 hex digits from a path."""
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def files_table(known: Mapping[str, Known]) -> pl.DataFrame:
    """One row a file that this or an earlier export read."""
    clients = {log_format.name: log_format.client for log_format in known_formats()}
    rows = [
        {
            "file_id": file_id(file.path),
            "path": file.path,
            "host": None,
            "log_format": file.log_format,
            "client": clients.get(file.log_format),
            "bytes": file.bytes,
            "mtime": entry.stamp[1] // 1000 or None,
            "records": file.records,
            "damaged_records": len(file.damaged),
            "unknown_records": sum(file.unknown.values()),
            "parse_status": "skipped" if file.skipped else "partial" if file.damaged else "ok",
            "skip_reason": file.skipped,
            "source_present": stamp_of(file.path) is not None,
            "first_seen_at": entry.first_seen_at,
            "last_read_at": entry.last_read_at,
        }
        for entry in known.values()
        for file in [entry.report]
    ]
    frame = pl.DataFrame(rows, schema=_SCHEMA)
    times = [pl.from_epoch(name, time_unit="us").dt.replace_time_zone("UTC") for name in _TIMES]
    return frame.with_columns(times).join(labels_by_path(known), on="path", how="left", maintain_order="left")


def labels_by_path(known: Mapping[str, Known]) -> pl.DataFrame:
    """A column `label_<key>` for each label that any file was read with, by path."""
    keys = sorted({key for entry in known.values() for key in entry.labels})
    columns = {f"label_{key}": [entry.labels.get(key) for entry in known.values()] for key in keys}
    schema = {"path": pl.String, **dict.fromkeys(columns, pl.String)}
    return pl.DataFrame({"path": [entry.report.path for entry in known.values()], **columns}, schema=schema)


_TIMES = ("mtime", "first_seen_at", "last_read_at")
_SCHEMA = {
    "file_id": pl.String,
    "path": pl.String,
    "host": pl.String,
    "log_format": pl.String,
    "client": pl.String,
    "bytes": pl.Int64,
    "mtime": pl.Int64,
    "records": pl.Int64,
    "damaged_records": pl.Int64,
    "unknown_records": pl.Int64,
    "parse_status": pl.String,
    "skip_reason": pl.String,
    "source_present": pl.Boolean,
    "first_seen_at": pl.Int64,
    "last_read_at": pl.Int64,
}
