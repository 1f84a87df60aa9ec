"""A dataset from disk: the columns that are asked for, whatever its format and layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from headroom_cli.export.dataset import DatasetProblem, manifest
from headroom_cli.export.frames import schema_of
from headroom_cli.export.schema import SCHEMA_VERSION, TABLES


def read_tables(folder: Path, wanted: Mapping[str, Sequence[str]]) -> dict[str, pl.DataFrame]:
    """The tables named, with these columns in the types of the schema; what an older minor version lacks is NULL.

    Raises DatasetProblem where the dataset is of another major version, lacks a table, or is damaged.
    """
    facts = manifest(folder)
    if facts is None:
        raise DatasetProblem(f"{folder} is no dataset")
    version = str(facts["schema_version"])
    if version.partition(".")[0] != SCHEMA_VERSION.partition(".")[0]:
        raise DatasetProblem(f"{folder} has schema {version}; this version reads {SCHEMA_VERSION}: export it again")
    return {name: _table(folder, name, columns, facts) for name, columns in wanted.items()}


def _table(folder: Path, name: str, columns: Sequence[str], facts: Mapping[str, Any]) -> pl.DataFrame:
    try:
        rows = facts["tables"][name]["rows"]
    except (KeyError, TypeError):
        raise DatasetProblem(f"{folder} holds no table {name}: export it without --table") from None
    paths = sorted(path for path in (folder / name).rglob("part-*") if path.suffix in (".parquet", ".ndjson"))
    try:
        parts = [_part(path, name, columns) for path in paths]
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise DatasetProblem(f"{folder}: table {name} is damaged: export it again") from problem
    if sum(map(len, parts)) != rows or not parts:
        raise DatasetProblem(f"{folder}: table {name} lacks rows: export it again")
    table = pl.concat(parts)
    if any(table[c.name].null_count() for c in TABLES[name].columns if c.name in columns and not c.nullable):
        raise DatasetProblem(f"{folder}: table {name} is damaged: export it again")
    return table


def _part(path: Path, name: str, columns: Sequence[str]) -> pl.DataFrame:
    """One file; columns that it lacks are NULL."""
    known = schema_of(TABLES[name])
    types = {column: known[column] for column in columns}
    if path.suffix == ".parquet":
        held = pl.read_parquet_schema(path)
        frame = pl.read_parquet(path, columns=[column for column in columns if column in held], hive_partitioning=False)
    else:
        frame = pl.read_ndjson(path, schema=types)
    lacking = [pl.lit(None).alias(column) for column in columns if column not in frame.columns]
    return frame.with_columns(lacking).select(pl.col(column).cast(kind) for column, kind in types.items())
