"""Repair for programs: plain values or SDK objects in, a history that the provider accepts out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from headroom_cli import wire
from headroom_cli.lint.history import JudgedAs
from headroom_cli.lint.providers import PROFILES, Profile
from headroom_cli.repair.messages import Change, Left, repair
from headroom_cli.wire.plain import as_plain


class RepairedMessages(NamedTuple):
    """The history, what was repaired, and what could not be: errors that remain, with the reason."""

    messages: list[Any]
    changes: list[Change]
    left: list[Left]


def repair_messages(
    messages: Sequence[Any],
    *,
    provider: str | Sequence[str] | None = None,
    dialect: str | None = None,
    judge_as: JudgedAs | None = None,
    model: str | None = None,
    body: Mapping[str, Any] | None = None,
    unsafe: bool = False,
) -> RepairedMessages:
    """Make a history sendable: what a provider would refuse is repaired, everything else is left as it is.

    Messages that need no repair are the objects that were given. `provider` is one name or several of those that
    `headroom rules` lists; None: that of the dialect and the model. `body` are the members of the request beside the
    messages (`tools`, `model`, `thinking` …): with it the history is judged as a request. Deterministic, and repairing
    twice changes nothing more. Calls that the history ends with are left alone, for their results may still come.

    Raises ValueError for a provider that is not known.
    """
    plain = as_plain(list(messages))
    rows: list[Any] = plain if isinstance(plain, list) else []
    whole = {**body, _key(body): rows} if body is not None else None
    known = dialect or wire.dialect_of(rows)
    outcome = repair(
        rows,
        known,
        profiles=profiles_named(provider),
        body=whole,
        judged_as=judge_as,
        model=model,
        unsafe=unsafe,
    )
    return RepairedMessages(outcome.messages, outcome.changes, outcome.left)


def profiles_named(provider: str | Sequence[str] | None) -> list[Profile] | None:
    """The profiles of providers by name; ValueError for one that is not known."""
    if provider is None:
        return None
    names = [provider] if isinstance(provider, str) else list(provider)
    if unknown := [name for name in names if name not in PROFILES]:
        raise ValueError(f"no provider is called {unknown[0]!r}; known: {', '.join(PROFILES)}")
    return [PROFILES[name] for name in names]


def _key(body: Mapping[str, Any]) -> str:
    return next((name for name in ("messages", "contents", "input") if name in body), "messages")
