"""The library's way to lint: histories in memory in, diagnostics out, or an AssertionError for a test.

Counts no tokens and needs no data frames, so importing it costs little.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from headroom_cli import wire
from headroom_cli.lint.diagnostic import Diagnostic, diagnostics
from headroom_cli.lint.engine import Selection, judge, known_rules
from headroom_cli.lint.patterns import unknown_words
from headroom_cli.lint.providers import profiles_named
from headroom_cli.lint.sent import history_of
from headroom_cli.logs.detection.shapes import request_dialect
from headroom_cli.logs.exchange.exchanges import messages_of
from headroom_cli.wire.plain import as_plain

__all__ = ["NotSendable", "assert_sendable", "lint_messages"]

_WIDTH = 100


class NotSendable(AssertionError):  # noqa: N818 - it is what was asserted
    """A history that a provider would refuse: the report of `headroom lint` as text, and its `diagnostics`."""

    def __init__(self, report: str, diagnostics: list[Diagnostic]) -> None:
        super().__init__(report)
        self.diagnostics = diagnostics


def lint_messages(
    messages: Any,
    provider: str | Iterable[str] | None = None,
    *,
    judged_as: Literal["request", "history", "training"] | None = None,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
) -> list[Diagnostic]:
    """What `headroom lint` finds in a list of messages, or in the body of a request, of dicts or SDK objects.

    `provider` is one or several of those that `--provider` takes; None: that of the dialect and model. The other
    arguments are those of the command's options. Pointers start at what was given. Raises ValueError for a provider
    or a rule that does not exist.
    """
    plain = as_plain(messages)
    body = plain if isinstance(plain, dict) else {}
    rows = messages_of(body) if body else plain if isinstance(plain, list) else []
    if not rows:
        return []
    dialect = request_dialect(body) if body else None
    model = body.get("model", body.get("modelId"))
    history = history_of(
        rows,
        dialect or wire.dialect_of(rows),
        body=body,
        judged_as=judged_as,
        model=model if isinstance(model, str) else None,
    )
    selection = Selection(_words(select) if select is not None else None, (), _words(ignore))
    for word in unknown_words([*(selection.select or ()), *selection.ignore], known_rules().values()):
        raise ValueError(f"no rule is called {word!r}")
    return diagnostics(judge(history, profiles_named(provider), selection.rules()))


def assert_sendable(
    messages: Any,
    provider: str | Iterable[str] | None = None,
    *,
    judged_as: Literal["request", "history", "training"] | None = None,
    fail_on: Literal["error", "warning"] = "error",
    ignore: Iterable[str] = (),
) -> None:
    """Raise `NotSendable`, an AssertionError, if a provider would refuse the messages; its text is the report.

    For tests of agents and frameworks, as in `assert_sendable(agent.messages, provider="anthropic")`. The arguments
    are those of `lint_messages`; `fail_on="warning"` also fails for what may be refused.
    """
    failing = ("error",) if fail_on == "error" else ("error", "warning")
    found = [d for d in lint_messages(messages, provider, judged_as=judged_as, ignore=ignore) if d.severity in failing]
    if found:
        from headroom_cli.report.lint.text import finding

        pieces = ["\n".join(line.plain for line in finding(diagnostic, _WIDTH)) for diagnostic in found]
        raise NotSendable("\n\n".join(["these messages would be refused", *pieces]), found)


def _words(given: Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
