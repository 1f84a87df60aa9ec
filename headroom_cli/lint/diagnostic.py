"""A finding as programs and people read it: with its place in the file, and what keeps it the same from run to run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from headroom_cli.lint.base import SEVERITIES, Confidence, Finding, Fix, Severity
from headroom_cli.lint.excerpt import excerpt
from headroom_cli.lint.fingerprint import fingerprint
from headroom_cli.lint.history import Block, Entry, History, Pointer
from headroom_cli.lint.places import Place, Wanted, locate, pointer_text
from headroom_cli.source.stream import DEFAULT_LIMITS, Limits


@dataclass(frozen=True, slots=True)
class Mention:
    """A message that a diagnostic speaks of. `excerpt` is text from the log, `note` is ours.

    `is_target`: it is the one at fault.
    """

    path: str
    line: int
    message_index: int
    role: str
    excerpt: str
    note: str = ""
    is_target: bool = False


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One violation at one place. Texts may hold words from a log: whoever shows them makes them harmless.

    `line` and `column` are 1-based (0: the file as a whole, or no file); `pointer` leads to the value from the value
    of the file, in a file of lines from that of the line. `also` names other providers that refuse it. `history`
    numbers the histories of a conversation. `baselined`: known before, and no reason to fail.
    """

    rule: str
    name: str
    refs: tuple[str, ...]
    severity: Severity
    confidence: Confidence
    provider: str
    message: str
    path: str = ""
    line: int = 0
    column: int = 0
    pointer: str = ""
    inside: str = ""
    also: tuple[str, ...] = ()
    conversation_id: str | None = None
    history: int = 0
    message_index: int | None = None
    call_ids: tuple[str, ...] = ()
    mentions: tuple[Mention, ...] = ()
    fix: Fix | None = None
    api_error: str | None = None
    fingerprint: str = ""
    baselined: bool = False

    @property
    def related(self) -> tuple[Mention, ...]:
        """The other messages that it is about."""
        return tuple(mention for mention in self.mentions if not mention.is_target)


def diagnostics(
    findings: Sequence[Finding],
    path: str = "",
    source: str | Path | BinaryIO | None = None,
    conversations: Sequence[str | None] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> list[Diagnostic]:
    """What was found in one file, in the order in which it lies there; the same thing at one place once.

    `source` is read again for the places, within `limits`; None: the messages lie in no file, and pointers start at
    what was given.
    `conversations` are the ids of those that the findings were made in, in the same order; () if there are none.
    """
    if not findings:
        return []
    targets = [[finding.target, *(related.target for related in finding.related)] for finding in findings]
    wanted = _Wanted()
    for finding, named in zip(findings, targets, strict=True):
        for number, target in enumerate(named):
            wanted.add(finding, target, finding.at if number == 0 else ())
    if source is None:
        found = [Place(0, 0, pointer_text(path)) for path in wanted.paths]
    else:
        found = locate(source, wanted.values, limits)
    places = iter(found)
    made = []
    owners = conversations or [None] * len(findings)
    for finding, named, owner in zip(findings, targets, owners, strict=True):
        made.append(_diagnostic(finding, path, [next(places) for _ in named], owner))
    made.sort(key=lambda d: (d.line, d.column, d.rule, SEVERITIES.index(d.severity), d.provider))
    once: dict[object, Diagnostic] = {}
    for diagnostic in made:
        key = (diagnostic.rule, diagnostic.line, diagnostic.column, diagnostic.pointer, diagnostic.inside)
        once.setdefault((*key, diagnostic.call_ids, diagnostic.provider), diagnostic)
    return _numbered(once.values())


class _Wanted:
    """What has to be found in the file, for each place that a finding names."""

    def __init__(self) -> None:
        self.values: list[Wanted] = []
        self.paths: list[Pointer] = []
        self._equals: dict[tuple[int, int], list[Any]] = {}
        self._beside: dict[int, dict[int, list[Block]]] = {}

    def add(self, finding: Finding, target: Entry | Block | None, at: Pointer) -> None:
        history = finding.history
        entry = target.entry if isinstance(target, Block) else target
        within = () if entry is None else entry.path + (target.path if isinstance(target, Block) else ())
        self.paths.append(within + at)
        elsewhere = entry is not None and history is not None and entry.line != history.line
        if history is not None and history.anchor is not None and not elsewhere:
            self.values.append(Wanted(history.line, history.anchor, within + at))
        elif target is None:
            self.values.append(Wanted(finding.line or (history.line if history is not None else 0), _NOWHERE))
        else:
            self.values.append(self._on_its_line(history, target, at))

    def _on_its_line(self, history: History | None, target: Entry | Block, at: Pointer) -> Wanted:
        raw, line = target.raw, target.line
        if isinstance(target, Block):
            line = line or target.entry.line
            if target.entry.raw is not None and target.entry.line == line and history and history.log_format:
                # The entry is one message of a line: the way from it to the block is known.
                whole = target.entry.raw
                if target.path and _walked(whole, target.path) is raw:
                    return Wanted(line, whole, target.path + at, self._nth(history, target.entry, line))
            return Wanted(line, raw, at, self._nth_block(target, line))
        if raw is None or (target.blocks and any(block.line != line for block in target.blocks)):
            first = target.blocks[0] if target.blocks else None
            return Wanted(line, first.raw if first is not None else _NOWHERE)
        return Wanted(line, raw, at, self._nth(history, target, line))

    def _nth(self, history: History | None, entry: Entry, line: int) -> int:
        """How many equal messages stand before it on its line."""
        if history is None:
            return 0
        key = (id(history), line)
        if key not in self._equals:
            self._equals[key] = [other for other in history.entries if other.line == line]
        nth = 0
        for other in self._equals[key]:
            if other is entry:
                return nth
            nth += type(other.raw) is type(entry.raw) and other.raw == entry.raw
        return 0

    def _nth_block(self, block: Block, line: int) -> int:
        by_line = self._beside.get(id(block.entry))
        if by_line is None:
            by_line = self._beside[id(block.entry)] = {}
            for other in block.entry.blocks:
                by_line.setdefault(other.line, []).append(other)
        nth = 0
        for other in by_line.get(line, ()):
            if other is block:
                return nth
            nth += type(other.raw) is type(block.raw) and other.raw == block.raw
        return 0


_NOWHERE = object()
"""Equal to nothing in a file: only the line is known."""


def _walked(value: Any, path: Pointer) -> Any:
    """The value that `path` leads to, None where there is none."""
    for token in path:
        if isinstance(token, int):
            value = value[token] if isinstance(value, list) and 0 <= token < len(value) else None
        else:
            value = value.get(token) if isinstance(value, dict) else None
    return value


def _diagnostic(finding: Finding, path: str, places: list[Place], conversation_id: str | None) -> Diagnostic:
    place, entry, history = places[0], finding.entry, finding.history
    mentions = []
    if finding.target is not None:
        mentions.append(_mention(finding.target, path, place, is_target=True))
    for related, its in zip(finding.related, places[1:], strict=True):
        mentions.append(replace(_mention(related.target, path, its), note=related.note))
    mentions.sort(key=lambda mention: (mention.message_index, mention.line))
    return Diagnostic(
        rule=finding.rule.code,
        name=finding.rule.name,
        refs=finding.refs,
        severity=finding.severity,
        confidence=finding.confidence,
        provider=finding.provider,
        message=finding.message,
        path=path,
        line=place.line,
        column=place.column,
        pointer=place.pointer,
        inside=place.inside,
        also=finding.also,
        conversation_id=conversation_id,
        history=history.epoch if history is not None else 0,
        message_index=entry.index if entry is not None else None,
        call_ids=finding.call_ids,
        mentions=tuple(mentions),
        fix=finding.fix,
        api_error=finding.api_error,
        fingerprint=fingerprint(finding),
    )


def _mention(target: Entry | Block, path: str, place: Place, *, is_target: bool = False) -> Mention:
    entry = target.entry if isinstance(target, Block) else target
    return Mention(path, place.line, entry.index, entry.role, excerpt(target), is_target=is_target)


def _numbered(made: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The same with fingerprints that differ: of several equal ones in a file, the n-th says so."""
    seen: Counter[str] = Counter()
    numbered = []
    for diagnostic in made:
        seen[diagnostic.fingerprint] += 1
        ordinal = seen[diagnostic.fingerprint]
        numbered.append(
            diagnostic if ordinal == 1 else replace(diagnostic, fingerprint=f"{diagnostic.fingerprint}:{ordinal}")
        )
    return numbered
