"""What every wire format shares: the shapes of a request and a response, and careful access to untrusted values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from headroom_cli.model import Declaration, Message, Part, Usage

MAX_COUNT = 2**53


@dataclass(slots=True)
class RequestBody:
    """The body of one API request. `messages` are indexed from 0; `system` and `tools` stand outside them."""

    dialect: str
    model: str | None = None
    system: list[Part] = field(default_factory=list)
    tools: list[Declaration] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    previous_response_id: str | None = None
    session: str | None = None
    raw: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class ResponseBody:
    """One API response: its output messages (usually one) and what the provider counted.

    `timestamp` is in microseconds UTC. `context_tokens` is set where the size of the context is recorded apart from
    the billed input (server tools sample several times within one response). `cache_miss` is the provider's own reason
    why its cache was not read, with the tokens that it missed. `billing` as of a request.
    """

    dialect: str
    id: str | None = None
    model: str | None = None
    messages: list[Message] = field(default_factory=list)
    usage: Usage | None = None
    stop_reason: str | None = None
    timestamp: int | None = None
    service_tier: str | None = None
    billing: str | None = None
    context_tokens: int | None = None
    cache_miss: tuple[str, int | None] | None = None


def count(value: object) -> int | None:
    """A token count from a log: an exact, non-negative integer, else None (unknown)."""
    return value if type(value) is int and 0 <= value < MAX_COUNT else None


def text_or_none(value: object) -> str | None:
    """The value if it is a non-empty string."""
    return value if isinstance(value, str) and value else None
