"""Which conversations and requests a report is about: a window of time, and filters by name."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import polars as pl


@dataclass(frozen=True, slots=True)
class Selection:
    """Filters; an empty tuple or None selects everything. Times are microseconds since the epoch, UTC.

    Requests are selected by their time and model; messages, their blocks and findings with the request that made them
    or first saw them. What has no time is selected. Names match whole or as a pattern (`*`), models also by their
    beginning.
    """

    since: int | None = None
    until: int | None = None
    models: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    def conversations(self) -> pl.Expr:
        """Rows of conversations (with `project`) that the filters by name select."""
        return _named("project", self.projects) & _named("client", self.clients) & _named("kind", self.kinds)

    def requests(self) -> pl.Expr:
        """Rows of requests in the window, of the models asked for."""
        return self.window() & _named("model", self.models, by_prefix=True)

    def window(self) -> pl.Expr:
        """Rows whose `timestamp` lies in the window or is not known."""
        time = pl.col("timestamp")
        inside = pl.lit(True)
        if self.since is not None:
            inside = inside & (time >= self.since)
        if self.until is not None:
            inside = inside & (time < self.until)
        return time.is_null() | inside

    @property
    def is_everything(self) -> bool:
        """Whether nothing is filtered."""
        return self == Selection()


def _named(column: str, patterns: tuple[str, ...], *, by_prefix: bool = False) -> pl.Expr:
    if not patterns:
        return pl.lit(True)
    return pl.col(column).map_elements(_matcher(patterns, by_prefix), return_dtype=pl.Boolean).fill_null(False)


@cache
def _matcher(patterns: tuple[str, ...], by_prefix: bool) -> Callable[[str], bool]:
    lowered = [pattern.lower() for pattern in patterns]

    @cache
    def matches(name: str) -> bool:
        text = name.lower()
        return any(fnmatch.fnmatchcase(text, p) or (by_prefix and text.startswith(p)) for p in lowered)

    return matches
