"""The order of the worst, for formats that show no more than so many."""

from __future__ import annotations

from collections.abc import Iterable

from headroom_cli.lint.base import SEVERITIES
from headroom_cli.lint.diagnostic import Diagnostic

_CONFIDENCES = ("high", "medium", "low")


def worst_first(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """By severity, then by confidence; else in the order given."""
    return sorted(diagnostics, key=lambda d: (SEVERITIES.index(d.severity), _CONFIDENCES.index(d.confidence)))
