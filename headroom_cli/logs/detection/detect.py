"""Which format a file is in: a vote of its first objects, each judged by an ordered table of small predicates.

Never the first line alone, never the name alone, never one key alone. The path only names what no predicate knows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from headroom_cli.logs.detection.families import UNKNOWN, array_family, classify, shape

__all__ = ["HISTORY_FAMILIES", "LOOKALIKES", "PEEK", "UNKNOWN", "Verdict", "classify", "detect", "unwrap"]

PEEK = 50
"""Objects that vote; more are read only while nothing has been recognised three times."""

_MIXED_SHARE = 0.1
_WRAPPER_DEPTH = 4
_WRAPPED_SAMPLE = 20
_MAX_LEVEL = 64
_MAX_KEYS = 40

HISTORY_FAMILIES = frozenset({"codex-history", "codex-index", "claude-history"})
"""Lists of prompts or titles: they hold no context."""

LOOKALIKES = {
    "qwen-code": "Qwen Code",
    "codebuddy": "CodeBuddy",
    "iflow": "iFlow",
    "just-every-code": "Code (just-every)",
    "traex": "TraeX",
    "cohere": "Cohere",
    "gemini-interactions": "Gemini Interactions",
}
"""Formats that are told apart from the ones they resemble, but not read: family to name."""

_PATH_NAMES = (
    ("/.qwen/", "qwen-code"),
    ("/.iflow/", "iflow"),
    ("/.codebuddy/", "codebuddy"),
    ("/.trae", "traex"),
    ("/.code/sessions/", "just-every-code"),
)
_PATH_FAMILIES = (("/.claude/projects/", "claude-code"), ("/.codex/", "codex-rollout"), ("/rollout-", "codex-rollout"))


@dataclass(slots=True)
class Verdict:
    """What a file is. `votes` counts families; `wrapper_path` leads to wrapped objects.

    `histogram` counts the top-level keys where nothing is known.
    """

    family: str
    mixed: bool = False
    votes: Counter[str] = field(default_factory=Counter)
    wrapper_path: tuple[str, ...] = ()
    histogram: Counter[str] = field(default_factory=Counter)

    def families(self) -> frozenset[str]:
        """The families that have enough votes to be read."""
        if not self.mixed:
            return frozenset({self.family})
        total = sum(self.votes.values())
        return frozenset(f for f, n in self.votes.items() if f != UNKNOWN and n >= _MIXED_SHARE * total)


def detect(values: Sequence[Any], path: str = "") -> Verdict:
    """The verdict over the first objects of a file."""
    votes: Counter[str] = Counter()
    unknown: list[dict[str, Any]] = []
    for value in values:
        family = classify(value)
        votes[family] += 1
        if family == UNKNOWN and isinstance(value, dict):
            unknown.append(value)
    if votes["item-line"] and votes["codex-legacy"]:
        votes["codex-legacy"] += votes.pop("item-line")
    known = sum(votes.values()) - votes[UNKNOWN]
    verdict = Verdict(UNKNOWN, votes=votes)
    if unknown and known * 2 < len(unknown):
        wrapped = _wrapped(unknown)
        if wrapped is not None:
            verdict.wrapper_path, verdict.family = wrapped
            return verdict
    slashed = "/" + path.replace("\\", "/")
    if not known:
        for value in unknown:
            verdict.histogram.update([key for key in value if isinstance(key, str)][:_MAX_KEYS])
        verdict.family = next((family for part, family in _PATH_NAMES if part in slashed), UNKNOWN)
        if verdict.family == UNKNOWN and any(isinstance(v.get("type"), str) for v in unknown):
            verdict.family = next((family for part, family in _PATH_FAMILIES if part in slashed), UNKNOWN)
        return verdict
    ranked = [(family, count) for family, count in votes.most_common() if family != UNKNOWN]
    verdict.family = ranked[0][0]
    verdict.mixed = len(ranked) > 1 and ranked[1][1] >= _MIXED_SHARE * known
    if verdict.family in ("claude-code", "codex-rollout"):
        verdict.family = next((family for part, family in _PATH_NAMES if part in slashed), verdict.family)
    return verdict


def unwrap(value: Any, wrapper_path: tuple[str, ...]) -> Any:
    """The object that a wrapper holds, or None."""
    for key in wrapper_path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def _wrapped(values: Sequence[dict[str, Any]]) -> tuple[tuple[str, ...], str] | None:
    """The path under which at least two of the objects (or the only one) hold something known."""
    found: Counter[tuple[tuple[str, ...], str]] = Counter()
    for value in values[:_WRAPPED_SAMPLE]:
        found.update(_find_wrapped(value))
    if not found:
        return None
    best, count = min(found.items(), key=lambda item: (-item[1], len(item[0][0]), item[0]))
    return best if count >= 2 or len(values) == 1 else None


def _find_wrapped(value: dict[str, Any]) -> list[tuple[tuple[str, ...], str]]:
    level: list[tuple[tuple[str, ...], dict[str, Any]]] = [((), value)]
    for _ in range(_WRAPPER_DEPTH):
        below: list[tuple[tuple[str, ...], dict[str, Any]]] = []
        found: list[tuple[tuple[str, ...], str]] = []
        for path, parent in level:
            for key, child in list(parent.items())[:_MAX_KEYS]:
                if not isinstance(key, str):
                    continue
                if isinstance(child, dict):
                    family = shape(child)
                    below.append(((*path, key), child))
                elif isinstance(child, list):
                    family = array_family(child)
                else:
                    continue
                if family is not None:
                    found.append(((*path, key), family))
        if found:
            return found
        level = below[:_MAX_LEVEL]
    return []
