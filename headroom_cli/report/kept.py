"""The results that cost most to keep in the context, in words."""

from __future__ import annotations

from headroom_cli.report.layout import Column, Section, prose_column
from headroom_cli.report.residency import residency
from headroom_cli.report.words import place, plain, short, usd
from headroom_cli.settle import Settled


def kept_longest(settled: Settled) -> list[str]:
    """The result that cost most to keep, in a sentence."""
    return [
        f"kept longest, {amount}: {what}: {use} (-v shows more)" for amount, what, use, _ in _told(settled, limit=1)
    ]


def carried_longest(settled: Settled, limit: int) -> Section | None:
    """The results that cost most to keep, as a section; None where nothing was carried."""
    rows: list[tuple[str, ...]] = [
        (amount, f"{what}: {use}\n{where}") for amount, what, use, where in _told(settled, limit)
    ]
    return Section("CARRIED", "results that cost most to keep", (Column(), prose_column()), rows) if rows else None


def _told(settled: Settled, limit: int) -> list[tuple[str, str, str, str]]:
    """What a result cost to carry, what it is, how it was used, and its place."""
    told = []
    for row in residency(settled, limit).iter_rows(named=True):
        cost = row["carried_cost_usd_micros"]
        amount = usd(cost) if cost is not None else f"{short(row['carried_tokens'])} tokens"
        what = " ".join(plain(str(part), 70) for part in (row["tool_name"], row["target"]) if part)
        told.append((amount, what or "result", _use(row), f"{place(row['path'])}:{row['line']}"))
    return told


def _use(row: dict[str, object]) -> str:
    said = f"{row['tokens']:,} tokens, sent {row['times_sent']:,} times"
    if row["touched_again"] is None:
        return said
    if not row["touched_again"]:
        return f"{said}, never touched again"
    return f"{said}, last touched in line {row['last_touched_line']:,}"
