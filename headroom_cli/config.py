"""`headroom.toml`: what is in force, and where it comes from.

The nearest file wins whole: from the working directory up to the repository root, `headroom.toml` or `[tool.headroom]`
in `pyproject.toml`; else the user's own `headroom.toml`. The command line wins over all.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from headroom_cli.source.stream import Limits, limits_for
from headroom_cli.version import __version__

FILE_NAME = "headroom.toml"
_SIZE = re.compile(r"0*([1-9]\d{0,5}) ?(MB|GB)", re.IGNORECASE)
_UNITS = {"MB": 1_000_000, "GB": 1_000_000_000}


class ConfigProblem(Exception):  # noqa: N818 - the command line reports it as wrong usage
    """A configuration that can't be used; the text names the file, the key and the way out."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the configuration: its type, default, meaning, and the values it may have (none given: any).

    `values` is what a table holds: lists of strings, strings, or prices (see `cost.PriceList`).
    """

    type: type | tuple[type, ...]
    default: Any
    meaning: str
    choices: tuple[str, ...] = ()
    values: Literal["lists", "strings", "prices"] = "lists"


KEYS: dict[str, Key] = {
    "required-version": Key(str, "", "versions of headroom that may use this file, as in `>=0.4`"),
    "timezone": Key(str, "", "zone of days and times on screens (IANA name); empty: the machine's"),
    "max-line": Key(
        str, "64MB", "longest line of a log that is read, and of documents more than 256 MB; as in `300MB`"
    ),
    "roots": Key(list, [], "folders to search instead of the clients' own when no path is given"),
    "analyze.since": Key(str, "30d", "window of `headroom analyze` without a path: `30d`, `12h`, a date, or `all`"),
    "analyze.by": Key(list, [], "dimensions that `headroom analyze` groups by"),
    "analyze.budget.max-avoidable": Key(str, "", "most that may be avoidable of one conversation's cost, as in `10%`"),
    "analyze.budget.max-cost": Key((int, float), 0, "most that one conversation may cost, in dollars; 0: no limit"),
    "analyze.budget.max-context": Key((str, int), "", "largest context of one conversation in tokens, as in `150k`"),
    "lint.include": Key(list, [], "patterns of the files that `headroom lint` checks without a path"),
    "lint.provider": Key(list, [], "providers to judge for; empty: those of each history's dialect and model"),
    "lint.select": Key(list, [], "rules that are checked, as in `HR103` or `HR1`; empty: all that are not off"),
    "lint.extend-select": Key(list, [], "rules that are checked as well, as in `HR8`"),
    "lint.ignore": Key(list, [], "rules that are not checked"),
    "lint.fail-on": Key(str, "error", "least severity that fails a run: `error` or `warning`", ("error", "warning")),
    "lint.unknown-files": Key(
        str, "", "files of no known format: `error`, or `skip`; empty: `error` if named", ("", "error", "skip")
    ),
    "lint.baseline": Key(str, "", "file of the findings that are known and do not fail a run"),
    "lint.per-file-ignores": Key(dict, {}, "rules that are not reported, by pattern of paths"),
    "lint.expect": Key(dict, {}, "rules whose findings must be there, by pattern of paths"),
    "export.labels": Key(
        dict, {}, 'labels of an export, as in `{ team = "core" }`; `${NAME}` is the environment\'s', values="strings"
    ),
    "export.partition-by": Key(list, [], "how an export's tables are split into folders: `month`"),
    "prices": Key(
        dict, {}, "prices of models: `{ same-as = MODEL }`, or USD per million as `input`, `output` …", values="prices"
    ),
    "signals.ignore": Key(list, [], "waste signals that are not looked for"),
    "signals.reread.min-tokens": Key(int, 50, "smallest result that can be a re-read"),
    "signals.reread.gap": Key(int, 3, "steps within which a repeat is polling"),
}


@dataclass(frozen=True, slots=True)
class Config:
    """Values by dotted key, and the file each was read from (absent: the default)."""

    values: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None

    def __getitem__(self, key: str) -> Any:
        return self.values.get(key, KEYS[key].default)

    def zone(self) -> tzinfo | None:
        """The configured time zone; None for the machine's."""
        name = self["timezone"]
        if not name:
            return None
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ConfigProblem(f"{self.path}: timezone: no zone is called {name!r}") from error

    def limits(self) -> Limits:
        """What is read at most; raises `ConfigProblem`."""
        found = _SIZE.fullmatch(self["max-line"].strip())
        if found is None:
            raise ConfigProblem(f"max-line: cannot read {self['max-line']!r}; write 64MB, or 1GB")
        return limits_for(int(found[1]) * _UNITS[found[2].upper()])


def load(directory: Path, *, explicit: Path | None = None, user: Path | None = None) -> Config:
    """The configuration in force for `directory`. `explicit` names the file; raises `ConfigProblem`."""
    if explicit is not None:
        if not os.path.isfile(explicit):
            raise ConfigProblem(f"no such configuration file: {explicit}")
        return _read(explicit)
    for candidate in _candidates(directory, user):
        config = _read(candidate)
        if candidate.name == FILE_NAME or config.values:
            return config
    return Config()


def user_file() -> Path:
    """Where a user keeps a configuration of their own."""
    import platformdirs

    return Path(platformdirs.user_config_dir("headroom", appauthor=False)) / FILE_NAME


def _candidates(directory: Path, user: Path | None) -> Iterator[Path]:
    for folder in (directory, *directory.parents):
        for name in (FILE_NAME, "pyproject.toml"):
            if os.path.isfile(folder / name):
                yield folder / name
        if (folder / ".git").exists():
            break
    if user is not None and os.path.isfile(user):
        yield user


def _read(path: Path) -> Config:
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigProblem(f"{path}: {error}") from error
    if path.name == "pyproject.toml":
        table = document.get("tool", {}).get("headroom", {})
        if not isinstance(table, dict):
            raise ConfigProblem(f"{path}: tool.headroom is not a table")
    else:
        table = document
    values = dict(_flat(table, ""))
    for key, value in values.items():
        _check(path, key, value)
    config = Config(values, path)
    _check_version(path, config["required-version"])
    return config


def _flat(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict) and key not in KEYS:
            yield from _flat(value, f"{key}.")
        else:
            yield key, value


def _check(path: Path, key: str, value: Any) -> None:
    if key not in KEYS:
        near = difflib.get_close_matches(key, KEYS, n=1)
        hint = f"; did you mean {near[0]}?" if near else f"; known keys: {', '.join(KEYS)}"
        raise ConfigProblem(f"{path}: unknown key {key}{hint}")
    expected = KEYS[key].type
    wrong = not isinstance(value, expected) or (isinstance(value, bool) and expected is not bool)
    if wrong or (isinstance(value, int) and value < 0):
        kind = expected.__name__ if isinstance(expected, type) else " or ".join(t.__name__ for t in expected)
        raise ConfigProblem(f"{path}: {key} must be {_article(kind)}, not {value!r}")
    if isinstance(value, dict) and KEYS[key].values == "prices":
        from headroom_cli.cost import PriceList, PriceProblem

        try:
            PriceList(value)
        except PriceProblem as problem:
            raise ConfigProblem(f"{path}: {key}: {problem}") from problem
        return
    if isinstance(value, dict) and KEYS[key].values == "strings":
        if not all(isinstance(item, str) for item in value.values()):
            raise ConfigProblem(f"{path}: {key} must be a table of strings")
        return
    lists = value.values() if isinstance(value, dict) else [value] if isinstance(value, list) else []
    for items in lists:
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise ConfigProblem(f"{path}: {key} must be {_article(KEYS[key].type.__name__)}")  # type: ignore[union-attr]
    choices = KEYS[key].choices
    if choices and value not in choices:
        raise ConfigProblem(f"{path}: {key} must be {' or '.join(repr(c) for c in choices if c)}, not {value!r}")


def _article(kind: str) -> str:
    return {
        "str": "a string",
        "int": "a whole number",
        "list": "a list of strings",
        "dict": "a table",
    }.get(kind, kind)


def _check_version(path: Path, required: str) -> None:
    for clause in required.split(",") if required else ():
        text = clause.strip()
        operator = next((op for op in (">=", "==", "<=", ">", "<") if text.startswith(op)), None)
        try:
            wanted = tuple(int(part) for part in text[len(operator or "") :].strip().split("."))
        except ValueError:
            operator = None
        if operator is None:
            raise ConfigProblem(f"{path}: required-version: cannot read {text!r} (as in '>=0.4')")
        have = tuple(int(part) for part in __version__.split(".")[: len(wanted)])
        holds = {
            ">=": have >= wanted,
            "==": have == wanted,
            "<=": have <= wanted,
            ">": have > wanted,
            "<": have < wanted,
        }
        if not holds[operator]:
            raise ConfigProblem(f"{path} requires headroom {required}; this is {__version__}")
