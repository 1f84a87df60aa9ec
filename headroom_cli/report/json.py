"""`analyze` as JSON: one document, or one conversation a line. Keys are stable within `schema_version`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any

import orjson
import polars as pl

from headroom_cli.calibration import MIN_PAIRS, calibrate, whole_contexts
from headroom_cli.report.budget import Verdict
from headroom_cli.report.dimensions import grouped
from headroom_cli.report.findings import finding_rows
from headroom_cli.report.residency import residency
from headroom_cli.report.safely import json_bytes
from headroom_cli.report.summary import Figures, conversation_figures, totals
from headroom_cli.report.words import zone_name
from headroom_cli.result import FileReport, Run
from headroom_cli.selection import Selection
from headroom_cli.settle import Settled
from headroom_cli.source.discover import Skipped
from headroom_cli.source.walk import path_text
from headroom_cli.version import __version__

SCHEMA_VERSION = "1"
_RESIDENTS = 20


def document(
    run: Run,
    dimensions: Sequence[str] = (),
    *,
    limit: int = 1000,
    zone: tzinfo | None = None,
    skipped: Sequence[Skipped] = (),
    verdict: Verdict | None = None,
) -> bytes:
    """One JSON document with the `limit` worst findings (0: all) and how many were left out.

    `skipped` is what the search for files could not read, `verdict` what a budget says.

    With `dimensions`, `groups` holds the rows of `--by`; times of day in them are in `zone` (None: the machine's).
    """
    rows = finding_rows(run.settled)
    kept = rows if limit == 0 else rows.head(limit)
    body = {
        "schema_version": SCHEMA_VERSION,
        "headroom_version": __version__,
        "timezone": zone_name(zone),
        "prices": run.prices.title,
        "selection": _selection(run.selection),
        **({"by": list(dimensions), "groups": _groups(run, dimensions, zone)} if dimensions else {}),
        "conversations": list(_conversations(run, kept)),
        "residency": residency(run.settled, _RESIDENTS).to_dicts(),
        "totals": _public(totals(run.settled, len(run.files))),
        "calibration": _calibration(run.settled),
        **({"budget": _budget(verdict)} if verdict is not None else {}),
        "findings_omitted": len(rows) - len(kept),
        **_not_seen(run.files, skipped),
    }
    return json_bytes(body, orjson.OPT_INDENT_2)


def _budget(verdict: Verdict) -> Figures:
    budget = verdict.budget
    return {
        "max_avoidable_share": None if budget.avoidable is None else budget.avoidable / 10_000,
        "max_cost_usd_micros": budget.cost,
        "max_context_tokens": budget.context,
        "unknown": verdict.unknown,
        "breaches": [
            {
                "kind": breach.kind,
                "value": breach.value / 10_000 if breach.kind == "avoidable" else breach.value,
                "conversation_id": breach.conversation_id,
                "path": breach.path,
                "line": breach.line,
                "message": breach.message,
            }
            for breach in verdict.breaches
        ],
    }


def lines(run: Run) -> Iterator[bytes]:
    """One conversation a line, each with all its findings."""
    for figures in _conversations(run, finding_rows(run.settled)):
        yield json_bytes({"schema_version": SCHEMA_VERSION, **figures})


def _groups(run: Run, dimensions: Sequence[str], zone: tzinfo | None) -> list[Figures]:
    rows = grouped(run.settled, dimensions, zone).to_dicts()
    return [{name: iso(value) if name == "last_written_at" else value for name, value in row.items()} for row in rows]


def _conversations(run: Run, findings: pl.DataFrame) -> Iterator[Figures]:
    by_conversation: dict[int, list[Figures]] = {}
    for row in findings.sort("conversation", "line", "block_index", "signal").iter_rows(named=True):
        by_conversation.setdefault(row["conversation"], []).append(_finding(row))
    for figures in conversation_figures(run.settled):
        number = figures["conversation"]
        public = _public(figures)
        if number in run.tool_units:
            public["tool_units"] = run.tool_units[number]
        public["findings"] = by_conversation.get(number, [])
        yield public


def _public(figures: Figures) -> Figures:
    shown = {name: value for name, value in figures.items() if name != "conversation"}
    for name in ("started_at", "ended_at"):
        if name in shown:
            shown[name] = iso(shown[name])
    return shown


def _finding(row: dict[str, Any]) -> Figures:
    return {
        "signal": row["signal"],
        "cause": row["cause"],
        "tokens": row["tokens"],
        "exclusive_tokens": row["exclusive_tokens"],
        "avoidable_tokens": row["avoidable_tokens"],
        "carried": row["carried_tokens"],
        "cost_usd_micros": row["cost_usd_micros"],
        "avoidable_cost_usd_micros": row["avoidable_cost_usd_micros"],
        "at_risk_tokens": row["at_risk_tokens"],
        "path": row["path"],
        "line": row["line"],
        "message_index": row["message_index"],
        "first_line": row["first_line"],
        "first_message_index": row["first_message_index"],
        "tool": row["tool_name"],
        "call": row["summary"],
        "call_key": row["call_key"],
        "confidence": row["confidence"],
    }


def _calibration(settled: Settled) -> Figures:
    """By model: recorded tokens against estimates, as growth of the context and as whole contexts."""
    calibration = calibrate(settled)
    return {
        "minimum_pairs": MIN_PAIRS,
        "models": calibration.models.to_dicts(),
        "whole_contexts": whole_contexts(settled, calibration).to_dicts(),
    }


def _selection(chosen: Selection) -> Figures:
    """What the figures are limited to; null or empty where nothing is."""
    return {
        "since": iso(chosen.since),
        "until": iso(chosen.until),
        "models": chosen.models,
        "projects": chosen.projects,
        "clients": chosen.clients,
        "kinds": chosen.kinds,
    }


def _not_seen(files: list[FileReport], skipped: Sequence[Skipped]) -> Figures:
    unknown: Counter[tuple[str, str]] = Counter()
    for file in files:
        for record_type, number in file.unknown.items():
            unknown[file.log_format, record_type] += number
    return {
        "skipped": [{"path": f.path, "reason": f.skipped} for f in files if f.skipped]
        + [{"path": path_text(entry.path), "reason": entry.reason} for entry in skipped],
        "damaged": [{"path": f.path, "line": d.line, "reason": d.reason} for f in files for d in f.damaged],
        "unknown_records": [
            {"log_format": log_format, "type": record_type, "count": number}
            for (log_format, record_type), number in sorted(unknown.items())
        ],
    }


def iso(microseconds: int | None) -> str | None:
    """A time in UTC as ISO 8601 with milliseconds."""
    if microseconds is None:
        return None
    moment = datetime.fromtimestamp(microseconds / 1_000_000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
