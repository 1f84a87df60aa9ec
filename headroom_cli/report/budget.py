"""Budgets: what one conversation may cost, waste and hold, and which conversations go beyond it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import polars as pl

from headroom_cli.report.findings import AVOIDABLE_SENT, finding_rows
from headroom_cli.report.known import known_sum
from headroom_cli.report.layout import Section, prose_column, text_column
from headroom_cli.report.words import place, plain, plural, short, usd
from headroom_cli.settle import Settled

_SIZE = re.compile(r"^(\d{1,15}(?:\.\d{1,6})?)\s*([kKmM]?)$")
_SHARE = re.compile(r"^(\d{1,3}(?:\.\d{1,6})?)\s*%$")
_MONEY = re.compile(r"^\$?(\d{1,12}(?:\.\d{1,6})?)$")
_WHOLE = 10_000  # hundredths of a per cent
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}


class BudgetProblem(ValueError):  # noqa: N818 - the command line reports it as wrong usage
    """A limit that can't be read; the text says how to write it."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one conversation; None: not limited.

    `avoidable` in hundredths of a per cent: of the cost where it is known, else of the tokens sent, else of those that
    entered. `cost` in micro-dollars. `context` in tokens: the largest input of a request.
    """

    avoidable: int | None = None
    cost: int | None = None
    context: int | None = None

    @classmethod
    def of(cls, avoidable: str = "", cost: str = "", context: str = "") -> Budget:
        """From texts as in `10%`, `2.50` and `150k`; empty ones set no limit. Raises `BudgetProblem`."""
        return cls(
            _read("max-avoidable", _SHARE, avoidable, 100, "a share, as in 10%"),
            _read("max-cost", _MONEY, cost, 1_000_000, "dollars, as in 2.50"),
            _read("max-context", _SIZE, context, 1, "tokens, as in 150k"),
        )

    @property
    def is_set(self) -> bool:
        """Whether anything is limited."""
        return any(limit is not None for limit in (self.avoidable, self.cost, self.context))


def _read(name: str, pattern: re.Pattern[str], text: str, unit: int, how: str) -> int | None:
    if not text:
        return None
    found = pattern.match(text.strip())
    if found is None:
        raise BudgetProblem(f"{name}: cannot read {text!r}; write {how}")
    limit = round(float(found[1]) * (_UNITS[found[2].lower()] if pattern is _SIZE else unit))
    if pattern is _SHARE and limit > _WHOLE:
        raise BudgetProblem(f"{name}: {text.strip()} is more than the whole: no conversation could exceed it")
    return limit


@dataclass(frozen=True, slots=True)
class Breach:
    """A conversation beyond a limit. `value` and `limit` in the units of `Budget`; `line` is where to look."""

    kind: str
    value: int
    limit: int
    conversation_id: str
    path: str
    line: int
    message: str
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """All breaches, in the order of paths. `unknown`: conversations that a limit could not be held against, by kind."""

    budget: Budget
    breaches: list[Breach] = field(default_factory=list)
    unknown: dict[str, int] = field(default_factory=dict)


def judge(settled: Settled, budget: Budget) -> Verdict:
    """Hold each conversation that owns requests or messages against the budget."""
    verdict = Verdict(budget)
    for row in _figures(settled).iter_rows(named=True):
        for kind, limit in (("avoidable", budget.avoidable), ("cost", budget.cost), ("context", budget.context)):
            if limit is None:
                continue
            value, of = _avoidable(row) if kind == "avoidable" else (row[kind], "")
            if value is None:
                verdict.unknown[kind] = verdict.unknown.get(kind, 0) + 1
            elif value > limit:
                line = {"avoidable": row["worst_line"], "cost": row["last_line"], "context": row["context_line"]}[kind]
                message = _words(kind, value, limit, of)
                identity, path = row["conversation_id"], row["path"]
                session = row["session_id"]
                verdict.breaches.append(Breach(kind, value, limit, identity, path, line or 1, message, session))
    return verdict


def _figures(settled: Settled) -> pl.DataFrame:
    """What is limited, of each conversation: NULL where the log does not tell."""
    size = pl.coalesce("context_tokens", "input_tokens")
    requests = (
        settled.requests.filter("own")
        .group_by("conversation")
        .agg(
            known_sum("cost_usd_micros").alias("cost"),
            context=size.max(),
            context_line=pl.col("line").sort_by(size, descending=True, nulls_last=True).first(),
            last_line=pl.col("line").last(),
            unpriced=(pl.col("has_usage") & pl.col("cost_usd_micros").is_null()).any(),
        )
        .with_columns(cost=pl.when(~pl.col("unpriced")).then("cost"))
    )
    blocks = (
        settled.blocks.filter("own")
        .group_by("conversation")
        .agg(entered=pl.col("tokens").cast(pl.Int64).sum(), sent=pl.col("sent_tokens").sum())
    )
    waste = (
        finding_rows(settled)
        .group_by("conversation", maintain_order=True)
        .agg(
            known_sum("avoidable_cost_usd_micros").alias("saved"),
            avoidable=pl.col("avoidable_tokens").sum(),
            avoidable_sent=AVOIDABLE_SENT.sum(),
            worst_line=pl.col("line").first(),
        )
    )
    owning = settled.conversations.select("conversation", "conversation_id", "session_id", "path")
    result = owning.join(blocks, on="conversation", how="inner")
    for frame in (requests, waste):
        result = result.join(frame, on="conversation", how="left")
    return result.sort("path", "conversation")


def _avoidable(row: dict[str, int | None]) -> tuple[int | None, str]:
    """The avoidable share, in hundredths of a per cent, and what it is a share of."""
    for part, whole, of in (
        (row["saved"] if row["avoidable"] else 0, row["cost"], "of the cost"),
        (row["avoidable_sent"] or 0, row["sent"], "of the tokens sent"),
        (row["avoidable"] or 0, row["entered"], "of the tokens"),
    ):
        if part is not None and whole:
            return 10_000 * part // whole, of
    return None, ""


def _words(kind: str, value: int, limit: int, of: str) -> str:
    if kind == "avoidable":
        return f"{_percent(value)} {of} avoidable, {_percent(limit)} allowed"
    if kind == "cost":
        return f"cost {usd(value)}, {usd(limit)} allowed"
    return f"a context of {short(value)} tokens, {short(limit)} allowed"


def _percent(value: int) -> str:
    return f"{value / 100:.3g} %"


def beyond(verdict: Verdict) -> str:
    """How many conversations are beyond the budget, in words."""
    number = len({breach.conversation_id for breach in verdict.breaches})
    return f"{plural(number, 'conversation')} beyond the budget"


def budget_section(verdict: Verdict) -> Section:
    """What goes beyond the budget, as a section."""
    breaches = verdict.breaches
    section = Section("BUDGET", beyond(verdict) if breaches else "kept")
    section.columns = (text_column(), prose_column())
    section.rows = [
        (
            plain((breach.session_id or breach.conversation_id)[:8]),
            f"{breach.message}\n{place(breach.path)}:{breach.line}",
        )
        for breach in breaches
    ]
    section.lines = [
        f"Not held against the limit of {kind}: {plural(number, 'conversation')} without a known {_KNOWN[kind]}."
        for kind, number in sorted(verdict.unknown.items())
    ]
    return section


_KNOWN = {"avoidable": "size", "cost": "cost", "context": "size of the context"}
