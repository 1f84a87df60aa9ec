"""The frame of a SARIF 2.1.0 log as code scanning takes it: one run, valid also without a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from headroom_cli.report.safely import json_bytes
from headroom_cli.report.words import plain
from headroom_cli.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"
MOST_CHARACTERS = 1000


def sarif_log(
    identity: str,
    rules: Sequence[dict[str, Any]],
    results: Sequence[dict[str, Any]],
    notes: Sequence[str] = (),
    *,
    successful: bool = True,
) -> bytes:
    """A log of one run. `identity` keeps it apart from other analyses of the same commit; `notes` are about the run."""
    driver = {"name": "headroom", "semanticVersion": __version__, "rules": list(rules)}
    told = [{"level": "note", "message": {"text": sarif_text(note)}} for note in notes]
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"{identity}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": successful, "toolExecutionNotifications": told}],
        "results": list(results),
    }
    return json_bytes({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, orjson.OPT_INDENT_2)


def sarif_location(uri: str, line: int, column: int = 1) -> dict[str, Any]:
    """A place in a file, from 1; `uri` is relative to the repository's root."""
    region = {"startLine": max(line, 1), "startColumn": max(column, 1)}
    return {"physicalLocation": {"artifactLocation": {"uri": uri, "uriBaseId": ROOT}, "region": region}}


def sarif_text(text: str) -> str:
    """Text in which nothing is taken for a link to a location."""
    return plain(text, MOST_CHARACTERS).replace("](", "] (")
