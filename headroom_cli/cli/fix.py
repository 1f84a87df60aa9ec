"""`headroom lint --fix` and `--diff`: repair what is found, in the files that hold it, before the rest is reported."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from headroom_cli.cli.exits import USAGE, Ending, writing

if TYPE_CHECKING:
    from headroom_cli.lint.base import Rule
    from headroom_cli.lint.run import Options, Sieve
    from headroom_cli.repair.documents import DocumentRepair
    from headroom_cli.source.discover import Found


def fix_files(
    files: Iterable[Found], options: Options, sieve: Sieve, *, diff: bool, unsafe: bool, output: Path | None = None
) -> int:
    """Repair the histories in files, in place or into `output`; with `diff`, only print what would change.

    Gives the number of files that were changed, or would be. What a file expects or ignores stays as it is.
    """
    from headroom_cli.cli.difference import print_diff
    from headroom_cli.repair import documents
    from headroom_cli.repair.files import InUse, TooLarge, read, replace, write_checked
    from headroom_cli.report.words import plain, plural

    files = list(files)
    if diff and output is not None:
        raise Ending(USAGE, "--diff and --output exclude each other")
    if any(file.stdin for file in files):
        raise Ending(USAGE, "standard input cannot be repaired; name a file")
    if output is not None and len(files) != 1:
        raise Ending(USAGE, f"--output takes one file, not {len(files)}")
    changed = repairs = 0
    refused: dict[str, list[Path]] = {}
    for file in files:
        chosen = documents.Options(
            profiles=options.providers,
            judged_as=options.judged_as,
            unsafe=unsafe,
            severities=("error", "warning"),
            rules=_rules_for(str(file.path), options, sieve),
        )
        try:
            snapshot = read(file.path, options.limits)
            outcome = documents.repair_document(snapshot.data, str(file.path), chosen)
        except TooLarge as problem:
            refused.setdefault(str(problem), []).append(file.path)
            continue
        except InUse as problem:
            raise Ending(USAGE, f"{file.path}: {problem}; try again") from problem
        except OSError as problem:
            raise Ending(USAGE, f"{file.path}: cannot be repaired: {problem.strerror or problem}") from problem
        if outcome.refused is not None:
            refused.setdefault(outcome.refused, []).append(file.path)
            continue
        if diff:
            print_diff(str(file.path), outcome.before, outcome.after)
        elif output is not None:
            with writing(output):
                replace(output, outcome.after)
        elif outcome.changes:
            try:
                with writing(file.path):
                    write_checked(snapshot, outcome.after)
            except InUse as problem:
                raise Ending(USAGE, f"{file.path}: {problem}; try again") from problem
        changed, repairs = changed + bool(outcome.changes), repairs + len(outcome.changes)
        if not diff:
            _tell(str(output or file.path), outcome)
    for why, paths in refused.items():
        named = f"{paths[0]} and {len(paths) - 1} more" if len(paths) > 1 else str(paths[0])
        if output is not None:
            raise Ending(USAGE, f"{named}: {why}")
        print(plain(f"headroom: not repaired: {named}: {why}", 2000), file=sys.stderr)
    if not diff:
        print(f"headroom: {plural(repairs, 'repair')} in {plural(changed, 'file')}", file=sys.stderr)
    return changed


def _rules_for(path: str, options: Options, sieve: Sieve) -> list[Rule]:
    """The rules whose findings in a file are repaired: not those that the configuration expects or ignores there."""
    from headroom_cli.lint.engine import known_rules
    from headroom_cli.lint.patterns import names_rule

    rules = list(known_rules().values()) if options.rules is None else list(options.rules)
    spared = [
        word
        for patterns in (sieve.ignores, sieve.expects)
        if patterns is not None
        for _, word in patterns.holding(path)
    ]
    return [rule for rule in rules if not any(names_rule(word, rule.code, rule.name) for word in spared)]


def _tell(path: str, outcome: DocumentRepair) -> None:
    """Say on standard error what was repaired, and why errors stay."""
    from headroom_cli.report.words import plain, plural

    thinking = False
    for line, change in outcome.changes:
        place = f"{path}:{line}" if line else path
        print(plain(f"{place}: {change.rule} fixed: {change.what}", 2000), file=sys.stderr)
        thinking = thinking or change.thinking is not None
    stays = Counter((left.finding.rule.code, left.why) for left in outcome.left if left.finding.severity == "error")
    for (rule, why), number in stays.items():
        print(plain(f"{path}: {plural(number, 'error')} of {rule} left: {why}", 2000), file=sys.stderr)
    if thinking:
        words = "thinking after a repair is bound to what stood before it, and may be refused now (HR506)"
        print(plain(f"{path}: {words}", 2000), file=sys.stderr)
