"""How providers cache the beginning of a prompt, as dated data, and what a log tells about it.

Confirmed on 2026-11-30. Anthropic: tools, system and messages in this order, up to a marker; entries live 5 minutes
after their last use, or an hour. OpenAI: automatic, from 1,024 tokens on, 5 to 10 minutes.
"""

from __future__ import annotations

from dataclasses import dataclass

from headroom_cli.lint.base import SessionCheck
from headroom_cli.lint.models import traits
from headroom_cli.model import Request


@dataclass(frozen=True, slots=True)
class Caching:
    """One provider. `ttl` in seconds after the last use; `marked`: only up to markers in the request is cached.

    `lookback`: so many blocks before a marker are compared with what is cached. `parameters` are fields of a request
    whose change makes the provider compute at least the messages anew.
    """

    ttl: int
    marked: bool = False
    lookback: int | None = None
    parameters: tuple[str, ...] = ()


_CLAUDE = Caching(
    ttl=300, marked=True, lookback=20, parameters=("tool_choice", "thinking", "speed", "citations", "output_config")
)
_OPENAI = Caching(ttl=600, parameters=("response_format", "text"))
_CACHING = {
    "anthropic": _CLAUDE,
    "bedrock": Caching(ttl=300, marked=True, lookback=20, parameters=("additionalModelRequestFields", "toolConfig")),
    "openai": _OPENAI,
    "openai-responses": _OPENAI,
}
_OTHER = Caching(ttl=3600)

LONG_TTL = 3600
"""Seconds for which an entry lives that was written for an hour."""

SILENT = frozenset({"none", "unavailable"})
"""Reasons for a cache miss that say that there is nothing to say."""

_SMALL = 5000  # tokens; what is lost below is not worth telling
_SHRUNK = 0.7
_COLLAPSED = 0.5


def caching(provider: str) -> Caching:
    """How a provider caches; what is not known is taken to live long."""
    return _CACHING.get(provider, _OTHER)


def least_cached(model: str | None) -> int:
    """The fewest tokens of a prefix that a Claude model caches; the least of all where the model is not known."""
    known = traits(model)
    if known.vendor == "claude" and known.version is not None:
        if known.family == "fable" or (known.family == "sonnet" and known.version == (4, 6)):
            return 2048
        if (known.family == "opus" and (4, 5) <= known.version <= (4, 8)) or (
            known.family == "haiku" and known.version == (4, 5)
        ):
            return 4096
    return 1024


@dataclass(slots=True, eq=False)
class Drop:
    """A request that read less than half of what the one before it held. `tokens` were counted again as new.

    `gap` is in seconds, None where times are not recorded. `why`: `expired`, `model`, `context` (it was cut or
    compacted), `vendor` (the provider itself gives a reason), or None.
    """

    before: Request
    after: Request
    tokens: int
    gap: float | None
    why: str | None


def drops(check: SessionCheck) -> list[Drop]:
    """Where reads of the cache collapsed, by what the provider counted. Empty if it never read from its cache."""
    conversation = check.session.conversation
    ttl = float(min((caching(profile.name).ttl for profile in check.profiles), default=_OTHER.ttl))
    resets = set(conversation.resets)
    found: list[Drop] = []
    before: Request | None = None
    has_read = False
    for request in conversation.requests:
        usage = request.usage
        if usage is None or usage.input_tokens is None or usage.cache_read_input_tokens is None or request.copied:
            continue
        if usage.cache_write_1h_input_tokens:
            ttl = float(LONG_TTL)
        if before is not None and before.usage is not None:
            held = before.usage.input_tokens or 0
            if has_read and held >= _SMALL and usage.cache_read_input_tokens < _COLLAPSED * held:
                found.append(_drop(before, request, held, ttl, request.index in resets))
        has_read = has_read or usage.cache_read_input_tokens > 0
        before = request
    return found


def _drop(before: Request, after: Request, held: int, ttl: float, reset: bool) -> Drop:
    assert after.usage is not None
    given, read = after.usage.input_tokens or 0, after.usage.cache_read_input_tokens or 0
    gap = None
    if before.timestamp is not None and after.timestamp is not None:
        gap = (after.timestamp - before.timestamp) / 1e6
    why = None
    if after.cache_miss is not None and after.cache_miss[0] not in SILENT:
        why = "vendor"
    elif before.model and after.model and before.model != after.model:
        why = "model"
    elif reset or given < _SHRUNK * held:
        why = "context"
    elif gap is not None and gap > ttl:
        why = "expired"
    return Drop(before, after, min(held, given) - read, gap, why)
