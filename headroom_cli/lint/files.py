"""One file judged: read, its histories put before the rules, what they find located."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from headroom_cli.lint.base import Finding, Rule
from headroom_cli.lint.diagnostic import Diagnostic, diagnostics
from headroom_cli.lint.engine import judge_session
from headroom_cli.lint.history import JudgedAs
from headroom_cli.lint.providers import Profile
from headroom_cli.lint.sent import sessions
from headroom_cli.logs import read_log, read_stream
from headroom_cli.model import Reading
from headroom_cli.source.discover import Found
from headroom_cli.source.stream import DEFAULT_LIMITS, Limits

TOO_MUCH = "standard input is over the limit for documents; write it to a file"


@dataclass(frozen=True, slots=True)
class Options:
    """What is judged, and how. None: the providers of each history, what it seems to be, the rules that are not off.

    `limits` hold while files are read.
    """

    providers: Sequence[Profile] | None = None
    judged_as: JudgedAs | None = None
    rules: Sequence[Rule] | None = None
    limits: Limits = DEFAULT_LIMITS


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


Judged = tuple[CheckedFile, list[Diagnostic]]
"""What became of a file, and what was found in it."""


def judge_file(file: Found, options: Options) -> Judged:
    """Read a file and judge it; one that can't be read says why."""
    source: Path | BinaryIO = file.path
    if file.stdin:
        data = sys.stdin.buffer.read(options.limits.document_bytes + 1)
        if len(data) > options.limits.document_bytes:
            return CheckedFile("-", file.named, "unknown", 0, (), 0, TOO_MUCH), []
        source = io.BytesIO(data)
        reading = read_stream(source, "-", keeps_sent=True, alone=True, limits=options.limits)
    else:
        reading = read_log(file.path, keeps_sent=True, alone=True, limits=options.limits)
    return judge_reading(reading, source, options, named=file.named)


def judge_reading(reading: Reading, source: Path | BinaryIO, options: Options, *, named: bool = True) -> Judged:
    """Judge what was read from a file (with `keeps_sent`); `source` is read again where something was found."""
    findings: list[Finding] = []
    owners: list[str] = []
    histories: list[JudgedHistory] = []
    judged = sessions(reading, options.judged_as)
    for session in judged:
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
    found = diagnostics(findings, reading.path, source, owners, options.limits)
    for session in judged:
        session.release()
    return checked, found
