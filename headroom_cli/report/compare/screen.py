"""A comparison for people: what each side is, the figures of a session, and what changed by name."""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.report.compare.comparison import Comparison, Row
from headroom_cli.report.compare.increase import Increase, increase_section
from headroom_cli.report.compare.measures import LEAST_SESSIONS, Measured, Unit
from headroom_cli.report.layout import Column, Section, path_column, shown, text_column
from headroom_cli.report.words import place, plain, short, usd, whole

_ROWS = {"signals": 3, "tools": 3, "models": 2}
_WIDE = 100
_FIGURES = {
    "requests": "requests",
    "cost_usd_micros": "cost",
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read_share": "cache reads",
    "peak_context_tokens": "context peak",
    "entered_tokens": "entered",
    "avoidable_tokens": "avoidable",
    "avoidable_share": "avoidable %",
    "avoidable_cost_usd_micros": "avoidable $",
    "avoidable_cost_share": "avoidable $ %",
    "tool_calls": "tool calls",
    "tool_error_share": "tool errors",
    "rereads": "re-reads",
    "compactions": "compactions",
    "lint_errors": "lint errors",
}
_SHOWN = {
    "signals": (
        ("found", "findings_per_100_requests"),
        ("avoidable", "avoidable_tokens_per_100_requests"),
        ("cost", "avoidable_cost_per_100_requests"),
    ),
    "tools": (
        ("result", "result_tokens_per_call"),
        ("errors", "error_share"),
        ("calls/100", "calls_per_100_requests"),
        ("carried", "carried_cost_per_call"),
    ),
    "models": (
        ("cost", "cost_per_request"),
        ("cache", "cache_read_share"),
        ("output", "output_tokens_per_request"),
        ("requests", "request_share"),
    ),
}
_TITLES = {"signals": "SIGNALS", "tools": "TOOLS", "models": "MODELS"}


def report(found: Comparison, *, limit: int | None, width: int | None, increase: Increase | None) -> list[Section]:
    """The sections; where `width` (None: any) is narrow, without the least telling columns."""
    wide = width is None or width >= _WIDE
    sections = [_head(found), *_summary(found), _each_session(found, wide)]
    names = [name for name in _TITLES if found.changed[name]]
    sections += [_by_name(found, name, limit, wide, tight=name != names[0]) for name in names]
    sections.append(Section(lines=list(_foot(found, limit))))
    if increase is not None:
        sections.append(increase_section(increase))
    return sections


def _head(found: Comparison) -> Section:
    section = Section("COMPARED")
    section.columns = (
        path_column(), Column("sessions"), Column("requests"), Column("cost"), Column("input"), Column("output"),
    )  # fmt: skip
    for letter, side, sums in zip("AB", (found.a, found.b), found.totals, strict=True):
        cost = usd(sums["priced_cost_usd_micros"]) if sums["recorded_requests"] > sums["unpriced_requests"] else "-"
        usage = [short(sums[name]) if sums["recorded_requests"] else "-" for name in ("input_tokens", "output_tokens")]
        name = f"{letter} {place(side.title)}"
        section.rows.append((name, whole(sums["sessions"]), whole(sums["requests"]), cost, *usage))
    return section


def _summary(found: Comparison) -> list[Section]:
    """The figures with more than a negligible effect, by what they say."""
    if not any(figure.effect for figure in found.figures.values()):
        return [Section(lines=[f"Under {LEAST_SESSIONS} sessions on a side: a difference may be chance."])]
    sections: list[Section] = []
    for verdict in ("better", "worse", "mixed"):
        clear = [
            f"{_FIGURES[name]} ({figure.effect.size})"
            for name, figure in found.figures.items()
            if figure.effect and figure.effect.size != "negligible" and figure.verdict == verdict
        ]
        if clear:
            sections.append(Section(verdict.upper(), ", ".join(clear), tight=True))
    return sections or [Section(lines=["No figure is better or worse by more than a negligible effect."])]


def _each_session(found: Comparison, wide: bool) -> Section:
    section = Section("EACH SESSION")
    differences = [Column("difference")] if wide else []
    section.columns = (
        text_column(), Column("A"), Column("B"), *differences, Column("change"), text_column(),
        Column("median A"), Column("median B"), text_column("effect"),
    )  # fmt: skip
    for name, words in _FIGURES.items():
        figure = found.figures[name]
        if not (figure.a.rate or figure.b.rate):
            continue
        unit = figure.measure.unit
        difference = [_signed(figure.difference, unit)] if wide else []
        section.rows.append(
            (
                words,
                _value(figure.a.rate, unit),
                _value(figure.b.rate, unit),
                *difference,
                _change(figure),
                figure.verdict or "",
                _value(figure.a.median, unit),
                _value(figure.b.median, unit),
                _effect(figure),
            )
        )
    return section


def _by_name(found: Comparison, dimension: str, limit: int | None, wide: bool, *, tight: bool) -> Section:
    rows = found.changed[dimension]
    chosen = _SHOWN[dimension][: None if wide else 2]
    section = Section(_TITLES[dimension], tight=tight)
    columns = [Column(f"{words} {letter}") for words, _ in chosen for letter in "AB"]
    section.columns = (text_column(), *columns, Column("change"), text_column(), text_column("effect"))
    for row in rows[: shown(len(rows), _most(dimension, limit))]:
        values = [
            _value(side.rate, row.measures[name].measure.unit)
            for _, name in chosen
            for side in (row.measures[name].a, row.measures[name].b)
        ]
        leading = next(iter(row.measures.values()))
        section.rows.append((plain(row.name, 60) or "(none)", *values, _change(leading), *_told(row, leading)))
    return section


def _told(row: Row, leading: Measured) -> tuple[str, str]:
    if row.only is not None:
        return "", f"only in {row.only.upper()}"
    return row.verdict or "", _effect(leading)


def _effect(figure: Measured) -> str:
    if figure.effect is not None:
        return figure.effect.size
    return "too few" if figure.a.sessions and figure.b.sessions else ""


def _most(dimension: str, limit: int | None) -> int:
    return _ROWS[dimension] if limit is None else limit


def _foot(found: Comparison, limit: int | None) -> Iterator[str]:
    left = {name: len(rows) - shown(len(rows), _most(name, limit)) for name, rows in found.changed.items()}
    more = ", ".join(f"{number} {name}" for name, number in left.items() if number)
    if more:
        yield f"Changed too: {more} (--limit 0)."
    yield from found.notes
    if any(_effect(figure) == "too few" for figure in found.figures.values()):
        yield f"too few: under {LEAST_SESSIONS} sessions with the figure on a side; a difference may be chance."
    yield (
        "SIGNALS: of 100 requests. TOOLS: result tokens of a call. MODELS: of a request. pt: percentage points. "
        "effect: how far the sessions lie apart (Cliff's delta)."
    )


def _value(value: float | None, unit: Unit) -> str:
    if value is None:
        return "-"
    if unit == "usd_micros":
        return usd(round(value))
    if unit == "share":
        return f"{100 * value:.1f} %"
    if value < 100 and value != int(value):
        return f"{value:.1f}" if value >= 1 else f"{value:.2f}"
    return short(round(value))


def _signed(difference: float | None, unit: Unit) -> str:
    if difference is None:
        return "-"
    sign = "-" if difference < 0 else "+" if difference else ""
    return f"{sign}{_value(abs(difference), unit)}" if unit != "share" else _points(difference)


def _points(difference: float) -> str:
    points = f"{100 * difference:+.1f} pt" if abs(difference) >= 0.0005 else "<0.1 pt"
    return points if difference else "0 pt"


def _change(figure: Measured) -> str:
    """The change in per cent, in points of a share, or as a factor where it is large."""
    difference, change = figure.difference, figure.change
    if difference is None:
        return "-"
    if figure.measure.unit == "share":
        return _points(difference)
    if change is None:
        return "new" if difference else "0 %"
    if change >= 9:
        return f"x{1 + change:.0f}"
    return "0 %" if not change else "<1 %" if abs(change) < 0.005 else f"{100 * change:+.0f} %"
