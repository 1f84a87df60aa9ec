"""What earlier runs of `lint` found in files that have not changed since."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from headroom_cli.lint.base import Fix
from headroom_cli.lint.diagnostic import Diagnostic, Mention
from headroom_cli.lint.files import CheckedFile, Judged, JudgedHistory, Options
from headroom_cli.packs import Packs, too_scattered
from headroom_cli.parallel import KILLED
from headroom_cli.source.discover import Found
from headroom_cli.source.stamps import Stamp, stamp_of
from headroom_cli.source.walk import path_text

_PART = "judged.jsonl"


class Kept:
    """What is known of these files, as they are now, judged with these options."""

    def __init__(self, options: Options, files: Iterable[Found], folder: Path | None = None) -> None:
        self._packs = Packs("lint", _told(options), folder)
        self._stamps: dict[str, Stamp] = {}
        for file in files:
            name = str(file.path)
            # A name that is no UTF-8 cannot be told from another one in a pack.
            if not file.stdin and name == path_text(name) and (stamp := stamp_of(name)) is not None:
                self._stamps[name] = stamp
        self._known: dict[str, bytes] = {}
        holding = self._packs.holding(self._stamps)
        for pack, paths in holding:
            data = pack.part(_PART)
            if data is None:
                pack.remove()
                continue
            lines = dict(zip(pack.files, data.split(b"\n"), strict=False))
            self._known.update((path, lines[path]) for path in paths)
            pack.touch()
        self._scattered = too_scattered(len(holding))

    def of(self, file: Found) -> Judged | None:
        """What is known of a file."""
        line = self._known.get(str(file.path))
        return _judged(orjson.loads(line), file) if line is not None else None

    def store(self, judged: Iterable[tuple[Found, Judged]]) -> None:
        """Keep what was judged anew, of files that would be judged the same again."""
        lines: dict[str, bytes] = {}
        for file, (checked, found) in judged:
            path = str(file.path)
            if path in self._known:
                if self._scattered:
                    lines[path] = self._known[path]
            elif path in self._stamps and checked.skipped != KILLED:
                try:
                    lines[path] = orjson.dumps([checked, found])
                except TypeError:
                    continue  # half a surrogate pair somewhere in a text: judged anew each time
        if lines:
            files = {path: (self._stamps[path], None) for path in lines}
            self._packs.store(files, {_PART: b"\n".join(lines.values())})


def _told(options: Options) -> str:
    """The options that decide what is found; None as for `Options`."""
    providers = None if options.providers is None else [profile.name for profile in options.providers]
    rules = None if options.rules is None else [rule.code for rule in options.rules]
    return repr((providers, options.judged_as, rules, options.limits))


def _judged(entry: list[Any], file: Found) -> Judged:
    checked, found = entry
    histories = tuple(JudgedHistory(**history) for history in checked["histories"])
    return CheckedFile(**{**checked, "histories": histories, "named": file.named}), [_diagnostic(one) for one in found]


def _diagnostic(entry: dict[str, Any]) -> Diagnostic:
    diagnostic = Diagnostic(**entry)
    return replace(
        diagnostic,
        refs=tuple(diagnostic.refs),
        also=tuple(diagnostic.also),
        call_ids=tuple(diagnostic.call_ids),
        mentions=tuple(Mention(**mention) for mention in entry["mentions"]),
        fix=Fix(**entry["fix"]) if entry["fix"] is not None else None,
    )
