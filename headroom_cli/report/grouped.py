"""`--by` as a table for people, as Markdown and as CSV. All sums are those of `dimensions.grouped`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo
from typing import Any

import polars as pl

from headroom_cli.report.dimensions import grouped, rows_for_people
from headroom_cli.report.foot import foot, older
from headroom_cli.report.layout import Column, Section, path_column, shown, text_column
from headroom_cli.report.paid import nested_remark
from headroom_cli.report.rows_csv import csv_text
from headroom_cli.report.summary import totals
from headroom_cli.report.words import plain, plural, share, short, usd, whole
from headroom_cli.result import Run
from headroom_cli.source.discover import Discovery

_ROWS = 20
_PATHS = frozenset({"path", "file"})
_NO_PRICE = "no price"
_SAVES = "avoidable_cost_usd_micros"
_OFTEN_NOTHING = frozenset({"avoidable_tokens", "avoidable_cost_usd_micros", "reads", "writes"})
_COLUMNS: tuple[tuple[str, str, Callable[[int], str]], ...] = (
    ("requests", "requests", whole),
    ("input", "input_tokens", short),
    ("cache read", "cache_read_input_tokens", short),
    ("output", "output_tokens", short),
    ("cost", "cost_usd_micros", usd),
    ("cost", "context_cost_usd_micros", usd),
    ("reads", "reads", whole),
    ("writes", "writes", whole),
    ("findings", "findings", whole),
    ("entered", "entered_tokens", short),
    ("sent", "sent_tokens", short),
    ("avoidable", "avoidable_tokens", short),
    ("saves", "avoidable_cost_usd_micros", usd),
    ("peak", "peak_context_tokens", short),
)
_NAME_WIDTHS, _FIGURE_WIDTH = {1: 24, 2: 16}, 10
_GIVES_WAY = ("cache read", "findings", "peak", "sent", "output", "entered", "input", "saves", "writes", "requests")


def grouped_report(
    run: Run,
    discovery: Discovery,
    dimensions: Sequence[str],
    *,
    zone: tzinfo | None,
    limit: int | None,
    verbose: bool,
    width: int | None = None,
) -> list[Section]:
    """The groups with their totals, most costly first, and what was not seen.

    Where `width` is too narrow for all, the least telling figures are left out.
    """
    table = grouped(run.settled, dimensions, zone)
    section = groups_section(table, dimensions, _ROWS if limit is None else limit, width)
    if "requests" in table.columns:
        section.lines += nested_remark(totals(run.settled, len(run.files)))
    return [section, Section(lines=older(discovery) + foot(run, discovery, zone, verbose=verbose))]


def groups_section(table: pl.DataFrame, dimensions: Sequence[str], limit: int, width: int | None = None) -> Section:
    """Groups as a section: the first `limit` rows (0: all), the others summed, and the total."""
    chosen = [entry for entry in _COLUMNS if entry[1] in table.columns]
    room = (width or 1000) - 2 - _NAME_WIDTHS.get(len(dimensions), 12) * len(dimensions)
    for name in _GIVES_WAY:
        if len(chosen) * _FIGURE_WIDTH > room:
            chosen = [entry for entry in chosen if entry[0] != name]
    section = Section(f"BY {', '.join(dimensions).upper()}")
    section.remark = plural(len(table), "group")
    section.columns = (
        *((path_column if name in _PATHS else text_column)(name) for name in dimensions),
        *(Column(name) for name, _, _ in chosen),
    )
    kept = table.head(shown(len(table), limit))
    for row in rows_for_people(kept, dimensions):
        names = [_name(str(row[name]), name) for name in dimensions]
        section.rows.append((*names, *(_cell(row, column, words) for _, column, words in chosen)))
    blanks = ("",) * (len(dimensions) - 1)
    rest = table.tail(len(table) - len(kept))
    if len(rest):
        section.rows.append((plural(len(rest), "other"), *blanks, *_sums(rest, chosen)))
    section.rows.append(("total", *blanks, *_sums(table, chosen)))
    section.lines = _remarks(table)
    return section


def _name(value: str, dimension: str) -> str:
    """A session by its first digits, as every other view has it."""
    return plain(value[:8] if dimension == "session" and value.count("-") == 4 else value, 120)


def _cell(row: dict[str, Any], column: str, words: Callable[[int], str]) -> str:
    value = row[column]
    if value is None:
        return _NO_PRICE if column == "cost_usd_micros" and row.get("input_tokens") else "-"
    return words(value) if value or column not in _OFTEN_NOTHING else "-"


def _sums(rows: pl.DataFrame, chosen: Sequence[tuple[str, str, Callable[[int], str]]]) -> list[str]:
    cells = []
    for _, column, words in chosen:
        values = rows[column].drop_nulls()
        total = values.max() if column == "peak_context_tokens" else values.sum()
        cells.append(words(int(total)) if len(values) and isinstance(total, int) else "-")
    return cells


def _remarks(table: pl.DataFrame) -> list[str]:
    said = []
    if "cost_usd_micros" in table.columns:
        said.append(
            "cost: at API list prices. entered: counted once; avoidable: tokens entered that a cure would save."
        )
    elif "sent_tokens" in table.columns:
        said.append("entered: tokens counted once. sent: once for each request that saw them. Both are estimates.")
        if table["context_cost_usd_micros"].is_not_null().any():
            said.append("cost: at API list prices, entering and sent again; without output and what the log lacks.")
    if "entered_tokens" in table.columns and table["entered_tokens"].sum():
        entered, wasted = int(table["entered_tokens"].sum()), int(table["avoidable_tokens"].sum())
        saves = " saves: what that cost, and caches rebuilt." if _SAVES in table.columns and table[_SAVES].sum() else ""
        said.append(f"avoidable: {share(wasted, entered) or '0 %'} of what entered.{saves}")
    return said


def grouped_csv(run: Run, dimensions: Sequence[str], zone: tzinfo | None, limit: int | None) -> str:
    """The groups as CSV: full figures, no totals row, an empty cell for what is not known."""
    table = grouped(run.settled, dimensions, zone)
    return csv_text(table.columns, (table.head(limit) if limit else table).iter_rows())
