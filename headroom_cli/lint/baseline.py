"""Findings that are known and do not fail a run: a file of fingerprints, each with the day on which it was taken in."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from headroom_cli.lint.diagnostic import Diagnostic
from headroom_cli.lint.patterns import relative_path

SCHEMA_VERSION = "1"


class BaselineProblem(Exception):  # noqa: N818 - the command line reports it as wrong usage
    """A baseline that cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Known:
    """A finding of an earlier run. `path` is relative to the folder of the baseline; `since` is a day."""

    fingerprint: str
    rule: str
    path: str
    message: str
    since: str


@dataclass(slots=True)
class Baseline:
    """What earlier runs found, relative to `root`."""

    entries: list[Known]
    root: Path
    _left: Counter[tuple[str, str]] = field(default_factory=Counter, repr=False)

    def known(self, diagnostics: Sequence[Diagnostic]) -> set[int]:
        """Which of the diagnostics, by position, are in the baseline; each of its entries stands for one."""
        left = Counter((entry.path, entry.fingerprint) for entry in self.entries)
        found = set()
        for index, diagnostic in enumerate(diagnostics):
            key = (relative_path(diagnostic.path, self.root), diagnostic.fingerprint)
            if diagnostic.fingerprint and left[key] > 0:
                left[key] -= 1
                found.add(index)
        self._left = left
        return found

    def stale(self, paths: Iterable[str], *, complete: bool) -> list[Known]:
        """Entries that nothing matched in the last `known`, of files that were looked at; all if `complete`."""
        here = {relative_path(path, self.root) for path in paths}
        left = Counter(self._left)
        stale = []
        for entry in self.entries:
            key = (entry.path, entry.fingerprint)
            if left[key] > 0 and (complete or entry.path in here):
                left[key] -= 1
                stale.append(entry)
        return stale


def read_baseline(path: Path) -> Baseline:
    """The baseline in a file; raises `BaselineProblem`."""
    try:
        document = json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise BaselineProblem(f"no such baseline: {path}; --write-baseline makes one") from error
    except (OSError, ValueError, RecursionError) as error:
        raise BaselineProblem(f"cannot read the baseline {path}: {error}") from error
    rows = document.get("findings") if isinstance(document, dict) else None
    if not isinstance(rows, list) or document.get("schema_version") != SCHEMA_VERSION:
        raise BaselineProblem(f"{path} is no baseline of this version; --write-baseline makes it anew")
    return Baseline([_entry(path, row) for row in rows], path.absolute().parent)


def _entry(path: Path, row: Any) -> Known:
    keys = ("fingerprint", "rule", "path", "message", "since")
    if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in keys):
        raise BaselineProblem(f"{path}: an entry is not of the form that --write-baseline writes")
    return Known(*(row[key] for key in keys))


def write_baseline(path: Path, diagnostics: Iterable[Diagnostic], before: Baseline | None, today: date) -> int:
    """Write the errors and warnings of a run, atomically; what was known before keeps its day. Gives their number."""
    root = path.absolute().parent
    days = {(entry.path, entry.fingerprint): entry.since for entry in before.entries} if before is not None else {}
    rows = []
    for diagnostic in diagnostics:
        if diagnostic.fingerprint and diagnostic.severity != "info":
            place = relative_path(diagnostic.path, root)
            since = days.get((place, diagnostic.fingerprint), today.isoformat())
            row = Known(diagnostic.fingerprint, diagnostic.rule, place, diagnostic.message, since)
            rows.append({key: getattr(row, key) for key in ("path", "rule", "message", "fingerprint", "since")})
    rows.sort(key=lambda row: (row["path"], row["rule"], row["fingerprint"]))
    text = json.dumps({"schema_version": SCHEMA_VERSION, "findings": rows}, indent=1, ensure_ascii=True) + "\n"
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        draft.write_text(text, "utf-8", newline="\n")
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    return len(rows)
