"""What the user's paths mean, and where coding agents keep their sessions on this machine.

A path is a file (always taken), a directory (walked for log files), `-` (standard input), a pattern where the shell
has not expanded it, or the first four or more hex digits of a session id. Without paths: this machine's logs.
"""

from __future__ import annotations

import difflib
import glob
import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from headroom_cli.source import sessions
from headroom_cli.source.walk import GOLDEN_SUFFIXES, LOG_SUFFIXES, Collection, Found, Skipped

__all__ = ["Discovery", "Found", "Skipped", "UsageProblem", "discover", "machine_roots"]

_MOST_CANDIDATES = 8
_HEX = re.compile("[0-9a-fA-F]{1,3}")


class UsageProblem(Exception):  # noqa: N818 - the command line reports it as wrong usage
    """The user asked for what is not there. The text is one line for the user; `hint` is a way out, or empty."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(slots=True)
class Discovery:
    """The files to read, in path order (standard input first), and what was left out.

    `older_files` and `older_bytes`: files last written before the window, which nobody opened. `roots`: the
    directories that were searched because no path was given, whether or not they held anything.
    """

    files: list[Found] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    older_files: int = 0
    older_bytes: int = 0
    roots: list[Path] = field(default_factory=list)


def discover(
    paths: Sequence[str | Path] = (),
    *,
    since: float | None = None,
    last: bool = False,
    project: str | Path | None = None,
    roots: Sequence[str | Path] | None = None,
    environ: Mapping[str, str] | None = None,
    golden: bool = False,
) -> Discovery:
    """Find the log files that `paths` mean; without paths, those of this machine.

    `since` (seconds since the epoch) leaves older files of this machine unopened, but neither named ones nor the
    `last` session. `last` keeps the session written to last, with its sub-agents; `project` the sessions recorded in
    that directory or below. `roots` replaces the directories that are searched. `golden` also takes from directories
    what tests keep: cassettes and HAR files. Raises `UsageProblem` for a path that does not exist, an id that no
    session has, and one that several have.
    """
    places = machine_roots(os.environ if environ is None else environ)
    configured = roots is not None
    if roots is not None:
        places = [Path(os.path.expanduser(root)) for root in roots]
    result = Discovery()
    collection = Collection(suffixes=GOLDEN_SUFFIXES if golden else LOG_SUFFIXES)
    stdin: list[Found] = []
    for path in paths:
        if path == "-":
            stdin = [Found(Path("-"), 0, 0.0, named=True, stdin=True)]
        else:
            _take(path, collection, places, configured)
    if not paths:
        result.roots = places
        _walk_roots(collection, places, configured)
    files: Iterable[Found] = collection.files.values()
    if project is not None:
        directory = Path(os.path.expanduser(project))
        files = [found for found in files if sessions.in_project(found, directory)]
    if last:
        files = sessions.newest(files)
    elif since is not None and not paths:
        older = [found for found in files if found.mtime < since]
        result.older_files = len(older)
        result.older_bytes = sum(found.size for found in older)
        files = [found for found in files if found.mtime >= since]
    result.files = stdin + sorted(files, key=lambda found: found.path.parts)
    result.skipped = sorted(collection.skipped, key=lambda skipped: skipped.path.parts)
    return result


def machine_roots(environ: Mapping[str, str]) -> list[Path]:
    """The directories in which Claude Code and Codex keep sessions, whether or not they exist.

    `CLAUDE_CONFIG_DIR` (several, parted by commas) replaces `~/.claude` and `~/.config/claude`; `CODEX_HOME` replaces
    `~/.codex`.
    """
    claude = [part.strip() for part in environ.get("CLAUDE_CONFIG_DIR", "").split(",") if part.strip()]
    codex = environ.get("CODEX_HOME", "").strip() or "~/.codex"
    roots: list[Path] = []
    for text in claude or ["~/.claude", "~/.config/claude"]:
        directory = Path(os.path.expanduser(text))
        roots.append(directory if directory.name == "projects" else directory / "projects")
    roots.extend(Path(os.path.expanduser(codex)) / name for name in ("sessions", "archived_sessions"))
    return list(dict.fromkeys(roots))


def _walk_roots(collection: Collection, roots: Iterable[Path], configured: bool) -> None:
    for root in roots:
        if os.path.isdir(root):
            collection.walk(root, sessions_only=not configured)
        elif configured:
            collection.skipped.append(Skipped(root, "no such directory"))


def _take(given: str | Path, collection: Collection, roots: Sequence[Path], configured: bool) -> None:
    """Add what one path of the user means."""
    text = os.fspath(given)
    for candidate in (text, os.path.expanduser(text), *_twins(text)):
        try:
            status = os.stat(candidate)
        except PermissionError:  # whoever opens it gets to say so
            collection.files[candidate] = Found(Path(candidate), 0, 0.0, named=True)
            return
        except (OSError, ValueError):
            continue
        path = Path(candidate)
        if stat.S_ISDIR(status.st_mode):
            collection.walk(path, sessions_only=False)
        else:
            collection.add(path, status, named=True)
        return
    if matches := _expand(text):
        for match in matches:
            _take(match, collection, roots, configured)
        return
    if not sessions.looks_like_id(text):
        hint = _near_miss(text) or ("a session id needs at least four digits" if _HEX.fullmatch(text) else "")
        raise UsageProblem(f"no such file or directory: {text}", hint)
    _take_session(text, collection, roots, configured)


def _take_session(prefix: str, collection: Collection, roots: Sequence[Path], configured: bool) -> None:
    machine = Collection()
    _walk_roots(machine, roots, configured)
    matches = sessions.matching_ids(machine.files.values(), prefix)
    if not matches:
        hint = _near_miss(prefix) or "run without a path to see the sessions of this machine"
        raise UsageProblem(f"no such file, and no session on this machine begins with {prefix}", hint)
    if len(matches) > 1:
        shown = sorted(matches)[:_MOST_CANDIDATES]
        rest = f" and {len(matches) - len(shown)} more" if len(matches) > len(shown) else ""
        raise UsageProblem(f"{prefix} begins {len(matches)} sessions: {', '.join(shown)}{rest}", "give more digits")
    chosen = next(iter(matches.values()))
    for key, found in machine.files.items():
        if found in chosen:
            collection.files[key] = replace(found, named=True)


def _twins(path: str) -> list[str]:
    """A rollout that Codex has compressed, or expanded again, since the user saw its name."""
    if path.endswith(".jsonl"):
        return [path + ".zst"]
    return [path.removesuffix(".zst")] if path.endswith(".jsonl.zst") else []


def _expand(pattern: str) -> list[str]:
    """The matches of a pattern, where the shell (as on Windows) leaves patterns to the program."""
    if not glob.has_magic(pattern) or "\0" in pattern:
        return []
    return sorted(glob.glob(os.path.expanduser(pattern), recursive=True))


def _near_miss(path: str) -> str:
    """What the user may have meant: names in the same directory that are nearly the same."""
    directory, name = os.path.split(path)
    try:
        names = os.listdir(directory or os.curdir)
    except (OSError, ValueError):
        return ""
    close = difflib.get_close_matches(name, names[:5000], n=1, cutoff=0.75)
    return f"did you mean {os.path.join(directory, close[0])}?" if close else ""
