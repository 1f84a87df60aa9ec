"""The report on one session: a main conversation with the subagents and side threads that belong to it."""

from __future__ import annotations

from datetime import tzinfo

import polars as pl

from headroom_cli.report.findings import finding_rows
from headroom_cli.report.foot import foot, older
from headroom_cli.report.kept import carried_longest, kept_longest
from headroom_cli.report.layout import Column, Section, most, shown, text_column
from headroom_cli.report.paid import paid_for, usage_problem
from headroom_cli.report.sources import Sent, what_was_sent
from headroom_cli.report.sparkline import sparkline
from headroom_cli.report.summary import Figures, conversation_figures, totals
from headroom_cli.report.wasted import advice, avoidable, worst
from headroom_cli.report.words import period, place, plain, plural, share, short, usd, whole
from headroom_cli.result import Run
from headroom_cli.source.discover import Discovery

_SOURCES, _CAUSES, _WORST, _ADVICE, _CARRIED = 6, 5, 3, 3, 10
_SPARK_LINE = 78
_COMPACTING = ("claude", "codex")


def the_session(run: Run) -> list[Figures] | None:
    """The figures of the session's conversations, the main one first; None where the run is about several sessions."""
    owning = [f for f in conversation_figures(run.settled) if f["messages"] or f["requests"]]
    if not owning or (len(owning) > 1 and len({f["session_id"] or f["id"] for f in owning}) > 1):
        return None
    return sorted(owning, key=lambda f: (f["kind"] != "main", -f["requests"], -f["messages"]))


def session_report(
    run: Run, discovery: Discovery, session: list[Figures], *, zone: tzinfo | None, limit: int | None, verbose: bool
) -> list[Section]:
    """The sections of the report, as `the_session` found it."""
    figures = totals(run.settled, len(run.files))
    sent = what_was_sent(run.settled)
    findings = finding_rows(run.settled)
    problem = usage_problem(figures)
    sections = [_header(run, session, figures, zone)]
    if problem is None:
        sections.append(_with_subagents(paid_for(figures), session, figures))
    if context := _context(run, session[0]):
        sections.append(context)
    sections.append(_what_was_sent(sent, figures, len(session), 0 if verbose else most(limit, _SOURCES)))
    if not verbose:
        sections[-1].lines += kept_longest(run.settled)
    sections.append(avoidable(findings, sent, figures, 0 if verbose else most(limit, _CAUSES)))
    if verbose and (carried := carried_longest(run.settled, most(limit, _CARRIED))):
        sections.append(carried)
    sections += [s for s in (worst(findings, most(limit, _WORST)), advice(findings, _ADVICE)) if s]
    end = older(discovery) + foot(run, discovery, zone, verbose=verbose)
    sections.append(Section(lines=[problem, *end] if problem else end))
    return sections


def _header(run: Run, session: list[Figures], figures: Figures, zone: tzinfo | None) -> Section:
    main, others = session[0], session[1:]
    name = plain(main["project"] or place(main["path"]).replace("\\", "/").rpartition("/")[2], 60)
    branch = f" ({plain(main['git_branch'], 40)})" if main["git_branch"] else ""
    version = f" {plain(main['client_version'], 20)}" if main["client_version"] else ""
    client = f"{plain(main['client'], 30)}{version}" if main["client"] else main["log_format"]
    identity = f"session {plain(main['session_id'][:8], 8)}" if main["session_id"] else ""
    lines = [
        "   ".join(part for part in (client, plain(main["model"] or "model unknown", 40), identity) if part),
        "   ".join(_extent(run, main, figures, zone)),
    ]
    if others:
        requests = sum(f["requests"] for f in others)
        named = sorted({plain(f["agent_name"], 30) for f in others if f["agent_name"]})
        kinds = f" ({', '.join(named[:4])}{', …' if len(named) > 4 else ''})" if named else ""
        lines.append(f"{_others(others)}{kinds}: {plural(requests, 'request')} of these, counted in")
    copied, times = figures["copied_tokens"], figures["copies"]
    if copied or times:
        where = f"in {plural(times, 'copy', 'copies')} of this history" if times else "are history of another session"
        lines.append(f"{whole(copied)} tokens {where}: counted in no total")
    return Section(f"{name}{branch}", columns=(), lines=lines)


def _others(conversations: list[Figures]) -> str:
    only_subagents = all(f["kind"] == "subagent" for f in conversations)
    return plural(len(conversations), "subagent" if only_subagents else "other thread")


def _extent(run: Run, main: Figures, figures: Figures, zone: tzinfo | None) -> list[str]:
    parts = []
    if main["started_at"] is not None:
        parts.append(period(main["started_at"], main["ended_at"] or main["started_at"], zone))
    else:
        parts.append("no times recorded")
    implied = run.settled.requests.filter("own")["source"].eq("implied").all()
    requests = plural(figures["requests"], "request")
    parts.append(f"{requests} (implied by answers)" if figures["requests"] and implied else requests)
    if main["context_resets"]:
        compacts = main["log_format"].startswith(_COMPACTING)
        parts.append(plural(main["context_resets"], "compaction" if compacts else "context reset"))
    return parts


def _with_subagents(section: Section, session: list[Figures], figures: Figures) -> Section:
    """Say how much of the total the conversations beside the main one took."""
    others = [f for f in session[1:] if f["usage"]]
    if not others:
        return section
    tokens = sum((f["usage"]["input_tokens"] or 0) + (f["usage"]["output_tokens"] or 0) for f in others)
    name = f"of it {_others(others)}"
    if figures["cost_usd_micros"] is None:
        section.rows.append((name, whole(tokens), "", ""))
    else:
        cost = sum(f["cost_usd_micros"] or 0 for f in others)
        section.rows.append((name, whole(tokens), usd(cost), share(cost, figures["cost_usd_micros"]), ""))
    return section


def _context(run: Run, main: Figures) -> Section | None:
    """The size of the context from request to request, where it is recorded."""
    requests = (
        run.settled.requests.filter("own", pl.col("conversation") == main["conversation"])
        .with_columns(size=pl.coalesce("context_tokens", "input_tokens"))
        .filter(pl.col("size") > 0)
    )
    sizes: list[int] = requests["size"].to_list()
    if len(sizes) < 3:
        return None
    at = run.settled.conversations.filter(pl.col("conversation") == main["conversation"])["resets"][0].to_list()
    positions = {int((requests["request_index"] < reset).sum()) for reset in at}
    resets = "   | made smaller" if at else ""
    before, behind = f"context  {short(sizes[0])} ", f" {short(sizes[-1])}   peak {short(max(sizes))} tokens{resets}"
    bars = sparkline(sizes, _SPARK_LINE - len(before) - len(behind), positions)
    return Section(lines=[before + bars + behind], tight=True)


def _what_was_sent(sent: Sent, figures: Figures, conversations: int, limit: int) -> Section:
    if not sent.explained and sent.recorded is None:
        return _what_entered(sent, figures, limit)
    section = Section("WHAT WAS SENT")
    section.columns = (text_column(), Column("entered"), Column("x sent"), Column("sent"), Column("share"))
    kept = sent.sources[: shown(len(sent.sources), limit)]
    for source in kept:
        times = f"{source.sent / source.entered:.0f}" if source.entered else ""
        section.rows.append(
            (plain(source.name, 60), whole(source.entered) if source.entered else "", times,
             short(source.sent), share(source.sent, sent.total))
        )  # fmt: skip
    rest = sent.sources[len(kept) :]
    if rest:
        entered, times_sent = sum(s.entered for s in rest), sum(s.sent for s in rest)
        times = f"{times_sent / entered:.0f}" if entered else ""
        section.rows.append(
            (plural(len(rest), "other"), whole(entered), times, short(times_sent), share(times_sent, sent.total))
        )
    unexplained = sent.unexplained
    if unexplained is not None and unexplained > 0:
        name = "not explained" if sent.has_prefix else "not in the log"
        section.rows.append((name, "", "", short(unexplained), share(unexplained, sent.total)))
    section.lines = _sent_remarks(sent)
    return section


def _sent_remarks(sent: Sent) -> list[str]:
    if sent.recorded is None:
        return ["estimates alone: the log records no input to compare them with"]
    unexplained = sent.unexplained
    if unexplained is None:
        return [
            f"{plural(sent.unrecorded_requests, 'request')} without recorded usage: "
            f"the estimate of {short(sent.explained)} can't be compared with the {short(sent.recorded)} recorded."
        ]
    if unexplained < 0:
        return [f"Estimate {short(-unexplained)} ({share(-unexplained, sent.recorded)}) above the recorded input."]
    least = "at least the " if sent.unrecorded_requests else ""
    if sent.has_prefix:
        return [f"not explained: {least}rest of the recorded input (what estimates miss)"]
    return [f"not in the log: {least}rest of recorded input (system prompt, tools, estimate error)"]


def _what_entered(sent: Sent, figures: Figures, limit: int) -> Section:
    """Tokens by source where no request is known to have sent them."""
    section = Section("WHAT IS IN IT", columns=(text_column(), Column("tokens"), Column("share")))
    ranked = sorted(sent.sources, key=lambda source: -source.entered)
    total = figures["tokens"]["total"]
    kept = ranked[: shown(len(ranked), limit)]
    section.rows = [(plain(s.name, 60), whole(s.entered), share(s.entered, total)) for s in kept]
    rest = sum(source.entered for source in ranked[len(kept) :])
    if rest:
        section.rows.append((plural(len(ranked) - len(kept), "other"), whole(rest), share(rest, total)))
    return section
