"""`headroom lint` beside JSON decode of the same bytes, both without their start-up, and a second run over the same."""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import COMPILED_ONCE, FINDINGS_OR_NONE, Sample, run

TARGET_RATIO = 3.0
_ONE_LINE = '{"role": "user", "content": "hello"}\n'
_DECODE = [sys.executable, "-m", "benchmarks.decode"]
_LINT = [sys.executable, "-m", "headroom_cli", "lint", "--quiet", "--format", "json", "--jobs", "1"]


class LintRow(NamedTuple):
    """What lint took: CPU seconds of it and of decode, each without its start; `start` and `again` are wall seconds."""

    megabytes: float
    decode: float
    lint: float
    ratio: float
    start: float
    again: float
    peak_mb: float


def compare_lint(folder: Path, runs: int) -> LintRow:
    """Decode and lint in turn, `runs` times each; the ratio is the median of those of neighbouring runs."""
    with tempfile.TemporaryDirectory() as place:
        environment = {"HEADROOM_CACHE_DIR": f"{place}/cache", **COMPILED_ONCE}
        small = Path(place) / "small"
        small.mkdir()
        (small / "one.jsonl").write_text(_ONE_LINE)

        def decoded(what: Path) -> Sample:
            return run([*_DECODE, str(what)], environment)

        def linted(what: Path, *options: str) -> Sample:
            return run([*_LINT, *options, str(what)], environment, FINDINGS_OR_NONE)

        starts = [(decoded(small), linted(small, "--no-cache")) for _ in range(runs + 1)][1:]
        decode_start = statistics.median(sample.cpu for sample, _ in starts)
        lint_start = statistics.median(sample.cpu for _, sample in starts)
        pairs = [(decoded(folder), linted(folder, "--no-cache")) for _ in range(runs + 1)][1:]
        times = [(a.cpu - decode_start, b.cpu - lint_start) for a, b in pairs]
        again = [linted(folder).wall for _ in range(runs + 1)][1:]
    return LintRow(
        sum(path.stat().st_size for path in folder.rglob("*.jsonl")) / 1e6,
        statistics.median(decode for decode, _ in times),
        statistics.median(lint for _, lint in times),
        statistics.median(lint / decode for decode, lint in times),
        statistics.median(sample.wall for _, sample in starts),
        statistics.median(again),
        max(sample.peak_mb for _, sample in pairs),
    )


def lint_lines(rows: list[LintRow]) -> list[str]:
    """The figures, one size a line."""
    lines = ["    MB  decode s   lint s   ratio   lint start s   unchanged again s   peak MB   (CPU, start apart)"]
    for row in rows:
        met = ""
        if 90 <= row.megabytes <= 110:
            met = f"   target {TARGET_RATIO}: {'met' if row.ratio <= TARGET_RATIO else 'MISSED'}"
        lines.append(
            f"{row.megabytes:6.0f}  {row.decode:8.2f}  {row.lint:7.2f}  {row.ratio:6.2f}  {row.start:13.2f}"
            f"  {row.again:18.2f}  {row.peak_mb:8.0f}{met}"
        )
    return lines
