"""Paths as a forge takes them: from the root of the repository."""

from __future__ import annotations

import os
from pathlib import Path


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
