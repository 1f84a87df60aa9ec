"""`headroom repair`: sessions of Claude Code and Codex that no longer resume."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headroom_cli.cli.exits import FINDINGS, NOTHING_READ, USAGE, Ending, writing
from headroom_cli.cli.options import ConfigFile, Debug, MaxLine, NoColor
from headroom_cli.cli.shared import load_config

if TYPE_CHECKING:
    from rich.text import Text

    from headroom_cli.repair.lines import SessionRepair


def repair(
    target: Annotated[str, typer.Argument(help="A session id or its beginning, or a file.", metavar="SESSION|FILE")],
    diff: Annotated[bool, typer.Option("--diff", help="Print what would change as a unified diff.")] = False,
    write: Annotated[
        bool, typer.Option("--write", help="Change the file; the old one is kept beside it as NAME.bak-N.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the repaired session to this file instead.", metavar="FILE"),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also a file that was changed in the last minute: its client may write it.")
    ] = False,
    no_color: NoColor = False,
    max_line: MaxLine = None,
    config: ConfigFile = None,
    debug: Debug = False,
) -> None:
    """Repair a session of Claude Code or Codex that no longer resumes.

    Shows what would change, and with --write changes it.
    """
    from headroom_cli.cli.difference import print_diff
    from headroom_cli.repair import files
    from headroom_cli.repair.sessions import repair_session
    from headroom_cli.report.terminal import print_screen
    from headroom_cli.report.words import plain

    loaded = load_config(config, max_line)
    paths = _paths(target, loaded["roots"] or None)
    if (diff, write, output is not None).count(True) > 1:
        raise Ending(USAGE, "--diff, --write and --output exclude each other")
    if output is not None and len(paths) > 1:
        raise Ending(USAGE, f"--output takes one file, not {len(paths)}; name the file of the session")
    if output is not None and output.exists() and output.samefile(paths[0]):
        raise Ending(USAGE, "--output is the file itself; --write changes it, and keeps the old one")
    left = pending = shown = 0
    refused: list[str] = []
    for path in paths:
        written = backup = None
        try:
            snapshot = files.read(path, loaded.limits(), force=force)
            if write and not force:
                files.refuse_if_fresh(snapshot)
            outcome = repair_session(snapshot.data, str(path))
            if outcome.refused is not None:
                refused.append(f"{path}: {outcome.refused}")
                continue
            if len(paths) > 1 and not outcome.repairs and not outcome.left:
                continue
            if output is not None:
                with writing(output):
                    files.replace(output, outcome.after)
                written = output
            elif outcome.repairs and write:
                with writing(path):
                    backup = files.write(snapshot, outcome.after, force=force)
                written = path
        except files.TooLarge as problem:
            refused.append(f"{path}: {problem}")
            continue
        except files.InUse as problem:
            raise Ending(USAGE, f"{path}: {problem}. End the client, or use --force") from problem
        except OSError as problem:
            raise Ending(NOTHING_READ, f"{path}: {problem.strerror or problem}") from problem
        shown += 1
        left += len(outcome.left)
        pending += bool(outcome.repairs) and written is None
        if diff:
            print_diff(str(path), outcome.before, outcome.after)
            continue
        print_screen(
            partial(_screen, path, outcome, target, written, backup),
            color=False if no_color else None,
        )
    if len(refused) == len(paths):
        raise Ending(NOTHING_READ, refused[0])
    for words in refused:
        print(plain(f"headroom: {words}", 2000), file=sys.stderr)
    if not shown and not diff:
        print(f"sound: nothing to repair in {len(paths) - len(refused)} files")
    if left or pending:
        raise Ending(FINDINGS)


def _screen(
    path: Path, outcome: SessionRepair, target: str, written: Path | None, backup: Path | None, width: int
) -> Text:
    from headroom_cli.report.repair import screen

    return screen(path, outcome, width=width, target=target, written=written, backup=backup)


def _paths(target: str, roots: list[str] | None) -> list[Path]:
    from headroom_cli.source.discover import UsageProblem, discover

    if target == "-":
        raise Ending(USAGE, "standard input cannot be repaired; name a file")
    try:
        found = discover([target], roots=roots).files
    except UsageProblem as problem:
        raise Ending(USAGE, f"{problem}; {problem.hint}" if problem.hint else str(problem)) from problem
    if not found:
        raise Ending(NOTHING_READ, f"{target}: no session there")
    return [each.path for each in found]
