"""Repair of golden files: histories inside JSON documents and JSONL, written back where they lie.

Only changed values are written anew; all other text of the file stays as it is, byte for byte. Request bodies are also
found where a recorder keeps them as text (`postData.text` of HAR, `body.string` of a cassette in JSON).
"""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from headroom_cli import wire
from headroom_cli.lint.base import Rule, Severity
from headroom_cli.lint.history import JudgedAs, Pointer
from headroom_cli.lint.providers import Profile
from headroom_cli.lint.sent import sessions
from headroom_cli.logs import read_stream
from headroom_cli.logs.detection.shapes import request_dialect
from headroom_cli.repair.draft import Origins
from headroom_cli.repair.files import COMPRESSED
from headroom_cli.repair.messages import ERRORS, Change, Left, Repaired, repair
from headroom_cli.repair.splice import NotJson, Sources, Span, positions, rewrite, value_at, write
from headroom_cli.source.cassettes import is_yaml
from headroom_cli.source.stream import limits_for

SESSION_FORMATS = frozenset({"claude-code", "codex"})
"""Formats whose files are sessions of a client: `headroom repair` knows what their lines mean."""

FOREIGN = "histories of this format cannot be written back"

_KEYS = ("messages", "contents", "input")
_NO_REQUESTS = frozenset({"output", "response", "content", "parts", "tools", "choices", "candidates"})
_MAX_DEPTH = 12
_MOST_PASSES = 4
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Options:
    """What is repaired, for whom, and how daring. As `messages.repair` takes them."""

    profiles: Sequence[Profile] | None = None
    judged_as: JudgedAs | None = None
    unsafe: bool = False
    severities: Collection[Severity] = ERRORS
    rules: Sequence[Rule] | None = None


class Placed(NamedTuple):
    """A repair and the 1-based line of the message it was made in (0: a message that was added)."""

    line: int
    change: Change


@dataclass(slots=True)
class DocumentRepair:
    """A file before and after, and how many `histories` were found. `refused`: why none was repaired."""

    before: bytes
    after: bytes
    changes: list[Placed] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    histories: int = 0
    refused: str | None = None


class _History(NamedTuple):
    path: Pointer
    body: dict[str, Any] | None
    messages: list[Any]
    within: Pointer | None  # the string that holds it


def repair_document(data: bytes, name: str, options: Options | None = None) -> DocumentRepair:
    """Repair all histories in the bytes of a file; `name` is its path, which helps to tell its format.

    What was repaired is read again, until nothing is left to do: whole values may be histories only then.
    """
    options = options or Options()
    outcome = _repaired_once(data, name, options)
    again = outcome
    for _ in range(_MOST_PASSES):
        if not again.changes:
            break
        again = _repaired_once(outcome.after, name, options)
        if again.refused is None:
            outcome.after, outcome.left, outcome.histories = again.after, again.left, again.histories
            outcome.changes += again.changes
    return outcome


def _repaired_once(data: bytes, name: str, options: Options) -> DocumentRepair:
    outcome = DocumentRepair(data, data)
    if data.startswith(COMPRESSED) or is_yaml(name):
        outcome.refused = "it is YAML: only JSON is repaired" if is_yaml(name) else "it is compressed; expand it first"
        return outcome
    reading = read_stream(io.BytesIO(data), name, keeps_sent=True, limits=limits_for(len(data)))
    if reading.log_format in SESSION_FORMATS:
        outcome.refused = "a session of a client: headroom repair FILE repairs it"
    histories = [history for session in sessions(reading) for history in session.histories]
    if not all(history.wire for history in histories):
        outcome.refused = FOREIGN
    if outcome.refused is not None or not histories:
        return outcome
    text = data.decode("utf-8", "surrogateescape")
    sents = [sent for conversation in reading.conversations for sent in conversation.sent]
    judged_as = options.judged_as or ("request" if any(sent.recorded for sent in sents) else None)
    fix = _fixer(options, judged_as)
    by_lines = [sent.lines for sent in sents if sent.lines is not None and len(set(sent.lines)) == len(sent.lines) > 1]
    after = _by_lines(text, by_lines, fix, outcome) if by_lines else _by_values(text, fix, outcome)
    outcome.after = after.encode("utf-8", "surrogateescape")
    if not outcome.histories:
        outcome.refused = FOREIGN
    return outcome


_Fix = Callable[[list[Any], dict[str, Any] | None], Repaired]


def _fixer(options: Options, judged_as: JudgedAs | None) -> _Fix:
    def fix(messages: list[Any], body: dict[str, Any] | None) -> Repaired:
        return repair(
            messages,
            (request_dialect(body) if body is not None else None) or wire.dialect_of(messages),
            profiles=options.profiles,
            body=body,
            judged_as=judged_as,
            unsafe=options.unsafe,
            severities=options.severities,
            rules=options.rules,
        )

    return fix


def _by_values(text: str, fix: _Fix, outcome: DocumentRepair) -> str:
    """The text with the histories inside its values repaired."""
    pieces: list[str] = []
    done = 0
    starts = _line_starts(text)
    for span in _values(text):
        new, origins, placed = _repair_value(span.value, fix, outcome)
        if new is span.value:
            continue
        pieces += [text[done : span.start], rewrite(text, span.start, span.value, new, origins)]
        done = span.end
        found = positions(text, span.start, [pointer for pointer, _ in placed if pointer is not None])
        for pointer, change in placed:
            line = bisect_right(starts, found[pointer]) if pointer is not None and pointer in found else 0
            outcome.changes.append(Placed(line, change))
    return "".join([*pieces, text[done:]])


def _repair_value(
    value: Any, fix: _Fix, outcome: DocumentRepair
) -> tuple[Any, Origins, list[tuple[Pointer | None, Change]]]:
    origins = Origins()
    placed: list[tuple[Pointer | None, Change]] = []
    own: set[int] = set()
    root = value
    for history in _histories(value):
        done = fix(history.messages, history.body)
        outcome.histories += 1
        outcome.left += done.left
        if not done.changed:
            continue
        origins.join(done.origins)
        made: Any = done.body if history.body is not None else done.messages
        if history.body is None:
            origins.derive(made, history.messages)
        key: Pointer = (
            () if history.body is None else tuple(k for k in _KEYS if history.body.get(k) is history.messages)
        )
        target = history.path
        if history.within is not None:
            target = history.within
            made = _rewritten(_at(value, target), made, history, done.origins)
        root = _put(root, target, made, origins, own)
        for change in done.changes:
            index = change.message_index
            inside = () if history.within is not None or index is None else (*key, index)
            placed.append((None if index is None else (*target, *inside), change))
    return root, origins, placed


def _rewritten(string: str, made: Any, history: _History, origins: Origins) -> str:
    """The text of a body that lies in a string, with what was changed."""
    old = history.body if history.body is not None else history.messages
    return rewrite(string, len(string) - len(string.lstrip()), old, made, origins)


def _put(root: Any, path: Pointer, value: Any, origins: Origins, own: set[int]) -> Any:
    """The root with a value put in a place, copied on the way where it is still the original."""
    if not path:
        return value
    if id(root) not in own:
        root = origins.copy(root)
        own.add(id(root))
    holder = root
    for token in path[:-1]:
        inner = holder[token]
        if id(inner) not in own:
            inner = holder[token] = origins.copy(inner)
            own.add(id(inner))
        holder = inner
    holder[path[-1]] = value
    return root


def _at(value: Any, path: Pointer) -> Any:
    for token in path:
        value = value[token]
    return value


def _histories(value: Any) -> Iterator[_History]:
    """The histories in a value, in the order of its text; what a model answered is none."""
    pending: list[tuple[Any, Pointer]] = [(value, ())]
    while pending:
        node, path = pending.pop()
        if isinstance(node, dict):
            key = next((key for key in _KEYS if _is_history(node.get(key))), None)
            if key is not None:
                yield _History(path, node, node[key], None)
            elif isinstance(node.get("input"), str) and request_dialect(node) is not None:
                yield _History(path, node, [], None)  # one text of the user: only what stands around it can be repaired
            elif len(path) < _MAX_DEPTH:
                pending += reversed(
                    [(child, (*path, name)) for name, child in node.items() if name not in _NO_REQUESTS]
                )
        elif isinstance(node, list):
            if _is_history(node):
                yield _History(path, None, node, None)
            elif len(path) < _MAX_DEPTH:
                pending += reversed([(child, (*path, number)) for number, child in enumerate(node)])
        elif isinstance(node, str) and len(path) and node.lstrip()[:1] in ("{", "["):
            yield from _embedded(node, path)


def _embedded(string: str, path: Pointer) -> Iterator[_History]:
    if not any(f'"{key}"' in string for key in (*_KEYS, "role")):
        return
    start = len(string) - len(string.lstrip())
    try:
        value = value_at(string, start).value
    except NotJson:
        return
    body = value if isinstance(value, dict) else None
    messages: Any = value if body is None else next((body[key] for key in _KEYS if key in body), None)
    if _is_history(messages):
        yield _History((), body, messages, path)


def _is_history(value: Any) -> bool:
    if not isinstance(value, list) or not value:
        return False
    rows = [row for row in value if isinstance(row, dict)]
    speaks = any(
        (isinstance(row.get("role"), str) and ("content" in row or "tool_calls" in row or "parts" in row))
        or str(row.get("type")).endswith(("_call", "_call_output"))
        for row in rows
    )
    return speaks and len(rows) * 2 > len(value)


def _values(text: str) -> Iterator[Span]:
    """The objects and arrays of a text that is one document, several, or lines."""
    position = len(_BOM) if text.startswith(_BOM) else 0
    while position < len(text):
        sign = text[position]
        if sign in "{[":
            try:
                span = value_at(text, position)
            except NotJson:
                pass
            else:
                yield span
                position = span.end
                continue
        elif sign in " \t\r\n,":
            position += 1
            continue
        following = text.find("\n", position)
        if following < 0:
            return
        position = following + 1


def _by_lines(text: str, groups: list[list[int]], fix: _Fix, outcome: DocumentRepair) -> str:
    """The text of a file with one message a line."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    ending = next(("\r\n" for line in lines if line.endswith("\r\n")), "\n")
    for group in groups:
        spans = [_row_of(lines[number - 1]) for number in group]
        rows = [span.value for span in spans if span is not None]
        if len(rows) < len(group) or any("message_data" in row for row in rows):
            continue
        done = fix(rows, None)
        outcome.histories += 1
        outcome.left += done.left
        if not done.changed:
            continue
        places = {id(span.value): (number, span) for number, span in zip(group, spans, strict=True) if span is not None}
        sources = Sources((lines[number - 1], span.start, span.value) for number, span in places.values())
        written: dict[int, list[str]] = {number: [] for number in group}
        at, like = places[id(rows[0])]
        for message in done.messages:
            origin = done.origins.of(message)
            if id(origin) in places:
                number, like = places[id(origin)]
                at = max(at, number)
                line = lines[number - 1]
                made = rewrite(line, like.start, origin, message, done.origins, sources)
                row = line[: like.start] + made + line[like.end :].rstrip("\r\n")
            else:
                row = write(message, lines[at - 1], like.start, done.origins, sources)
            written[at].append(row + ending)
        for number, texts in written.items():
            if texts and not lines[number - 1].endswith("\n"):
                texts[-1] = texts[-1].rstrip("\r\n")
            lines[number - 1] = "".join(texts)
        outcome.changes += [
            Placed(0 if change.message_index is None else group[change.message_index], change)
            for change in done.changes
        ]
    return "".join(lines)


def _row_of(line: str) -> Span | None:
    """The message on a line, if it is one object."""
    try:
        span = value_at(line, len(line) - len(line.lstrip(_BOM + " \t")))
    except NotJson:
        return None
    return span if isinstance(span.value, dict) else None


def _line_starts(text: str) -> list[int]:
    starts = [0]
    while (end := text.find("\n", starts[-1])) >= 0:
        starts.append(end + 1)
    return starts
