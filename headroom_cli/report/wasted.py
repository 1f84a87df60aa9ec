"""AVOIDABLE, WORST and DO: what could go, where it stands, and what to do about it, as sections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from headroom_cli.report.advice import ADVICE, cause_words
from headroom_cli.report.findings import IS_AVOIDABLE, by_cause, priced
from headroom_cli.report.known import known_sum
from headroom_cli.report.layout import Column, Section, prose_column, shown, text_column
from headroom_cli.report.sources import Sent
from headroom_cli.report.summary import Figures
from headroom_cli.report.words import place, plain, plural, share, short, usd, whole

NOTHING = "nothing found"
_COST = "avoidable_cost_usd_micros"


def avoidable(findings: pl.DataFrame, sent: Sent, figures: Figures, limit: int) -> Section:
    """What a cure would recover, by signal and cause, and what is flagged without being avoidable."""
    rows = by_cause(findings)
    found = by_cause(findings.filter(IS_AVOIDABLE))
    section = Section("AVOIDABLE", headline(rows, sent, figures))
    if len(found):
        kept = shown(len(found), limit)
        table = found.head(kept).to_dicts()
        if len(found) > kept:
            rest = found.tail(len(found) - kept)
            sums = pl.col("findings", "avoidable_tokens", "avoidable_carried_tokens").sum()
            others = {"signal": plural(len(rest), "other"), "cause": None, "confidence": None}
            table.append({**rest.select(sums, known_sum(_COST)).row(0, named=True), **others})
        with_cost = found[_COST].is_not_null().any()
        chosen = [entry for entry in _COLUMNS if with_cost or entry[0] is not _MONEY]
        section.columns = tuple(column for column, _ in chosen)
        section.rows = [tuple(cell(row) for _, cell in chosen) for row in table]
    rest = by_cause(findings.filter(~IS_AVOIDABLE, pl.col("exclusive_tokens") > 0))
    sums = pl.col("findings", "flagged_tokens").sum()
    rest = rest.group_by("signal", "cause", maintain_order=True).agg(sums)
    flagged = [
        f"{row['findings']:,} {signal_words(row['signal'], row['cause'])} ({short(row['flagged_tokens'])})"
        for row in rest.sort("flagged_tokens", descending=True, maintain_order=True).iter_rows(named=True)
    ]
    if flagged:
        section.lines.append(f"Flagged, not avoidable (tokens): {', '.join(flagged[:4])}{_more(flagged, 4)}.")
    return section


def headline(rows: pl.DataFrame, sent: Sent, figures: Figures) -> str:
    """What is avoidable, as a part of what was paid, of the tokens that entered, and of those that were sent."""
    tokens, carried = int(rows["avoidable_tokens"].sum()), int(rows["avoidable_sent_tokens"].sum())
    costs = rows[_COST].is_not_null().any()
    if not tokens and not rows[_COST].sum():
        return NOTHING
    said = []
    if costs:
        cost = int(rows[_COST].sum())
        said.append(f"{usd(cost)} of {usd(figures['cost_usd_micros'])} ({share(cost, figures['cost_usd_micros'])})")
    entered = figures["tokens"]["total"]
    said.append(f"{short(tokens)} of {short(entered)} tokens entered ({share(tokens, entered)})")
    if carried and not costs:
        said.append(f"{short(carried)} of {short(sent.total)} sent ({share(carried, sent.total)})")
    return ", ".join(said)


def signal_words(signal: str, cause: str | None) -> str:
    """A signal with its cause, as a row's name."""
    if cause is None:
        return signal
    words = {"in_context": "in context", "after_change": "after a change", "compacted": "after a compaction"}
    return f"{signal}, {words.get(cause, cause.replace('_', ' '))}"


_MONEY = Column("cost")
_COLUMNS: tuple[tuple[Column, Callable[[dict[str, Any]], str]], ...] = (
    (text_column("signal"), lambda row: signal_words(row["signal"], row["cause"])),
    (Column("found"), lambda row: whole(row["findings"])),
    (Column("tokens"), lambda row: whole(row["avoidable_tokens"]) if row["avoidable_tokens"] else "-"),
    (Column("carried"), lambda row: short(row["avoidable_carried_tokens"]) if row["avoidable_tokens"] else "-"),
    (_MONEY, lambda row: "-" if row[_COST] is None else usd(row[_COST])),
    (text_column("confidence"), lambda row: row["confidence"] or ""),
)


def _more(entries: list[str], shown: int) -> str:
    return f" and {len(entries) - shown:,} more" if len(entries) > shown else ""


def worst(findings: pl.DataFrame, limit: int) -> Section | None:
    """The findings that cost most, each with its place; None where nothing was avoidable."""
    found = findings.filter(IS_AVOIDABLE)
    kept = found if limit == 0 else found.head(limit)
    if not len(kept):
        return None
    by_cost = priced(found)
    what = "cost of what was avoidable" if by_cost else "avoidable tokens x requests that sent them"
    section = Section("WORST", what, (Column(), prose_column()))
    section.rows = [(_weight(row, by_cost), _finding(row)) for row in kept.iter_rows(named=True)]
    if len(found) > len(kept):
        section.lines = [f"{len(found) - len(kept):,} more: --limit {min(len(found), 100)}, or --format json"]
    return section


_SINCE = {"cache_rebuilt": "last used in"}


def _weight(row: dict[str, Any], by_cost: bool) -> str:
    if by_cost and row[_COST] is not None:
        return usd(row[_COST])
    return f"{row['avoidable_tokens']:,} x {row['times_sent']:,}"


def _finding(row: dict[str, Any]) -> str:
    what = _call(row)
    why = cause_words(str(row["signal"]), row["cause"] if isinstance(row["cause"], str) else None)
    if row["confidence"] == "medium":
        why = why.replace("unchanged", "nearly unchanged")
    if row["signal"] == "cache_rebuilt":
        why += f", {row['tokens']:,} tokens computed anew"
    since = f", {_SINCE.get(row['signal'], 'as in')} line {row['first_line']}" if row["first_line"] else ""
    carried = f", sent {row['times_sent']:,} times" if row["times_sent"] > 1 else ""
    return f"{what}: {why}{since}{carried}\n{place(str(row['path']))}:{row['line']}"


def _call(row: dict[str, Any]) -> str:
    """The tool with its arguments shortened; paths from the session's folder on."""
    summary = row["summary"] or row["tool_name"]
    if not summary:
        return str(row["signal"])
    text = str(summary)
    cwd = row["cwd"]
    if isinstance(cwd, str) and len(cwd) > 1:
        text = text.replace(cwd.rstrip("/") + "/", "")
    return plain(text, 90)


def advice(findings: pl.DataFrame, limit: int) -> Section | None:
    """What to do, the signal with most to save first."""
    saved = (
        by_cause(findings.filter(IS_AVOIDABLE))
        .group_by("signal", maintain_order=True)
        .agg(pl.col("avoidable_tokens", "avoidable_sent_tokens").sum(), known_sum(_COST))
        .sort(_COST, "avoidable_sent_tokens", "avoidable_tokens", descending=True, nulls_last=True, maintain_order=True)
        .filter(pl.col("signal").is_in(list(ADVICE)))
    )
    if saved.is_empty():
        return None
    by_cost = priced(findings)
    section = Section("DO", "" if by_cost else "and so many tokens need not be sent", (Column(), prose_column()))
    section.rows = [
        (_saving(row, by_cost), ADVICE[row["signal"]]) for row in saved.head(limit or 100).iter_rows(named=True)
    ]
    return section


def _saving(row: dict[str, Any], by_cost: bool) -> str:
    if by_cost and row[_COST] is not None:
        return f"-{usd(row[_COST])}"
    return f"-{short(max(row['avoidable_sent_tokens'], row['avoidable_tokens']))}"
