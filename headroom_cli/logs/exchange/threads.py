"""Request logs to conversations: which requests continue which, and what changed in the context between them.

A request repeats the history before it. Requests that share a prefix are one thread; what is new in each enters the
context, what is gone or changed leaves it. Each message of a log is hashed once, threads are found by their
prefixes: the cost is linear in what the log repeats.

A log may hold more conversations than memory does: one that is not continued while many others begin has ended.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import Any

from headroom_cli import wire
from headroom_cli.logs.exchange.keeper import Keeper
from headroom_cli.logs.exchange.keys import look, message_key
from headroom_cli.logs.exchange.model import Exchange
from headroom_cli.logs.exchange.thread import Slot, Thread
from headroom_cli.model import Conversation, Message
from headroom_cli.wire.results import dump

SAME_SHARE = 0.6
"""Share of the shorter history that two requests must have in common to be one thread."""

MOST_MESSAGES = 50_000
"""Messages of a log that may be held until it ends."""

STAY_OPEN = 5_000
"""Threads that may still be continued when there are more messages: those continued last."""

_RECENT = 8  # threads of a session that a compacted request may continue
_HEAD = 2000  # characters in which a summary names itself
_SUMMARIES = ("continued from a previous", "conversation summary", "<summary>", "summary of")


@dataclass(slots=True)
class _Answer:
    """What followed upon a stored response: the way back to the context that `previous_response_id` names."""

    thread: Thread
    parent: _Answer | None
    slots: list[Slot]


class Threads:
    """Collects the exchanges of one file, in order, into conversations."""

    def __init__(self, path: str, *, keeps_sent: bool = False, keyed: bool = True) -> None:
        self._path = path
        self._keyed = keyed
        self._keeper = Keeper() if keeps_sent else None
        self._threads: list[Thread] = []
        self._added = 0
        self._bound = MOST_MESSAGES
        self._prefixes: dict[int, Thread] = {}
        self._sessions: dict[str, deque[Thread]] = {}
        self._answers: dict[str, _Answer] = {}
        self._tips: dict[int, _Answer] = {}
        self._keys: dict[bytes, bytes] = {}
        self._last: Thread | None = None

    def add(self, exchange: Exchange) -> Thread:
        """Put one exchange into the thread that it continues, or into a new one."""
        linked = exchange.previous_response_id is not None or exchange.dialect == "openai-responses"
        thread = self._add_linked(exchange) if linked else self._add_history(exchange)
        self._added += 1
        thread.continued = self._added
        if self._keeper is not None:
            if not exchange.keys:
                self._message_keys(exchange, {})
            self._keeper.keep(thread.sent, exchange)
        return thread

    def ended(self) -> list[Conversation]:
        """The threads that have ended, finished, in the order in which they began: none while there are few messages.

        They are forgotten: a request that continues one after all begins a conversation.
        """
        if len(self._keys) < self._bound:
            return []
        open_still = set(sorted(self._threads, key=lambda thread: thread.continued)[-STAY_OPEN:])
        ended = [thread for thread in self._threads if thread not in open_still]
        self._threads = [thread for thread in self._threads if thread in open_still]
        for thread in ended:
            self._forget(thread)
        self._answers = {name: answer for name, answer in self._answers.items() if answer.thread in open_still}
        self._tips = {name: answer for name, answer in self._tips.items() if answer.thread in open_still}
        recent = {name: [t for t in threads if t in open_still] for name, threads in self._sessions.items()}
        self._sessions = {name: deque(threads, _RECENT) for name, threads in recent.items() if threads}
        self._last = self._last if self._last in open_still else None
        self._keys.clear()
        self._bound = MOST_MESSAGES + sum(len(thread.slots) for thread in self._threads)
        if self._keeper is not None:
            self._keeper.forget()
        return [thread.finish(keyed=self._keyed) for thread in ended]

    def conversations(self) -> list[Conversation]:
        """All threads that are open, finished, in the order in which they began."""
        return [thread.finish(keyed=self._keyed) for thread in self._threads]

    def _add_linked(self, exchange: Exchange) -> Thread:
        """Responses API: the input may hold only what is new since the response that it names."""
        previous = exchange.previous_response_id
        parent = self._answers.get(previous) if previous is not None else None
        if parent is not None:
            thread = parent.thread
            slots = [thread.new_slot(self._parse(exchange.dialect, raw)) for raw in exchange.messages]
            before = thread.slots if self._tips.get(id(thread)) is parent else _context_of(parent)
            thread.continue_from(before, slots, exchange)
            self._forget(thread)
        else:
            if previous is not None:
                exchange.notes.append("incomplete context: a previous response is not in this log")
            thread = self._add_history(exchange)
            slots = list(thread.slots)
        self._tips.pop(id(thread), None)
        if exchange.response is not None and exchange.response.id:
            answer = _Answer(thread, parent, slots + [s for s in thread.output if s not in slots])
            self._answers[exchange.response.id] = self._tips[id(thread)] = answer
        return thread

    def _add_history(self, exchange: Exchange) -> Thread:
        fresh: dict[int, Message] = {}
        keys = self._message_keys(exchange, fresh)
        leading = 0
        while leading < len(keys) and _is_system(exchange.messages[leading]):
            leading += 1
        root = hash(exchange.session)
        chain = _chain(root, keys[leading:])
        thread = None if exchange.alone else self._match(exchange, keys, chain)
        if thread is None or not thread.settle_dialect(exchange):
            thread = Thread(self._path, exchange.dialect, exchange.session)
            thread.marked = exchange.marked
            self._threads.append(thread)
        old_chain = thread.chain

        def message_at(position: int) -> Message:
            return fresh.get(position) or self._parse(exchange.dialect, exchange.messages[position])

        thread.apply(exchange, keys, leading, message_at)
        if not exchange.alone:
            answer = [slot.key for slot in thread.slots[len(keys) :]]
            self._index(thread, old_chain, chain + _chain(chain[-1] if chain else root, answer), exchange)
        return thread

    def _match(self, exchange: Exchange, keys: list[bytes], chain: list[int]) -> Thread | None:
        """The thread that these messages continue."""
        common, found = 0, None
        for position in range(len(chain), 0, -1):
            found = self._prefixes.get(chain[position - 1])
            if found is not None:
                common = position
                break
        if not exchange.recorded:
            whole = found is not None and common == len(found.chain) < len(chain)
            return found if whole and found is not None and found.leading_keys() == keys[: found.leading] else None
        if found is not None:
            shorter = min(len(chain), len(found.chain))
            if common >= SAME_SHARE * shorter:
                return None if exchange.session is None and found.is_sampled_again(common, len(chain)) else found
            if exchange.session is not None or exchange.user is not None or _agree(found, keys):
                return found
        if exchange.session is not None:
            recent = sorted(self._sessions.get(exchange.session, ()), key=lambda t: not t.same_system(exchange))
            return next((t for t in recent if _agree(t, keys) or _is_compacted(t, exchange, keys)), None)
        last = self._last
        return last if last is not None and _agree(last, keys) else None

    def _index(self, thread: Thread, old: list[int], new: list[int], exchange: Exchange) -> None:
        kept = 0
        for before, after in zip(old, new, strict=False):
            if before != after:
                break
            kept += 1
        for link in old[kept:]:
            if self._prefixes.get(link) is thread:
                del self._prefixes[link]
        for link in new[kept:]:
            self._prefixes[link] = thread
        thread.chain = new
        self._last = thread
        if exchange.session is not None:
            recent = self._sessions.setdefault(exchange.session, deque(maxlen=_RECENT))
            if thread in recent:
                recent.remove(thread)
            recent.appendleft(thread)

    def _forget(self, thread: Thread) -> None:
        """A thread continued by ids is found by ids from now on."""
        for link in thread.chain:
            if self._prefixes.get(link) is thread:
                del self._prefixes[link]
        thread.chain = []

    def _message_keys(self, exchange: Exchange, fresh: dict[int, Message]) -> list[bytes]:
        """The keys of all messages; those not seen before are parsed, and left in `fresh`."""
        keys = []
        exchange.looks = looks = list(map(look, exchange.messages))
        for position, seen in enumerate(looks):
            key = self._keys.get(seen)
            if key is None:
                message = fresh[position] = self._parse(exchange.dialect, exchange.messages[position])
                key = self._keys[seen] = message_key(message)
            keys.append(key)
        exchange.keys = keys
        return keys

    def _parse(self, dialect: str, raw: Any) -> Message:
        message: Message = wire.module(dialect).parse_message(raw, 0)
        return message


def _chain(at: int, keys: list[bytes]) -> list[int]:
    """For each prefix of `keys`, behind what `at` stands for, a number that stands for it."""
    chain = []
    for key in keys:
        at = hash((at, key))
        chain.append(at)
    return chain


def _context_of(answer: _Answer) -> list[Slot]:
    """The context after a response, back to the first that the log has."""
    pieces = []
    node: _Answer | None = answer
    while node is not None:
        pieces.append(node.slots)
        node = node.parent
    return [slot for piece in reversed(pieces) for slot in piece]


def _is_system(raw: Any) -> bool:
    return isinstance(raw, dict) and raw.get("role") in ("system", "developer")


def _agree(thread: Thread, keys: list[bytes]) -> bool:
    """Whether most messages are the same at the same place, or at any place if some were taken out."""
    shorter = min(len(thread.slots), len(keys))
    if shorter < 2:
        return False
    same = sum(slot.key == key for slot, key in zip(thread.slots, keys, strict=False))
    if same >= SAME_SHARE * shorter:
        return True
    have = thread.key_counts()
    shared = sum(min(number, have[key]) for key, number in Counter(keys).items())
    return shared >= max(3, SAME_SHARE * shorter)


def _is_compacted(thread: Thread, exchange: Exchange, keys: list[bytes]) -> bool:
    """Whether a shorter request of the same session continues the thread: it keeps a message, or begins with a summary.

    A sub-agent has the session and perhaps the tools in common, but nothing else.
    """
    if len(keys) >= len(thread.slots) or not thread.same_tools(exchange):
        return False
    have, leading = thread.key_counts(), set(thread.leading_keys())
    if any(key in have and key not in leading for key in keys):
        return True
    first = next((raw for raw in exchange.messages if not _is_system(raw)), None)
    head = dump(first)[:_HEAD].lower()
    return any(words in head for words in _SUMMARIES)
