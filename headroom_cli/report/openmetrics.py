"""`analyze` as OpenMetrics, for a textfile collector: usage, cost and waste of all that was read.

Figures are gauges, for logs vanish and windows move, so they may fall; only the tokens of signals are a counter, under
the name that people chart already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import polars as pl

from headroom_cli.report.dimensions import grouped
from headroom_cli.report.known import known_sum
from headroom_cli.result import Run

_USAGE = ("input_tokens", "cache_read_input_tokens", "cache_write_input_tokens", "output_tokens")
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
Rows = Iterable[tuple[Mapping[str, str], float | int | None]]


def exposition(run: Run) -> str:
    """The text exposition, ended by `# EOF`. What is not known has no sample."""
    settled = run.settled
    by_model = grouped(settled, ["model", "project"], None).filter(pl.col("requests") > 0)
    sums = [pl.col("exclusive_tokens", "avoidable_tokens").sum(), known_sum("avoidable_cost_usd_micros")]
    by_signal = settled.waste.filter("own").group_by("signal").agg(*sums, findings=pl.len()).sort("signal")
    models = [_labels(row, "model", "project") for row in by_model.iter_rows(named=True)]
    signals = [_labels(row, "signal") for row in by_signal.iter_rows(named=True)]
    lines: list[str] = []

    def family(name: str, meaning: str, rows: Rows, kind: str = "gauge") -> None:
        lines.append(f"# TYPE {name} {kind}")
        lines.append(f"# HELP {name} {meaning}")
        sample = f"{name}_total" if kind == "counter" else name
        lines.extend(f"{sample}{_braced(labels)} {value}" for labels, value in rows if value is not None)

    family("headroom_requests", "Requests.", zip(models, by_model["requests"], strict=True))
    for column in _USAGE:
        family(f"headroom_usage_{column}", "Recorded by the provider.", zip(models, by_model[column], strict=True))
    dollars = [None if micros is None else micros / 1_000_000 for micros in by_model["cost_usd_micros"]]
    family("headroom_cost_usd", "At API list prices.", zip(models, dollars, strict=True))
    flagged = zip(signals, by_signal["exclusive_tokens"], strict=True)
    family("headroom_waste_signal_tokens", "Tokens that a waste signal flags, each once.", flagged, "counter")
    family("headroom_waste_findings", "Findings of a waste signal.", zip(signals, by_signal["findings"], strict=True))
    avoidable = zip(signals, by_signal["avoidable_tokens"], strict=True)
    family("headroom_waste_avoidable_tokens", "The part that a cure would recover.", avoidable)
    saved = [None if micros is None else micros / 1_000_000 for micros in by_signal["avoidable_cost_usd_micros"]]
    family("headroom_waste_avoidable_cost_usd", "What the avoidable part cost.", zip(signals, saved, strict=True))
    damaged = sum(len(file.damaged) for file in run.files)
    family("headroom_damaged_records", "Records that could not be read.", [({}, damaged)])
    return "\n".join([*lines, "# EOF", ""])


def _labels(row: Mapping[str, object], *names: str) -> dict[str, str]:
    return {name: str(row[name]) if row[name] is not None else "" for name in names}


def _braced(labels: Mapping[str, str]) -> str:
    pairs = [f'{name}="{_escaped(value)}"' for name, value in labels.items()]
    return "{" + ",".join(pairs) + "}" if pairs else ""


def _escaped(value: str) -> str:
    return _CONTROL.sub("·", value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
