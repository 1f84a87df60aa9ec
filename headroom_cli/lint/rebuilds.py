"""Requests whose context was computed anew although the provider had it cached, for rules (`headroom_cli.caching`)."""

from __future__ import annotations

from dataclasses import dataclass

from headroom_cli.caching import cache_states
from headroom_cli.lint.base import SessionCheck
from headroom_cli.model import Request


@dataclass(frozen=True, slots=True, eq=False)
class Rebuild:
    """A request that computed `tokens` anew which the request `before` had in the cache. `gap` in seconds, if known."""

    before: Request
    after: Request
    tokens: int
    gap: int | None


def rebuilds(check: SessionCheck, cause: str) -> list[Rebuild]:
    """The own requests of a conversation that rebuilt its cache for this cause; none if it never read from a cache."""
    requests = check.session.conversation.requests
    if not any(request.usage and request.usage.cache_read_input_tokens for request in requests):
        return []
    return [
        Rebuild(requests[state.before], request, state.rebuilt_tokens or 0, state.gap_seconds)
        for request, state in zip(requests, cache_states(check.session.conversation), strict=True)
        if state.cause == cause and state.before is not None and not request.copied
    ]
