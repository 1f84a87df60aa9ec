"""Repair for programs: plain values or SDK objects in, a history that the provider accepts out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from headroom_cli import wire
from headroom_cli.lint.history import JudgedAs
from headroom_cli.lint.providers import profiles_named
from headroom_cli.logs.detection.shapes import request_dialect
from headroom_cli.repair.messages import Change, Left, messages_in, repair
from headroom_cli.wire.plain import as_plain


class RepairedMessages(NamedTuple):
    """The history; what was repaired; the errors that are left, with the reason; and the body, if one was given."""

    messages: list[Any]
    changes: list[Change]
    left: list[Left]
    body: dict[str, Any] | None = None


def repair_messages(
    messages: Any,
    provider: str | Iterable[str] | None = None,
    *,
    judged_as: JudgedAs | None = None,
    model: str | None = None,
    unsafe: bool = False,
) -> RepairedMessages:
    """Make a list of messages, or the body of a request, sendable: dicts or SDK objects.

    What a provider would refuse is repaired; all other messages are the objects that were given, which are never
    changed. `provider` is one or several of those that `--provider` takes; None: that of the dialect and model.
    `unsafe` also makes repairs that lose something the model could need. Repairing twice changes nothing more, and the
    same history always gives the same repair. Calls that the history ends with are left alone: their results may still
    come. Raises ValueError for a provider that does not exist.
    """
    plain = as_plain(messages)
    body = plain if isinstance(plain, dict) else None
    rows: list[Any] = messages_in(plain) if isinstance(plain, dict | list) else []
    outcome = repair(
        rows,
        (request_dialect(body) if body is not None else None) or wire.dialect_of(rows),
        profiles=profiles_named(provider),
        body=body,
        judged_as=judged_as,
        model=model,
        unsafe=unsafe,
    )
    return RepairedMessages(outcome.messages, outcome.changes, outcome.left, outcome.body)
