"""Which session a file belongs to: from its name and place, and from the head of the file, never from a slug."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from headroom_cli.source.stream import DEFAULT_LIMITS, Unreadable, open_source
from headroom_cli.source.walk import Found, log_stem

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", re.IGNORECASE)
_ID_PREFIX = re.compile(r"(agent-)?[0-9a-f][0-9a-f-]{3,}$", re.IGNORECASE)

_HEAD_BYTES = 4 << 20
_HEAD_LINE = 1 << 20
_HEAD_BLOCK = 1 << 15


class Head(NamedTuple):
    """What the first records of a file say about where it belongs."""

    session_id: str | None
    cwd: str | None


def looks_like_id(text: str) -> bool:
    """True for a session or agent id, or at least four hex digits of its beginning."""
    return _ID_PREFIX.match(text) is not None


def session_of(path: Path) -> str:
    """The session that a file belongs to, by name and place: its UUID, or of a sub-agent the one it lies under."""
    parent = _parent_folder(path)
    if parent is not None:
        return parent.name.lower()
    stem = log_stem(path.name)
    found = _UUID.search(stem)
    return found.group().lower() if found else stem


def _parent_folder(path: Path) -> Path | None:
    """The folder `<session>` of `<session>/subagents/...`."""
    for folder in path.parents:
        if folder.name == "subagents" and folder.parent.name:
            return folder.parent
    return None


def agent_of(path: Path) -> str | None:
    """The id of the sub-agent whose thread the file holds; None for a session."""
    stem = log_stem(path.name)
    return stem.removeprefix("agent-").lower() if stem.startswith("agent-") else None


def matching_ids(files: Iterable[Found], prefix: str) -> dict[str, list[Found]]:
    """Sessions and agents whose id begins with `prefix`, and their files; a whole id matches only itself."""
    prefix = prefix.lower()
    files = list(files)
    matches: dict[str, list[Found]] = {}
    for found in files:
        session, agent = session_of(found.path), agent_of(found.path)
        if session.startswith(prefix) and (agent is None or _parent_folder(found.path)):
            matches.setdefault(session, [])
        if agent is not None and agent.startswith(prefix.removeprefix("agent-")):
            matches.setdefault(f"agent-{agent}", []).append(found)
    for exact in (prefix, f"agent-{prefix}"):
        if exact in matches:
            matches = {exact: matches[exact]}
            break
    return {key: chosen or files_of(files, key) for key, chosen in matches.items()}


def files_of(files: Iterable[Found], session: str) -> list[Found]:
    """All files of a session: its own, its sub-agents', and agent files beside it that name it."""
    files = list(files)
    own = [found for found in files if session_of(found.path) == session]
    folders = {found.path.parent for found in own if agent_of(found.path) is None}
    beside = [
        found
        for found in files
        if found.path.parent in folders
        and agent_of(found.path)
        and (head(found.path).session_id or "").lower() == session
    ]
    return own + [found for found in beside if found not in own]


def newest(files: Iterable[Found]) -> list[Found]:
    """The files of the session that was written to last."""
    files = list(files)
    latest = max(files, key=lambda found: (found.mtime, found.path), default=None)
    if latest is None:
        return []
    session = session_of(latest.path)
    if agent_of(latest.path) and _parent_folder(latest.path) is None:
        session = (head(latest.path).session_id or session).lower()
    return files_of(files, session) or [latest]


def head(path: Path) -> Head:
    """Session id and working directory from the first 4 MB of a log; a file that cannot be read says nothing."""
    session_id: str | None = None
    try:
        opened = open_source(path, DEFAULT_LIMITS, block=_HEAD_BLOCK)
    except Unreadable:
        return Head(None, None)
    try:
        left = _HEAD_BYTES
        while left > 0 and (line := opened.lines.readline(_HEAD_LINE)):
            left -= len(line)
            if b'"cwd"' not in line and b'"sessionId"' not in line and b'"session_meta"' not in line:
                continue
            try:
                record = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            payload = record.get("payload") if isinstance(record, dict) else None
            session_id = session_id or _text(record, "sessionId") or _text(payload, "id")
            cwd = _text(record, "cwd") or _text(payload, "cwd")
            if cwd:
                return Head(session_id, cwd)
    finally:
        opened.close()
    return Head(session_id, None)


def _text(record: Any, key: str) -> str | None:
    value = record.get(key) if isinstance(record, dict) else None
    return value if isinstance(value, str) and value else None


def in_project(found: Found, project: Path) -> bool:
    """True if the session was recorded in `project`, below it, or in a worktree of the repository that it is."""
    cwd = head(found.path).cwd
    return cwd is not None and _belongs(cwd, _comparable(project))


@cache
def _belongs(cwd: str, project: str) -> bool:
    places = {_comparable(cwd), _comparable(_main_worktree(cwd))}
    return any(place == project or place.startswith(project.rstrip(os.sep) + os.sep) for place in places)


def _comparable(path: str | Path) -> str:
    try:
        path = os.path.realpath(path)
    except (OSError, ValueError):
        path = str(path)
    return unicodedata.normalize("NFC", os.path.normcase(path))


def _main_worktree(cwd: str) -> str:
    """The main directory of the repository that `cwd` is a linked worktree of; else `cwd`."""
    for directory in (Path(cwd), *Path(cwd).parents):
        link = directory / ".git"
        try:
            if link.is_dir():
                return cwd
            target = link.read_text("utf-8", "replace")[:4096].strip()
        except (OSError, ValueError):
            continue
        repository, separator, _ = (
            target.removeprefix("gitdir:").strip().replace("\\", "/").rpartition("/.git/worktrees/")
        )
        return repository if separator else cwd
    return cwd
