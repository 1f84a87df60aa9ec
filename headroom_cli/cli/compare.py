"""`headroom compare`: two exports or sets of logs beside each other; what got better or worse, and by how much."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from headroom_cli.cli.exits import FINDINGS, NOTHING_READ, USAGE, Ending
from headroom_cli.cli.options import ConfigFile, Debug, Jobs, MaxLine, NoColor, Quiet
from headroom_cli.cli.progress import reading_progress
from headroom_cli.cli.shared import analyser_for, load_config, prices_of, tokenizer_refused

if TYPE_CHECKING:
    from headroom_cli.analysis import Analyser
    from headroom_cli.config import Config
    from headroom_cli.report.compare.comparison import Comparison
    from headroom_cli.report.compare.increase import Increase
    from headroom_cli.report.compare.sides import Side


class Format(StrEnum):
    """How a comparison is written."""

    table = "table"
    json = "json"
    markdown = "markdown"


def compare(
    a: Annotated[
        str, typer.Argument(metavar="A", help="Before: an exported dataset, a log, a folder of logs, or a session id.")
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="After: the same; one may be a dataset, the other logs.")],
    only_new: Annotated[
        bool, typer.Option("--only-new", help="Leave out of B the conversations that A holds too.")
    ] = False,
    max_increase: Annotated[
        str | None,
        typer.Option(help="Fail if cost per session or the avoidable share rises by more: 10%.", metavar="SHARE"),
    ] = None,
    output: Annotated[Format, typer.Option("--format", "-f", help="How to write the comparison.")] = Format.table,
    limit: Annotated[int | None, typer.Option("--limit", min=0, help="Rows of a table, or list (0: all).")] = None,
    jobs: Jobs = None,
    quiet: Quiet = False,
    no_color: NoColor = False,
    max_line: MaxLine = None,
    config: ConfigFile = None,
    debug: Debug = False,
) -> None:
    """What got better or worse from A to B, by signal, tool and model, for a branch or a change of a prompt."""
    from headroom_cli.report.compare.comparison import compare as compare_sides
    from headroom_cli.report.compare.increase import increased, limit_of

    loaded = load_config(config, max_line)
    try:
        most = limit_of(max_increase) if max_increase is not None else None
    except ValueError as problem:
        raise Ending(USAGE, f"--max-increase: {problem}") from problem
    analyser = analyser_for(loaded)
    before, after = (_side(given, loaded, analyser, jobs, quiet) for given in (a, b))
    if only_new:
        after = after.without(before)
        if after.conversations.is_empty():
            raise Ending(NOTHING_READ, f"{b}: every conversation in it is in {a} too")
    found = compare_sides(before, after)
    increase = increased(found, most) if most is not None else None
    _write(found, increase, output, limit, no_color)
    if increase is not None and increase.beyond:
        raise Ending(FINDINGS)


def _side(given: str, loaded: Config, analyser: Analyser, jobs: int | None, quiet: bool) -> Side:
    from headroom_cli.comparing import analysed_side, exported_side
    from headroom_cli.export.dataset import DatasetProblem
    from headroom_cli.exporting import Options
    from headroom_cli.parallel import available_cores
    from headroom_cli.source.discover import UsageProblem, discover

    if given == "-":
        raise Ending(USAGE, "compare reads files and datasets, not standard input")
    try:
        side = exported_side(given)
        if side is None:
            files = discover([given], roots=loaded["roots"] or None).files
            options = Options(jobs=jobs or available_cores(), prices=prices_of(loaded))
            with reading_progress(files, quiet=quiet) as progress, tokenizer_refused():
                side = analysed_side(given, files, analyser, options, progress)
    except DatasetProblem as problem:
        raise Ending(USAGE, str(problem)) from problem
    except UsageProblem as problem:
        raise Ending(USAGE, f"{problem}; {problem.hint}" if problem.hint else str(problem)) from problem
    if side.conversations.is_empty():
        raise Ending(NOTHING_READ, f"{given}: no conversations in it")
    return side


def _write(found: Comparison, increase: Increase | None, output: Format, limit: int | None, no_color: bool) -> None:
    from headroom_cli.report.layout import to_markdown, to_text

    if output is Format.json:
        from headroom_cli.report.compare.json import document

        sys.stdout.buffer.write(document(found, limit=limit, increase=increase))
        return
    from headroom_cli.report.compare.screen import report
    from headroom_cli.report.terminal import print_screen, write

    if output is Format.markdown:
        write(to_markdown(report(found, limit=limit, width=None, increase=increase)))
        return
    print_screen(
        lambda width: to_text(report(found, limit=limit, width=width, increase=increase), width),
        color=False if no_color else None,
    )
