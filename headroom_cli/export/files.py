"""The table of source files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

import polars as pl

from headroom_cli.logs import known_formats
from headroom_cli.result import FileReport


def file_id(path: str) -> str:
    """16 hex digits from a path."""
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def files_table(files: Sequence[FileReport], now: int | None = None) -> pl.DataFrame:
    """One row a file that the run read; `now` is the time of reading in microseconds UTC."""
    clients = {log_format.name: log_format.client for log_format in known_formats()}
    rows = [
        {
            "file_id": file_id(file.path),
            "path": file.path,
            "host": None,
            "log_format": file.log_format,
            "client": clients.get(file.log_format),
            "bytes": file.bytes,
            "mtime": _mtime(file.path),
            "records": file.records,
            "damaged_records": len(file.damaged),
            "unknown_records": sum(file.unknown.values()),
            "parse_status": "skipped" if file.skipped else "partial" if file.damaged else "ok",
            "skip_reason": file.skipped,
            "source_present": True,
            "first_seen_at": now,
            "last_read_at": now,
        }
        for file in files
    ]
    schema = {
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
    frame = pl.DataFrame(rows, schema=schema)
    times = [pl.from_epoch(name, time_unit="us").dt.replace_time_zone("UTC") for name in _TIMES]
    return frame.with_columns(times)


_TIMES = ("mtime", "first_seen_at", "last_read_at")


def _mtime(path: str) -> int | None:
    try:
        return os.stat(path).st_mtime_ns // 1000
    except OSError:
        return None
