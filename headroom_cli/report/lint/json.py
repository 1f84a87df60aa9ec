"""`lint` as one JSON document. Keys are stable within `schema_version`; the same input gives the same bytes."""

from __future__ import annotations

from typing import Any

import orjson

from headroom_cli.lint.diagnostic import Diagnostic
from headroom_cli.lint.run import LintRun
from headroom_cli.report.safely import json_bytes
from headroom_cli.version import __version__

SCHEMA_VERSION = "1"


def document(run: LintRun) -> bytes:
    """All findings, those of the baseline marked, the figures, and the files that were not checked."""
    body = {
        "schema_version": SCHEMA_VERSION,
        "headroom_version": __version__,
        "diagnostics": [row(diagnostic) for diagnostic in run.diagnostics],
        "summary": run.summary(),
        "put_aside": {
            "baselined": len(run.diagnostics) - len(run.new),
            "expected": run.expected,
            "ignored": run.ignored,
        },
        "skipped": [{"path": file.path, "reason": file.skipped, "named": file.named} for file in run.skipped],
    }
    return json_bytes(_encodable(body), orjson.OPT_INDENT_2)


def row(diagnostic: Diagnostic) -> dict[str, Any]:
    """One finding; nothing of what the messages say but names and ids."""
    fix = diagnostic.fix
    return {
        "rule": diagnostic.rule,
        "name": diagnostic.name,
        "refs": list(diagnostic.refs),
        "severity": diagnostic.severity,
        "confidence": diagnostic.confidence,
        "provider": diagnostic.provider,
        "also": list(diagnostic.also),
        "message": diagnostic.message,
        "path": diagnostic.path,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "pointer": diagnostic.pointer,
        "inside": diagnostic.inside,
        "conversation_id": diagnostic.conversation_id,
        "message_index": diagnostic.message_index,
        "call_ids": list(diagnostic.call_ids),
        "related": [
            {"path": m.path, "line": m.line, "message_index": m.message_index, "role": m.role, "note": m.note}
            for m in diagnostic.related
        ],
        "api_error": diagnostic.api_error,
        "fix": None if fix is None else {"kind": fix.kind, "safe": fix.safe, "what": fix.what},
        "fingerprint": diagnostic.fingerprint,
        "baselined": diagnostic.baselined,
    }


def _encodable(value: Any) -> Any:
    """The same without lone surrogates, which no UTF-8 holds."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if not value.isascii() else value
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    if isinstance(value, dict):
        return {key: _encodable(item) for key, item in value.items()}
    return value
