"""What `headroom repair` shows: what it would change, line by line, or what it wrote."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text

from headroom_cli.repair.lines import SessionRepair
from headroom_cli.repair.sessions import CLIENTS
from headroom_cli.report.words import place, plain, plural
from headroom_cli.source.sessions import session_of

_THINKING = {
    "yes": "Thinking after these lines is bound to what precedes it: this model refuses it once they change.",
    "may": "Thinking after these lines may be refused once they change: this model checks what precedes it.",
}
_MOST_ROWS = 200
_DASHES_OF_AN_ID = 4


def head(path: Path, outcome: SessionRepair) -> str:
    """What the file is, and where."""
    client = CLIENTS.get(outcome.log_format, outcome.log_format)
    session = session_of(path)
    known = session[:8] if session.count("-") == _DASHES_OF_AN_ID else session
    return f"{client} session {known}  {place(str(path))}"


def screen(
    path: Path,
    outcome: SessionRepair,
    *,
    width: int,
    target: str,
    written: Path | None = None,
    backup: Path | None = None,
) -> Text:
    """The repairs of one session, which `target` names on the command line; where it was written, and the old file."""
    text = Text()
    text.append(plain(head(path, outcome), 500) + "\n", style="bold")
    rows = [(f"line {each.line:,}", each.rule, plain(each.problem), plain(each.what)) for each in outcome.repairs]
    rows, more = rows[:_MOST_ROWS], len(rows) - _MOST_ROWS
    lines, problems, cures = (max((len(row[column]) for row in rows), default=0) for column in (0, 2, 3))
    beside = lines + problems + cures + 13 <= width
    for line, rule, problem, what in rows:
        text.append(f"  {line:<{lines}}  ")
        text.append(rule, style="bold")
        text.append(
            f"  {problem:<{problems}}  {what}\n" if beside else f"  {problem}\n  {'':<{lines}}         {what}\n"
        )
    if more > 0:
        text.append(f"  … and {more:,} more\n")
    for left in outcome.left[:_MOST_ROWS]:
        finding = left.finding
        line_number = finding.target.line if finding.target is not None else finding.line
        text.append(f"  line {line_number:,}  {finding.rule.code}  {plain(finding.message, 160)}  ")
        text.append(f"stays: {plain(left.why)}\n", style="yellow")
    if not rows:
        words = "nothing to repair" if outcome.left else "sound: nothing to repair"
        return text.append(f"{words}, {_errors(outcome)}." if outcome.left else f"{words}.")
    text.append(
        f"{plural(len(outcome.repairs), 'repair')}, {outcome.touched:,} of {plural(outcome.lines, 'line')} touched, "
        f"then {_errors(outcome)}."
    )
    worst = next((word for word in ("yes", "may") for repair in outcome.repairs if repair.thinking == word), None)
    if written is None:
        text.append(" Nothing written yet.\n")
    else:
        kept = f"; the old file is {plain(backup.name)}" if backup is not None else f" to {plain(str(written))}"
        text.append(f" Written{kept}.\n")
    if worst is not None:
        text.append(_THINKING[worst] + "\n", style="yellow")
    if written is None or backup is not None:
        text.append(_next_step(path, outcome, written, target))
    text.rstrip()
    return text


def _errors(outcome: SessionRepair) -> str:
    return plural(len(outcome.left), "error") + (" left" if outcome.left else "")


def _next_step(path: Path, outcome: SessionRepair, written: Path | None, target: str) -> str:
    if written is None:
        return f"Write: headroom repair {plain(target)} --write   (keeps the old file as .bak-N)"
    session = session_of(path)
    resume = {"claude-code": "claude --resume", "codex": "codex resume"}.get(outcome.log_format, "")
    return f"Try: {resume} {plain(session)}"
