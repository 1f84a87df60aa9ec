"""Which files and rules the configuration speaks of: paths as patterns, rules as codes or their beginnings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from headroom_cli.lint.base import Rule


class PathPatterns:
    """Rules by pattern of paths, relative to `root`: `*` stays within a folder, `**` does not.

    A pattern without a slash is one of file names.
    """

    def __init__(self, rules: Mapping[str, Iterable[str]], root: Path) -> None:
        self.entries = [(pattern, word) for pattern, words in rules.items() for word in words]
        self._root = root

    def holding(self, path: str) -> list[tuple[str, str]]:
        """The entries whose pattern matches a path."""
        relative = relative_path(path, self._root)
        return [(pattern, word) for pattern, word in self.entries if _matches(pattern, relative)]


def names_rule(word: str, code: str, name: str) -> bool:
    """Whether a word of the configuration means a rule: its code, the beginning of it, its name, or ALL."""
    return code.startswith(word) or word in (name, "ALL")


def unknown_words(words: Iterable[str], rules: Iterable[Rule]) -> list[str]:
    """The words that mean no rule at all."""
    known = list(rules)
    return [word for word in words if not word or not any(names_rule(word, rule.code, rule.name) for rule in known)]


def relative_path(path: str, root: Path) -> str:
    """A path from `root`, with forward slashes; one outside of it as it is."""
    absolute = os.path.abspath(path)
    try:
        relative = os.path.relpath(absolute, root)
    except ValueError:  # another drive
        return Path(absolute).as_posix()
    return Path(absolute if relative.split(os.sep)[0] == os.pardir else relative).as_posix()


def _matches(pattern: str, path: str) -> bool:
    if _expression(pattern).fullmatch(path):
        return True
    return "/" not in pattern and _expression(pattern).fullmatch(path.rpartition("/")[2]) is not None


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.removeprefix("./"))
    meant = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meant.get(piece) or re.escape(piece) for piece in pieces), re.DOTALL)
