"""The end of every report: what was not seen, and what the figures rest on."""

from __future__ import annotations

import re
from collections import Counter
from datetime import tzinfo
from time import time as now

import polars as pl

from headroom_cli.calibration import calibrate
from headroom_cli.cost import normalise_model
from headroom_cli.report.words import local, place, plain, plural, size, whole, zone_name
from headroom_cli.result import Run
from headroom_cli.selection import Selection
from headroom_cli.source.discover import Discovery
from headroom_cli.source.walk import path_text
from headroom_cli.tokens import DEFAULT_ENCODING

_SHOWN = 2
_CLEANUP_DAYS = 30
_DATED = re.compile(r"^-(?:\d{8}|\d{4}-\d{2}-\d{2})$")


def foot(run: Run, discovery: Discovery, zone: tzinfo | None, *, verbose: bool) -> list[str]:
    """Sentences on records, what was skipped, damaged, unknown or left open, and on tokens, prices and time zone."""
    shown = 10_000 if verbose else _SHOWN
    calibrated = calibration_words(calibrate(run.settled).models)
    return [
        *_selection(run.selection, zone),
        *_lint(run),
        *_records(run, shown, verbose),
        *_skipped(run, discovery, shown),
        *_notes(run, shown),
        *_vanishing(run, discovery),
        *_images(run),
        *_prices(run, shown),
        f"entered: once; sent: once a request; carried: sent again; {DEFAULT_ENCODING} estimates",
        *([f"calibrated: {calibrated}"] if calibrated else []),
        f"prices: {run.prices.title}   times: {zone_name(zone)}" + ("" if calibrated else "   tokens: not calibrated"),
    ]


def calibration_words(models: pl.DataFrame) -> str:
    """How estimates of tokens compare with recorded counts: the line of one model, the range of several; or nothing."""
    known = models.filter(pl.col("slope").is_not_null())
    if known.is_empty():
        return ""
    slopes = [f"{slope:.2f}" for slope in known["slope"].sort()]
    errors = [f"{100 * error:.0f}" for error in known["error"].sort()]
    constant = round(known["constant"][0])
    if len(known) > 1:
        beside = " by model"
    else:
        beside = f" {'-' if constant < 0 else '+'} {abs(constant)} a call" if constant else ""
    return f"recorded tokens are x{_range(slopes)}{beside}; half of held-out requests within {_range(errors)} %"


def _range(ordered: list[str]) -> str:
    return ordered[0] if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"


def older(discovery: Discovery) -> list[str]:
    """The files that lie before the window and were not opened."""
    if not discovery.older_files:
        return []
    return [f"Not read: {plural(discovery.older_files, 'older file')}, {size(discovery.older_bytes)} (--since all)"]


def nothing_selected(run: Run, zone: tzinfo | None) -> str:
    """One line for logs of which nothing was asked for: the limits, and what there is instead."""
    newest = run.settled.requests["timestamp"].max()
    there = []
    for noun, given, names in (
        ("model", run.selection.models, run.settled.requests["model"]),
        ("project", run.selection.projects, run.settled.others["project"]),
        ("client", run.selection.clients, run.settled.others["client"]),
        ("kind", run.selection.kinds, run.settled.others["kind"]),
    ):
        known = names.drop_nulls().unique().sort().to_list()
        if given and known:
            there.append(f"{noun}s here: {_list([plain(name, 60) for name in known], 5)}")
    if isinstance(newest, int) and run.selection.since is not None:
        there.append(f"the newest request is of {local(newest, zone):%d %b %Y} (--since all)")
    limits = ", ".join(_limits(run.selection, zone)) or "these logs"
    return "; ".join([f"nothing in {plural(len(run.files), 'file')} with the limits given ({limits})", *there])


def _selection(chosen: Selection, zone: tzinfo | None) -> list[str]:
    """What the figures are limited to, if anything."""
    limits = _limits(chosen, zone)
    return [f"Limited to: {', '.join(limits)}"] if limits else []


def _limits(chosen: Selection, zone: tzinfo | None) -> list[str]:
    names = {"model": chosen.models, "project": chosen.projects, "client": chosen.clients, "kind": chosen.kinds}
    limits = [f"{noun} {' or '.join(plain(name, 40) for name in given)}" for noun, given in names.items() if given]
    for word, time in (("since", chosen.since), ("until", chosen.until)):
        if time is not None:
            limits.append(f"{word} {local(time, zone):%d %b %Y %H:%M}")
    return limits


def _records(run: Run, shown: int, verbose: bool) -> list[str]:
    damaged = [(file.path, damage) for file in run.files for damage in file.damaged]
    unknown: Counter[str] = Counter()
    for file in run.files:
        unknown.update(file.unknown)
    line = f"{plural(sum(file.records for file in run.files), 'record')}, {whole(len(damaged))} damaged"
    line += f", {plural(len(unknown), 'unknown type')}" + (" (-v names them)" if unknown and not verbose else "")
    lines = [line]
    if unknown and verbose:
        lines.append("Unknown: " + ", ".join(f"{plain(name, 40)} {count:,}x" for name, count in unknown.most_common()))
    places = [f"{place(path)}:{damage.line}: {damage.reason}" for path, damage in damaged]
    return lines + _some("Damaged", places, shown)


def _lint(run: Run) -> list[str]:
    if run.lint is None:
        return []
    errors, warnings = run.lint
    hint = " (headroom lint tells)" if errors or warnings else ""
    return [f"lint: {plural(errors, 'error')}, {plural(warnings, 'warning')}{hint}"]


def _vanishing(run: Run, discovery: Discovery) -> list[str]:
    """Files of Claude Code that it deletes within a week, by its default of 30 days."""
    if not discovery.roots:
        return []
    claude = {file.path for file in run.files if file.log_format == "claude-code"}
    oldest = now() - (_CLEANUP_DAYS - 7) * 86_400
    number = sum(found.mtime < oldest and path_text(found.path) in claude for found in discovery.files)
    if not number:
        return []
    return [f"Claude Code deletes {plural(number, 'file')} of these within 7 days (headroom export keeps them)"]


def _skipped(run: Run, discovery: Discovery, shown: int) -> list[str]:
    """What was not read, by reason, with the place where there is only one."""
    places: dict[str, list[str]] = {}
    for file in run.files:
        if file.skipped:
            places.setdefault(file.skipped, []).append(file.path)
    for entry in discovery.skipped:
        places.setdefault(entry.reason, []).append(path_text(entry.path))
    ranked = sorted(places.items(), key=lambda item: -len(item[1]))
    if shown > _SHOWN:
        return _some("Not read", [f"{place(path)}: {plain(why)}" for why, paths in ranked for path in paths], shown)
    entries = [
        f"{place(paths[0]) if len(paths) == 1 else plural(len(paths), 'file')}: {plain(why, 80)}"
        for why, paths in ranked
    ]
    return _some("Not read", entries, shown)


def _some(word: str, entries: list[str], shown: int) -> list[str]:
    lines = [f"{word}: {entry}" for entry in entries[:shown]]
    if len(entries) > shown:
        lines.append(f"{word}: {len(entries) - shown:,} more (-v names them)")
    return lines


def _notes(run: Run, shown: int) -> list[str]:
    notes: Counter[str] = Counter()
    for conversation_notes in run.settled.conversations["notes"].to_list():
        notes.update(dict.fromkeys(conversation_notes or [], 1))
    for file in run.files:
        notes.update(dict.fromkeys(file.notes, 1))
    many = len(run.settled.conversations) > 1
    return _some(
        "Note",
        [plain(note) + (f" ({plural(count, 'file')})" if many else "") for note, count in notes.most_common()],
        shown,
    )


def _images(run: Run) -> list[str]:
    images = len(run.settled.blocks.filter("own", pl.col("kind") == "image"))
    return [f"{plural(images, 'image')} not counted: tokens of images are not estimated."] if images else []


def _prices(run: Run, shown: int) -> list[str]:
    """Models that are priced under another name, and those without a price."""
    counted = run.settled.requests.filter("own", "has_usage").group_by("model", "price_model").len()
    other, none, left_out = [], [], 0
    for model, price_model, requests in counted.sort("model", nulls_last=True).iter_rows():
        name = plain(model or "", 60) or "requests that name no model"
        if price_model is None:
            none.append(name)
            left_out += requests
        elif not _same_model(model, price_model):
            other.append(f"{name} as {price_model}")
    lines = [f"Priced under another name: {_list(other, shown)}"] if other else []
    if none:
        lines.append(f"No price is known for {_list(none, shown)}: {plural(left_out, 'request')} in no cost")
    return lines


def _same_model(model: str, price_model: str) -> bool:
    name, _ = normalise_model(model)
    return name == price_model or (name.startswith(price_model) and bool(_DATED.match(name[len(price_model) :])))


def _list(names: list[str], shown: int) -> str:
    most = shown + 1
    rest = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
