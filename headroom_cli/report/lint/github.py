"""Workflow commands of GitHub Actions, the report below them, and a table for the summary of the step."""

from __future__ import annotations

from pathlib import Path

from headroom_cli.lint.diagnostic import Diagnostic
from headroom_cli.lint.run import LintRun
from headroom_cli.report.annotations import command, harmless, most
from headroom_cli.report.layout import escape_markdown
from headroom_cli.report.lint.levels import worst_first
from headroom_cli.report.lint.text import foot, report, where
from headroom_cli.report.repository import path_in_repository, repository_root
from headroom_cli.report.words import plain, plural

TITLE = "headroom lint"
_MESSAGE = 1000
_WIDTH = 120
_SUMMARY_BYTES = 1 << 20
_SUMMARY_ROWS = 1000
_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def lines(run: LintRun, *, infos: bool = False, verbose: bool = False) -> list[str]:
    """Annotations, then the report as text."""
    root = repository_root()
    refused = [
        command("error", _in(file.path, root), 0, 0, TITLE, f"not checked: {file.skipped}") for file in run.refused
    ]
    errors = [_annotation(d, root) for d in worst_first(run.new) if d.severity == "error"]
    commands = most(TITLE, "error", refused + errors)
    for severity in ("warning", "info") if infos else ("warning",):
        annotations = [_annotation(d, root) for d in worst_first(run.new) if d.severity == severity]
        commands += most(TITLE, _COMMANDS[severity], annotations)
    told = report(run, width=_WIDTH, infos=infos, verbose=verbose).plain
    return commands + [harmless(line) for line in told.split("\n")]


def summary(run: LintRun) -> str:
    """Markdown for the summary of the step, within the 1 MiB that GitHub takes."""
    shown = [d for d in worst_first(run.new) if d.severity != "info"]
    head = ["### headroom lint", "", *(_cell(sentence) + "  " for sentence in foot(run, hidden=run.count("info")))]
    if shown:
        head += ["", "| where | rule | severity | finding |", "|---|---|---|---|"]
    size = sum(len(line.encode("utf-8", "replace")) + 1 for line in head) + 200
    rows: list[str] = []
    for diagnostic in shown[:_SUMMARY_ROWS]:
        rule = f"{diagnostic.rule} {diagnostic.name}"
        cells = (where(diagnostic), rule, diagnostic.severity, diagnostic.message)
        row = f"| {' | '.join(map(_cell, cells))} |"
        size += len(row.encode("utf-8", "replace")) + 1
        if size > _SUMMARY_BYTES:
            break
        rows.append(row)
    left = len(shown) - len(rows)
    more = ["", f"and {plural(left, 'finding')} more, see the log"] if left else []
    return "\n".join([*head, *rows, *more, ""])


def write_summary(run: LintRun, path: str) -> None:
    """Append the summary to the file that the runner names in `GITHUB_STEP_SUMMARY`."""
    with open(path, "a", encoding="utf-8", errors="replace", newline="\n") as file:
        file.write(summary(run) + "\n")


def _annotation(diagnostic: Diagnostic, root: Path) -> str:
    title = f"{diagnostic.rule} {diagnostic.name}"
    file = _in(diagnostic.path, root)
    return command(_COMMANDS[diagnostic.severity], file, diagnostic.line, diagnostic.column, title, diagnostic.message)


def _in(path: str, root: Path) -> str | None:
    found = path_in_repository(path, root)
    return None if found is None else plain(found, 4096)


def _cell(text: str) -> str:
    return escape_markdown(plain(text, _MESSAGE))
