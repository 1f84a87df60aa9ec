"""GitLab Code Quality: a list of issues, each with a fingerprint that no other has."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson

from headroom_cli.lint.diagnostic import Diagnostic
from headroom_cli.lint.run import LintRun
from headroom_cli.report.lint.levels import fingerprint
from headroom_cli.report.repository import path_in_repository, repository_root
from headroom_cli.report.safely import json_bytes
from headroom_cli.report.words import plain

_MESSAGE = 1000
_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


def document(run: LintRun) -> bytes:
    """The findings that are new; of those in files outside of the repository the path is as it is."""
    root = repository_root()
    issues: list[dict[str, Any]] = []
    seen: set[str] = set()
    for diagnostic in run.new:
        path = path_in_repository(diagnostic.path, root) or plain(diagnostic.path, 4096) or "headroom.toml"
        issues.append(
            {
                "description": f"{diagnostic.rule} {plain(diagnostic.message, _MESSAGE)}",
                "check_name": diagnostic.name,
                "fingerprint": _unique(diagnostic, path, seen),
                "severity": _SEVERITIES[diagnostic.severity],
                "location": {"path": plain(path, 4096), "lines": {"begin": max(diagnostic.line, 1)}},
            }
        )
    return json_bytes(issues, orjson.OPT_INDENT_2)


def _unique(diagnostic: Diagnostic, path: str, seen: set[str]) -> str:
    key = f"{path}\0{diagnostic.rule}\0{fingerprint(diagnostic)}"
    number = 0
    while True:
        text = f"{key}\0{number}" if number else key
        found = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
        if found not in seen:
            seen.add(found)
            return found
        number += 1
