"""How providers cache the beginning of a prompt, as dated data, and what became of the cache at each request of a log.

Confirmed on 2026-11-30. Anthropic and Bedrock: tools, system and messages in this order, up to a marker; entries live
5 minutes after their last use, or an hour. OpenAI: automatic, from 1,024 tokens on; entries live 5 to 10 minutes, and
at least 30 minutes from GPT-5.6 on.

**Rebuilt** is what the request before had in the cache, still stands in this one, and was not read: at least 1,024
tokens and a tenth of it. Real logs show where to draw the line. Of 18,893 requests to Claude that follow another,
96.4 % read all of it, 0.4 % miss less than that, and of the other 596, 520 miss more than half. OpenAI reads in steps
of 128 tokens and often falls a request or two behind: of 683 requests, 30 % read all of it, 60 % miss less than that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from headroom_cli.model import Conversation, LeftBy, Request, Usage

State = Literal["hit", "first", "rebuilt", "none"]
CACHE_STATES: tuple[State, ...] = ("hit", "first", "rebuilt", "none")

SHORT_TTL = 300
"""Seconds after its last use for which an entry lives that was written for five minutes."""

LONG_TTL = 3600
"""The same for an entry that was written for an hour."""

SILENT = frozenset({"none", "unavailable", "previous_message_not_found"})
"""Reasons for a cache miss that say that there is nothing to say."""

_LEAST_REBUILT = 1024  # tokens
_LEAST_SHARE = 10  # and one part in so many of what could be read
_LEAST_CACHED = 1024  # tokens of a prompt that providers cache on their own
_CHANGED = frozenset({"tools", "system", "vendor:tools_changed", "vendor:system_changed"})
_BACK: frozenset[LeftBy] = frozenset({"rewind", "rollback"})
_HARMLESS = _BACK | {"strip"}  # thinking taken out: in time, 59 of 71 requests lose nothing
_REASON = re.compile(r"[a-z][a-z0-9_]{0,40}")
_GPT = re.compile(r"gpt-(\d{1,2})(?:\.(\d{1,2}))?")
_SINCE_BREAKPOINTS = (5, 6)


@dataclass(frozen=True, slots=True)
class Caching:
    """One provider. `ttl` in seconds after the last use; `marked`: only up to markers in the request is cached.

    `hourly`: entries can be written for an hour. `lookback`: so many blocks before a marker are compared with what is
    cached. `parameters` are fields of a request whose change makes the provider compute at least the messages anew.
    """

    ttl: int
    marked: bool = False
    hourly: bool = False
    lookback: int | None = None
    parameters: tuple[str, ...] = ()


_CLAUDE = ("tool_choice", "thinking", "speed", "citations", "output_config")
_BEDROCK = ("additionalModelRequestFields", "toolConfig")
_OPENAI = Caching(ttl=600, parameters=("response_format", "text"))
_CACHING = {
    "anthropic": Caching(SHORT_TTL, marked=True, hourly=True, lookback=20, parameters=_CLAUDE),
    "bedrock": Caching(SHORT_TTL, marked=True, hourly=True, lookback=20, parameters=_BEDROCK),
    "openai": _OPENAI,
    "openai-responses": _OPENAI,
}
_OTHER = Caching(ttl=3600)
_SINCE_GPT_5_6 = 1800


def caching(provider: str) -> Caching:
    """How a provider (or the dialect of its own) caches; what is not known is taken to live long."""
    return _CACHING.get(provider, _OTHER)


class CacheState(NamedTuple):
    """What became of the cache at one request; `before` is the request that it is compared with, by index.

    `state` is `hit` (what had been cached was read), `first` (this request is the first to cache the context),
    `rebuilt` (it was not read, and computed anew), `none` (nothing is cached), or None where the log does not tell.
    `cause` of a rebuild: `vendor:<reason>` (the provider's own diagnosis), `compaction`, `model`, `tools`, `system`,
    `rewritten` (messages in the middle changed or went), `expired`, or `unknown`. `gap_seconds` since the request
    before, None where times are not recorded. `rebuilt_tokens`: after a compaction, what stands for what was held.
    """

    state: State | None
    gap_seconds: int | None = None
    cause: str | None = None
    rebuilt_tokens: int | None = None
    is_avoidable: bool | None = None
    before: int | None = None


def is_avoidable(cause: str, gap_seconds: int | None, kept: Caching) -> bool:
    """Whether a rebuild could have been spared without other work: the only place that says so.

    It is where tools or the system prompt changed, and where entries for an hour would have bridged the pause.
    """
    if cause == "expired":
        return kept.hourly and gap_seconds is not None and gap_seconds <= LONG_TTL
    return cause in _CHANGED


def cache_states(conversation: Conversation) -> list[CacheState]:
    """What became of the cache at each request, in order."""
    thread = _Thread(conversation)
    return [thread.follow(request) for request in conversation.requests]


@dataclass(slots=True)
class _Left:
    """What left the context before a request: why, and the first request that had seen any of it."""

    reasons: set[LeftBy]
    since: int


class _Thread:
    """Follows the requests of one conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self._kept = caching(conversation.dialect)
        self._left = _left(conversation)
        self._held: list[int] = []  # tokens that are cached after each request
        self._before: Request | None = None
        self._time: int | None = None
        self._reads = False
        self._ttl = self._kept.ttl

    def follow(self, request: Request) -> CacheState:
        """The state at the next request."""
        gap = None
        if request.timestamp is not None:
            if self._time is not None:
                gap = max(0, (request.timestamp - self._time) // 1_000_000)
            self._time = request.timestamp
        usage = request.usage
        if usage is None or not usage.input_tokens or usage.cache_read_input_tokens is None:
            self._held.append(self._held[-1] if self._held else 0)
            return CacheState(None, gap)
        given, read = usage.input_tokens, usage.cache_read_input_tokens
        written = usage.cache_write_input_tokens or 0
        state = self._state(request, given, read, written, gap)
        self._remember(request, usage, given, read + written)
        return state

    def _state(self, request: Request, given: int, read: int, written: int, gap: int | None) -> CacheState:
        before, left = self._before, self._left.get(request.index)
        at = None if before is None else before.index
        readable = min(self._standing(left), given)
        lost = readable - read
        reason = None
        if request.cache_miss is not None:
            reason, missed = _diagnosis(request.cache_miss)
            lost = max(lost, min(missed, given - read))
        if lost >= _LEAST_REBUILT and lost * _LEAST_SHARE >= readable:
            cause = reason or self._cause(request, given, gap, left)
            return CacheState("rebuilt", gap, cause, lost, is_avoidable(cause, gap, self._kept), at)
        if read and before is not None:
            return CacheState("hit", gap, None, 0, None, at)
        alone = before is None and not self._kept.marked and given >= _LEAST_CACHED
        return CacheState("first" if read or written or alone else "none", gap, None, 0, None, at)

    def _standing(self, left: _Left | None) -> int:
        """Tokens that are cached and have not left: after going back, those of the last request before what left."""
        if not self._held:
            return 0
        if left is not None and left.reasons <= _BACK:
            return self._held[left.since - 1] if left.since else 0
        return self._held[-1]

    def _cause(self, request: Request, given: int, gap: int | None, left: _Left | None) -> str:
        before = self._before
        if before is None or before.usage is None:
            return "unknown"
        reasons = left.reasons if left is not None else set()
        has_expired = gap is not None and gap > self._ttl
        if "compaction" in reasons:
            return "compaction"
        if _differ(before.model, request.model):
            return "model"
        if _differ(before.tools_hash, request.tools_hash):
            return "tools"
        if _differ(before.system_hash, request.system_hash):
            return "system"
        shrank = not reasons and given + _LEAST_REBUILT <= (before.usage.input_tokens or 0)
        if shrank or reasons - _HARMLESS or (reasons and not has_expired):
            return "rewritten"
        return "expired" if has_expired else "unknown"

    def _remember(self, request: Request, usage: Usage, given: int, cached: int) -> None:
        """What is cached after a request, and how long it lives: as what was written last, where the log tells."""
        self._before = request
        if self._kept.marked:
            if usage.cache_write_1h_input_tokens or usage.cache_write_5m_input_tokens:
                self._ttl = SHORT_TTL if usage.cache_write_5m_input_tokens else LONG_TTL
        else:
            self._reads = self._reads or bool(usage.cache_read_input_tokens)
            cached = given if self._reads else 0
            self._ttl = _automatic_ttl(self._kept, request.model)
        self._held.append(min(cached, request.context_tokens or cached))


def _left(conversation: Conversation) -> dict[int, _Left]:
    """What left the context, by the request that no longer saw it."""
    parts = [part for message in conversation.messages for part in message.parts]
    ended = [interval for part in parts for interval in part.context if interval[1] is not None]
    found: dict[int, _Left] = {}
    for enters, leaves, left_by in ended:
        if leaves is None or left_by is None:
            continue
        entry = found.get(leaves)
        if entry is None:
            found[leaves] = _Left({left_by}, enters)
        else:
            entry.reasons.add(left_by)
            entry.since = min(entry.since, enters)
    return found


def _diagnosis(miss: tuple[str, int | None]) -> tuple[str | None, int]:
    """The provider's own reason as a cause, and the tokens that it says were missed."""
    kind, tokens = miss
    if kind in SILENT:
        return None, 0
    return f"vendor:{kind if _REASON.fullmatch(kind) else 'other'}", tokens or 0


def _differ(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other


def _automatic_ttl(kept: Caching, model: str | None) -> int:
    named = _GPT.search(model or "")
    if named and (int(named[1]), int(named[2] or 0)) >= _SINCE_BREAKPOINTS:
        return max(kept.ttl, _SINCE_GPT_5_6)
    return kept.ttl
