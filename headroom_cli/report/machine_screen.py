"""The report on many sessions: what they cost, by project, model and source, and the worst of them."""

from __future__ import annotations

from collections import Counter
from datetime import tzinfo
from itertools import takewhile
from shlex import quote

import polars as pl

from headroom_cli.report.dimensions import grouped
from headroom_cli.report.findings import AVOIDABLE_SENT, by_cause, finding_rows, priced, top_signals
from headroom_cli.report.foot import foot
from headroom_cli.report.known import known_sum
from headroom_cli.report.layout import Column, Section, most, path_column, shown, text_column
from headroom_cli.report.paid import PARTS, cache_remarks, remarks, usage_problem
from headroom_cli.report.sources import Sent, what_was_sent
from headroom_cli.report.summary import Figures, totals
from headroom_cli.report.wasted import headline, signal_words
from headroom_cli.report.words import days, duration, local, place, plain, plural, share, short, size, usd
from headroom_cli.result import Run
from headroom_cli.settle import Settled
from headroom_cli.source.discover import Discovery

_PROJECTS, _MODELS, _SOURCES, _SESSIONS = 5, 5, 6, 4
_ID = 8
_COST = "avoidable_cost_usd_micros"
_NO_USAGE = "no usage"
_NOTHING = ("", "-", _NO_USAGE)


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
    sections = [_header(run, discovery, sessions, figures, zone), _paid(figures)]
    sections.append(Section("AVOIDABLE", headline(causes, sent, figures), tight=True))
    sections.append(_by_project(settled, findings, sessions, zone, most(limit, _PROJECTS)))
    models = _by_model(settled, zone, most(limit, _MODELS))
    models.beside = _by_source(sent, most(limit, _SOURCES))
    sections.append(models)
    sections.append(_worst_sessions(sessions, findings, zone, most(limit, _SESSIONS)))
    end = _parts_of_avoidable(findings, causes) + foot(run, discovery, zone, verbose=verbose)
    sections.append(Section(lines=end, commands=_next(discovery, sessions)))
    return [section for section in sections if section.lines or section.rows or section.remark]


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
            cost=known_sum("cost_usd_micros"),
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
        .agg(
            avoidable=pl.col("avoidable_tokens").sum(),
            avoidable_sent=AVOIDABLE_SENT.sum(),
            avoidable_cost=known_sum("avoidable_cost_usd_micros"),
        )
    )
    rows = heads.join(usage, on="session", how="left").join(entered, on="session", how="left")
    rows = rows.join(wasted, on="session", how="left")
    order = [*(["avoidable_cost"] if priced(findings) else []), "avoidable_sent", "avoidable", "cost", "entered"]
    return rows.with_columns(pl.col("entered", "avoidable", "avoidable_sent", "input_tokens").fill_null(0)).sort(
        [*order, "session"], descending=[*[True] * len(order), False], nulls_last=True
    )


def _header(run: Run, discovery: Discovery, sessions: pl.DataFrame, figures: Figures, zone: tzinfo | None) -> Section:
    clients = Counter(
        client or log_format for client, log_format in sessions.select("client", "log_format").iter_rows()
    )
    by_client = ", ".join(f"{plain(name, 30)} {count:,}" for name, count in clients.most_common(4))
    by_client += f", {len(clients) - 4} more" if len(clients) > 4 else ""
    noun = "session" if sessions["client"].is_not_null().any() else "conversation"
    read = f"{plural(len(run.files), 'file')} ({size(sum(file.bytes for file in run.files))})"
    if discovery.older_files:
        read += f", not read: {discovery.older_files:,} older ({size(discovery.older_bytes)}; --since all)"
    lines = [
        f"{plural(len(sessions), noun)}: {by_client}" if len(sessions) else "0 sessions",
        f"{_span(run.settled, zone)}   {plural(figures['requests'], 'request')} in {read}",
    ]
    if figures["copies"] or figures["copied_tokens"]:
        repeats = f" ({plural(figures['copies'], 'conversation')} nothing else)" if figures["copies"] else ""
        lines.append(f"{short(figures['copied_tokens'])} tokens are copies of history{repeats}: counted in no total")
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
        remark = f"{usd(cost)} at API list prices   {tokens}"
        shares = [f"{name} {share(parts[part] or 0, cost)}" for name, _, part, _ in PARTS if parts[part]]
        told = "of the cost"
    else:
        remark = f"{tokens}, no price is known"
        shares = [f"{name} {share(usage[column], total)}" for name, column, _, _ in PARTS if usage[column]]
        told = "of the tokens"
    lines = [f"{'  '.join(shares)}  {told}"] if shares else []
    if usage["lower_bound_requests"]:
        lines.append(f"output is a lower bound: {plural(usage['lower_bound_requests'], 'count')} not final")
    return Section("PAID FOR", remark, lines=lines + cache_remarks(figures) + remarks(figures))


def _by_project(
    settled: Settled, findings: pl.DataFrame, sessions: pl.DataFrame, zone: tzinfo | None, limit: int
) -> Section:
    """By project, or by file where no log tells its project."""
    dimension = "project" if settled.conversations["project"].is_not_null().any() else "path"
    table = grouped(settled, [dimension], zone)
    counts = dict(sessions.group_by(dimension).agg(pl.len().alias("sessions")).iter_rows())
    causes = {row[dimension]: row["signal"] for row in top_signals(findings, [dimension], 1).iter_rows(named=True)}
    table = table.with_columns(
        sessions=pl.Series([counts.get(value, 0) for value in table[dimension]], dtype=pl.Int64),
        most_by=pl.Series([causes.get(value, "") for value in table[dimension]], dtype=pl.String),
    )
    kept = table.head(shown(len(table), limit))
    rest = table.tail(len(table) - len(kept))
    base = _common_folder(table[dimension].drop_nulls().to_list()) if dimension == "path" else ""
    labels = [_label(value, base) for value in kept[dimension]]
    rows = list(kept.iter_rows(named=True))
    if len(rest):
        labels.append(plural(len(rest), "other"))
        sums = pl.col("sessions", "input_tokens", "entered_tokens", "avoidable_tokens").sum()
        costs = [known_sum("cost_usd_micros"), known_sum("avoidable_cost_usd_micros")]
        rows += rest.select(sums, *costs, pl.col("peak_context_tokens").max()).to_dicts()
    columns = [
        (path_column() if dimension == "path" else text_column(), labels),
        (Column("sessions"), [f"{row['sessions']:,}" for row in rows]),
        (Column("cost"), [_money(row["cost_usd_micros"], row["input_tokens"]) for row in rows]),
        (Column("entered"), [short(row["entered_tokens"]) for row in rows]),
        *_avoidable(
            [
                (
                    row["avoidable_tokens"],
                    row["entered_tokens"],
                    row["avoidable_cost_usd_micros"],
                    row["cost_usd_micros"],
                )
                for row in rows
            ]
        ),
        (Column("peak"), [short(row["peak_context_tokens"]) if row["peak_context_tokens"] else "-" for row in rows]),
        (text_column("top cause"), [row.get("most_by", "") for row in rows]),
    ]
    return _table(f"BY {'PROJECT' if dimension == 'project' else 'FILE'}", columns)


def _avoidable(rows: list[tuple[int, int, int | None, int | None]]) -> list[tuple[Column, list[str]]]:
    """What is avoidable, in money and as a share of the cost where a price is known, else in tokens.

    Each row: avoidable tokens, of so many that entered, what they cost, of such a cost.
    """
    amounts, shares = [], []
    for tokens, entered, saved, cost in rows:
        if not tokens and not saved:
            amounts.append("-")
            shares.append("")
        elif saved and cost:
            amounts.append(usd(saved))
            shares.append(share(saved, cost))
        else:
            amounts.append(f"{short(tokens)} tok")
            shares.append(share(tokens, entered))
    return [(Column("avoidable"), amounts), (Column("share"), shares)]


def _table(title: str, columns: list[tuple[Column, list[str]]]) -> Section:
    """A section from columns; those that say nothing in any row are left out."""
    kept = [(column, cells) for column, cells in columns if not all(cell in _NOTHING for cell in cells)]
    rows = list(zip(*(cells for _, cells in kept), strict=True))
    return Section(title, columns=[column for column, _ in kept], rows=rows)


def _common_folder(paths: list[str]) -> str:
    folders = [path.replace("\\", "/").split("/")[:-1] for path in paths]
    same = takewhile(lambda names: len(set(names)) == 1, zip(*folders, strict=False))
    return "/".join(names[0] for names in same)


def _label(value: str | None, base: str) -> str:
    if value is None:
        return "no project"
    return plain(value[len(base) :].lstrip("/\\") if base else value, 200)


def _money(cost: int | None, tokens: int | None) -> str:
    if cost is not None:
        return usd(cost)
    return "no price" if tokens else _NO_USAGE


def _by_model(settled: Settled, zone: tzinfo | None, limit: int) -> Section:
    table = grouped(settled, ["model"], zone).filter(pl.col("requests") > 0)
    kept = table.head(shown(len(table), limit))
    rest = table.tail(len(table) - len(kept))
    rows = kept.to_dicts()
    labels = [plain(row["model"] or "model unknown", 60) for row in rows]
    if len(rest):
        labels.append(plural(len(rest), "other"))
        rows += rest.select(pl.col("requests", "input_tokens").sum(), known_sum("cost_usd_micros")).to_dicts()
    columns = [
        (text_column(), labels),
        (Column("requests"), [f"{row['requests']:,}" for row in rows]),
        (Column("cost"), [_money(row["cost_usd_micros"], row["input_tokens"]) for row in rows]),
    ]
    return _table("BY MODEL", columns)


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
    kept = named[: shown(len(named), limit)]
    section.rows = [(plain(name, 40), short(tokens), share(tokens, sent.total)) for name, tokens in kept if tokens]
    rest = sum(tokens for _, tokens in named[len(kept) :])
    if rest:
        section.rows.append((plural(len(named) - len(kept), "other"), short(rest), share(rest, sent.total)))
    if unexplained is not None and unexplained < 0:
        section.lines.append(f"estimate {short(-unexplained)} above the recorded input")
    return section


def _worst_sessions(sessions: pl.DataFrame, findings: pl.DataFrame, zone: tzinfo | None, limit: int) -> Section:
    """The sessions with most avoidable tokens sent, or the most costly ones where nothing was avoidable."""
    kept = sessions if limit == 0 else sessions.head(limit)
    wasteful = bool(kept["avoidable"].sum() or kept["avoidable_cost"].sum())
    reasons: dict[str, list[str]] = {}
    session = pl.coalesce("session_id", "conversation_id").alias("session")
    for row in top_signals(findings.with_columns(session), ["session"], 2).iter_rows(named=True):
        said = f"{row['signal']} {row['findings']:,}x"
        reasons.setdefault(row["session"], []).append(said)
    rows = [row for row in kept.iter_rows(named=True) if row["avoidable"] or row["avoidable_cost"] or not wasteful]
    columns = [
        (text_column(), [_session_name(row) for row in rows]),
        (Column(), [f"{local(row['started_at'], zone):%d %b}" if row["started_at"] else "" for row in rows]),
        (Column(), [_duration(row["started_at"], row["ended_at"]) for row in rows]),
        (Column("cost"), [_money(row["cost"], row["input_tokens"]) for row in rows]),
        (Column("entered"), ["" if wasteful else short(row["entered"]) for row in rows]),
        *_avoidable([(row["avoidable"], row["entered"], row["avoidable_cost"], row["cost"]) for row in rows]),
        (text_column("why"), [", ".join(reasons.get(row["session"], [])) for row in rows]),
    ]
    return _table("WORST SESSIONS" if wasteful else "LARGEST SESSIONS", columns)


def _session_name(row: dict[str, str | None]) -> str:
    name = row["project"] or (row["path"] or "").replace("\\", "/").rpartition("/")[2]
    return f"{plain((row['session'] or '')[:_ID], _ID)} {plain(name, 20)}"


def _parts_of_avoidable(findings: pl.DataFrame, causes: pl.DataFrame) -> list[str]:
    """What is avoidable, by cause, in one sentence."""
    tokens = "avoidable_tokens"
    column = _COST if priced(findings) else tokens
    rows = causes.group_by("signal", "cause", maintain_order=True).agg(pl.col(tokens).sum(), known_sum(_COST))
    rows = rows.filter(pl.col(column) > 0).sort(column, descending=True).head(4)
    total = int(causes[column].sum())
    if not total:
        return []
    said = [
        f"{share(amount, total)} {signal_words(signal, cause)}"
        for signal, cause, amount in rows.select("signal", "cause", column).iter_rows()
    ]
    return [f"Of {short(total) if column == tokens else usd(total)} avoidable: {', '.join(said)}."]


def _next(discovery: Discovery, sessions: pl.DataFrame) -> list[str]:
    """Commands that lead on from here."""
    commands = []
    if discovery.roots and len(sessions):
        commands.append(f"next: headroom analyze {_typed(sessions['session'][0][:_ID])}")
    elif len(sessions.unique("path")) > 1:
        commands.append(f"next: headroom analyze {_typed(place(sessions['path'][0]))}")
    return [*commands, "add:  --by tool (file, day, mcp, agent, …)   --format json   -v"]


def _duration(start: int | None, end: int | None) -> str:
    return "" if start is None or end is None or end <= start else duration(end - start)


def _typed(text: str) -> str:
    return text if text.startswith("~") and " " not in text else quote(text)
