"""Many files: judged here or in other processes, known ones taken from the cache, and sifted."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from headroom_cli.lint.diagnostic import Diagnostic
from headroom_cli.lint.engine import Selection
from headroom_cli.lint.files import CheckedFile, Judge, Judged, JudgedHistory, Options, judge_file
from headroom_cli.lint.kept import Kept
from headroom_cli.lint.sift import Sieve, sift
from headroom_cli.parallel import KILLED, Lost, batches, spread
from headroom_cli.source.discover import Found, Skipped
from headroom_cli.source.memory import collecting_seldom
from headroom_cli.source.walk import path_text

__all__ = ["CheckedFile", "Judge", "JudgedHistory", "LintRun", "Options", "Sieve", "lint_files", "unread"]

_COLLECT_EVERY = 400_000_000
_PIECE_BYTES = 16_000_000
_WORTH_PROCESSES = 80_000_000  # bytes: starting a process takes as long as judging half of that

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class LintRun:
    """What was judged, and what was found, by path and place. `ignored`, `expected`: how many findings were put aside.

    Those of the baseline are in `diagnostics`, marked. `unknown_files` says what a file means in which nothing could be
    judged; empty: an error if it was named.
    """

    files: list[CheckedFile] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    ignored: int = 0
    expected: int = 0
    unknown_files: Literal["", "error", "skip"] = ""

    @property
    def checked(self) -> list[CheckedFile]:
        """The files in which something was judged."""
        return [file for file in self.files if file.skipped is None]

    @property
    def skipped(self) -> list[CheckedFile]:
        """The files in which nothing was judged."""
        return [file for file in self.files if file.skipped is not None]

    @property
    def refused(self) -> list[CheckedFile]:
        """The files that had to be checked, and could not be; an empty one holds nothing that is wrong."""
        return [
            file
            for file in self.skipped
            if file.skipped == KILLED
            or (file.skipped != "empty" and self.unknown_files != "skip" and (file.named or self.unknown_files))
        ]

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
    files: Iterable[Found],
    options: Options | None = None,
    sieve: Sieve | None = None,
    progress: Progress | None = None,
    *,
    jobs: int = 1,
    cached: bool = False,
) -> LintRun:
    """Judge `files`, in order. A file that can't be read costs itself, never the run.

    The result is the same for any number of `jobs`, and `cached` (what earlier runs found in unchanged files) or not.
    """
    options = options or Options()
    if options.rules is None:
        options = replace(options, rules=Selection().rules())
    given = list(files)
    judged = _judge_cached(given, options, jobs, progress) if cached else _judge(given, options, jobs, progress)
    run = LintRun([checked for checked, _ in judged])
    found = [diagnostic for _, diagnosed in judged for diagnostic in diagnosed]
    sifted = sift((file.path for file in run.files), found, sieve or Sieve())
    run.diagnostics, run.ignored, run.expected = sifted.diagnostics, sifted.ignored, sifted.expected
    return run


def _judge_cached(files: list[Found], options: Options, jobs: int, progress: Progress | None) -> list[Judged]:
    """Judge only files that the cache does not know as they are now."""
    kept = Kept(options, files)
    known = [kept.of(file) for file in files]
    fresh = iter(_judge([f for f, judged in zip(files, known, strict=True) if judged is None], options, jobs, progress))
    judged = [judged or next(fresh) for judged in known]
    kept.store(zip(files, judged, strict=True))
    return judged


def _judge(files: list[Found], options: Options, jobs: int, progress: Progress | None) -> list[Judged]:
    if jobs > 1 and sum(map(_size, files)) >= _WORTH_PROCESSES and not any(file.stdin for file in files):
        return _judge_apart(files, options, jobs, progress)
    return _judge_here(files, options, progress)


def _judge_here(files: Sequence[Found], options: Options, progress: Progress | None = None) -> list[Judged]:
    judged = []
    done = collected = 0
    with collecting_seldom():
        for number, file in enumerate(files, 1):
            judged.append(judge_file(file, options))
            done += file.size
            if done - collected > _COLLECT_EVERY:
                collected = done
                gc.collect()
            if progress:
                progress(number, done)
    return judged


class _Task:
    """What each process does with its share of the files."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def __call__(self, files: list[Found]) -> list[Judged]:
        judged = _judge_here(files, self._options)
        gc.collect()
        return judged


def _judge_apart(files: list[Found], options: Options, jobs: int, progress: Progress | None) -> list[Judged]:
    done = [0, 0]

    def tell(items: list[Found]) -> None:
        done[0] += len(items)
        done[1] += sum(map(_size, items))
        if progress:
            progress(done[0], done[1])

    pieces = list(batches(files, _size, _PIECE_BYTES))
    results = spread(partial(_Task, options), pieces, jobs, size=lambda items: sum(map(_size, items)), done=tell)
    return [judged for result in results for judged in ([_lost(result.item)] if isinstance(result, Lost) else result)]


def _lost(file: Found) -> Judged:
    return unread(Skipped(file.path, KILLED), named=file.named), []


def unread(skipped: Skipped, *, named: bool = False) -> CheckedFile:
    """A file that was not read."""
    return CheckedFile(path_text(skipped.path), named, "", 0, (), 0, skipped.reason)


def _size(file: Found) -> int:
    return file.size
