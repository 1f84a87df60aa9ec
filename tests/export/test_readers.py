"""The dataset in other people's hands: DuckDB, pandas and pyarrow read what Polars wrote, and answer the questions."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

from headroom_cli.analysis import Analyser
from headroom_cli.export.schema import SCHEMA_VERSION, TABLES
from headroom_cli.exporting import Options, export
from headroom_cli.source.discover import discover

ROOT = Path(__file__).parents[2]
QUESTIONS = re.findall(r"^## (\d+)\. .*?```sql\n(.*?)```", (ROOT / "docs/sql.md").read_text("utf-8"), re.DOTALL | re.M)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("readers") / "dataset"
    export(discover([str(ROOT / "sample_transcripts")]).files, Analyser(), target, Options())
    return target


@pytest.fixture(scope="module")
def sql(dataset: Path) -> duckdb.DuckDBPyConnection:
    """DuckDB with the views of the dataset, made in its folder as the documentation says."""
    connection = duckdb.connect()
    connection.execute(f"SET file_search_path = '{dataset.as_posix()}'")
    connection.execute((dataset / "views.sql").read_text())
    return connection


def test_all_readers_see_the_same(dataset: Path, sql: duckdb.DuckDBPyConnection) -> None:
    for name in TABLES:
        written = pl.read_parquet(dataset / name / "*.parquet")
        in_pandas = pd.read_parquet(dataset / name)
        assert list(in_pandas.columns) == written.columns
        rows = sql.execute(f"SELECT count(*) FROM {name}").fetchone()
        assert rows == (len(written),) and len(in_pandas) == len(written)
        for column, kind in written.schema.items():
            if kind.is_integer():
                (total,) = sql.execute(f"SELECT sum({column}) FROM {name}").fetchone() or (None,)
                expected = written[column].cast(pl.Int64).sum() if written[column].count() else None
                assert total == expected, (name, column)
                assert int(in_pandas[column].sum()) == (expected or 0)


def test_types_are_those_that_every_reader_takes(dataset: Path, sql: duckdb.DuckDBPyConnection) -> None:
    kinds = {
        row[1]
        for name in TABLES
        for row in sql.execute(f"DESCRIBE {name}").fetchall()
    }  # fmt: skip
    assert kinds <= {
        "VARCHAR",
        "INTEGER",
        "BIGINT",
        "DOUBLE",
        "BOOLEAN",
        "TIMESTAMP WITH TIME ZONE",
        "DATE",
        "VARCHAR[]",
    }
    meta = pq.ParquetFile(dataset / "requests" / "part-0.parquet")
    assert meta.metadata.metadata[b"headroom.schema_version"] == SCHEMA_VERSION.encode()
    column = meta.metadata.row_group(0).column(meta.schema_arrow.names.index("input_tokens"))
    assert column.compression == "ZSTD" and column.statistics.max > 0


def test_there_are_ten_questions() -> None:
    assert [number for number, _ in QUESTIONS] == [str(number) for number in range(1, 11)]


@pytest.mark.parametrize(("number", "query"), QUESTIONS, ids=[f"question-{number}" for number, _ in QUESTIONS])
def test_each_question_is_answered(number: str, query: str, sql: duckdb.DuckDBPyConnection) -> None:
    rows = sql.execute(query).fetchall()
    if number == "5":  # no sample went over the limits; lower ones show that it would be found
        assert rows == []
        rows = sql.execute(query.replace("2e6", "1e4").replace("150000", "10")).fetchall()
    assert rows


def test_answers_are_right(sql: duckdb.DuckDBPyConnection) -> None:
    answers = {number: sql.execute(query).fetchall() for number, query in QUESTIONS}
    assert answers["1"][0] == ("get_order", "reread", 714, 1401, 2)
    assert answers["2"][0] == ("shop", 1007, 4, 22.1)
    assert answers["3"][0] == (date(2026, 11, 12), "claude-opus-4-5-20251101", 14, 0.2555)
    assert [row[:2] for row in answers["7"]] == [("main", ""), ("subagent", "Explore")]
    assert answers["8"][0] == ("Bash", 5, 1, 0, 20.0)
    assert answers["10"] == [(None, "tracker_get_issue", 55, 3, 165)]
