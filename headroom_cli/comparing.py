"""What `compare` is given, as a side: a dataset from disk, or logs as an export would write them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from headroom_cli.analysis import Analyser
from headroom_cli.export.dataset import MANIFEST, DatasetProblem, manifest
from headroom_cli.export.reading import read_tables
from headroom_cli.exporting import Options, tables_of
from headroom_cli.report.compare.sides import COLUMNS, Side
from headroom_cli.report.words import plain
from headroom_cli.run import Progress
from headroom_cli.source.discover import Found
from headroom_cli.version import __version__


def exported_side(given: str) -> Side | None:
    """The dataset in a folder; None where there is none. Raises DatasetProblem where it can't be read."""
    folder = Path(given)
    facts = manifest(folder)
    if facts is None:
        if (folder / MANIFEST).exists():
            raise DatasetProblem(f"{folder / MANIFEST} is damaged; export once more")
        return None
    options = facts.get("options")
    redacted = isinstance(options, dict) and options.get("redacted") is True
    tables = read_tables(folder, COLUMNS)
    prices, version = (plain(str(facts.get(name))) for name in ("prices", "headroom_version"))
    return Side(given, tables, prices, version, redacted)


def analysed_side(
    given: str, files: Sequence[Found], analyser: Analyser, options: Options, progress: Progress | None = None
) -> Side:
    """Logs, read and settled by themselves."""
    tables = tables_of(files, analyser, options, progress=progress)
    return Side(given, tables, options.prices.title, __version__)
