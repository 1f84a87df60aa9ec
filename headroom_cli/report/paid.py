"""PAID FOR: recorded usage and what it costs at list prices, as a section."""

from __future__ import annotations

from headroom_cli.report.layout import Column, Section, text_column
from headroom_cli.report.summary import Figures
from headroom_cli.report.words import plural, share, usd, whole

PARTS = (
    ("cache reads", "cache_read_input_tokens", "cache_read", "context sent again"),
    ("cache writes", "cache_write_input_tokens", "cache_write", "context new to the cache"),
    ("fresh input", "uncached_input_tokens", "input", "input without cache"),
    ("output", "output_tokens", "output", ""),
)

_TELLING = 0.01
"""A share of the cost below which another time to live is not worth a line."""


def usage_problem(figures: Figures) -> str | None:
    """Why nothing can be said about what was paid, or None."""
    usage = figures["usage"]
    if usage is None:
        return "No usage is recorded: what was paid for is not in the log."
    if not (usage["input_tokens"] or usage["output_tokens"]):
        return "Usage is recorded as zero throughout: what was paid for is not in the log."
    return None


def paid_for(figures: Figures) -> Section:
    """The section for figures of `summary` with usage that is worth showing."""
    usage, cost, parts = figures["usage"], figures["cost_usd_micros"], figures["cost_parts"]
    total = (usage["input_tokens"] or 0) + (usage["output_tokens"] or 0)
    section = Section("PAID FOR")
    rows = []
    for name, column, part, remark in _parts(usage):
        tokens = usage[column]
        if tokens is None:
            continue
        money = [usd(parts[part] or 0), share(parts[part] or 0, cost)] if parts else [share(tokens, total)]
        if name == "output":
            remark = _output_remark(usage)
        elif name == "cache writes":
            remark = _rebuilt_remark(figures, tokens) or remark
        rows.append((name, whole(tokens), *money, remark))
    if parts:
        section.columns = (
            text_column(), Column("tokens"), Column("cost"), Column("share"), text_column("at API list prices"),
        )  # fmt: skip
        rows.append(("total", whole(total), usd(cost), "", _unpriced(figures)))
    else:
        section.columns = (text_column(), Column("tokens"), Column("share"), text_column("no price is known"))
        rows.append(("total", whole(total), "", ""))
    section.rows = rows
    section.lines = cache_remarks(figures) + remarks(figures)
    return section


def _parts(usage: Figures) -> list[tuple[str, str, str, str]]:
    """The rows: input whole where the log does not tell what of it was cached."""
    if usage["uncached_input_tokens"] is None and usage["cache_read_input_tokens"] is None:
        return [("input", "input_tokens", "input", ""), PARTS[-1]]
    return list(PARTS)


def _rebuilt_remark(figures: Figures, written: int) -> str:
    """How much of what was written to the cache had been there before."""
    rebuilt = sum(row["tokens"] for row in (figures["cache"] or {}).get("rebuilds", ()))
    return f"{share(min(rebuilt, written), written)} of them rebuilds" if rebuilt and written else ""


def cache_remarks(figures: Figures) -> list[str]:
    """What rebuilding the cache cost, and what another time to live would have saved."""
    cache, cost = figures["cache"] or {}, figures["cost_usd_micros"] or 0
    rebuilds = cache.get("rebuilds", ())
    extra = sum(row["cost_usd_micros"] or 0 for row in rebuilds)
    said = []
    if extra and extra >= _TELLING * cost:
        number = sum(row["requests"] for row in rebuilds)
        said.append(f"{plural(number, 'rebuild')} cost {usd(extra)} more than reading it")
    for column, words in (("all_1h_usd_micros", "an hour"), ("all_5m_usd_micros", "five minutes")):
        more = cache.get(column)
        if more and -more >= _TELLING * cost:
            said.append(f"{usd(-more)} less if all were kept for {words}")
    return [f"Cache: {'; '.join(said)}."] if said else []


def _output_remark(usage: Figures) -> str:
    said = []
    if usage["output_is_lower_bound"]:
        said.append(f"at least: {plural(usage['lower_bound_requests'], 'count')} not final")
    if usage["reasoning_output_tokens"]:
        said.append(f"{whole(usage['reasoning_output_tokens'])} of it reasoning")
    return ", ".join(said)


def _unpriced(figures: Figures) -> str:
    number = figures["unpriced_requests"]
    return f"without {plural(number, 'request')} that no price is known for" if number else ""


def remarks(figures: Figures) -> list[str]:
    """What the total does not hold."""
    said = []
    usage = figures["usage"]
    if usage["requests"] < figures["requests"]:
        said.append(f"Usage is recorded for {usage['requests']:,} of {plural(figures['requests'], 'request')}.")
    return said + nested_remark(figures)


def nested_remark(figures: Figures) -> list[str]:
    """Usage that stands only inside progress records, which no total holds."""
    nested = figures["usage_nested"]
    if not nested:
        return []
    tokens = (nested["input_tokens"] or 0) + (nested["output_tokens"] or 0)
    return [
        f"Not in the total: {whole(tokens)} tokens of {plural(nested['requests'], 'response')} "
        "reported only in progress records of subagents."
    ]
