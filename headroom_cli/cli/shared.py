"""What several commands need: configuration, files, and words about time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from headroom_cli.cli.exits import USAGE, Ending

if TYPE_CHECKING:
    from headroom_cli.config import Config
    from headroom_cli.cost import PriceList

_SPAN = re.compile(r"^(\d{1,6})\s*(m|h|d|w)$")
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def load_config(explicit: Path | None, max_line: str | None = None) -> Config:
    """The configuration in force here, with what the command line says; a broken one ends it as wrong usage."""
    from headroom_cli.config import ConfigProblem, load, user_file

    try:
        here = Path.cwd()
    except FileNotFoundError as error:
        raise Ending(USAGE, "the working directory is gone; change to one that exists") from error
    try:
        config = load(here, explicit=explicit, user=user_file())
        if max_line is not None:
            config = replace(config, values={**config.values, "max-line": max_line})
        config.limits()
        if config.zone() is None:
            datetime.now().astimezone()
    except ConfigProblem as problem:
        raise Ending(USAGE, str(problem)) from problem
    except (ValueError, OverflowError) as problem:
        raise Ending(USAGE, "the machine's time zone (TZ) is none; set TZ, or timezone in headroom.toml") from problem
    return config


def prices_of(loaded: Config) -> PriceList:
    """List prices, and those that the configuration knows better."""
    from headroom_cli.cost import PriceList

    return PriceList(loaded["prices"])


@contextmanager
def tokenizer_refused() -> Iterator[None]:
    """A tokenizer that can't be had as asked ends the command as wrong usage."""
    from headroom_cli.tokens import TokenizerError

    try:
        yield
    except TokenizerError as problem:
        raise Ending(USAGE, str(problem)) from problem


def moment(text: str, zone: tzinfo | None, option: str, *, now: datetime | None = None) -> int | None:
    """A point in time in microseconds UTC: `30d`, `12h`, `2026-11-01`, an ISO time; `all` is None.

    Dates and times without an offset are meant in `zone` (None: the machine's).
    """
    word = text.strip()
    if word == "all":
        return None
    present = now or datetime.now(UTC)
    span = _SPAN.match(word)
    try:
        if span:
            when = present - int(span[1]) * _UNITS[span[2]]
        else:
            when = datetime.fromisoformat(word)
            if when.tzinfo is None:
                when = when.replace(tzinfo=zone) if zone else when.astimezone()
        return int(when.timestamp()) * 1_000_000 + when.microsecond
    except (ValueError, OverflowError) as error:
        raise Ending(
            USAGE, f"{option}: cannot read {text!r}; write 30d, 12h, 2026-11-01, 2026-11-01T09:30, or all"
        ) from error
