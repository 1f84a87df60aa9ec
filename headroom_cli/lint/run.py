"""Many files: read, judged, located, and sifted by what the configuration ignores, expects and already knows."""

from __future__ import annotations

import gc
import io
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from headroom_cli.lint.base import Finding, Rule, Severity
from headroom_cli.lint.baseline import Baseline
from headroom_cli.lint.diagnostic import Diagnostic, diagnostics
from headroom_cli.lint.engine import Selection, judge_session, known_rules
from headroom_cli.lint.history import JudgedAs
from headroom_cli.lint.patterns import PathPatterns, names_rule
from headroom_cli.lint.providers import Profile
from headroom_cli.lint.sent import sessions
from headroom_cli.logs import read_log, read_stream
from headroom_cli.model import Reading
from headroom_cli.source.discover import Found
from headroom_cli.source.memory import collecting_seldom

_COLLECT_EVERY = 64_000_000

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Options:
    """What is judged, and how. None: the providers of each history, what it seems to be, the rules that are not off."""

    providers: Sequence[Profile] | None = None
    judged_as: JudgedAs | None = None
    rules: Sequence[Rule] | None = None


@dataclass(frozen=True, slots=True)
class Sieve:
    """What is done with what is found. `complete`: the run covers all that the configuration speaks of."""

    ignores: PathPatterns | None = None
    expects: PathPatterns | None = None
    baseline: Baseline | None = None
    complete: bool = False


@dataclass(frozen=True, slots=True)
class JudgedHistory:
    """A history that was judged: where it lies, and which of its conversation it is."""

    path: str
    line: int
    conversation_id: str
    number: int


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """What became of one file. `skipped` says why nothing in it was judged; `damaged` counts its broken records."""

    path: str
    named: bool
    log_format: str
    conversations: int
    histories: tuple[JudgedHistory, ...]
    damaged: int
    skipped: str | None


@dataclass(slots=True)
class LintRun:
    """What was judged, and what was found, by path and place. `ignored`, `expected`: how many findings were put aside.

    Those of the baseline are in `diagnostics`, marked.
    """

    files: list[CheckedFile] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    ignored: int = 0
    expected: int = 0

    @property
    def checked(self) -> list[CheckedFile]:
        """The files in which something was judged."""
        return [file for file in self.files if file.skipped is None]

    @property
    def skipped(self) -> list[CheckedFile]:
        """The files in which nothing was judged."""
        return [file for file in self.files if file.skipped is not None]

    @property
    def histories(self) -> int:
        """How many histories were judged."""
        return sum(len(file.histories) for file in self.files)

    @property
    def new(self) -> list[Diagnostic]:
        """What is not in the baseline."""
        return [diagnostic for diagnostic in self.diagnostics if not diagnostic.baselined]

    def count(self, severity: str) -> int:
        """How many new findings are of a severity."""
        return sum(diagnostic.severity == severity for diagnostic in self.new)

    def summary(self) -> dict[str, int]:
        """The figures of the run; `requests` are the histories judged, each as it was, or would be, sent."""
        return {
            "files": len(self.checked),
            "conversations": sum(file.conversations for file in self.files),
            "requests": self.histories,
            "errors": self.count("error"),
            "warnings": self.count("warning"),
            "infos": self.count("info"),
            "skipped": len(self.skipped),
        }


def lint_files(
    files: Iterable[Found], options: Options | None = None, sieve: Sieve | None = None, progress: Progress | None = None
) -> LintRun:
    """Judge `files`, in order. A file that can't be read costs itself, never the run."""
    options = options or Options()
    if options.rules is None:
        options = replace(options, rules=Selection().rules())
    run = LintRun()
    found: list[Diagnostic] = []
    done = collected = 0
    with collecting_seldom():
        for number, file in enumerate(files, 1):
            checked, diagnosed = _lint_file(file, options)
            run.files.append(checked)
            found += diagnosed
            done += file.size
            if done - collected > _COLLECT_EVERY:
                collected = done
                gc.collect()
            if progress:
                progress(number, done)
    _sift(run, found, sieve or Sieve())
    return run


def _lint_file(file: Found, options: Options) -> tuple[CheckedFile, list[Diagnostic]]:
    source: Path | BinaryIO = file.path
    if file.stdin:
        source = io.BytesIO(sys.stdin.buffer.read())
        reading = read_stream(source, "-", keeps_sent=True)
    else:
        reading = read_log(file.path, keeps_sent=True)
    return judge_reading(reading, source, options, named=file.named)


def judge_reading(
    reading: Reading, source: Path | BinaryIO, options: Options, *, named: bool = True
) -> tuple[CheckedFile, list[Diagnostic]]:
    """Judge what was read from a file (with `keeps_sent`); `source` is read again where something was found."""
    findings: list[Finding] = []
    owners: list[str] = []
    histories: list[JudgedHistory] = []
    for session in sessions(reading, options.judged_as):
        in_session = judge_session(session, options.providers, options.rules)
        findings += in_session
        owners += [session.conversation.id] * len(in_session)
        histories += [
            JudgedHistory(reading.path, history.line, history.conversation_id, number)
            for number, history in enumerate(session.histories)
        ]
    skipped = reading.skipped or (None if histories else "no history in it")
    checked = CheckedFile(
        reading.path,
        named,
        reading.log_format,
        len(reading.conversations),
        tuple(histories),
        len(reading.damaged),
        skipped,
    )
    return checked, diagnostics(findings, reading.path, source, owners)


def _sift(run: LintRun, found: list[Diagnostic], sieve: Sieve) -> None:
    """Put aside what is ignored or expected, mark what the baseline knows, and tell of what no longer holds."""
    seen: dict[str, list[Diagnostic]] = {file.path: [] for file in run.files}
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
                run.expected += 1
            elif ignoring:
                run.ignored += 1
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
    run.diagnostics = kept


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
