"""Settled frames to figures: what each conversation, and all of them together, add up to.

Every report reads these figures, so that no two views can differ. A conversation's figures are its own; what it holds
as a copy is counted beside, in `copied_tokens`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from headroom_cli.frames import USAGE_COLUMNS
from headroom_cli.report.cached import cache_figures
from headroom_cli.report.known import known_sum
from headroom_cli.settle import Settled

Figures = dict[str, Any]
WASTE_COSTS = ("cost_usd_micros", "avoidable_cost_usd_micros")
"""Of flagged tokens and of avoidable ones; None where no price is known."""


def conversation_figures(settled: Settled) -> list[Figures]:
    """One dict a conversation, in path order, without its findings."""
    tokens = _tokens(settled.blocks)
    own = settled.requests.lazy().filter("own")
    usage = _usage(own, "conversation")
    nested = _usage(settled.nested.lazy().with_columns(has_usage=True, output_is_lower_bound=False), "conversation")
    cached = cache_figures(own, "conversation")
    waste = _waste(settled.waste.filter("own"), "conversation")
    copied = _by(settled.blocks, "copied", pl.col("tokens").sum())
    copied_messages = _by(settled.messages, "copied", pl.len())
    copied_requests = _by(settled.requests, "copied", pl.len())
    own_requests = _by(settled.requests, "own", pl.len())
    rows = settled.conversations.sort("path", "conversation").iter_rows(named=True)
    return [
        {
            "conversation": (number := row["conversation"]),
            "id": row["conversation_id"],
            "session_id": row["session_id"],
            "parent_id": row["parent_conversation_id"],
            "parent_call_id": row["parent_call_id"],
            "kind": row["kind"],
            "agent_name": row["agent_name"],
            "path": row["path"],
            "log_format": row["log_format"],
            "dialect": row["dialect"],
            "client": row["client"],
            "client_version": row["client_version"],
            "model": row["model"],
            "project": row["project"],
            "cwd": row["cwd"],
            "git_branch": row["git_branch"],
            "started_at": row["started_at"],
            "ended_at": row["ended_at"],
            "messages": row["own_messages"],
            "copied_messages": copied_messages.get(number, 0),
            "requests": own_requests.get(number, 0),
            "copied_requests": copied_requests.get(number, 0),
            "context_resets": row["context_resets"],
            "tokens": tokens.get(number, _no_tokens()),
            "copied_tokens": copied.get(number, 0),
            **usage.get(number, {"usage": None, "cost_usd_micros": None, "cost_parts": None, "unpriced_requests": 0}),
            "usage_nested": nested.get(number, {}).get("usage"),
            "cache": cached.get(number),
            "waste": waste.get(number, _no_waste()),
            "notes": row["notes"],
        }
        for row in rows
    ]


def totals(settled: Settled, files: int) -> Figures:
    """The same figures over everything owned."""
    own = settled.requests.lazy().filter("own").with_columns(all=pl.lit(0))
    blocks = settled.blocks.with_columns(conversation=pl.lit(0, dtype=pl.Int32))
    usage = _usage(own, "all")
    nested = settled.nested.lazy().with_columns(all=pl.lit(0), has_usage=True, output_is_lower_bound=False)
    waste = _waste(settled.waste.filter("own").with_columns(all=pl.lit(0)), "all")
    owning = settled.conversations.filter(pl.col("own_messages") > 0)
    return {
        "files": files,
        "conversations": len(owning),
        "copies": len(settled.conversations) - len(owning),
        "messages": int(owning["own_messages"].sum()),
        "requests": int(settled.requests["own"].sum()),
        "tokens": _tokens(blocks).get(0, _no_tokens()),
        "copied_tokens": int(settled.blocks.select(pl.col("tokens").filter("copied").sum()).item()),
        **usage.get(0, {"usage": None, "cost_usd_micros": None, "cost_parts": None, "unpriced_requests": 0}),
        "usage_nested": _usage(nested, "all").get(0, {}).get("usage"),
        "cache": cache_figures(own, "all").get(0),
        "waste": waste.get(0, _no_waste()),
    }


def _no_tokens() -> Figures:
    return {"total": 0, "sent": 0, "by_kind": {}, "by_tool": {}}


def _no_waste() -> Figures:
    return {
        "flagged": 0,
        "avoidable": 0,
        "carried": 0,
        "cost_usd_micros": None,
        "avoidable_cost_usd_micros": None,
        "reread_compressed": 0,
        "by_signal": {},
        "reread_by_cause": {},
    }


def _by(frame: pl.DataFrame, flag: str, value: pl.Expr) -> dict[int, int]:
    """A value over the rows of each conversation that have a flag; only for conversations that have such rows."""
    flagged = frame.lazy().filter(flag).group_by("conversation").agg(value.cast(pl.Int64).alias("value"))
    return dict(flagged.collect().iter_rows())


def _nest(rows: Iterable[tuple[Any, Any, Any]], name: str, into: dict[Any, Figures], empty: Any) -> None:
    for key, label, value in rows:
        into.setdefault(key, empty())[name][label] = value


def _tokens(blocks: pl.DataFrame) -> dict[int, Figures]:
    grouped = blocks.lazy().filter("own").group_by("conversation", "kind", "tool_name")
    own = grouped.agg(pl.col("tokens").cast(pl.Int64).sum(), pl.col("sent_tokens").sum()).collect()
    figures: dict[int, Figures] = {}
    totals = own.group_by("conversation").agg(pl.col("tokens", "sent_tokens").sum())
    for number, total, sent in totals.iter_rows():
        figures[number] = {**_no_tokens(), "total": total, "sent": sent}
    for column, name in (("kind", "by_kind"), ("tool_name", "by_tool")):
        sums = (
            own.filter(pl.col(column).is_not_null() & ((pl.lit(column) == "kind") | (pl.col("kind") != "system")))
            .group_by("conversation", column)
            .agg(pl.col("tokens").sum())
            .sort("conversation", column)
        )
        _nest(sums.iter_rows(), name, figures, _no_tokens)
    return figures


def _usage(requests: pl.LazyFrame, key: str) -> dict[Any, Figures]:
    """Usage and cost by `key`; `usage` is None where no request recorded any."""
    counted = requests.group_by(key).agg(
        pl.col("has_usage").sum().alias("requests"),
        *map(known_sum, USAGE_COLUMNS),
        pl.col("output_is_lower_bound").any(),
        pl.col("output_is_lower_bound").sum().alias("lower_bound_requests"),
        *map(known_sum, _COST_COLUMNS),
        (pl.col("has_usage") & pl.col("cost_usd_micros").is_null()).sum().alias("unpriced"),
    )
    figures = {}
    for row in counted.collect().iter_rows(named=True):
        usage = None
        if row["requests"]:
            usage = {"requests": row["requests"], **{name: row[name] for name in USAGE_COLUMNS}}
            usage["output_is_lower_bound"] = row["output_is_lower_bound"]
            usage["lower_bound_requests"] = row["lower_bound_requests"]
        parts = {name.removeprefix("cost_usd_micros_"): row[name] for name in _COST_COLUMNS[1:]}
        figures[row[key]] = {
            "usage": usage,
            "cost_usd_micros": row["cost_usd_micros"],
            "cost_parts": parts if row["cost_usd_micros"] is not None else None,
            "unpriced_requests": row["unpriced"],
        }
    return figures


_COST_COLUMNS = (
    "cost_usd_micros",
    *(f"cost_usd_micros_{part}" for part in ("input", "cache_read", "cache_write", "output")),
)


def _waste(waste: pl.DataFrame, key: str) -> dict[Any, Figures]:
    figures: dict[Any, Figures] = {}
    sums = [pl.col(name).sum() for name in ("tokens", "exclusive_tokens", "avoidable_tokens")]
    costs = [known_sum(name) for name in WASTE_COSTS]
    by_signal = waste.group_by(key, "signal").agg(*sums, *costs, pl.col("carried_tokens").sum(), findings=pl.len())
    for row in by_signal.sort(key, "signal").iter_rows(named=True):
        entry = figures.setdefault(row[key], _no_waste())
        entry["flagged"] += row["exclusive_tokens"]
        entry["avoidable"] += row["avoidable_tokens"]
        entry["carried"] += row["carried_tokens"]
        for name in WASTE_COSTS:
            if row[name] is not None:
                entry[name] = (entry[name] or 0) + row[name]
        entry["by_signal"][row["signal"]] = {
            name: row[name] for name in ("tokens", "exclusive_tokens", "avoidable_tokens", "findings", *WASTE_COSTS)
        }
    rereads = waste.filter(pl.col("signal") == "reread").group_by(key, "cause").agg(pl.col("tokens").sum())
    for row in rereads.sort(key, "cause").iter_rows(named=True):
        figures[row[key]]["reread_by_cause"][row["cause"]] = row["tokens"]
    for entry in figures.values():
        entry["reread_compressed"] = entry["reread_by_cause"].get("compressed", 0)
    return figures
