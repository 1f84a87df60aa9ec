"""The report on many sessions: what they cost, by project, model and source, and the worst of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import tzinfo
from shlex import quote
from typing import Any

import polars as pl

from headroom_cli.report.dimensions import grouped
from headroom_cli.report.findings import AVOIDABLE_SENT, by_cause, finding_rows, top_causes
from headroom_cli.report.foot import foot, place
from headroom_cli.report.layout import Column, Section, text_column
from headroom_cli.report.paid import PARTS, remarks, usage_problem
from headroom_cli.report.sources import Sent, what_was_sent
from headroom_cli.report.summary import Figures, totals
from headroom_cli.report.wasted import headline, signal_words
from headroom_cli.report.words import days, duration, local, plain, plural, share, short, size, usd
from headroom_cli.run import Run
from headroom_cli.settle import Settled
from headroom_cli.source.discover import Discovery

_PROJECTS, _MODELS, _SOURCES, _SESSIONS = 5, 5, 6, 4
_ID = 8


def machine_report(
    run: Run, discovery: Discovery, *, zone: tzinfo | None, limit: int | None, verbose: bool
) -> list[Section]:
    """The sections of the report."""
    settled = run.settled
    figures = totals(settled, len(run.files))
    sent = what_was_sent(settled)
    findings = finding_rows(settled)
    sessions = _sessions(settled, findings)
    causes = by_cause(findings)
    rows = (lambda default: default if limit is None else limit)
    sections = [_header(run, discovery, sessions, figures, zone), _paid(figures)]
    sections.append(Section("AVOIDABLE", headline(causes, sent, figures["tokens"]["total"]), tight=True))
    sections.append(_by_project(settled, findings, sessions, zone, rows(_PROJECTS)))
    models = _by_model(settled, zone, rows(_MODELS))
    models.beside = _by_source(sent, rows(_SOURCES))
    sections.append(models)
    sections.append(_worst_sessions(sessions, findings, zone, rows(_SESSIONS)))
    end = _parts_of_avoidable(causes) + foot(run, discovery, zone, verbose=verbose)
    sections.append(Section(lines=[*end, _next(discovery, sessions, settled)]))
    return [section for section in sections if section.title or section.lines]


def _sessions(settled: Settled, findings: pl.DataFrame) -> pl.DataFrame:
    """One row a session that owns anything: what it is, its usage and what was avoidable, worst first."""
    session = pl.coalesce("session_id", "conversation_id")
    owning = settled.conversations.filter(
        (pl.col("own_messages") > 0)
        | pl.col("conversation").is_in(settled.requests.filter("own")["conversation"].unique().implode())
    )
    key = owning.select("conversation", session=session)
    ordered = owning.with_columns(session=session, is_side=pl.col("kind") != "main").sort("is_side", "rank")
    heads = ordered.group_by("session", maintain_order=True).agg(
        pl.col("project", "client", "path", "log_format").first(),
        started_at=pl.col("started_at").min(),
        ended_at=pl.max_horizontal(pl.col("ended_at").max(), pl.col("started_at").max()),
    )
    usage = (
        settled.requests.filter("own")
        .join(key, on="conversation")
        .group_by("session")
        .agg(
            cost=pl.when(pl.col("cost_usd_micros").is_not_null().any()).then(pl.col("cost_usd_micros").sum()),
            input_tokens=pl.col("input_tokens").sum(),
        )
    )
    entered = (
        settled.blocks.filter("own")
        .join(key, on="conversation")
        .group_by("session")
        .agg(entered=pl.col("tokens").cast(pl.Int64).sum())
    )
    wasted = (
        findings.join(key, on="conversation")
        .group_by("session")
        .agg(avoidable=pl.col("avoidable_tokens").sum(), avoidable_sent=AVOIDABLE_SENT.sum())
    )
    rows = heads.join(usage, on="session", how="left").join(entered, on="session", how="left")
    rows = rows.join(wasted, on="session", how="left")
    return rows.with_columns(pl.col("entered", "avoidable", "avoidable_sent", "input_tokens").fill_null(0)).sort(
        ["avoidable_sent", "avoidable", "cost", "entered", "session"],
        descending=[True, True, True, True, False],
        nulls_last=True,
    )


def _header(
    run: Run, discovery: Discovery, sessions: pl.DataFrame, figures: Figures, zone: tzinfo | None
) -> Section:
    clients = Counter(row or "other logs" for row in sessions["client"].to_list())
    by_client = ", ".join(f"{plain(name, 30)} {count:,}" for name, count in clients.most_common(4))
    read = f"{plural(len(run.files), 'file')}, {size(sum(file.bytes for file in run.files))} read"
    if discovery.older_files:
        read += f"; {plural(discovery.older_files, 'older file')}, {size(discovery.older_bytes)} not (--since all)"
    lines = [f"{plural(len(sessions), 'session')}: {by_client}" if len(sessions) else "0 sessions"]
    span = _span(run.settled, zone)
    lines[0] += f"   {plural(figures['requests'], 'request')}"
    lines.append(f"{span}   {read}")
    if figures["copies"] or figures["copied_tokens"]:
        lines.append(
            f"{plural(figures['copies'], 'conversation')} that only repeat others, "
            f"{short(figures['copied_tokens'])} copied tokens: counted in no total"
        )
    return Section(lines=lines)


def _span(settled: Settled, zone: tzinfo | None) -> str:
    times = settled.requests.filter("own")["timestamp"].drop_nulls().to_list()
    if not times:
        times = [*settled.conversations["started_at"].drop_nulls(), *settled.conversations["ended_at"].drop_nulls()]
    return days(min(times), max(times), zone) if times else "no times recorded"


def _paid(figures: Figures) -> Section:
    usage, cost, parts = figures["usage"], figures["cost_usd_micros"], figures["cost_parts"]
    problem = usage_problem(figures)
    if problem:
        return Section("PAID FOR", problem)
    total = (usage["input_tokens"] or 0) + (usage["output_tokens"] or 0)
    tokens = f"{short(total)} tokens ({short(usage['output_tokens'] or 0)} output)"
    if parts:
        unpriced = figures["unpriced_requests"]
        missing = f", {plural(unpriced, 'request')} without a price left out" if unpriced else ""
        remark = f"{usd(cost)} at API list prices{missing}   {tokens}"
        shares = [f"{name} {share(parts[part] or 0, cost)}" for name, _, part, _ in PARTS if parts[part]]
        told = "of the cost"
    else:
        remark = f"{tokens}, no price is known"
        shares = [f"{name} {share(usage[column], total)}" for name, column, _, _ in PARTS if usage[column]]
        told = "of the tokens"
    lines = [f"{'  '.join(shares)}  {told}"] if shares else []
    if usage["lower_bound_requests"]:
        lines.append(f"output is at least that: {plural(usage['lower_bound_requests'], 'response')} cut short")
    return Section("PAID FOR", remark, lines=lines + remarks(figures))


def _by_project(
    settled: Settled, findings: pl.DataFrame, sessions: pl.DataFrame, zone: tzinfo | None, limit: int
) -> Section:
    """By project, or by file where no log tells its project."""
    dimension = "project" if settled.conversations["project"].is_not_null().any() else "path"
    table = grouped(settled, [dimension], zone)
    counts = dict(sessions.group_by(dimension).agg(pl.len()).iter_rows())
    causes = {
        row[dimension]: signal_words(row["signal"], row["cause"])
        for row in top_causes(findings, [dimension], 1).iter_rows(named=True)
    }
    name = "BY PROJECT" if dimension == "project" else "BY FILE"
    columns = [text_column(), Column("sessions"), Column("cost"), Column("entered"), Column("avoidable"), Column("")]
    section = Section(name, columns=(*columns, Column("peak"), text_column("top cause")))
    kept = table if limit == 0 else table.head(limit)
    for row in kept.iter_rows(named=True):
        label = _label(row[dimension], dimension)
        section.rows.append(_group_cells(label, counts.get(row[dimension], 0), row, causes.get(row[dimension], "")))
    rest = table.tail(len(table) - len(kept))
    if len(rest):
        number = sum(counts.get(value, 0) for value in rest[dimension].to_list())
        costs = rest["cost_usd_micros"].drop_nulls()
        summed = {name: rest[name].sum() for name in ("input_tokens", "entered_tokens", "avoidable_tokens")}
        summed["cost_usd_micros"] = costs.sum() if len(costs) else None
        summed["peak_context_tokens"] = rest["peak_context_tokens"].max()
        section.rows.append(_group_cells(f"{len(rest):,} others", number, summed, ""))
    return section


def _label(value: str | None, dimension: str) -> str:
    if value is None:
        return "-"
    return place(value) if dimension == "path" else plain(value, 60)


def _group_cells(label: str, sessions: int, row: dict[str, Any], cause: str) -> tuple[str, ...]:
    return (
        label,
        f"{sessions:,}",
        _money(row["cost_usd_micros"], row["input_tokens"]),
        short(row["entered_tokens"]),
        short(row["avoidable_tokens"]) if row["avoidable_tokens"] else "-",
        share(row["avoidable_tokens"], row["entered_tokens"]) if row["avoidable_tokens"] else "",
        short(row["peak_context_tokens"]) if row["peak_context_tokens"] else "-",
        cause,
    )


def _money(cost: int | None, tokens: int | None) -> str:
    if cost is not None:
        return usd(cost)
    return "no price" if tokens else "no usage"


def _by_model(settled: Settled, zone: tzinfo | None, limit: int) -> Section:
    table = grouped(settled, ["model"], zone).filter(pl.col("requests") > 0)
    section = Section("BY MODEL", columns=(text_column(), Column("requests"), Column("cost")))
    kept = table if limit == 0 else table.head(limit)
    for row in kept.iter_rows(named=True):
        name = plain(row["model"] or "model unknown", 60)
        section.rows.append((name, f"{row['requests']:,}", _money(row["cost_usd_micros"], row["input_tokens"])))
    rest = table.tail(len(table) - len(kept))
    if len(rest):
        cost = rest["cost_usd_micros"].drop_nulls()
        money = _money(int(cost.sum()) if len(cost) else None, rest["input_tokens"].sum())
        section.rows.append((f"{len(rest):,} others", f"{rest['requests'].sum():,}", money))
    return section


def _by_source(sent: Sent, limit: int) -> Section:
    """What filled the contexts, servers of MCP as one."""
    section = Section("BY SOURCE OF CONTEXT", columns=(text_column(), Column("sent"), Column("share")))
    servers = [source for source in sent.sources if source.name.startswith("mcp ")]
    named = [(source.name, source.sent) for source in sent.sources if source not in servers]
    if servers:
        named.append((plural(len(servers), "MCP server"), sum(source.sent for source in servers)))
    unexplained = sent.unexplained
    if unexplained is not None and unexplained > 0:
        named.append(("not explained" if sent.has_prefix else "not in the log", unexplained))
    named.sort(key=lambda entry: -entry[1])
    kept = named if limit == 0 else named[:limit]
    section.rows = [(plain(name, 40), short(tokens), share(tokens, sent.total)) for name, tokens in kept if tokens]
    rest = sum(tokens for _, tokens in named[len(kept) :])
    if rest:
        section.rows.append((f"{len(named) - len(kept)} others", short(rest), share(rest, sent.total)))
    if unexplained is not None and unexplained < 0:
        section.lines.append(f"estimate {short(-unexplained)} above the recorded input")
    return section


def _worst_sessions(
    sessions: pl.DataFrame, findings: pl.DataFrame, zone: tzinfo | None, limit: int
) -> Section:
    """The sessions with most avoidable tokens sent, or the most costly ones where nothing was avoidable."""
    kept = sessions if limit == 0 else sessions.head(limit)
    wasteful = bool(kept["avoidable"].sum())
    reasons: dict[str, list[str]] = {}
    session = pl.coalesce("session_id", "conversation_id").alias("session")
    for row in top_causes(findings.with_columns(session), ["session"], 2).iter_rows(named=True):
        said = f"{signal_words(row['signal'], row['cause'])} {row['findings']:,}x"
        reasons.setdefault(row["session"], []).append(said)
    section = Section("WORST SESSIONS" if wasteful else "LARGEST SESSIONS")
    section.columns = (
        text_column(), text_column(), Column(), Column(), Column("cost"), Column("avoidable"), Column(),
        text_column("why" if wasteful else ""),
    )  # fmt: skip
    for row in kept.iter_rows(named=True):
        if wasteful and not row["avoidable"]:
            break
        started = row["started_at"]
        name = row["project"] or place(row["path"]).replace("\\", "/").rpartition("/")[2]
        section.rows.append(
            (
                plain(row["session"][:_ID], _ID),
                plain(name, 30),
                f"{local(started, zone):%d %b}" if started is not None else "",
                duration(row["ended_at"] - started) if started is not None and row["ended_at"] is not None else "",
                _money(row["cost"], row["input_tokens"]),
                short(row["avoidable"]) if row["avoidable"] else "-",
                share(row["avoidable"], row["entered"]) if row["avoidable"] else "",
                ", ".join(reasons.get(row["session"], [])),
            )
        )
    return section


def _parts_of_avoidable(causes: pl.DataFrame) -> list[str]:
    """What the avoidable tokens are made of, in one sentence."""
    total = int(causes["avoidable_tokens"].sum())
    if not total:
        return []
    rows = causes.filter(pl.col("avoidable_tokens") > 0).sort("avoidable_tokens", descending=True).head(4)
    said = [f"{share(tokens, total)} {signal_words(signal, cause)}" for signal, cause, tokens in
            rows.select("signal", "cause", "avoidable_tokens").iter_rows()]  # fmt: skip
    return [f"Of {short(total)} avoidable: {', '.join(said)}."]


def _next(discovery: Discovery, sessions: pl.DataFrame, settled: Settled) -> str:
    """Commands that lead on from here."""
    command = "headroom analyze"
    if discovery.roots and len(sessions):
        return f"next: {command} {_typed(sessions['session'][0][:_ID])}   --by tool|file|day|mcp|agent   --format json"
    paths: Sequence[str] = sessions["path"].to_list()
    target = f" {_typed(place(paths[0]))}" if paths and len(settled.conversations["path"].unique()) > 1 else ""
    return f"next: {command}{target}   --by tool|file|day|mcp|agent   --format json"


def _typed(text: str) -> str:
    return text if text.startswith("~") and " " not in text else quote(text)
