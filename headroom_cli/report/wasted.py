"""AVOIDABLE, WORST and DO: what could go, where it stands, and what to do about it, as sections."""

from __future__ import annotations

import polars as pl

from headroom_cli.report.advice import ADVICE, cause_words
from headroom_cli.report.findings import by_cause
from headroom_cli.report.layout import Column, Section, prose_column, shown, text_column
from headroom_cli.report.sources import Sent
from headroom_cli.report.words import place, plain, plural, share, short, whole

NOTHING = "nothing found"


def avoidable(findings: pl.DataFrame, sent: Sent, entered: int, limit: int) -> Section:
    """What a cure would recover, by signal and cause, and what is flagged without being avoidable."""
    rows = by_cause(findings)
    found = rows.filter(pl.col("avoidable_tokens") > 0)
    section = Section("AVOIDABLE", headline(rows, sent, entered))
    if len(found):
        section.columns = (
            text_column("signal"), Column("found"), Column("tokens"), Column("carried"), text_column("confidence"),
        )  # fmt: skip
        kept = found.head(shown(len(found), limit))
        section.rows = [
            (
                signal_words(row["signal"], row["cause"]),
                whole(row["findings"]),
                whole(row["avoidable_tokens"]),
                short(row["avoidable_carried_tokens"]),
                row["confidence"] or "",
            )
            for row in kept.iter_rows(named=True)
        ]
        if len(found) > len(kept):
            rest = found.tail(len(found) - len(kept))
            number, tokens, carried = rest.select(
                pl.col("findings", "avoidable_tokens", "avoidable_carried_tokens").sum()
            ).row(0)
            section.rows.append((plural(len(rest), "other"), whole(number), whole(tokens), short(carried), ""))
    flagged = [
        f"{row['findings']:,} {signal_words(row['signal'], row['cause'])} ({short(row['flagged_tokens'])})"
        for row in rows.filter((pl.col("avoidable_tokens") == 0) & (pl.col("flagged_tokens") > 0)).iter_rows(named=True)
    ]
    if flagged:
        section.lines.append(f"Flagged, not avoidable (tokens): {', '.join(flagged[:4])}{_more(flagged, 4)}.")
    return section


def headline(rows: pl.DataFrame, sent: Sent, entered: int) -> str:
    """The avoidable tokens as parts of what entered and of what was sent."""
    tokens, carried = int(rows["avoidable_tokens"].sum()), int(rows["avoidable_sent_tokens"].sum())
    if not tokens:
        return NOTHING
    said = f"{short(tokens)} of {short(entered)} tokens entered ({share(tokens, entered)})"
    if not carried:
        return said
    return f"{said}, {short(carried)} of {short(sent.total)} sent ({share(carried, sent.total)})"


def signal_words(signal: str, cause: str | None) -> str:
    """A signal with its cause, as a row's name."""
    if cause is None:
        return signal
    words = {"in_context": "in context", "after_change": "after a change", "compacted": "after a compaction"}
    return f"{signal}, {words.get(cause, cause.replace('_', ' '))}"


def _more(entries: list[str], shown: int) -> str:
    return f" and {len(entries) - shown:,} more" if len(entries) > shown else ""


def worst(findings: pl.DataFrame, limit: int) -> Section | None:
    """The findings that cost most, each with its place; None where nothing was avoidable."""
    found = findings.filter(pl.col("avoidable_tokens") > 0)
    kept = found if limit == 0 else found.head(limit)
    if not len(kept):
        return None
    section = Section("WORST", "avoidable tokens x requests that sent them", (Column(), prose_column()))
    section.rows = [
        (f"{row['avoidable_tokens']:,} x {row['times_sent']:,}", _finding(row)) for row in kept.iter_rows(named=True)
    ]
    if len(found) > len(kept):
        section.lines = [f"{len(found) - len(kept):,} more: --limit {min(len(found), 100)}, or --format json"]
    return section


def _finding(row: dict[str, object]) -> str:
    what = _call(row)
    why = cause_words(str(row["signal"]), row["cause"] if isinstance(row["cause"], str) else None)
    if row["confidence"] == "medium":
        why = why.replace("unchanged", "nearly unchanged")
    since = f", as in line {row['first_line']}" if row["first_line"] else ""
    return f"{what}: {why}{since}\n{place(str(row['path']))}:{row['line']}"


def _call(row: dict[str, object]) -> str:
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
        by_cause(findings.filter(pl.col("avoidable_tokens") > 0))
        .group_by("signal", maintain_order=True)
        .agg(pl.col("avoidable_tokens", "avoidable_sent_tokens").sum())
        .sort("avoidable_sent_tokens", "avoidable_tokens", descending=True, maintain_order=True)
        .filter(pl.col("signal").is_in(list(ADVICE)))
    )
    if saved.is_empty():
        return None
    section = Section("DO", "and so many tokens need not be sent", columns=(Column(), prose_column()))
    section.rows = [
        (f"-{short(max(row['avoidable_sent_tokens'], row['avoidable_tokens']))}", ADVICE[row["signal"]])
        for row in saved.head(limit or 100).iter_rows(named=True)
    ]
    return section
