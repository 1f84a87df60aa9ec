"""What became of the cache: requests by state, rebuilds by cause and one by one, and what other times to live cost."""

from __future__ import annotations

from typing import Any

import polars as pl

from headroom_cli.caching import CACHE_STATES
from headroom_cli.report.known import known_sum
from headroom_cli.settle import Settled

Figures = dict[str, Any]

_UNTOLD = "not_recorded"
_AVOIDABLE = pl.col("rebuild_is_avoidable").fill_null(False)
_WHAT_IF = ("all_5m_usd_micros", "all_1h_usd_micros")


def cache_figures(requests: pl.LazyFrame, key: str) -> dict[Any, Figures]:
    """The figures of the cache by `key`, of priced requests; nothing for a key whose requests tell nothing of it.

    `by_state` counts requests, `rebuilds` has a row for each cause, dearest first. `all_5m_usd_micros` and
    `all_1h_usd_micros` are what would have been paid more (below zero: less) had everything been written to the cache
    for five minutes, or for an hour; None where no price is known.
    """
    columns = (key, "cache_state", "cache_cause", "rebuilt_tokens", "rebuild_cost_usd_micros", "rebuild_is_avoidable")
    narrow = requests.select(*columns, *_WHAT_IF).collect()
    told = narrow.filter(pl.col("cache_state").is_not_null().any().over(key))
    figures: dict[Any, Figures] = {}
    for row in told.group_by(key).agg(*map(known_sum, _WHAT_IF)).iter_rows(named=True):
        counts = dict.fromkeys((*CACHE_STATES, _UNTOLD), 0)
        figures[row[key]] = {"by_state": counts, "rebuilds": [], **{name: row[name] for name in _WHAT_IF}}
    for value, state, number in told.group_by(key, "cache_state").agg(pl.len()).iter_rows():
        figures[value]["by_state"][state or _UNTOLD] = number
    for row in rebuilds_by_cause(told, key).iter_rows(named=True):
        figures[row.pop(key)]["rebuilds"].append(row)
    return figures


def rebuilds_by_cause(requests: pl.DataFrame, *within: str) -> pl.DataFrame:
    """One row a cause (within each value of other columns), dearest first; costs are NULL where no price is known.

    Columns: `cause`, `requests`, `tokens`, `cost_usd_micros` (beyond reading them), and the avoidable part of each.
    What entries for an hour would have spared is before what they cost more: for that, see `all_1h_usd_micros`.
    """
    spared = pl.col("rebuild_cost_usd_micros").filter(_AVOIDABLE)
    return (
        requests.filter(pl.col("cache_state") == "rebuilt")
        .group_by(*within, cause="cache_cause")
        .agg(
            requests=pl.len(),
            tokens=pl.col("rebuilt_tokens").sum(),
            cost_usd_micros=known_sum("rebuild_cost_usd_micros"),
            avoidable_requests=_AVOIDABLE.sum(),
            avoidable_tokens=pl.col("rebuilt_tokens").filter(_AVOIDABLE).sum(),
            avoidable_cost_usd_micros=pl.when(pl.col("rebuild_cost_usd_micros").is_not_null().any()).then(spared.sum()),
        )
        .sort(
            ["cost_usd_micros", "tokens", "cause", *within],
            descending=[True, True, False, *(False for _ in within)],
            nulls_last=True,
        )
    )


def rebuild_rows(settled: Settled) -> pl.DataFrame:
    """Own requests that rebuilt their cache, dearest first, each with the conversation, file and line it stands at.

    Columns beside those of `Settled.requests`: `conversation_id`, `session_id`, `project`, `path`, and `line_before`,
    that of the request before.
    """
    where = settled.conversations.select("conversation", "conversation_id", "session_id", "project", "path")
    return (
        settled.requests.with_columns(line_before=pl.col("line").shift(1).over("conversation"))
        .filter("own", pl.col("cache_state") == "rebuilt")
        .join(where, on="conversation", how="inner")
        .sort(
            ["rebuild_cost_usd_micros", "rebuilt_tokens", "path", "conversation", "request_index"],
            descending=[True, True, False, False, False],
            nulls_last=True,
        )
    )
