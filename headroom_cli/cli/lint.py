"""`headroom lint`: histories that a provider would refuse."""

from __future__ import annotations

import difflib
import glob
import os
import sys
from collections.abc import Iterable, Sized
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headroom_cli.cli.exits import FINDINGS, NOTHING_READ, OK, USAGE, Ending, writing
from headroom_cli.cli.options import ConfigFile, Debug, Jobs, MaxLine, NoCache, NoColor, Quiet, Unknown
from headroom_cli.cli.progress import reading_progress
from headroom_cli.cli.shared import load_config

if TYPE_CHECKING:
    from headroom_cli.config import Config
    from headroom_cli.lint.baseline import Baseline
    from headroom_cli.lint.engine import Selection
    from headroom_cli.lint.providers import Profile
    from headroom_cli.lint.run import LintRun, Options, Sieve
    from headroom_cli.source.discover import Discovery


class LintFormat(StrEnum):
    """How findings are written."""

    text = "text"
    concise = "concise"
    json = "json"
    sarif = "sarif"
    github = "github"
    gitlab = "gitlab"
    junit = "junit"


class JudgedAs(StrEnum):
    """What a history is judged as."""

    request = "request"
    history = "history"
    training = "training"


class FailOn(StrEnum):
    """The least severity that fails a run."""

    error = "error"
    warning = "warning"


FAILING = {FailOn.error: ("error",), FailOn.warning: ("error", "warning")}
"""The severities that fail a run."""


def lint(
    paths: Annotated[
        list[str] | None,
        typer.Argument(help="Files, folders, or `-`. Default: what `[lint] include` of the configuration names."),
    ] = None,
    sessions: Annotated[bool, typer.Option("--sessions", help="This machine's logs.")] = False,
    provider: Annotated[
        list[str] | None,
        typer.Option("--provider", help="Judge every history for these. Default: by dialect and model.", metavar="P,…"),
    ] = None,
    judged_as: Annotated[
        JudgedAs | None, typer.Option("--as", help="Judge as this, not as what each history seems to be.")
    ] = None,
    select: Annotated[
        list[str] | None, typer.Option("--select", help="Check only these rules: HR103, HR1, ALL.", metavar="RULE,…")
    ] = None,
    extend_select: Annotated[
        list[str] | None, typer.Option("--extend-select", help="Check these rules as well.", metavar="RULE,…")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", help="Do not check these rules.", metavar="RULE,…")
    ] = None,
    fail_on: Annotated[
        FailOn | None, typer.Option("--fail-on", help="Least severity for exit code 1. Default: error.")
    ] = None,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 whatever is found.")] = False,
    unknown_files: Unknown = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="Findings in this file do not fail the run.", metavar="FILE")
    ] = None,
    write_baseline: Annotated[
        bool, typer.Option("--write-baseline", help="Write what is found to the baseline, and exit with 0.")
    ] = False,
    fix: Annotated[bool, typer.Option("--fix", help="Repair what can be, in place, and report the rest.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Print what --fix would change, and change nothing.")] = False,
    unsafe_fixes: Annotated[
        bool, typer.Option("--unsafe-fixes", help="Also repairs that lose something the model could need.")
    ] = False,
    fix_to: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the repaired file here, not in place.", metavar="FILE")
    ] = None,
    output: Annotated[LintFormat, typer.Option("--format", "-f", help="How to write the findings.")] = LintFormat.text,
    jobs: Jobs = None,
    no_cache: NoCache = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Remarks (info) too, and all files that were not checked.")
    ] = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
    max_line: MaxLine = None,
    config: ConfigFile = None,
    debug: Debug = False,
) -> None:
    """Find histories that a provider would refuse, and say where and why."""
    from headroom_cli.lint.run import lint_files, unread
    from headroom_cli.parallel import available_cores

    loaded = load_config(config, max_line)
    options = _options(loaded, provider, judged_as, select, extend_select, ignore)
    discovery = _discover(paths or [], sessions, loaded)
    place = baseline or _beside(loaded, loaded["lint.baseline"])
    if write_baseline and place is None:
        raise Ending(USAGE, "--write-baseline needs --baseline FILE, or lint.baseline in the configuration")
    known = _baseline(place, may_be_missing=write_baseline)
    complete = not paths and not sessions
    sieve = _sieve(loaded, None if write_baseline else known, complete=complete)
    if unsafe_fixes and not (fix or diff or fix_to):
        raise Ending(USAGE, "--unsafe-fixes needs --fix or --diff")
    if fix or diff or fix_to is not None:
        from headroom_cli.cli.fix import fix_files

        changed = fix_files(discovery.files, options, sieve, diff=diff, unsafe=unsafe_fixes, output=fix_to)
        if diff:
            raise Ending(FINDINGS if changed and not exit_zero else OK)
        if fix_to is not None:
            discovery = _discover([str(fix_to)], False, loaded)
    with reading_progress(discovery.files, quiet=quiet) as progress:
        run = lint_files(discovery.files, options, sieve, progress, jobs=jobs or available_cores(), cached=not no_cache)
    run.files += [unread(skipped) for skipped in discovery.skipped]
    run.unknown_files = unknown_files.value if unknown_files is not None else loaded["lint.unknown-files"]
    if write_baseline and place is not None and run.checked:
        _write_baseline(place, run, known)
        return
    infos = verbose or bool(select or extend_select)
    threshold = FailOn(fail_on or loaded["lint.fail-on"])
    write_report(run, output, fail_on=threshold, infos=infos, verbose=verbose, no_color=no_color)
    _refuse(run)
    if not exit_zero and any(run.count(severity) for severity in FAILING[threshold]):
        raise Ending(FINDINGS)


def write_report(
    run: LintRun, output: LintFormat, *, fail_on: FailOn, infos: bool, verbose: bool, no_color: bool
) -> None:
    """Write the findings to standard output in the format asked for."""
    if output is LintFormat.text:
        from headroom_cli.report.lint.text import report
        from headroom_cli.report.terminal import print_screen

        print_screen(
            lambda width: report(run, width=width, infos=infos, verbose=verbose), color=False if no_color else None
        )
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(_written(run, output, fail_on, infos, verbose))


def _written(run: LintRun, output: LintFormat, fail_on: FailOn, infos: bool, verbose: bool) -> bytes:
    if output is LintFormat.json:
        from headroom_cli.report.lint import json

        return json.document(run)
    if output is LintFormat.sarif:
        from headroom_cli.report.lint import sarif

        return sarif.document(run)
    if output is LintFormat.gitlab:
        from headroom_cli.report.lint import gitlab

        return gitlab.document(run)
    if output is LintFormat.junit:
        from headroom_cli.report.lint import junit

        return junit.document(run, FAILING[fail_on])
    if output is LintFormat.github:
        from headroom_cli.report.lint import github

        if path := os.environ.get("GITHUB_STEP_SUMMARY"):
            with writing(path):
                github.write_summary(run, path)
        lines = github.lines(run, infos=infos, verbose=verbose)
    else:
        from headroom_cli.report.lint import concise

        lines = concise.lines(run, infos=infos, verbose=verbose)
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def split_words(given: Iterable[str] | None) -> list[str]:
    """What an option gave that takes several values, each perhaps a comma list."""
    return [word for text in given or () for part in text.split(",") if (word := part.strip())]


def _options(
    loaded: Config,
    provider: list[str] | None,
    judged_as: JudgedAs | None,
    select: list[str] | None,
    extend_select: list[str] | None,
    ignore: list[str] | None,
) -> Options:
    from headroom_cli.lint.engine import Selection
    from headroom_cli.lint.run import Options

    chosen = split_words(select) or loaded["lint.select"]
    selection = Selection(
        tuple(chosen) or None,
        (*loaded["lint.extend-select"], *split_words(extend_select)),
        (*loaded["lint.ignore"], *split_words(ignore)),
    )
    _check_rules(selection, loaded)
    names = split_words(provider) or loaded["lint.provider"]
    return Options(
        providers=profiles_named(names) if names else None,
        judged_as=judged_as.value if judged_as is not None else None,
        rules=selection.rules(),
        limits=loaded.limits(),
    )


def profiles_named(names: Iterable[str]) -> list[Profile]:
    """The providers of these names; an unknown one is wrong usage."""
    from headroom_cli.lint.providers import PROFILES

    found = []
    for name in dict.fromkeys(names):
        if name not in PROFILES:
            raise Ending(USAGE, f"no provider is called {name!r}; {_meant(name, PROFILES)}")
        found.append(PROFILES[name])
    return found


def _check_rules(selection: Selection, loaded: Config) -> None:
    from headroom_cli.lint.engine import known_rules
    from headroom_cli.lint.patterns import unknown_words

    rules = known_rules()
    words = [*(selection.select or ()), *selection.extend, *selection.ignore]
    for key in ("lint.per-file-ignores", "lint.expect"):
        words += [word for listed in loaded[key].values() for word in listed]
    for word in unknown_words(words, rules.values()):
        names = [*rules, *(rule.name for rule in rules.values())]
        raise Ending(USAGE, f"no rule is called {word!r}; {_meant(word, names)}")


def _meant(word: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(word, names, n=1)
    if near:
        return f"did you mean {near[0]}?"
    return f"known: {', '.join(names)}" if len(names) < 20 else "`headroom rules` lists them"


def _discover(paths: list[str], sessions: bool, loaded: Config) -> Discovery:
    from headroom_cli.source.discover import UsageProblem, discover

    if sessions and paths:
        raise Ending(USAGE, "--sessions and paths exclude each other")
    if not paths and not sessions and not loaded["lint.include"]:
        raise Ending(USAGE, "what should be checked? Name files or folders, --sessions, or set lint.include")
    try:
        given = () if sessions else paths or _included(loaded)
        discovery = discover(given, roots=loaded["roots"] or None if sessions else None, golden=not sessions)
    except UsageProblem as problem:
        raise Ending(USAGE, f"{problem}; {problem.hint}" if problem.hint else str(problem)) from problem
    if not paths:
        discovery.files = [replace(found, named=False) for found in discovery.files]
    if not discovery.files and discovery.skipped:
        first = discovery.skipped[0]
        raise Ending(NOTHING_READ, f"nothing was checked: {first.path}: {first.reason}{_more(discovery.skipped)}")
    if not discovery.files:
        raise Ending(NOTHING_READ, "nothing was checked: no log files (.json, .jsonl, .ndjson, .har, .yaml …) there")
    return discovery


def _included(loaded: Config) -> list[str]:
    """The files that `lint.include` names, relative to the configuration."""
    root = _root(loaded)
    found = {
        os.path.relpath(root / match)
        for pattern in loaded["lint.include"]
        for match in glob.iglob(pattern, root_dir=root, recursive=True, include_hidden=True)
    }
    if not found:
        raise Ending(NOTHING_READ, f"nothing was checked: no file matches lint.include of {loaded.path}")
    return sorted(found)


def _root(loaded: Config) -> Path:
    return loaded.path.absolute().parent if loaded.path is not None else Path.cwd()


def _beside(loaded: Config, name: str) -> Path | None:
    return _root(loaded) / name if name else None


def _baseline(place: Path | None, *, may_be_missing: bool) -> Baseline | None:
    from headroom_cli.lint.baseline import BaselineProblem, read_baseline

    if place is None or (may_be_missing and not place.exists()):
        return None
    try:
        return read_baseline(place)
    except BaselineProblem as problem:
        raise Ending(USAGE, str(problem)) from problem


def _write_baseline(place: Path, run: LintRun, known: Baseline | None) -> None:
    from datetime import UTC, datetime

    from headroom_cli.lint.baseline import write_baseline
    from headroom_cli.report.words import plural

    with writing(place):
        number = write_baseline(place, run.diagnostics, known, datetime.now(UTC).date())
    print(f"wrote {plural(number, 'finding')} to {place}")


def _sieve(loaded: Config, known: Baseline | None, *, complete: bool) -> Sieve:
    from headroom_cli.lint.patterns import PathPatterns
    from headroom_cli.lint.run import Sieve

    root = _root(loaded)
    return Sieve(
        ignores=PathPatterns(loaded["lint.per-file-ignores"], root),
        expects=PathPatterns(loaded["lint.expect"], root),
        baseline=known,
        complete=complete,
    )


def _refuse(run: LintRun) -> None:
    """End the command where nothing was checked, or a file could not be that had to be."""
    from headroom_cli.report.words import place

    if not run.checked:
        first = run.skipped[0]
        raise Ending(NOTHING_READ, f"nothing was checked: {place(first.path)}: {first.skipped}{_more(run.skipped)}")
    if refused := run.refused:
        raise Ending(USAGE, f"could not check {place(refused[0].path)}: {refused[0].skipped}{_more(refused)}")


def _more(files: Sized) -> str:
    return f" (and {len(files) - 1} more)" if len(files) > 1 else ""
