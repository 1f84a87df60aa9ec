"""What models enforce or allow beyond their provider, by name: dated data, as `providers.py` holds it.

Confirmed on 2026-11-30; docs/rules.md names the sources. Where a model, or its version, is not known, a trait is None:
rules then say "may", or nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Vendor = Literal["claude", "openai", "gemini", "mistral", "deepseek", "other"]


@dataclass(frozen=True, slots=True)
class Traits:
    """One model. `version` is (major, minor), None if its name tells none; `family` is `opus`, `flash`, `o1` ….

    `prefill`: a request may end with an assistant message. `system_in_messages`: the role system is allowed among the
    messages. `thinks_by_default`: a request without `thinking` thinks. `thinks_always`: it cannot be turned off.
    `checks_prefix`: thinking is bound to all that stood before it (`may`: on some accounts or platforms).
    `wants_signatures`: calls of the current turn need their thought signature. `returns_reasoning`: reasoning has to
    be sent back with the calls that it led to. `max_images` counts images and documents of one request.
    `refuses_system`: neither system nor developer messages are taken.
    """

    vendor: Vendor = "other"
    family: str = ""
    version: tuple[int, int] | None = None
    prefill: bool | None = None
    system_in_messages: bool | None = None
    thinks_by_default: bool | None = None
    thinks_always: bool = False
    checks_prefix: Literal["yes", "may"] | None = None
    wants_signatures: bool | None = None
    returns_reasoning: bool = False
    max_images: int | None = None
    refuses_system: bool = False


UNKNOWN = Traits()

_CLAUDE = re.compile(
    r"claude-(?:(?P<family>opus|sonnet|haiku|fable|mythos)(?:-(?P<major>\d{1,2})(?:[-.](?P<minor>\d{1,2}))?(?!\d))?"
    r"|(?P<old>[1-3])(?:[-.](?P<old_minor>\d))?(?:-(?P<old_family>opus|sonnet|haiku))?)"
)
_GEMINI = re.compile(r"gemini-(?P<major>\d)(?:\.(?P<minor>\d+))?(?:-(?P<family>pro|flash))?")
_OPENAI = re.compile(r"(?:^|[/.:])(?P<family>gpt|o\d|chatgpt|codex)(?:-(?P<major>\d)(?:\.(?P<minor>\d))?)?(?![a-z])")
_MISTRAL = re.compile(r"(?:^|[/.])(?:open-)?(?P<family>mistral|mixtral|ministral|codestral|magistral|devstral|pixtral)")
_REASONING = re.compile(
    r"deepseek-(?:v(?:3\.[2-9]|[4-9])|reasoner)|mimo-|glm-(?:4\.[5-9]|[5-9])|kimi-k[2-9]|minimax-m[2-9]"
)


def traits(model: str | None) -> Traits:
    """What is known of a model, also under the names that clouds and gateways give it."""
    return _traits(model[:200].lower()) if isinstance(model, str) else UNKNOWN


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


@lru_cache(maxsize=512)
def _traits(model: str) -> Traits:
    if found := _CLAUDE.search(model):
        return _claude(found)
    if found := _GEMINI.search(model):
        version = (int(found["major"]), int(found["minor"] or 0))
        return Traits("gemini", found["family"] or "", version, wants_signatures=version >= (3, 0))
    if _REASONING.search(model):
        return Traits("deepseek" if "deepseek" in model else "other", returns_reasoning="reasoner" not in model)
    if found := _MISTRAL.search(model):
        return Traits("mistral", found["family"])
    if found := _OPENAI.search(model):
        major, minor = found["major"], found["minor"]
        refuses = "o1-mini" in model or "o1-preview" in model
        known = (int(major), int(minor or 0)) if major else None
        return Traits("openai", found["family"], known, refuses_system=refuses)
    return UNKNOWN


def _knows_system(family: str, version: tuple[int, int]) -> bool | None:
    if version < (4, 8):
        return False
    return True if family in ("opus", "fable", "mythos") else None  # sources on Sonnet and Haiku do not agree


def _claude(name: re.Match[str]) -> Traits:
    family = name["family"] or name["old_family"] or ""
    major, minor = (name["major"], name["minor"]) if name["family"] else (name["old"], name["old_minor"])
    if major is None:
        return Traits("claude", family)
    version = (int(major), int(minor or 0))
    checks: Literal["yes", "may"] | None = None
    if version >= (5, 5) or (family in ("fable", "mythos") and version >= (5, 1)):
        # Documentation does not agree on Mythos; other models check for accounts made since 2026-08-31.
        checks = "yes" if family == "fable" and version >= (5, 2) else "may"
    return Traits(
        "claude",
        family,
        version,
        prefill=version < (4, 6),
        system_in_messages=_knows_system(family, version),
        thinks_by_default=version >= (5, 0),
        thinks_always=(family in ("fable", "mythos") and version >= (5, 1)) or (family == "opus" and version >= (5, 5)),
        checks_prefix=checks,
        max_images=600 if version >= (5, 0) or (version >= (4, 6) and family != "haiku") else 100,
    )
