"""A comparison as JSON. Keys are stable within `schema_version`; docs/commands/compare.md tells them."""

from __future__ import annotations

import math
from typing import Any

import orjson

from headroom_cli.report.compare.comparison import Comparison
from headroom_cli.report.compare.increase import Increase
from headroom_cli.report.compare.measures import Measured, Values
from headroom_cli.report.compare.sides import Side
from headroom_cli.report.safely import json_bytes
from headroom_cli.version import __version__

SCHEMA_VERSION = "1"


def document(found: Comparison, *, limit: int | None, increase: Increase | None) -> bytes:
    """One document; `limit` rows of each list (None or 0: all)."""
    changed = {
        name: [
            {"name": row.name, "only": row.only, "verdict": row.verdict, "figures": _figures(row.measures)}
            for row in (rows[:limit] if limit else rows)
        ]
        for name, rows in found.changed.items()
    }
    body = {
        "schema_version": SCHEMA_VERSION,
        "headroom_version": __version__,
        "a": _side(found.a, found.totals[0]),
        "b": _side(found.b, found.totals[1]),
        "shared_conversations": found.shared_conversations,
        "figures": _figures(found.figures),
        **changed,
        **({"increase": _increase(increase)} if increase is not None else {}),
        "notes": found.notes,
    }
    return json_bytes(body, orjson.OPT_INDENT_2)


def _side(side: Side, totals: dict[str, int]) -> dict[str, Any]:
    return {"path": side.title, "headroom_version": side.version, "prices": side.prices, "totals": totals}


def _figures(figures: dict[str, Measured]) -> dict[str, Any]:
    return {
        name: {
            "unit": figure.measure.unit,
            "better": figure.measure.better,
            "a": _values(figure.a),
            "b": _values(figure.b),
            "difference": figure.difference,
            "change": figure.change,
            "effect": {"delta": figure.effect.delta, "size": figure.effect.size} if figure.effect else None,
            "verdict": figure.verdict,
        }
        for name, figure in figures.items()
    }


def _values(values: Values) -> dict[str, Any]:
    return {
        "total": values.total,
        "rate": values.rate,
        "median": values.median,
        "sessions": values.sessions,
    }


def _increase(increase: Increase) -> dict[str, Any]:
    beyond = {name: None if rise == math.inf else rise for name, rise in increase.beyond.items()}
    return {"limit": increase.limit, "beyond": beyond, "unknown": increase.unknown}
