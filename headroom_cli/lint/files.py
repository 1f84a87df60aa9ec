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
from headroom_cli.lint.sent import Session
from headroom_cli.logs import open_log
from headroom_cli.model import Conversation, Reading
from headroom_cli.source.discover import Found
from headroom_cli.source.stream import DEFAULT_LIMITS, Limits
from headroom_cli.source.walk import path_text

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
        name = "-"
    else:
        name = path_text(file.path)
    reading, conversations = open_log(source, name, keeps_sent=True, alone=True, limits=options.limits)
    judge = Judge(reading, options)
    for conversation in conversations:
        judge.take(conversation)
    return judge.finish(source, named=file.named)


class Judge:
    """Judges the conversations of a file one by one (read with `keeps_sent`), and keeps of them what is at fault."""

    def __init__(self, reading: Reading, options: Options) -> None:
        self._reading = reading
        self._options = options
        self._first: Conversation | None = None
        self._conversations = 0
        self._found: list[tuple[Session, list[Finding]]] = []
        self._histories: list[JudgedHistory] = []

    def take(self, conversation: Conversation) -> None:
        """Judge one conversation. The first has to wait: what is wrong with the file as a whole is told with it."""
        self._conversations += 1
        if self._first is None:
            self._first = conversation
        else:
            self._judge(conversation, begins_file=False)

    def finish(self, source: Path | BinaryIO, *, named: bool = True) -> Judged:
        """What was found; `source` is read again where something was."""
        if self._first is not None:
            self._judge(self._first, begins_file=True)
        reading = self._reading
        checked = CheckedFile(
            reading.path,
            named,
            reading.log_format,
            self._conversations,
            tuple(self._histories),
            len(reading.damaged),
            reading.skipped or (None if self._histories else "no history in it"),
        )
        findings = [finding for _, in_session in self._found for finding in in_session]
        owners = [session.conversation.id for session, in_session in self._found for _ in in_session]
        found = diagnostics(findings, reading.path, source, owners, self._options.limits)
        for session, _ in self._found:
            session.release()
        return checked, found

    def _judge(self, conversation: Conversation, *, begins_file: bool) -> None:
        options = self._options
        among_others = self._conversations > 1
        session = Session(conversation, self._reading, options.judged_as, begins_file, among_others)
        found = judge_session(session, options.providers, options.rules)
        histories = [
            JudgedHistory(self._reading.path, history.line, history.conversation_id, number)
            for number, history in enumerate(session.histories)
        ]
        start = 0 if begins_file else len(self._histories)
        self._histories[start:start] = histories
        conversation.sent = []
        if found:
            self._found.insert(0 if begins_file else len(self._found), (session, found))
        else:
            session.release()
