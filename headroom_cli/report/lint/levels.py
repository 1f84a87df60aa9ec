"""What the formats for machines share: paths from the root of a repository, and the order of the worst."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from headroom_cli.lint.base import SEVERITIES
from headroom_cli.lint.diagnostic import Diagnostic

HOME_PAGE = "https://pypi.org/project/headroom-transcripts/"
_CONFIDENCES = ("high", "medium", "low")


def repository_root() -> Path:
    """Where paths in reports for a forge start: `GITHUB_WORKSPACE`, else the repository around here, else here."""
    here = Path(os.path.realpath(Path.cwd()))
    given = os.environ.get("GITHUB_WORKSPACE")
    if given and (root := Path(os.path.realpath(given))) in (here, *here.parents):
        return root
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def path_in_repository(path: str, root: Path) -> str | None:
    """A path from the root, with forward slashes; None for one outside of it, and for standard input."""
    if not path or path == "-":
        return None
    try:
        return Path(os.path.realpath(path)).relative_to(root).as_posix()
    except ValueError:
        return None


def worst_first(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """By severity, then by confidence; else in the order given."""
    return sorted(diagnostics, key=lambda d: (SEVERITIES.index(d.severity), _CONFIDENCES.index(d.confidence)))
