"""CSV: one row a conversation, or one a group. Figures in full; text can't be taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from headroom_cli.frames import USAGE_COLUMNS
from headroom_cli.report.json import iso
from headroom_cli.report.summary import Figures, conversation_figures
from headroom_cli.report.words import plain
from headroom_cli.result import Run

_FORMULA = ("=", "+", "-", "@", "\t", "\r", *"\uff1d\uff0b\uff0d\uff20")  # the wide forms too
_HEADER = (
    "id", "session_id", "parent_id", "kind", "agent_name", "path", "log_format", "client", "client_version", "model",
    "project", "git_branch", "started_at", "ended_at", "messages", "copied_messages", "requests", "context_resets",
    "copied_tokens",
)  # fmt: skip
_USAGE = tuple(name for name in USAGE_COLUMNS if not name.startswith(("cache_write_5m", "cache_write_1h")))
_WASTE = ("flagged", "avoidable", "carried")


def conversations_csv(run: Run, limit: int | None) -> str:
    """One row a conversation, in path order; the first `limit` of them (None or 0: all)."""
    names = [*_HEADER, "entered_tokens", "sent_tokens", *_USAGE, "output_is_lower_bound", "cost_usd_micros"]
    names += [*(f"{name}_tokens" for name in _WASTE), "avoidable_cost_usd_micros"]
    figures = conversation_figures(run.settled)
    return csv_text(names, (_row(entry) for entry in (figures[:limit] if limit else figures)))


def _row(figures: Figures) -> list[Any]:
    times = {name: iso(figures[name]) for name in ("started_at", "ended_at")}
    usage = figures["usage"] or {}
    return [
        *({**figures, **times}[name] for name in _HEADER),
        figures["tokens"]["total"],
        figures["tokens"]["sent"],
        *(usage.get(name) for name in _USAGE),
        usage.get("output_is_lower_bound"),
        figures["cost_usd_micros"],
        *(figures["waste"][name] for name in _WASTE),
        figures["waste"]["avoidable_cost_usd_micros"],
    ]


def csv_text(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV with a header line; an empty cell is what is not known."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return value
    text = plain(value, 4096)
    return f"'{text}" if value.lstrip(" ").startswith(_FORMULA) or text.startswith(_FORMULA) else text
