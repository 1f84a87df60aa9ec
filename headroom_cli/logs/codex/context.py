"""Replays a Codex thread: which items each request saw, through compaction, rollback and abort."""

from __future__ import annotations

from typing import Any

from headroom_cli.billing import billing
from headroom_cli.logs.codex.items import digest, first_text, identity, micros
from headroom_cli.logs.codex.scan import Entry, Settings, Thread
from headroom_cli.logs.codex.usage import Mark, Pairing, UsageRecord
from headroom_cli.logs.context import ContextTracker
from headroom_cli.model import LeftBy, Message, Part, Request, Text, Thinking
from headroom_cli.wire import openai_responses

# What `build_compacted_history` of codex-rs keeps when a compaction has no replacement history: 20,000 tokens of
# prompts at 4 bytes each. The least size bounds their number, and so the work of each compaction.
_KEPT_BYTES = 80_000
_MIN_PROMPT_BYTES = 80
_MAX_INITIAL_CONTEXT = 100


def pair(entries: list[Entry]) -> Pairing:
    """Find the runs of output items (one API response each) and the usage record that belongs to each."""
    pairing, marks, in_run = Pairing(), list[Mark](), False
    for position, entry in enumerate(entries):
        if entry.kind == "usage":
            # All items of a response are written before its usage, or all after it.
            marks.append(Mark(position, is_record=True))
            in_run = False
        elif entry.kind == "item":
            if entry.output:
                if not in_run:
                    marks.append(Mark(position, is_record=False))
                in_run = True
                continue
            in_run = False
            if is_instruction(entry):
                pairing.stretch(marks)
                marks = []
        elif entry.kind != "settings":
            in_run = False
            pairing.stretch(marks)
            marks = []
    pairing.stretch(marks)
    return pairing


def is_instruction(entry: Entry) -> bool:
    """Whether the item starts an instruction turn: a prompt, or a message from another agent."""
    return entry.kind == "item" and entry.value.role == "user" and entry.value.origin in ("human", "model")


class Replay:
    """Goes through a thread's entries in order and fills `messages`, `requests` and `resets`; `keyed`: their keys."""

    def __init__(self, thread: Thread, own_start: int, *, keyed: bool = True) -> None:
        self.thread = thread
        self.own_start = own_start
        self.keyed = keyed
        self.messages: list[Message] = []
        self.requests: list[Request] = []
        self.resets: list[int] = []
        self.unrecorded = 0
        self._tracker = ContextTracker()
        self._pairing = pair(thread.entries)
        self._settings = Settings()
        self._live: list[Entry] = []
        self._turns: list[int] = []  # positions in _live at which instruction turns start
        self._occurrences: dict[str, int] = {}
        self._reasoning: list[Part] = []
        self._summary: Entry | None = None
        self._current: int | None = None

    def run(self, system: list[Part]) -> None:
        """Replay everything; `system` stands in the context of all requests."""
        self._tracker.enter(system)
        for position, entry in enumerate(self.thread.entries):
            kind = entry.kind
            if kind == "item":
                self._item(position, entry)
            elif kind == "usage":
                if position in self._pairing.lone:
                    self._request(position, entry, entry)
            elif kind == "settings":
                self._settings = entry.value
            elif kind == "compacted":
                self._compact(position, entry)
            elif kind == "rollback":
                self._roll_back(entry.value)
            elif entry.value == "aborted" and self._current is not None:
                request = self.requests[self._current]
                if request.source == "implied":
                    request.stop_reason = "aborted"
            if kind != "item" and kind != "settings":
                self._current = None
        self._tracker.finish()

    def _item(self, position: int, entry: Entry) -> None:
        if entry.output:
            if position in self._pairing.opens:
                record = self._pairing.opens[position]
                self._request(position, entry, None if record is None else self.thread.entries[record])
            entry.value.request = self._current
        else:
            self._current = None
        self._enter(entry, copied=position < self.own_start)

    def _enter(self, entry: Entry, *, copied: bool) -> None:
        message: Message = entry.value
        message.index = len(self.messages)
        message.timestamp = micros(entry.stamp)
        message.copied = copied
        # Only the own part of a fork is ever counted, also where the parent's file is gone: a copy has no key.
        message.key = self._key(entry) if self.keyed and not copied else ""
        self.messages.append(message)
        self._keep(entry)
        if message.role == "user":
            # The API drops the reasoning of earlier turns. Recorded sessions (Codex 0.36 and 0.55) show it: in all 20
            # turns with 500 or more reasoning tokens, the next turn's input fell, mostly by those tokens within 10 %.
            self._tracker.leave(self._reasoning, "strip")
            self._reasoning = []
        self._tracker.enter(message.parts)
        if message.role == "assistant":
            self._reasoning += [part for part in message.parts if isinstance(part, Thinking)]

    def _keep(self, entry: Entry) -> None:
        if is_instruction(entry):
            self._turns.append(len(self._live))
        self._live.append(entry)

    def _key(self, entry: Entry) -> str:
        if entry.name:
            return f"codex:{entry.name}"
        if not self.thread.id:
            return ""
        content = _content(entry)
        nth = self._occurrences.get(content, 0) + 1
        self._occurrences[content] = nth
        return f"codex:{self.thread.id}:{nth}:{content}"

    def _request(self, position: int, entry: Entry, usage_entry: Entry | None) -> None:
        """A request is made: at the first item of its response, or, if it left none, where its usage stands."""
        record: UsageRecord | None = None if usage_entry is None else usage_entry.value
        copied = position < self.own_start
        request = Request(
            self._tracker.request(),
            model=self._settings.model,
            timestamp=micros(entry.stamp),
            line=entry.line,
            service_tier=self._settings.service_tier,
            context_limit=self._settings.context_limit,
            copied=copied,
            billing=billing(service_tier=self._settings.service_tier),
        )
        if record is not None and usage_entry is not None:
            if record.thread_id is not None and self.thread.id:
                request.copied = copied = record.thread_id != self.thread.id
            request.source = "recorded"
            request.timestamp = micros(usage_entry.stamp) or request.timestamp
            request.usage = record.last.usage()
            request.response_id = record.response_id
            request.context_limit = record.context_limit or request.context_limit
            if not copied:
                request.key = record.key(self.thread.id) if self.keyed else ""
                self.unrecorded += record.unrecorded
        elif entry.name and not copied:
            request.key = f"codex:{entry.name}"
        self.requests.append(request)
        self._current = request.index

    def _leave(self, entries: list[Entry], left_by: LeftBy) -> None:
        for entry in entries:
            self._tracker.leave(entry.value.parts, left_by)
        if entries and (not self.resets or self.resets[-1] != self._tracker.requests):
            self.resets.append(self._tracker.requests)

    def _roll_back(self, turns: int) -> None:
        """Drop the last turns; if there are fewer, what precedes the first of them stays."""
        if not self._turns:
            return
        first = self._turns[0]
        cut = self._turns[max(0, len(self._turns) - turns)]
        while cut > first and not self._live[cut - 1].output and self._live[cut - 1].value.role in ("user", "system"):
            if is_instruction(self._live[cut - 1]):
                break
            cut -= 1
        self._leave(self._live[cut:], "rollback")
        del self._live[cut:]
        del self._turns[max(0, len(self._turns) - turns) :]

    def _compact(self, position: int, entry: Entry) -> None:
        payload: dict[str, Any] = entry.value
        replacement = payload.get("replacement_history")
        copied = position < self.own_start
        if isinstance(replacement, list):
            self._replace(replacement, entry, copied)
            return
        if self._live and self._live[-1] is self._summary:
            # Nothing came since the last compaction: only its summary goes.
            self._leave([self._live.pop()], "compaction")
        else:
            kept, cut_short = self._survivors(position)
            staying = {id(e) for e in kept}
            self._leave([e for e in self._live if id(e) not in staying], "compaction")
            self._live, self._turns = [], []
            for survivor in kept:
                self._keep(survivor)
            if cut_short:
                self._insert(cut_short, payload, entry, copied)
        summary = payload.get("message")
        if isinstance(summary, str) and summary:
            self._summary = self._insert(summary, payload, entry, copied)

    def _replace(self, replacement: list[Any], entry: Entry, copied: bool) -> None:
        """The context becomes the list; what equals an item in the context stays, by id or else by content."""
        by_name: dict[str, list[Entry]] = {}
        for live in reversed(self._live):
            if live.name:
                by_name.setdefault(live.name, []).append(live)
            by_name.setdefault(_content(live), []).append(live)
        staying: set[int] = set()
        history: list[Entry] = []
        for item in replacement:
            message = openai_responses.parse_item(item, 0, entry.line)
            if message is None or not isinstance(item, dict):
                continue
            name = identity(item)
            old = _take(by_name.get(name), staying) or _take(by_name.get(digest(message)), staying)
            history.append(old or _replacement(item, message, name, entry))
        self._leave([e for e in self._live if id(e) not in staying], "compaction")
        self._live, self._turns = [], []
        for item_entry in history:
            if id(item_entry) in staying:
                self._keep(item_entry)
            else:
                self._enter(item_entry, copied=copied)

    def _survivors(self, position: int) -> tuple[list[Entry], str]:
        """What a compaction without replacement history keeps, and the text of a prompt that is cut to fit.

        Kept are the initial context, unless it is written again, and the latest prompts.
        """
        initial: list[Entry] = []
        if not self._context_follows(position):
            end = self._turns[0] if self._turns else len(self._live)
            initial = [
                e for e in self._live[: min(end, _MAX_INITIAL_CONTEXT)] if _is_injected(e) and e is not self._summary
            ]
        budget, prompts = _KEPT_BYTES, list[Entry]()
        for turn in reversed(self._turns):
            prompt = self._live[turn]
            if prompt.size < 0:
                prompt.size = max(_MIN_PROMPT_BYTES, len(_text(prompt).encode("utf-8", "replace")))
            if prompt.size > budget:
                text, half = _text(prompt), budget // 2
                return initial + prompts[::-1], f"{text[:half]}\n{text[-half:]}" if half else ""
            budget -= prompt.size
            prompts.append(prompt)
        return initial + prompts[::-1], ""

    def _context_follows(self, position: int) -> bool:
        for entry in self.thread.entries[position + 1 : position + 1 + _MAX_INITIAL_CONTEXT]:
            if entry.kind == "compacted" or entry.output or is_instruction(entry):
                return False
            if entry.kind == "item" and _is_injected(entry):
                return True
        return False

    def _insert(self, text: str, raw: dict[str, Any], entry: Entry, copied: bool) -> Entry:
        part = Text(text, raw=raw, line=entry.line)
        message = Message(0, "user", [part], entry.line, entry.line, origin="harness")
        inserted = Entry("item", entry.line, entry.stamp, message)
        self._enter(inserted, copied=copied)
        return inserted


def _content(entry: Entry) -> str:
    entry.content = entry.content or digest(entry.value)
    return entry.content


def _take(candidates: list[Entry] | None, staying: set[int]) -> Entry | None:
    """The earliest candidate that is not taken yet."""
    while candidates:
        entry = candidates.pop()
        if id(entry) not in staying:
            staying.add(id(entry))
            return entry
    return None


def _replacement(item: dict[str, Any], message: Message, name: str, compacted: Entry) -> Entry:
    """An item that only the replacement history has: a summary, or a prompt cut to fit."""
    if message.role in ("user", "system"):
        message.origin = "harness"
    return Entry("item", compacted.line, compacted.stamp, message, name, openai_responses.is_output(item))


def _text(entry: Entry) -> str:
    return "\n".join(part.text for part in entry.value.parts if isinstance(part, Text))


def _is_injected(entry: Entry) -> bool:
    return entry.kind == "item" and entry.value.role in ("user", "system") and not is_instruction(entry)


def mark_prompts(thread: Thread) -> None:
    """Where the client wrote down what was typed, tagged text that is not in it was not typed."""
    if not thread.prompts:
        return
    for entry in thread.entries:
        if entry.kind != "item" or entry.value.role != "user" or entry.value.origin != "human":
            continue
        parts = entry.value.parts
        if first_text(entry.value).startswith("<") and all(
            isinstance(part, Text) and part.text not in thread.prompts for part in parts
        ):
            entry.value.origin = "harness"
