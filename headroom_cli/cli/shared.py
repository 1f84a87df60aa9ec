"""What several commands need: configuration, files, and words about time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from headroom_cli.cli.exits import USAGE, Ending
from headroom_cli.cli.options import UnknownFiles

if TYPE_CHECKING:
    from headroom_cli.analysis import Analyser
    from headroom_cli.config import Config
    from headroom_cli.cost import PriceList
    from headroom_cli.result import FileReport

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


def analyser_for(loaded: Config) -> Analyser:
    """An analyser with the configured settings; what is wrong with them ends the command as wrong usage."""
    from headroom_cli.analysis import Analyser, Settings
    from headroom_cli.waste import pages

    unknown = [name for name in loaded["signals.ignore"] if name not in pages()]
    if unknown:
        raise Ending(USAGE, f"{loaded.path}: signals.ignore: no signal is called {unknown[0]!r}")
    settings = Settings(
        reread_min_tokens=loaded["signals.reread.min-tokens"],
        reread_gap=loaded["signals.reread.gap"],
        ignored_signals=frozenset(loaded["signals.ignore"]),
        limits=loaded.limits(),
    )
    return Analyser(settings=settings)


def refuse_unreadable(files: list[FileReport], unknown_files: UnknownFiles | None) -> None:
    """A file that the user named must be readable; one found in a walk is counted, unless asked otherwise."""
    strict: dict[UnknownFiles | None, Callable[[FileReport], bool]] = {
        None: lambda file: file.named,
        UnknownFiles.error: lambda _: True,
        UnknownFiles.skip: lambda _: False,
    }
    refused = [file for file in files if file.skipped and file.skipped != "empty" and strict[unknown_files](file)]
    if refused:
        others = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        raise Ending(USAGE, f"could not read {refused[0].path}: {refused[0].skipped}{others}")


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
