"""One line a finding: `path:line:column: RULE [severity] message`, as editors and problem matchers take it."""

from __future__ import annotations

from headroom_cli.lint.run import LintRun
from headroom_cli.report.lint.text import foot, where
from headroom_cli.report.words import plain

_MESSAGE = 1000


def lines(run: LintRun, *, infos: bool = False, verbose: bool = False) -> list[str]:
    """The findings that are new, then the figures."""
    shown = [diagnostic for diagnostic in run.new if infos or diagnostic.severity != "info"]
    return [
        *(f"{where(d) or '-'}: {d.rule} [{d.severity}] {plain(d.message, _MESSAGE)}" for d in shown),
        *foot(run, hidden=0 if infos else run.count("info"), verbose=verbose),
    ]
