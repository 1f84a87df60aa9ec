"""Workflow commands of GitHub Actions, the report below them, and a table for the summary of the step.

GitHub shows at most 10 errors and 10 warnings of a step: the 9 worst of each kind are annotated, one more counts the
rest. No text of a log can be a workflow command: values are escaped, and no line of the report begins like one.
"""

from __future__ import annotations

import re
from pathlib import Path

from headroom_cli.lint.diagnostic import Diagnostic
from headroom_cli.lint.run import LintRun
from headroom_cli.report.layout import escape_markdown
from headroom_cli.report.lint.levels import path_in_repository, repository_root, worst_first
from headroom_cli.report.lint.text import foot, report, where
from headroom_cli.report.words import plain, plural

_SHOWN = 9
_MESSAGE = 1000
_WIDTH = 120
_SUMMARY_BYTES = 1 << 20
_SUMMARY_ROWS = 1000
_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}
_COMMAND = re.compile(r"^(\s*):(?=:)")


def lines(run: LintRun, *, infos: bool = False, verbose: bool = False) -> list[str]:
    """Annotations, then the report as text."""
    root = repository_root()
    unread = [file for file in run.skipped if file.named and file.skipped != "empty"]
    commands = _most(
        "error",
        [
            *(_command("error", _in(f.path, root), 0, 0, "headroom lint", f"not checked: {f.skipped}") for f in unread),
            *(_annotation(d, root) for d in worst_first(run.new) if d.severity == "error"),
        ],
    )
    for severity in ("warning", "info") if infos else ("warning",):
        commands += _most(severity, [_annotation(d, root) for d in worst_first(run.new) if d.severity == severity])
    told = report(run, width=_WIDTH, infos=infos, verbose=verbose).plain
    return commands + [harmless(line) for line in told.split("\n")]


def harmless(line: str) -> str:
    """A line that the runner does not take for a command, in neither of the two forms that it knows."""
    return _COMMAND.sub(r"\1: ", line).replace("##[", "# #[")


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


def _most(severity: str, commands: list[str]) -> list[str]:
    """As many as GitHub shows; the last of them counts the rest."""
    if len(commands) <= _SHOWN + 1:
        return commands
    more = f"+ {len(commands) - _SHOWN:,} more, see the log"
    return [*commands[:_SHOWN], _command(_COMMANDS[severity], None, 0, 0, "headroom lint", more)]


def _annotation(diagnostic: Diagnostic, root: Path) -> str:
    title = f"{diagnostic.rule} {diagnostic.name}"
    file = _in(diagnostic.path, root)
    return _command(_COMMANDS[diagnostic.severity], file, diagnostic.line, diagnostic.column, title, diagnostic.message)


def _in(path: str, root: Path) -> str | None:
    found = path_in_repository(path, root)
    return None if found is None else plain(found, 4096)


def _command(name: str, file: str | None, line: int, column: int, title: str, message: str) -> str:
    properties = []
    if file is not None:
        properties.append(f"file={_property(file)}")
        if line > 0:
            properties.append(f"line={line}")
            properties.append(f"col={max(column, 1)}")
    properties.append(f"title={_property(title)}")
    return f"::{name} {','.join(properties)}::{_data(plain(message, _MESSAGE))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A").replace("##[", "# #[")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _cell(text: str) -> str:
    return escape_markdown(plain(text, _MESSAGE))
