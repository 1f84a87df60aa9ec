"""Lines of a Codex rollout -> threads: what entered and left the context, what was counted, in file order.

Content comes from `response_item` lines (and bare items of 2025), `compacted` and `inter_agent_communication` only;
`event_msg` lines repeat it, so they give usage, lifecycle and the mark of human prompts, never content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from headroom_cli.logs.codex.items import first_text, identity, origin_of
from headroom_cli.logs.codex.types import INERT_EVENTS, INERT_LINES, KNOWN_ITEMS
from headroom_cli.logs.codex.usage import Ledger
from headroom_cli.model import Message, Part, Reading, Text
from headroom_cli.source.records import Record
from headroom_cli.wire import openai_responses
from headroom_cli.wire.base import count, text_or_none

Kind = Literal["item", "usage", "compacted", "rollback", "cut", "settings"]

_MAX_UNKNOWN_TYPES = 200


@dataclass(slots=True)
class Entry:
    """One step of a thread. `stamp` is the line's time as written; `value` depends on `kind`.

    item: a Message (`name` = what identifies it in any file, `output` = the model's; once they were needed: `size` =
    bytes of a prompt, `content` = the digest of the message); usage: a UsageRecord;
    compacted: the payload; rollback: the number of turns; cut: why the turn ends; settings: a Settings.
    """

    kind: Kind
    line: int
    stamp: object
    value: Any
    name: str = ""
    output: bool = False
    size: int = -1
    content: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """What requests are made with from here on."""

    model: str | None = None
    service_tier: str | None = None
    context_limit: int | None = None


class Sign(NamedTuple):
    """A line that names its turn or thread: at which entry it stands, and the id."""

    entry: int
    kind: Literal["turn", "thread"]
    id: str


@dataclass(slots=True)
class Thread:
    """One session as stored. `ancestors` are the threads whose `session_meta` lines were copied into it, by line.

    `copy_starts` is the entry at which the last of those stands, `own_ordinal_at` the first entry that the client
    itself numbered as the thread's own.
    """

    meta: dict[str, Any] = field(default_factory=dict)
    line: int = 0
    id: str = ""
    bare: bool = False
    has_items: bool = False
    ancestors: dict[str, int] = field(default_factory=dict)
    copy_starts: int | None = None
    copy_stamp: object = None
    own_ordinal_at: int | None = None
    signs: list[Sign] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    prompts: set[str] = field(default_factory=set)
    ledger: Ledger = field(default_factory=Ledger)
    first_stamp: object = None
    last_stamp: object = None
    cwd: str | None = None
    settings: Settings = field(default_factory=Settings)


class Scan:
    """Reads the lines of one file, each by itself: enveloped and bare ones may alternate."""

    __slots__ = ("reading", "thread", "threads")

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.threads: list[Thread] = []
        self.thread = Thread()

    def run(self, records: Iterable[Record]) -> list[Thread]:
        """The threads of a file, nearly always one."""
        for line, value in records:
            if not isinstance(value, dict):
                self.unknown("not an object")
                continue
            payload, kind = value.get("payload"), value.get("type")
            if isinstance(payload, dict) and isinstance(kind, str):
                thread = self.thread
                stamp = value.get("timestamp")
                if stamp is not None:
                    if thread.first_stamp is None:
                        thread.first_stamp = stamp
                    thread.last_stamp = stamp
                if "ordinal" in value:
                    self._ordinal(value["ordinal"])
                handler = _LINES.get(kind)
                if handler is not None:
                    handler(self, payload, line, stamp)
                elif kind not in INERT_LINES:
                    self.unknown(kind)
            else:
                self._bare(value, kind, line)
        if self.thread.line or self.thread.entries:
            self.threads.append(self.thread)
        return self.threads

    def unknown(self, kind: str) -> None:
        """Count a type that this reader does not know."""
        counts, kind = self.reading.unknown, kind[:80]
        if kind in counts or len(counts) < _MAX_UNKNOWN_TYPES:
            counts[kind] = counts.get(kind, 0) + 1

    def _bare(self, value: dict[str, Any], kind: object, line: int) -> None:
        if kind is None and "instructions" in value and isinstance(value.get("id"), str):
            self._session_meta(value, line, value.get("timestamp"))
            self.thread.bare = True
        elif kind is None and value.get("record_type") == "state":
            return
        elif isinstance(kind, str) and "payload" not in value:
            self._item(value, line, None)
        else:
            self.unknown(kind if isinstance(kind, str) else "no type")

    def _ordinal(self, ordinal: object) -> None:
        thread = self.thread
        if thread.own_ordinal_at is None:
            start = count(thread.meta.get("subagent_history_start_ordinal"))
            if start is not None and type(ordinal) is int and ordinal >= start:
                thread.own_ordinal_at = len(thread.entries)

    def _session_meta(self, payload: dict[str, Any], line: int, stamp: object) -> None:
        thread = self.thread
        thread_id = text_or_none(payload.get("id")) or text_or_none(payload.get("session_id")) or ""
        if thread.line == 0 and not thread.entries:
            thread.meta, thread.line, thread.id = payload, line, thread_id
        elif thread.line == 0:
            # The head of the file is missing or torn; what came before belongs to this session all the same.
            thread.meta, thread.line, thread.id = payload, line, thread.id or thread_id
        elif not thread_id or thread_id == thread.id or thread_id in thread.ancestors:
            if thread_id == thread.id and thread.bare:
                # The client was upgraded between: its own line says more than the header of the bare format.
                thread.bare = False
                thread.meta = {**payload, **{name: v for name, v in thread.meta.items() if v is not None}}
        elif thread.has_items:
            # Copied history follows its session_meta: one that comes after content begins another, appended file.
            self.threads.append(thread)
            self.thread = Thread(payload, line, thread_id, first_stamp=stamp, last_stamp=stamp)
        else:
            thread.ancestors[thread_id] = line
            thread.copy_starts, thread.copy_stamp = len(thread.entries), stamp

    def _item(self, item: dict[str, Any], line: int, stamp: object) -> None:
        kind = item.get("type")
        if not isinstance(kind, str):
            self.unknown("response_item:no type")
        elif kind not in KNOWN_ITEMS:
            self.unknown(f"response_item:{kind}")
        message = openai_responses.parse_item(item, 0, line)
        if message is None or kind == "compaction_trigger":
            return
        if kind == "message" and message.role in ("user", "system"):
            message.origin = origin_of(message)
            if self.thread.cwd is None and message.origin == "harness":
                self.thread.cwd = _environment_cwd(first_text(message))
        output = openai_responses.is_output(item)
        self.thread.has_items = True
        self.thread.entries.append(Entry("item", line, stamp, message, identity(item), output))

    def _event(self, event: dict[str, Any], line: int, stamp: object) -> None:
        kind = event.get("type")
        if kind == "token_count":
            record = self.thread.ledger.token_count(event)
            if record is not None:
                self._add("usage", line, stamp, record)
        elif kind == "user_message":
            text = event.get("message")
            if isinstance(text, str):
                self.thread.prompts.add(text)
        elif kind in ("task_started", "turn_started"):
            self._sign("turn", event.get("turn_id"))
            self._add("cut", line, stamp, "started")
            held = self.thread.settings
            limit = count(event.get("model_context_window")) or held.context_limit
            self._set(line, stamp, replace(held, context_limit=limit))
        elif kind in ("task_complete", "turn_complete"):
            return
        elif kind == "turn_aborted":
            self._add("cut", line, stamp, "aborted")
        elif kind == "thread_rolled_back":
            turns = count(event.get("num_turns"))
            if turns:
                self._add("rollback", line, stamp, turns)
        elif kind == "thread_settings_applied":
            self._sign("thread", event.get("thread_id"))
            told = event.get("thread_settings")
            if isinstance(told, dict):
                held = self.thread.settings
                tier = text_or_none(told.get("service_tier", held.service_tier))  # null: the default again
                model = text_or_none(told.get("model")) or held.model
                self._set(line, stamp, replace(held, model=model, service_tier=tier))
        elif not isinstance(kind, str):
            self.unknown("event_msg:no type")
        elif kind not in INERT_EVENTS and not kind.startswith("collab_"):
            self.unknown(f"event_msg:{kind}")

    def _turn_context(self, context: dict[str, Any], line: int, stamp: object) -> None:
        self._sign("turn", context.get("turn_id"))
        held = self.thread.settings
        self._set(line, stamp, replace(held, model=text_or_none(context.get("model")) or held.model))
        if self.thread.cwd is None:
            self.thread.cwd = text_or_none(context.get("cwd"))

    def _compacted(self, payload: dict[str, Any], line: int, stamp: object) -> None:
        self._add("compacted", line, stamp, payload)

    def _usage_record(self, payload: dict[str, Any], line: int, stamp: object) -> None:
        record = self.thread.ledger.usage_record(payload)
        if record is not None:
            self._add("usage", line, stamp, record)

    def _inter_agent(self, payload: dict[str, Any], line: int, stamp: object) -> None:
        content = payload.get("content")
        item = payload
        if isinstance(content, str):
            parts: list[Part] = [Text(content, raw=payload, line=line)]
            message = Message(0, "user", parts, line, line, origin="model")
        else:
            item = {**payload, "type": "agent_message"}
            parsed = openai_responses.parse_item(item, 0, line)
            if parsed is None:
                return
            message = parsed
        if self.thread.entries and _same_delivery(self.thread.entries[-1], message):
            return
        self.thread.entries.append(Entry("item", line, stamp, message, identity(item)))

    def _add(self, kind: Kind, line: int, stamp: object, value: object) -> None:
        self.thread.entries.append(Entry(kind, line, stamp, value))

    def _sign(self, kind: Literal["turn", "thread"], value: object) -> None:
        if isinstance(value, str) and value:
            self.thread.signs.append(Sign(len(self.thread.entries), kind, value))

    def _set(self, line: int, stamp: object, settings: Settings) -> None:
        """Note what requests are made with from here on; most lines repeat what holds already."""
        if settings != self.thread.settings:
            self.thread.settings = settings
            self._add("settings", line, stamp, settings)


_LINES: dict[str, Callable[[Scan, dict[str, Any], int, object], None]] = {
    "session_meta": Scan._session_meta,
    "response_item": Scan._item,
    "event_msg": Scan._event,
    "turn_context": Scan._turn_context,
    "compacted": Scan._compacted,
    "token_usage_record": Scan._usage_record,
    "inter_agent_communication": Scan._inter_agent,
}


def _same_delivery(entry: Entry, message: Message) -> bool:
    """The message between agents stands just before already, as a response item."""
    if entry.kind != "item" or entry.value.role != "user" or entry.value.origin != "model":
        return False
    return first_text(entry.value) == first_text(message)


def _environment_cwd(text: str) -> str | None:
    """The working directory as `<environment_context>` tells it; bare files have it nowhere else."""
    if not text.lstrip().startswith("<environment_context>"):
        return None
    for opening, closing in (("<cwd>", "</cwd>"), ("Current working directory: ", "\n")):
        start = text.find(opening)
        if start >= 0:
            end = text.find(closing, start)
            return text[start + len(opening) : end if end >= 0 else None].strip() or None
    return None
