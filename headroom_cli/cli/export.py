"""`headroom export`: the tables as Parquet (or NDJSON), a folder each, for others to join and aggregate."""

from __future__ import annotations

import os
import re
import secrets
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headroom_cli.cli.exits import NOTHING_READ, USAGE, Ending, writing
from headroom_cli.cli.options import ConfigFile, Debug, Jobs, MaxLine, Quiet, Unknown
from headroom_cli.cli.progress import reading_progress
from headroom_cli.cli.shared import analyser_for, load_config, moment, prices_of, refuse_unreadable, tokenizer_refused

if TYPE_CHECKING:
    from headroom_cli.config import Config
    from headroom_cli.exporting import Options, Summary
    from headroom_cli.source.discover import Discovery

KEY_VARIABLE = "HEADROOM_REDACT_KEY"
_LABEL = re.compile(r"[a-z][a-z0-9_]{0,40}")


class Format(StrEnum):
    """How tables are written."""

    parquet = "parquet"
    ndjson = "ndjson"
    csv = "csv"


class Partition(StrEnum):
    """How tables are split into folders."""

    month = "month"


def export(
    paths: Annotated[
        list[str] | None,
        typer.Argument(help="Files, folders, or the first digits of a session id. Default: this machine's logs."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="The dataset's folder; with --format csv, a file or `-`.", metavar="PATH"),
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="Read only files that changed; keep what vanished files gave.")
    ] = False,
    table: Annotated[
        list[str] | None, typer.Option("--table", help="Only this table (may be given again).", metavar="TABLE")
    ] = None,
    form: Annotated[Format, typer.Option("--format", "-f", help="How to write the tables.")] = Format.parquet,
    partition_by: Annotated[
        Partition | None, typer.Option("--partition-by", help="A folder for each month in which conversations began.")
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option("--label", help="A column `label_KEY` with this value.", metavar="KEY=VALUE")
    ] = None,
    with_text: Annotated[
        bool, typer.Option("--with-text", help="Also the contents, each once, in a table of their own.")
    ] = False,
    redact: Annotated[
        bool,
        typer.Option("--redact", help=f"Replace paths, names and hashes by keyed hashes (key: {KEY_VARIABLE})."),
    ] = False,
    since: Annotated[
        str | None, typer.Option("--since", help="Only files written since then: 30d, a date, all.", metavar="WHEN")
    ] = None,
    jobs: Jobs = None,
    unknown_files: Unknown = None,
    quiet: Quiet = False,
    max_line: MaxLine = None,
    config: ConfigFile = None,
    debug: Debug = False,
) -> None:
    """Write the tables behind every figure as a dataset: Parquet, a folder a table, replaced as a whole."""
    loaded = load_config(config, max_line)
    if not output:
        raise Ending(USAGE, "say where to write: headroom export -o DIR")
    options = _options(loaded, table, form, partition_by, label, with_text, redact, update, jobs)
    discovery = _discover(paths or [], since, loaded)
    if not discovery.files and not update:
        raise Ending(NOTHING_READ, "no log files in the paths given")
    if form is Format.csv:
        _write_csv(discovery, output, options, loaded, quiet)
        return
    summary = _export(discovery, Path(output), options, loaded, quiet)
    if not quiet:
        _say(summary, output)
    refuse_unreadable(summary.reports, unknown_files)


def _options(
    loaded: Config,
    table: list[str] | None,
    form: Format,
    partition_by: Partition | None,
    label: list[str] | None,
    with_text: bool,
    redact: bool,
    update: bool,
    jobs: int | None,
) -> Options:
    from headroom_cli.export.dataset import Layout
    from headroom_cli.export.schema import TABLES
    from headroom_cli.exporting import Options
    from headroom_cli.parallel import available_cores

    known = [*TABLES, *(["texts"] if with_text else [])]
    for name in table or ():
        if name not in known:
            raise Ending(USAGE, f"--table: no table is called {name!r}; known: {', '.join(known)}")
    if form is Format.csv and (not table or len(table) != 1):
        raise Ending(USAGE, "--format csv writes one table: name it with --table")
    if redact and update:
        raise Ending(USAGE, "--redact and --update don't go together: a redacted dataset keeps nothing to go on from")
    if redact and with_text:
        raise Ending(USAGE, "--redact and --with-text don't go together: texts hold names")
    by_month = partition_by is Partition.month or "month" in loaded["export.partition-by"]
    return Options(
        Layout("ndjson" if form is Format.ndjson else "parquet", by_month),
        tuple(table) if table else None,
        {**_configured_labels(loaded), **_labels(label or [])},
        with_text,
        update,
        _key() if redact else None,
        jobs or available_cores(),
        prices=prices_of(loaded),
    )


def _labels(given: list[str]) -> dict[str, str]:
    labels = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or not _LABEL.fullmatch(name):
            raise Ending(USAGE, f"--label: cannot read {text!r}; write KEY=VALUE, KEY in small letters, digits and _")
        labels[name] = value
    return labels


def _configured_labels(loaded: Config) -> dict[str, str]:
    """`[export] labels`: environment variables in them are filled in."""
    given = loaded["export.labels"]
    return _labels([f"{name}={os.path.expandvars(value)}" for name, value in given.items()])


def _key() -> bytes:
    given = os.environ.get(KEY_VARIABLE, "")
    if given:
        return given.encode()
    print(
        f"headroom: {KEY_VARIABLE} is not set: a random key is used, so nothing joins with another export",
        file=sys.stderr,
    )
    return secrets.token_bytes(32)


def _discover(paths: list[str], since: str | None, loaded: Config) -> Discovery:
    from headroom_cli.source.discover import UsageProblem, discover

    begin = moment(since, loaded.zone(), "--since") if since is not None else None
    if "-" in paths:
        raise Ending(USAGE, "an export reads files, not standard input")
    try:
        return discover(paths, since=begin and begin / 1_000_000, roots=loaded["roots"] or None)
    except UsageProblem as problem:
        raise Ending(USAGE, f"{problem}; {problem.hint}" if problem.hint else str(problem)) from problem


def _export(discovery: Discovery, target: Path, options: Options, loaded: Config, quiet: bool) -> Summary:
    from headroom_cli.export.dataset import DatasetProblem
    from headroom_cli.exporting import export as run_export

    try:
        with reading_progress(discovery.files, quiet=quiet) as progress, tokenizer_refused(), writing(target):
            return run_export(discovery.files, analyser_for(loaded), target, options, progress=progress)
    except DatasetProblem as problem:
        raise Ending(USAGE, str(problem)) from problem


def _write_csv(discovery: Discovery, output: str, options: Options, loaded: Config, quiet: bool) -> None:
    from headroom_cli.exporting import tables_of
    from headroom_cli.repair.files import replace
    from headroom_cli.report.rows_csv import csv_text

    with reading_progress(discovery.files, quiet=quiet) as progress, tokenizer_refused():
        tables = tables_of(discovery.files, analyser_for(loaded), options, progress=progress)
    (name,) = options.only or ()
    frame = tables[name]
    text = csv_text(frame.columns, frame.iter_rows())
    if output == "-":
        sys.stdout.write(text)
        return
    if any(os.path.realpath(file.path) == os.path.realpath(output) for file in discovery.files):
        raise Ending(USAGE, f"{output} is one of the logs that are read; write somewhere else")
    with writing(output):
        replace(Path(output), text.encode("utf-8"))


def _say(summary: Summary, output: str) -> None:
    from headroom_cli.report.words import plural, size, whole

    rows = ", ".join(f"{name} {whole(number)}" for name, number in summary.rows.items())
    print(f"{output}: {size(summary.bytes)}; rows: {rows}", file=sys.stderr)
    kept = f", {summary.files_kept} unchanged" if summary.files_kept else ""
    gone = f", {summary.files_gone} kept that no longer exist, or give nothing any more" if summary.files_gone else ""
    print(
        f"{plural(summary.files_read, 'file')} read{kept}{gone}; "
        f"{plural(len(summary.added), 'conversation')} added, {len(summary.replaced)} replaced",
        file=sys.stderr,
    )
