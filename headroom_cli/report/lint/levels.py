"""What the formats for machines share: fingerprints, and the order of the worst."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from headroom_cli.lint.base import SEVERITIES
from headroom_cli.lint.diagnostic import Diagnostic

_CONFIDENCES = ("high", "medium", "low")


def worst_first(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """By severity, then by confidence; else in the order given."""
    return sorted(diagnostics, key=lambda d: (SEVERITIES.index(d.severity), _CONFIDENCES.index(d.confidence)))


def fingerprint(diagnostic: Diagnostic) -> str:
    """What stays the same from run to run; what is about the run has its rule and message."""
    if diagnostic.fingerprint:
        return diagnostic.fingerprint
    text = f"{diagnostic.rule}\0{diagnostic.message}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]
