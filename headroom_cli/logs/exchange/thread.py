"""One thread of a request log: its messages, its requests, and the context as each request changed it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from headroom_cli import wire
from headroom_cli.logs.base import conversation_id
from headroom_cli.logs.context import ContextTracker
from headroom_cli.logs.exchange.keys import digest, give_keys, json_hash, message_key, overlap, part_key
from headroom_cli.logs.exchange.model import Exchange
from headroom_cli.model import (
    Conversation,
    Declaration,
    LeftBy,
    Message,
    Part,
    Request,
    Role,
    Sent,
    Text,
    Thinking,
)

LOG_FORMATS = {"openai": "openai-chat"}
"""Names of log formats where they differ from the dialect's."""

_MIN_ID = 8  # a shorter response id ("0", "1") is unique in no log but its own

ITEM_DIALECTS = frozenset({"openai-responses"})
"""Dialects in which one response is several messages."""


class Slot:
    """A message as it stands in the history now. Its parts may belong to several messages once it was edited."""

    __slots__ = ("entered", "key", "message", "parts", "role")

    def __init__(self, message: Message, key: bytes) -> None:
        self.message = message
        self.key = key
        self.role: Role = message.role
        self.parts = list(message.parts)
        self.entered = False


class Thread:
    """Builds one conversation. `slots` is its history now; `chain` identifies the prefixes of it.

    `continued` numbers the exchange that continued it last.
    """

    def __init__(self, path: str, dialect: str, session: str | None) -> None:
        name = LOG_FORMATS.get(dialect, dialect)
        self.dialect = dialect
        self.continued = 0
        self.marked = True
        self.slots: list[Slot] = []
        self.leading = 0
        self.chain: list[int] = []
        self.output: list[Slot] = []
        self._log = Conversation("", session, name, dialect, path, identity="content")
        self._tracker = ContextTracker()
        self._system: dict[str, Part] = {}
        self._tools: dict[str, Declaration] = {}
        self._outside_hash: str | None = None
        self._system_hash: str | None = None
        self._tools_hash: str | None = None
        self._entered = 0
        self._unanswered: int | None = None
        self._counted: list[Slot] | None = None
        self._counts: Counter[bytes] = Counter()
        self._in_run = False

    def leading_keys(self) -> list[bytes]:
        """The keys of the system messages that the history begins with."""
        return [slot.key for slot in self.slots[: self.leading]]

    def key_counts(self) -> Counter[bytes]:
        """How often each message stands in the history; counted anew only after it has changed."""
        if self._counted is not self.slots or self._counts.total() != len(self.slots):
            self._counted, self._counts = self.slots, Counter(slot.key for slot in self.slots)
        return self._counts

    def is_sampled_again(self, common: int, length: int) -> bool:
        """Whether a request of `length` messages asks the first question once more, after it had been answered."""
        asked = self.slots[self.leading : self.leading + common]
        return common == length and bool(self.output) and all(slot.role != "assistant" for slot in asked)

    def settle_dialect(self, exchange: Exchange) -> bool:
        """Whether the exchange can belong here; where one side only guesses its dialect, it takes the other's."""
        if self.dialect == exchange.dialect:
            self.marked = self.marked or exchange.marked
        elif not exchange.marked:
            exchange.dialect = self.dialect
        elif not self.marked:
            self.marked, self.dialect = True, exchange.dialect
            self._log.dialect, self._log.log_format = (
                exchange.dialect,
                LOG_FORMATS.get(exchange.dialect, exchange.dialect),
            )
        else:
            return False
        return True

    def same_tools(self, exchange: Exchange) -> bool:
        """Whether the request declares the tools that the last one did."""
        return self._tools_hash == exchange.tools_hash()

    def same_system(self, exchange: Exchange) -> bool:
        """Whether the request has the system prompt that the last one had, as far as it stands outside the messages."""
        system = exchange.system()
        return self._outside_hash == (None if system is None else json_hash(system))

    def new_slot(self, message: Message) -> Slot:
        """A place in the history for a message that is not in the conversation yet."""
        return Slot(message, message_key(message))

    def apply(self, exchange: Exchange, keys: list[bytes], leading: int, message_at: Callable[[int], Message]) -> None:
        """One more request (or plain history) over the whole of `keys`; `message_at` parses the one at a position."""
        kept = 0
        for slot, key in zip(self.slots, keys, strict=False):
            if slot.key != key:
                break
            kept += 1
        if not exchange.recorded:
            new = [Slot(message_at(position), keys[position]) for position in range(kept, len(keys))]
            raws = exchange.messages[kept:]
            self.leading = leading
            self._begin(exchange, (self.slots + new)[:leading])
            self._read_history(exchange, new, raws)
            return
        slots, left = self._renew(exchange, keys, kept, message_at)
        self._leave(left, slots, kept, leading)
        self.slots, self.leading = slots, leading
        self._enter(slots[min(kept, self._entered) :])
        self._entered = len(slots)
        self._begin(exchange, slots[:leading])
        self._request(exchange)

    def continue_from(self, before: list[Slot], new: list[Slot], exchange: Exchange) -> None:
        """One more request over the history `before` (this thread's own, now or earlier) and `new` messages."""
        if before is not self.slots:
            there = {id(slot) for slot in before}
            gone = [slot for slot in self.slots if id(slot) not in there]
            self._tracker.leave([part for slot in gone for part in slot.parts], "rewind")
            for slot in gone:
                slot.entered = False
            self._entered = 0
        for slot in new:
            self._append(slot, exchange.line)
        slots = before if before is self.slots else list(before)
        slots += new
        self.slots = slots
        self._enter(slots[self._entered :])
        self._entered = len(slots)
        self._begin(exchange, slots[: self.leading])
        self._request(exchange)

    @property
    def sent(self) -> list[Sent]:
        """The requests in raw form, where they are kept."""
        return self._log.sent

    def finish(self, *, keyed: bool = True) -> Conversation:
        """The conversation; what the last response said is in the context, though no request has seen it.

        Not `keyed`: only its first message gets a key, which its id is made of.
        """
        log = self._log
        for slot in self.slots:
            if not slot.entered:
                self._tracker.enter(slot.parts)
        self._tracker.finish()
        first_system = log.requests[0].system_hash if log.requests else self._system_hash
        seed = digest(f"{log.dialect}\0{first_system or ''}".encode())
        give_keys(log.messages if keyed else log.messages[:1], seed)
        first = log.messages[0].key if log.messages else log.requests[0].key if log.requests else ""
        log.id = conversation_id(log.log_format, log.session_id or "", first)
        stamps = [request.timestamp for request in log.requests if request.timestamp is not None]
        stamps += [message.timestamp for message in log.messages if message.timestamp is not None]
        if stamps:
            log.started_at, log.ended_at = min(stamps), max(stamps)
        log.model = log.model or next((request.model for request in log.requests if request.model), None)
        return log

    def _renew(
        self, exchange: Exchange, keys: list[bytes], kept: int, message_at: Callable[[int], Message]
    ) -> tuple[list[Slot], list[Slot]]:
        """The slots of the new history and those of the old one that are not in it."""
        slots, old = self.slots[:kept], self.slots[kept:]
        same: dict[bytes, list[Slot]] = {}
        for slot in reversed(old):
            same.setdefault(slot.key, []).append(slot)
        found = [same[key].pop() if same.get(key) else None for key in keys[kept:]]
        reused = {id(slot) for slot in found if slot is not None}
        last_reused = max((i for i, slot in enumerate(old) if id(slot) in reused), default=-1)
        implied = self._unanswered
        for offset, known in enumerate(found):
            if known is not None:
                slots.append(known)
                continue
            message, key = message_at(kept + offset), keys[kept + offset]
            counterpart = old[offset] if offset < len(old) and id(old[offset]) not in reused else None
            if (
                counterpart is not None
                and counterpart.role == message.role
                and (offset < last_reused or counterpart.role == "system" or overlap(counterpart.parts, message.parts))
            ):
                reused.add(id(counterpart))
                self._edit(counterpart, message, key, exchange.line)
                slots.append(counterpart)
                continue
            if offset >= len(old) and message.role == "assistant":
                message.request = implied  # the answer to a request whose response the log does not have
            if offset >= len(old) and not (message.role == "assistant" and self.dialect in ITEM_DIALECTS):
                implied = None
            self._append(slot := Slot(message, key), exchange.line)
            slots.append(slot)
        return slots, [slot for slot in old if id(slot) not in reused]

    def _edit(self, slot: Slot, message: Message, key: bytes, line: int) -> None:
        """A message changed in place: equal parts stay, the others leave, what is new comes in a message of its own."""
        new: dict[str, Part] = {}
        texts = [part for part in message.parts if isinstance(part, Text)]
        old_texts = [part for part in slot.parts if isinstance(part, Text)]
        same_text = [part_key(p) for p in texts] == [part_key(p) for p in old_texts]
        for part in message.parts:
            if not (same_text and isinstance(part, Text)):
                new.setdefault(part_key(part), part)
        kept: list[Part] = []
        for part in slot.parts:
            if isinstance(part, Text):
                if same_text:
                    kept.append(part)
                elif slot.entered:
                    self._tracker.leave([part], "replacement")
            elif new.pop(part_key(part), None) is not None:
                kept.append(part)
            elif slot.entered:
                self._tracker.leave([part], "strip" if isinstance(part, Thinking) else "replacement")
        slot.parts, slot.key = kept, key
        if new:
            message.parts = list(new.values())
            added = Slot(message, key)
            self._append(added, line)
            slot.parts = kept + message.parts
            self._tracker.enter(message.parts)

    def _leave(self, left: list[Slot], slots: list[Slot], kept: int, leading: int) -> None:
        if not left:
            return
        survivors = any(slot.entered for slot in slots[kept:])
        left_by: LeftBy = "compaction" if survivors or kept <= leading else "rewind"
        if left_by == "compaction" and any(slot.entered for slot in left):
            self._log.resets.append(self._tracker.requests)
        for slot in left:
            self._tracker.leave(slot.parts, left_by)
            slot.entered = False

    def _enter(self, slots: Sequence[Slot]) -> None:
        for slot in slots:
            if not slot.entered:
                slot.entered = True
                self._tracker.enter(slot.parts)

    def _append(self, slot: Slot, line: int) -> None:
        message = slot.message
        message.index = len(self._log.messages)
        message.line = message.last_line = line
        for part in message.parts:
            part.line = line
        self._log.messages.append(message)

    def _begin(self, exchange: Exchange, leading: Sequence[Slot]) -> None:
        """System prompt and tools as this request has them."""
        log = self._log
        log.notes += [note for note in exchange.notes if note not in log.notes]
        system, tools_hash = exchange.system(), exchange.tools_hash()
        outside = None if system is None else json_hash(system)
        if outside is not None or not leading:
            self._system_hash = outside
        else:
            self._system_hash = json_hash([part_key(part) for slot in leading for part in slot.parts])
        if (outside, tools_hash) == (self._outside_hash, self._tools_hash):
            return
        self._outside_hash, self._tools_hash = outside, tools_hash
        body = {**exchange.body, "messages": [], "input": [], "contents": []}
        request = wire.module(self.dialect).parse_request(body)
        self._system = self._replace(self._system, request.system, log.system, exchange.line)
        self._tools = self._replace(self._tools, request.tools, log.tools, exchange.line)

    def _replace(self, old: dict[str, Any], parts: Sequence[Any], known: list[Any], line: int) -> dict[str, Any]:
        """What stands outside the messages changed: equal parts stay, the others leave, new ones enter."""
        now: dict[str, Any] = {}
        for part in parts:
            key = part_key(part)
            stays = old.get(key)
            if stays is None:
                part.line = line
                known.append(part)
            now[key] = stays or part
        self._tracker.leave([part for key, part in old.items() if key not in now], "replacement")
        self._tracker.enter(now.values())
        return now

    def _request(self, exchange: Exchange) -> None:
        index = self._tracker.request()
        response = exchange.response
        request = Request(index, "recorded", model=exchange.model, timestamp=exchange.timestamp, line=exchange.line)
        request.tools_hash, request.system_hash = self._tools_hash, self._system_hash
        self.output = []
        self._unanswered = index
        if response is not None:
            request.response_id = response.id
            request.key = response.id if response.id and len(response.id) >= _MIN_ID else ""
            request.model = response.model or request.model
            request.timestamp = response.timestamp or request.timestamp
            request.usage = response.usage
            request.stop_reason = response.stop_reason
            request.service_tier = response.service_tier
            request.billing = response.billing or exchange.billing
            request.context_tokens = response.context_tokens
            request.cache_miss = response.cache_miss
            for message in response.messages:
                slot = self.new_slot(message)
                self._append(slot, exchange.line)
                if message.role == "assistant":
                    message.request = index
                    self._unanswered = None
                message.timestamp = message.timestamp or response.timestamp
                self.output.append(slot)
            self.slots += self.output
        self._log.requests.append(request)

    def _read_history(self, exchange: Exchange, new: list[Slot], raws: list[Any]) -> None:
        """A plain history: each response in it implies one request over everything before it."""
        merge = self.dialect in ITEM_DIALECTS
        for slot, raw in zip(new, raws, strict=True):
            message = slot.message
            self._append(slot, exchange.line)
            if message.role != "assistant":
                self._enter([*self.slots[self._entered :], slot])
                self._entered = len(self.slots) + 1
                self._in_run = False
            else:
                if not (merge and self._in_run):
                    self._enter(self.slots[self._entered :])
                    index = self._tracker.request()
                    self._log.requests.append(
                        Request(
                            index,
                            model=exchange.model,
                            timestamp=message.timestamp,
                            line=exchange.line,
                            tools_hash=self._tools_hash,
                            system_hash=self._system_hash,
                        )
                    )
                    self._entered = len(self.slots)
                message.request = self._tracker.requests - 1
                self._in_run = True
                if isinstance(raw, dict) and isinstance(raw.get("usage"), dict):
                    request = self._log.requests[message.request]
                    request.usage = wire.module(self.dialect).parse_usage(raw["usage"])
                    request.source = "recorded" if request.usage else request.source
            self.slots.append(slot)
