"""`headroom export` beside analyze, two processes beside one, and a run from the cache beside one without."""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import COMPILED_ONCE, FINDINGS_OR_NONE, Sample, run, unpinned

TARGET_EXPORT = 0.2
TARGET_JOBS = 1.7
TARGET_WARM = 0.05
_HEADROOM = [sys.executable, "-m", "headroom_cli"]


class ScaleRow(NamedTuple):
    """Wall seconds, medians. `export_floors`: how many floors export of all tables takes beyond analyze, on one core.

    `jobs` is how many times faster two processes are than one, on all cores; `warm` the share of a run from the cache.
    """

    megabytes: float
    export: float
    export_floors: float
    export_peak_mb: float
    one: float
    two: float
    jobs: float
    again: float
    warm: float


def compare_scale(folder: Path, backend: str, runs: int) -> ScaleRow:
    """Each pair in turn, `runs` times; ratios are medians of those of neighbouring runs."""
    environment = {"HEADROOM_TOKENIZER_BACKEND": backend, **COMPILED_ONCE}
    with tempfile.TemporaryDirectory() as place:
        environment["HEADROOM_CACHE_DIR"] = f"{place}/cache"

        def analyzed(*options: str) -> Sample:
            return run([*_HEADROOM, "analyze", str(folder), "-f", "json", *options], environment, FINDINGS_OR_NONE)

        def exported() -> Sample:
            command = [*_HEADROOM, "export", str(folder), "-o", f"{place}/dataset", "--jobs", "1", "--quiet"]
            return run(command, environment)

        def floor() -> Sample:
            return run([sys.executable, "-m", "benchmarks.floor", str(folder)], environment)

        cold = ("--no-cache", "--jobs", "1")
        triples = [(floor(), analyzed(*cold), exported()) for _ in range(runs)]
        with unpinned():
            pairs = [(analyzed(*cold), analyzed("--no-cache", "--jobs", "2")) for _ in range(runs)]
        analyzed("--jobs", "1")
        warm = [analyzed("--jobs", "1") for _ in range(runs)]
    return ScaleRow(
        sum(path.stat().st_size for path in folder.rglob("*.jsonl")) / 1e6,
        statistics.median(export.wall for _, _, export in triples),
        statistics.median((export.wall - analyze.wall) / floor.wall for floor, analyze, export in triples),
        max(export.peak_mb for _, _, export in triples),
        statistics.median(one.wall for one, _ in pairs),
        statistics.median(two.wall for _, two in pairs),
        statistics.median(one.wall / two.wall for one, two in pairs),
        statistics.median(sample.wall for sample in warm),
        statistics.median(again.wall / analyze.wall for again, (_, analyze, _) in zip(warm, triples, strict=True)),
    )


def scale_lines(rows: list[ScaleRow]) -> list[str]:
    """The figures, one size a line."""
    lines = ["    MB  export s   beyond analyze, floors   peak MB   1 job s   2 jobs s   faster   cached s   of cold"]
    lines += [
        f"{row.megabytes:6.0f}  {row.export:8.2f}  {row.export_floors:23.2f}  {row.export_peak_mb:8.0f}"
        f"  {row.one:8.2f}  {row.two:9.2f}  {row.jobs:7.2f}  {row.again:9.2f}  {100 * row.warm:6.1f} %"
        for row in rows
    ]
    return [
        *lines,
        f"targets: export {TARGET_EXPORT} floors beyond analyze (100 MB), 2 jobs {TARGET_JOBS} times faster (1000 MB), "
        f"cached {100 * TARGET_WARM:.0f} % of cold (1000 MB)",
    ]
