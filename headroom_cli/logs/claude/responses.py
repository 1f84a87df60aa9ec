"""One API response of Claude from the lines that it is spread over.

The client writes a line per content block, all with the same `message.id`; a line may repeat blocks or usage, lines of
other kinds may stand between, and a resumed session may replay them all. Blocks are united, each counter of the usage
is the maximum over the lines.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from headroom_cli.model import Message, Part, Request, Text, Thinking, ToolCall, Usage
from headroom_cli.wire.anthropic import billing_of, context_tokens, parse_usage
from headroom_cli.wire.base import count, text_or_none

# How many earlier parts, or responses of the same id, are compared with a new one: real responses have fewer.
WINDOW = 16
_USAGE_FIELDS = tuple(f.name for f in fields(Usage) if f.name != "output_is_lower_bound")

Counters = tuple[int, int, int]


@dataclass(slots=True)
class Response:
    """One API response: its message and what its lines say of the request."""

    key: str
    id: str | None
    request_id: str | None
    model: str | None
    message: Message
    counters: Counters = (0, 0, 0)
    usage: Usage | None = None
    final: bool = False
    stop_reason: str | None = None
    service_tier: str | None = None
    billing: str | None = None
    context_tokens: int | None = None
    last_usage: Any = None
    cache_miss: tuple[str, int | None] | None = None
    calls: set[str] = field(default_factory=set)
    texts: set[tuple[type, str, str | None]] = field(default_factory=set)

    @property
    def has_output(self) -> bool:
        """Whether more output was counted than the placeholder that a stream begins with."""
        return self.usage is not None and (self.usage.output_tokens or 0) > 1

    def add_usage(self, raw: Any, stop_reason: object) -> None:
        """Take the counters of one line: the maximum of each."""
        reason = text_or_none(stop_reason)
        if reason is not None:
            self.stop_reason = reason
            if not self.final and isinstance(raw, dict) and count(raw.get("output_tokens")):
                self.final = True
        if not isinstance(raw, dict) or raw == self.last_usage:
            return
        self.last_usage = raw
        usage = parse_usage(raw)
        if usage is None:
            return
        if self.usage is None:
            self.usage = usage
        else:
            raise_to(self.usage, usage)
        self.service_tier = text_or_none(raw.get("service_tier")) or self.service_tier
        self.billing = billing_of(raw) or self.billing
        iterations = raw.get("iterations")
        if isinstance(iterations, list) and len(iterations) > 1:
            self.context_tokens = context_tokens(raw) or self.context_tokens

    def add_parts(self, parts: list[Part]) -> list[ToolCall]:
        """Add the blocks of one line that are not there yet; returns the calls among them."""
        fresh: list[ToolCall] = []
        own = self.message.parts
        for part in parts:
            if isinstance(part, ToolCall):
                if part.id is not None:
                    if part.id in self.calls:
                        continue
                    self.calls.add(part.id)
                fresh.append(part)
            elif isinstance(part, (Text, Thinking)):
                mark = (type(part), part.text, part.signature if isinstance(part, Thinking) else None)
                if mark in self.texts:
                    continue
                self.texts.add(mark)
                if len(self.texts) > 1 and part.text and _extends(own, part):
                    continue
            own.append(part)
        return fresh

    def to_request(self, index: int) -> Request:
        """The request that this response answers."""
        usage = self.usage
        if usage is not None:
            usage.output_is_lower_bound = not self.final
        context = self.context_tokens
        if usage is not None and context == usage.input_tokens:
            context = None
        message = self.message
        return Request(
            index,
            "implied" if usage is None else "recorded",
            self.key,
            self.model,
            message.timestamp,
            message.line,
            usage,
            self.id,
            self.stop_reason,
            self.service_tier,
            context,
            copied=message.copied,
            cache_miss=self.cache_miss,
            billing=self.billing,
        )


class Responses:
    """The responses of one thread, by identity: `message.id`, else `requestId`, else the line."""

    __slots__ = ("_by_identity", "_exact")

    def __init__(self) -> None:
        self._by_identity: dict[str, list[Response]] = {}
        self._exact: dict[tuple[str, str | None, Counters], Response] = {}

    def find(self, identity: str, request_id: str | None, model: str | None, counters: Counters) -> Response | None:
        """The response that a line belongs to, if an earlier line began it.

        Two responses under one id (a gateway that mints ids by the second) differ by model or by input and cache
        counters; counters of 0 and 1 are placeholders and differ from nothing.
        """
        group = self._by_identity.get(identity)
        if group is None:
            return None
        found = self._exact.get((identity, model, counters))
        if found is not None:
            return found
        for response in reversed(group[-WINDOW:]):
            if model and response.model and model != response.model:
                continue
            if request_id is not None and request_id == response.request_id:
                return response
            if all(a == b or a < 2 or b < 2 for a, b in zip(counters, response.counters, strict=True)):
                return response
        return None

    def add(self, identity: str, response: Response) -> None:
        """Begin a response; one that shares its id with another gets a key of its own."""
        group = self._by_identity.setdefault(identity, [])
        if group and response.key:
            response.key += "|" + (response.model or "") + "|" + ".".join(map(str, response.counters))
        group.append(response)
        self._exact.setdefault((identity, response.model, response.counters), response)

    def tell(self, identity: str, response: Response, counters: Counters) -> None:
        """A line of a response has these counters: later lines with the same belong to it, too."""
        self._exact.setdefault((identity, response.model, counters), response)

    def latest(self, identity: str) -> Response | None:
        """The response of this identity that began last."""
        group = self._by_identity.get(identity)
        return group[-1] if group else None


def usable_id(value: object) -> str | None:
    """An id from a log; redacted ids identify nothing."""
    return value if isinstance(value, str) and value and value != "REDACTED" else None


def counters_of(raw: object) -> Counters:
    """Uncached input, cache read and cache write of a usage record; 0 where unknown."""
    if not isinstance(raw, dict):
        return (0, 0, 0)
    return (
        count(raw.get("input_tokens")) or 0,
        count(raw.get("cache_read_input_tokens")) or 0,
        count(raw.get("cache_creation_input_tokens")) or 0,
    )


def raise_to(usage: Usage, other: Usage) -> None:
    """Raise each counter of `usage` to that of `other`."""
    for name in _USAGE_FIELDS:
        theirs = getattr(other, name)
        if theirs is not None:
            ours = getattr(usage, name)
            if ours is None or theirs > ours:
                setattr(usage, name, theirs)


def _extends(own: list[Part], part: Text | Thinking) -> bool:
    """Whether the text repeats or extends one that is there already; an extension takes its place."""
    for position in range(len(own) - 1, max(-1, len(own) - 1 - WINDOW), -1):
        earlier = own[position]
        if not isinstance(earlier, (Text, Thinking)) or type(earlier) is not type(part) or not earlier.text:
            continue
        if part.text.startswith(earlier.text):
            own[position] = part
            return True
        if earlier.text.startswith(part.text):
            return True
    return False
