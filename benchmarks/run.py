"""`make bench`: `headroom analyze` beside the floor, `headroom lint` beside JSON decode, and both at scale, as ratios.

All are whole processes, so that the start of the interpreter and the loading of the tokenizer stand in all. They
run alternately (A B A B ...), and the ratio is the median of the ratios of neighbouring runs, so that a slow moment of
the machine falls on both.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import statistics
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks.generate import generate
from benchmarks.lint import LintRow, compare_lint, lint_lines
from benchmarks.measure import COMPILED_ONCE, FINDINGS_OR_NONE, CommandError, Sample, pin, run
from benchmarks.scale import ScaleRow, compare_scale, scale_lines

HERE = Path(__file__).resolve().parent
OUT = HERE / "out"
TARGET_RATIO = {"tiktoken": 1.5, "quicktok": 2.0}
TARGET_PEAK_MB = 300.0
TARGET_START = {"--version": 0.100, "--help": 0.200}


class Row(NamedTuple):
    """One line of the table: medians of the runs for one size and tokenizer."""

    megabytes: float
    backend: str
    floor: Sample
    analyze: Sample
    ratio: float
    cpu_ratio: float


def data(megabytes: int, seed: int) -> Path:
    """The folder with a generated set, made anew when the generator has changed since."""
    sources = sorted(HERE.glob("*.py"))
    made = hashlib.sha256(
        b"".join(path.read_bytes() for path in sources if path.stem not in ("run", "measure", "floor"))
    )
    folder, stamp = OUT / f"{megabytes}mb-{seed}", OUT / f"{megabytes}mb-{seed}.sha256"
    if not stamp.is_file() or stamp.read_text() != made.hexdigest():
        print(f"writing {megabytes} MB to {folder}", file=sys.stderr)
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        (OUT / ".gitignore").write_text("*\n")
        generate(folder, megabytes, seed)
        stamp.write_text(made.hexdigest())
    return folder


def median(samples: list[Sample]) -> Sample:
    """Median of each figure; of the memory, the largest."""
    return Sample(
        statistics.median(s.wall for s in samples),
        statistics.median(s.cpu for s in samples),
        max(s.peak_mb for s in samples),
    )


def compare(folder: Path, backend: str, runs: int) -> Row:
    """The floor and analyze in turn, `runs` times each, after one of each that warms the page cache and compiles."""
    environment = {"HEADROOM_TOKENIZER_BACKEND": backend, **COMPILED_ONCE}
    floor_command = [sys.executable, "-m", "benchmarks.floor", str(folder)]
    options = ["--format", "json", "--no-cache", "--jobs", "1"]
    analyze_command = [sys.executable, "-m", "headroom_cli", "analyze", str(folder), *options]
    run(floor_command, environment)
    run(analyze_command, environment, FINDINGS_OR_NONE)
    floors, analyses = [], []
    for _ in range(runs):
        floors.append(run(floor_command, environment))
        analyses.append(run(analyze_command, environment, FINDINGS_OR_NONE))
    pairs = list(zip(floors, analyses, strict=True))
    size = sum(path.stat().st_size for path in folder.rglob("*.jsonl")) / 1e6
    return Row(
        size,
        backend,
        median(floors),
        median(analyses),
        statistics.median(b.wall / a.wall for a, b in pairs),
        statistics.median(b.cpu / a.cpu for a, b in pairs),
    )


def table(rows: list[Row]) -> list[str]:
    """The figures, aligned, one size and tokenizer a line."""
    lines = [
        "    MB  tokenizer   floor s   analyze s   ratio   CPU ratio   analyze MB/s   peak MB   floor peak MB",
    ]
    for row in rows:
        target = TARGET_RATIO[row.backend]
        met = (
            ""
            if not 90 <= row.megabytes <= 110
            else f"   target {target}: {'met' if row.ratio <= target else 'MISSED'}"
        )
        lines.append(
            f"{row.megabytes:6.0f}  {row.backend:9}  {row.floor.wall:8.2f}  {row.analyze.wall:10.2f}"
            f"  {row.ratio:6.2f}  {row.cpu_ratio:10.2f}  {row.megabytes / row.analyze.wall:13.1f}"
            f"  {row.analyze.peak_mb:8.0f}  {row.floor.peak_mb:14.0f}{met}"
        )
    return lines


def growth(rows: list[Row], start: float) -> list[str]:
    """How analyze grows from size to size: the factor in time (start-up taken off) beside the factor in bytes."""
    lines = []
    for backend in dict.fromkeys(row.backend for row in rows):
        sized = [row for row in rows if row.backend == backend]
        for small, large in pairwise(sized):
            factor = (large.analyze.wall - start) / max(small.analyze.wall - start, 1e-6)
            lines.append(
                f"growth, {backend}: {small.megabytes:.0f} to {large.megabytes:.0f} MB is "
                f"x{large.megabytes / small.megabytes:.1f} in bytes, x{factor:.1f} in time"
            )
    return lines


def starts(runs: int) -> dict[str, float]:
    """Median wall seconds of `--version` and `--help`."""
    command = [sys.executable, "-m", "headroom_cli"]
    return {
        option: statistics.median(run([*command, option], COMPILED_ONCE).wall for _ in range(runs))
        for option in TARGET_START
    }


def as_dicts(rows: Sequence[Row | LintRow | ScaleRow]) -> list[dict[str, object]]:
    """Rows by the names of their figures."""
    return [row._asdict() for row in rows]


def available(names: list[str]) -> list[str]:
    """The tokenizers asked for that are installed; says which are not."""
    found = [name for name in names if find_spec(name)]
    for name in names:
        if name not in found:
            print(f"{name} is not installed and is left out", file=sys.stderr)
    return found


def main(arguments: list[str] | None = None) -> int:
    """Command line. Exit code 1 when a measured command fails."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--sizes", default="10,100,1000", help="megabytes, comma separated")
    parser.add_argument("--backends", default="tiktoken,quicktok", help="tokenizers, comma separated")
    parser.add_argument("--runs", type=int, default=5, help="runs of each command; 3 at 1000 MB and above")
    parser.add_argument("--quick", action="store_true", help="10 and 100 MB, 3 runs")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", choices=("analyze", "lint", "scale"), help="measure one of the three")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args(arguments)
    sizes = [10, 100] if options.quick else [int(size) for size in options.sizes.split(",")]
    runs = 3 if options.quick else options.runs
    backends = available(options.backends.split(","))
    core = pin()
    where = "not pinned to a core" if core is None else f"pinned to core {core}"
    print(f"Python {sys.version.split()[0]}, {where}, {runs} runs of each, medians of paired ratios")
    try:
        begin = starts(2 * runs)
        rows = [
            compare(data(size, options.seed), backend, min(runs, 3) if size >= 1000 else runs)
            for backend in (backends if options.only in (None, "analyze") else [])
            for size in sizes
        ]
        linted = [compare_lint(data(size, options.seed), runs) for size in sizes if options.only in (None, "lint")]
        scaled = [
            compare_scale(data(size, options.seed), backends[0], min(runs, 3))
            for size in sizes
            if options.only in (None, "scale") and backends and size >= 100
        ]
    except CommandError as error:
        print(error, file=sys.stderr)
        return 1
    if rows:
        print(*table(rows), *growth(rows, begin["--help"]), sep="\n")
    if linted:
        print(*lint_lines(linted), sep="\n")
    if scaled:
        print(*scale_lines(scaled), sep="\n")
    for option, seconds in begin.items():
        print(f"{option}: {seconds * 1000:.0f} ms (target {TARGET_START[option] * 1000:.0f})")
    largest = max(rows, key=lambda row: row.megabytes, default=None)
    if largest and largest.megabytes >= 900:
        peak = max(row.analyze.peak_mb for row in rows if row.megabytes == largest.megabytes)
        print(f"peak memory at {largest.megabytes:.0f} MB: {peak:.0f} MB (target {TARGET_PEAK_MB:.0f})")
    if options.json:
        document = {"start_seconds": begin, "rows": as_dicts(rows), "lint": as_dicts(linted), "scale": as_dicts(scaled)}
        options.json.write_text(json.dumps(document, indent=2) + "\n")
    return 0
