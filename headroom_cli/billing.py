"""Ways of serving a request that change its price, as dated data.

Confirmed on 2026-12-01. Anthropic: batches at half price, fast mode at twice (of Opus 4.6 and 4.7, while it lasted, six
times), inference in the US at 1.1 times; its priority tier is paid for apart, at list price here. OpenAI: batches and
flex at half price, priority as its page says model by model. All parts of a request are scaled alike.
"""

from __future__ import annotations

import re
from functools import cache

WAYS = ("fast", "batch", "flex", "priority", "us")
"""In this order they are joined with `+` in `Request.billing`."""

_SAME = 1000
_DATED = r"(?:-20\d\d-?\d\d-?\d\d)?$"
_FACTORS: dict[tuple[str, str], tuple[tuple[re.Pattern[str], int], ...]] = {
    ("fast", "anthropic"): (
        (re.compile(rf"claude-opus-4[-.][67]{_DATED}"), 6000),
        (re.compile(rf"claude-opus-(?:4[-.]8|5|5[-.]5){_DATED}"), 2000),
    ),
    ("batch", "anthropic"): ((re.compile(""), 500),),
    ("batch", "openai"): ((re.compile(""), 500),),
    ("batch", "google"): ((re.compile(""), 500),),
    ("flex", "openai"): ((re.compile(""), 500),),
    ("priority", "anthropic"): ((re.compile(""), _SAME),),
    ("priority", "openai"): (
        (re.compile(rf"gpt-5\.5{_DATED}"), 2500),
        (re.compile(rf"gpt-5\.4(?:-mini)?{_DATED}"), 2000),
        (re.compile(rf"gpt-5(?:\.[12])?(?:-codex)?{_DATED}"), 2000),
        (re.compile(rf"gpt-5-mini{_DATED}"), 1800),
        (re.compile(rf"gpt-4\.1{_DATED}"), 1750),
    ),
    ("us", "anthropic"): ((re.compile(""), 1100),),
}
"""Thousandths of the standard price, by way and provider, for models whose name begins so."""


def billing(*, service_tier: str | None = None, speed: str | None = None, region: str | None = None) -> str | None:
    """How a request was served, from what its log says, as ways joined with `+`; None for the standard way."""
    if service_tier not in WAYS and speed not in WAYS and region != "us":
        return None
    ways = {way for way in (service_tier, speed) if way in WAYS}
    if region == "us":
        ways.add("us")
    return "+".join(way for way in WAYS if way in ways)


@cache
def factor(served: str | None, provider: str, name: str) -> int | None:
    """Thousandths of the standard price of a provider's model; None where that way of serving it has no known price."""
    result = _SAME
    for way in served.split("+") if served else ():
        if way == "fast" and provider == "openai":
            way = "priority"  # what Codex calls it
        known = _FACTORS.get((way, provider), ())
        found = next((thousandths for pattern, thousandths in known if pattern.match(name)), None)
        if found is None:
            return None
        result = result * found // _SAME
    return result
