"""The project of a session: the name of its repository, worktrees folded.

Told from what the log recorded alone: nothing is looked up on disk, so the same log gives the same name everywhere.
"""

from __future__ import annotations

import re
from functools import cache

_WORKTREE = re.compile(r"^(?P<root>.+?)/(?:\.claude/worktrees|\.codex/worktrees|\.worktrees|worktrees)/[^/]+(?:/.*)?$")


@cache
def project_of(cwd: str | None, repo_url: str | None = None) -> str | None:
    """The repository's name from its recorded URL, else the name of the working directory (of its repository)."""
    if repo_url:
        name = repo_url.rstrip("/").removesuffix(".git").replace(":", "/").rpartition("/")[2]
        if name:
            return name
    if not cwd:
        return None
    path = cwd.replace("\\", "/").rstrip("/")
    match = _WORKTREE.match(path)
    return (match["root"] if match else path).rpartition("/")[2] or path or "/"
