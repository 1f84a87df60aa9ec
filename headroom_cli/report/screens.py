"""Reports for people: which one a run calls for, and how it is written to standard output."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from rich.text import Text

from headroom_cli.report.budget import Verdict, budget_section
from headroom_cli.report.grouped import grouped_csv, grouped_report
from headroom_cli.report.layout import Section, to_markdown, to_text
from headroom_cli.report.machine_screen import machine_report
from headroom_cli.report.rows_csv import conversations_csv
from headroom_cli.report.session_screen import session_report, the_session
from headroom_cli.report.terminal import print_screen, write
from headroom_cli.result import Run
from headroom_cli.source.discover import Discovery


def show(
    run: Run,
    discovery: Discovery,
    format: str,
    dimensions: Sequence[str],
    *,
    zone: tzinfo | None = None,
    limit: int | None = None,
    verbose: bool = False,
    color: bool | None = None,
    verdict: Verdict | None = None,
) -> None:
    """Write the report to standard output as `table`, `markdown` or `csv`.

    `dimensions` regroup it. `limit` is the number of rows of each table (0: all; None: what fits a screen). Colours
    only on a terminal, without NO_COLOR, and unless `color` is False. `verdict` is told below.
    """
    below = [budget_section(verdict)] if verdict is not None else []
    if format == "csv":
        text = grouped_csv(run, dimensions, zone, limit) if dimensions else conversations_csv(run, limit)
        write(text)
        return
    if format == "markdown":
        sections = report(run, discovery, dimensions, zone=zone, limit=limit, verbose=verbose)
        write(to_markdown(sections + below))
        return

    def screen(width: int) -> Text:
        sections = report(run, discovery, dimensions, zone=zone, limit=limit, verbose=verbose, width=width)
        return to_text(sections + below, width)

    print_screen(screen, color=color)


def report(
    run: Run,
    discovery: Discovery,
    dimensions: Sequence[str] = (),
    *,
    zone: tzinfo | None = None,
    limit: int | None = None,
    verbose: bool = False,
    width: int | None = None,
) -> list[Section]:
    """The sections of the report that a run calls for: groups, one session, or many."""
    if dimensions:
        return grouped_report(run, discovery, dimensions, zone=zone, limit=limit, verbose=verbose, width=width)
    session = the_session(run)
    if session:
        return session_report(run, discovery, session, zone=zone, limit=limit, verbose=verbose)
    return machine_report(run, discovery, zone=zone, limit=limit, verbose=verbose)
