"""What a run found, sifted by what the configuration ignores, expects and already knows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from headroom_cli.lint.base import Severity
from headroom_cli.lint.baseline import Baseline
from headroom_cli.lint.diagnostic import Diagnostic
from headroom_cli.lint.engine import known_rules
from headroom_cli.lint.patterns import PathPatterns, names_rule


@dataclass(frozen=True, slots=True)
class Sieve:
    """What is done with what is found. `complete`: the run covers all that the configuration speaks of."""

    ignores: PathPatterns | None = None
    expects: PathPatterns | None = None
    baseline: Baseline | None = None
    complete: bool = False


@dataclass(slots=True)
class Sifted:
    """What is reported, by path and place; and how many findings were put aside."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    ignored: int = 0
    expected: int = 0


def sift(paths: Iterable[str], found: Iterable[Diagnostic], sieve: Sieve) -> Sifted:
    """Put aside what is ignored or expected, mark what the baseline knows, and tell of what no longer holds."""
    sifted = Sifted()
    seen: dict[str, list[Diagnostic]] = {path: [] for path in paths}
    for diagnostic in found:
        seen.setdefault(diagnostic.path, []).append(diagnostic)
    kept: list[Diagnostic] = []
    used: set[tuple[str, str]] = set()
    met: set[tuple[str, str]] = set()
    for path, of_file in seen.items():
        ignores = sieve.ignores.holding(path) if sieve.ignores else []
        expects = sieve.expects.holding(path) if sieve.expects else []
        met.update(ignores)
        come: set[tuple[str, str]] = set()
        for diagnostic in of_file:
            expecting = [entry for entry in expects if names_rule(entry[1], diagnostic.rule, diagnostic.name)]
            ignoring = [entry for entry in ignores if names_rule(entry[1], diagnostic.rule, diagnostic.name)]
            come.update(expecting)
            used.update(ignoring)
            if expecting:
                sifted.expected += 1
            elif ignoring:
                sifted.ignored += 1
            else:
                kept.append(diagnostic)
        kept += [_gone(path, entry) for entry in expects if entry not in come]
        used.update(come)
    kept += _unused(sieve, met, used, seen)
    if sieve.baseline is not None:
        known = sieve.baseline.known(kept)
        kept = [replace(d, baselined=True) if index in known else d for index, d in enumerate(kept)]
        kept += _stale(sieve.baseline, seen, complete=sieve.complete)
    order = {path: number for number, path in enumerate(seen)}
    kept.sort(key=lambda d: (order.get(d.path, len(order)), d.line, d.column))
    sifted.diagnostics = kept
    return sifted


def _unused(
    sieve: Sieve,
    met: set[tuple[str, str]],
    used: set[tuple[str, str]],
    seen: dict[str, list[Diagnostic]],
) -> list[Diagnostic]:
    told = [
        _about_run("HR002", "warning", f"nothing in {entry[0]} is ignored by {entry[1]}", "")
        for entry in (sieve.ignores.entries if sieve.ignores else ())
        if entry not in used and (entry in met or sieve.complete)
    ]
    if sieve.complete and sieve.expects:
        matched = {entry for path in seen for entry in sieve.expects.holding(path)}
        told += [_gone("", entry) for entry in sieve.expects.entries if entry not in matched]
    return told


def _stale(baseline: Baseline, paths: Iterable[str], *, complete: bool) -> list[Diagnostic]:
    by_path: dict[str, list[str]] = {}
    for entry in baseline.stale(paths, complete=complete):
        by_path.setdefault(entry.path, []).append(entry.rule)
    return [
        _about_run("HR003", "warning", f"the baseline knows {', '.join(codes)} in {path}, which is gone", "")
        for path, codes in by_path.items()
    ]


def _gone(path: str, entry: tuple[str, str]) -> Diagnostic:
    where = "" if path else f" in {entry[0]}, which matches no file"
    return _about_run("HR001", "error", f"{entry[1]} is expected{where}, and was not found", path)


def _about_run(code: str, severity: Severity, message: str, path: str) -> Diagnostic:
    rule = known_rules()[code]
    return Diagnostic(
        rule=code,
        name=rule.name,
        refs=(),
        severity=severity,
        confidence="high",
        provider="",
        message=message,
        path=path,
        line=1 if path else 0,
        column=1 if path else 0,
        fingerprint="",
    )
