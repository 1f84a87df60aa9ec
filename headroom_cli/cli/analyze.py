"""`headroom analyze`: where the tokens went, what they cost, which were wasted, and why."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from datetime import tzinfo
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headroom_cli.cli.exits import FINDINGS, NOTHING_READ, USAGE, Ending
from headroom_cli.cli.options import ConfigFile, Debug, Jobs, MaxLine, NoCache, NoColor, Quiet, Unknown
from headroom_cli.cli.progress import reading_progress
from headroom_cli.cli.shared import analyser_for, load_config, moment, prices_of, refuse_unreadable, tokenizer_refused

if TYPE_CHECKING:
    from headroom_cli.config import Config
    from headroom_cli.report.budget import Budget, Verdict
    from headroom_cli.result import Run
    from headroom_cli.selection import Selection
    from headroom_cli.source.discover import Discovery


_LINT_BYTES = 20_000_000
_MOST_ROWS = 1_000_000_000


class Format(StrEnum):
    """How a report is written."""

    table = "table"
    json = "json"
    jsonl = "jsonl"
    markdown = "markdown"
    csv = "csv"
    github = "github"
    sarif = "sarif"
    openmetrics = "openmetrics"


class Kind(StrEnum):
    """What a thread is."""

    main = "main"
    subagent = "subagent"
    side = "side"


def analyze(
    paths: Annotated[
        list[str] | None,
        typer.Argument(help="Files, folders, `-`, or the first digits of a session id. Default: this machine's logs."),
    ] = None,
    last: Annotated[bool, typer.Option("--last", help="The session written to last.")] = False,
    project: Annotated[
        str | None,
        typer.Option(
            "--project", help="Sessions recorded in this folder (`.`), or of this project name.", metavar="NAME"
        ),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", help="Requests from then on: 30d, 12h, a date, all.", metavar="WHEN")
    ] = None,
    until: Annotated[str | None, typer.Option("--until", help="Requests before then.", metavar="WHEN")] = None,
    model: Annotated[
        list[str] | None, typer.Option("--model", help="Only requests of this model (or *).", metavar="MODEL")
    ] = None,
    client: Annotated[
        list[str] | None, typer.Option("--client", help="Only this client's sessions.", metavar="CLIENT")
    ] = None,
    kind: Annotated[list[Kind] | None, typer.Option("--kind", help="Only threads of this kind.")] = None,
    by: Annotated[
        list[str] | None,
        typer.Option("--by", help="Group by dimensions: session, project, model, day, tool, file …", metavar="DIM,…"),
    ] = None,
    output: Annotated[Format, typer.Option("--format", "-f", help="How to write the report.")] = Format.table,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=0, max=_MOST_ROWS, help="Rows of a table, findings of JSON (0: all).", metavar="N"),
    ] = None,
    max_avoidable: Annotated[
        str | None,
        typer.Option(help="Fail if more of a conversation's cost is avoidable: 10%.", metavar="SHARE"),
    ] = None,
    max_cost: Annotated[
        str | None, typer.Option(help="Fail if a conversation costs more: 2.50.", metavar="DOLLARS")
    ] = None,
    max_context: Annotated[
        str | None, typer.Option(help="Fail if a conversation's context grows larger: 150k.", metavar="TOKENS")
    ] = None,
    unknown_files: Unknown = None,
    jobs: Jobs = None,
    no_cache: NoCache = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="More detail: tool units, all skipped files.")
    ] = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
    max_line: MaxLine = None,
    config: ConfigFile = None,
    debug: Debug = False,
) -> None:
    """Where the tokens went, what they cost, which of them were wasted, and why."""
    from headroom_cli.report.budget import beyond, judge
    from headroom_cli.report.dimensions import parse_dimensions

    loaded = load_config(config, max_line)
    zone = loaded.zone()
    try:
        dimensions = parse_dimensions(by if by is not None else loaded["analyze.by"] if not paths else [])
    except ValueError as problem:
        raise Ending(USAGE, f"--by: {problem}") from problem
    budget = budget_of(loaded, max_avoidable, max_cost, max_context)
    if output in (Format.github, Format.sarif) and not budget.is_set:
        limits = "--max-avoidable, --max-cost or --max-context"
        raise Ending(USAGE, f"--format {output.value} tells of budgets: give {limits}")
    selection, window = _selection(loaded, zone, bool(paths) or last, since, until, model, project, client, kind)
    discovery = _discover(paths or [], last, project, window, loaded)
    if not discovery.files:
        raise Ending(NOTHING_READ, _nothing_found(discovery, window, project))
    with_units = verbose or len(discovery.files) == 1
    run = _run(discovery, selection, loaded, with_units=with_units, quiet=quiet, jobs=jobs, cached=not no_cache)
    if all(file.skipped for file in run.files):
        first = run.files[0]
        others = f" (and {len(run.files) - 1} more)" if len(run.files) > 1 else ""
        raise Ending(NOTHING_READ, f"nothing could be read: {first.path}: {first.skipped}{others}")
    if run.settled.conversations.is_empty():
        from headroom_cli.report.foot import nothing_selected

        raise Ending(NOTHING_READ, nothing_selected(run, zone))
    if output in (Format.table, Format.markdown) and not dimensions:
        run = with_lint(run, discovery)
    verdict = judge(run.settled, budget) if budget.is_set else None
    write_report(
        run, discovery, output, dimensions, verdict, zone=zone, limit=limit, verbose=verbose, no_color=no_color
    )
    refuse_unreadable(run.files, unknown_files)
    if verdict is not None and verdict.breaches:
        raise Ending(FINDINGS, beyond(verdict) if output is Format.sarif else "")


def budget_of(loaded: Config, max_avoidable: str | None, max_cost: str | None, max_context: str | None) -> Budget:
    """The budget of the command line, or of the configuration where that gives no limit."""
    from headroom_cli.report.budget import Budget, BudgetProblem

    given = {"avoidable": max_avoidable, "cost": max_cost, "context": max_context}
    texts = {name: text if text is not None else _configured(loaded, name) for name, text in given.items()}
    try:
        return Budget.of(**texts)
    except BudgetProblem as problem:
        raise Ending(USAGE, str(problem)) from problem


def _configured(loaded: Config, name: str) -> str:
    value = loaded[f"analyze.budget.max-{name}"]
    return str(value) if value else ""


def with_lint(run: Run, discovery: Discovery) -> Run:
    """With what lint finds, for a report on one session: there it takes no time to speak of."""
    from headroom_cli.report.session_screen import the_session

    if sum(found.size for found in discovery.files) > _LINT_BYTES or any(found.stdin for found in discovery.files):
        return run
    if the_session(run) is None:
        return run
    from headroom_cli.lint.run import lint_files

    judged = lint_files(discovery.files)
    return replace(run, lint=(judged.count("error"), judged.count("warning")))


def _selection(
    loaded: Config,
    zone: tzinfo | None,
    named: bool,
    since: str | None,
    until: str | None,
    model: list[str] | None,
    project: str | None,
    client: list[str] | None,
    kind: list[Kind] | None,
) -> tuple[Selection, int | None]:
    """The filters, and the start of the window for files (None: all of them)."""
    from headroom_cli.selection import Selection

    start = since if since is not None else ("all" if named else loaded["analyze.since"])
    begin = moment(start, zone, "--since")
    end = moment(until, zone, "--until") if until is not None else None
    if begin is not None and end is not None and end <= begin:
        raise Ending(USAGE, "--until lies before --since")
    by_name = (project,) if project and not _is_folder(project) else ()
    return Selection(begin, end, tuple(model or ()), by_name, tuple(client or ()), tuple(kind or ())), begin


def _is_folder(project: str) -> bool:
    return project == "." or "/" in project or "\\" in project or os.path.isdir(project)


def _discover(paths: list[str], last: bool, project: str | None, window: int | None, loaded: Config) -> Discovery:
    from headroom_cli.source.discover import UsageProblem, discover

    try:
        return discover(
            paths,
            since=None if window is None else window / 1_000_000,
            last=last,
            project=project if project and _is_folder(project) else None,
            roots=loaded["roots"] or None,
        )
    except UsageProblem as problem:
        raise Ending(USAGE, f"{problem}; {problem.hint}" if problem.hint else str(problem)) from problem


def _nothing_found(discovery: Discovery, window: int | None, project: str | None) -> str:
    from headroom_cli.report.words import size

    if not discovery.roots and discovery.skipped:
        return f"nothing could be read: {discovery.skipped[0].path}: {discovery.skipped[0].reason}"
    if not discovery.roots:
        return "no log files (.jsonl, .ndjson, .json, .traj, also .gz and .zst) in the paths given"
    places = ", ".join(str(root) for root in discovery.roots)
    older = f" ({discovery.older_files} files, {size(discovery.older_bytes)} older: --since all)"
    recorded = f" recorded in {Path(project).absolute()}" if project and _is_folder(project) else ""
    return f"no sessions{recorded} in {places}{older if window is not None and discovery.older_files else ''}"


def _run(
    discovery: Discovery,
    selection: Selection,
    loaded: Config,
    *,
    with_units: bool,
    quiet: bool,
    jobs: int | None,
    cached: bool,
) -> Run:
    from headroom_cli.cache import Cache
    from headroom_cli.parallel import available_cores
    from headroom_cli.run import analyse_files

    analyser = analyser_for(loaded)
    with reading_progress(discovery.files, quiet=quiet) as progress, tokenizer_refused():
        return analyse_files(
            discovery.files,
            analyser,
            selection=selection,
            prices=prices_of(loaded),
            tool_units=with_units,
            jobs=jobs or available_cores(),
            cache=Cache(repr(analyser.settings)) if cached else None,
            progress=progress,
        )


def write_report(
    run: Run,
    discovery: Discovery,
    output: Format,
    dimensions: list[str],
    verdict: Verdict | None,
    *,
    zone: tzinfo | None,
    limit: int | None,
    verbose: bool,
    no_color: bool,
) -> None:
    """Write the report to standard output in the format asked for."""
    if output is Format.json:
        from headroom_cli.report.json import document

        most = 1000 if limit is None else limit
        body = document(run, dimensions, limit=most, zone=zone, skipped=discovery.skipped, verdict=verdict)
        sys.stdout.buffer.write(body)
    elif output is Format.jsonl:
        from headroom_cli.report.json import lines

        for line in lines(run):
            sys.stdout.buffer.write(line)
    elif output is Format.openmetrics:
        from headroom_cli.report.openmetrics import exposition

        sys.stdout.write(exposition(run))
    elif output is Format.sarif and verdict is not None:
        from headroom_cli.report.budget_formats import sarif

        sys.stdout.buffer.write(sarif(verdict))
    elif output is Format.github and verdict is not None:
        from headroom_cli.report.budget_formats import workflow_commands
        from headroom_cli.report.terminal import write

        write("\n".join([*workflow_commands(verdict), ""]))
    else:
        from headroom_cli.report.screens import show

        show(
            run,
            discovery,
            output.value,
            dimensions,
            zone=zone,
            limit=limit,
            verbose=verbose,
            color=False if no_color else None,
            verdict=verdict,
        )
