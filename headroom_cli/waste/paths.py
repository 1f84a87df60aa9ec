"""Which files a call reads or writes, as far as its arguments tell."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from typing import Any, NamedTuple

from headroom_cli.waste.given import Given

_WRITERS = frozenset(
    {
        "Edit", "Write", "MultiEdit", "NotebookEdit", "edit_file", "write_file", "create_file", "str_replace",
        "str_replace_editor", "str_replace_based_edit_tool", "edit", "write", "insert_edit_into_file",
        "replace", "replace_in_file", "search_replace", "apply_diff", "write_to_file", "apply_patch", "multi_edit",
        "text_editor_code_execution", "memory",
    }
)  # fmt: skip
_EDITOR_READS = ("view", "read", "list")
_PATCH_FILE = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)
_REDIRECT = re.compile(r"(?:^|[^0-9&>])[0-9&]?>{1,2}\|?\s*(\"[^\"]+\"|'[^']+'|[^\s;&|<>()]+)")
_SEPARATORS = re.compile(r"[;&|\n]+")
_PREFIXES = frozenset({"sudo", "env", "time", "nohup"})
_PREPARING = frozenset({"cd", "pushd", "export", "set", "source", "."})
_WRITING = frozenset({"tee", "mv", "rm", "touch", "truncate"})
_MAY_WRITE = re.compile(rf"\b(?:cp|sed|perl|{'|'.join(sorted(_WRITING))})\b")
_IN_PLACE = re.compile(r"-[A-Za-z]*i|--in-place")
_FILE_READERS = frozenset(
    {"cat", "sed", "head", "tail", "nl", "bat", "less", "more", "awk", "grep", "rg", "ls", "find", "tree", "diff"}
)
_TREE_READERS = frozenset(
    {"Grep", "Glob", "LS", "grep", "glob", "ls", "grep_search", "file_search", "codebase_search", "list_dir"}
)
_READING = re.compile(r"\bGet-Content\b|\b(?:git|gh\s+pr)\s+(?:diff|show|grep|ls-files)\b")
_SUBAGENTS = frozenset({"Task", "Agent", "spawn_agent", "spawn_agents"})
_UPHEAVAL = re.compile(
    r"\bgit\s+(?:-\S+\s+\S+\s+)*(?:merge|rebase|checkout|switch|reset|restore|pull|stash|apply|am|cherry-pick|revert|clean)\b"
    r"|\b(?:black|isort|gofmt\s+-w|goimports\s+-w|rustfmt|prettier\s+.*--write|ruff\s+format|ruff\s+.*--fix|eslint\s+.*--fix)\b"
    r"|\b(?:make|run|just|task|yarn|pnpm)\s+(?:fmt|format)\b"
    r"|\b(?:cargo\s+fmt|go\s+fmt|go\s+generate|terraform\s+fmt|npm\s+install|patch\s+-p)\b"
)
_SHOWN = 80


def written_paths(given: Given) -> list[str]:
    """Paths that a call writes: editing tools, `apply_patch`, and shell commands that redirect or edit."""
    if patch := given.patch:
        return _patched(patch)
    if is_writer(given.tool) and given.fields.get("command") not in _EDITOR_READS:
        return given.paths
    command = given.command
    if not command:
        return []
    targets = [match.strip("'\"") for match in _REDIRECT.findall(command)] if ">" in command else []
    if _MAY_WRITE.search(command):
        for simple in _SEPARATORS.split(command):
            targets += _written_by(_words(simple))
    return [target for target in targets if not target.startswith(("/dev/", "&"))]


def _written_by(words: list[str]) -> list[str]:
    """The files that one simple command writes, as far as its program tells; its last operand alone for `cp`."""
    for index, word in enumerate(words[:4]):
        program = posixpath.basename(word)
        rest = words[index + 1 :]
        operands = [word for word in rest if not word.startswith("-")]
        if program == "cp":
            return operands[-1:]
        if program in _WRITING or (program in ("sed", "perl") and any(map(_IN_PLACE.match, rest))):
            return operands
    return []


@lru_cache(maxsize=1024)
def is_writer(name: str) -> bool:
    """Whether a tool writes files, unless its `command` says otherwise; `mcp__files__edit_file` is `edit_file`."""
    return name.rpartition("__")[2] in _WRITERS


def changes_tree(given: Given) -> bool:
    """Whether a call may have written any number of files that it does not name: git, formatters, subagents."""
    return given.tool in _SUBAGENTS or _UPHEAVAL.search(given.command) is not None


def read_paths(given: Given) -> list[str]:
    """Paths that a call names: the tool's path argument, or each word of a shell command that may be one."""
    words = () if given.paths else _words(given.command)
    return given.paths or [word for word in words if not word.startswith("-") and ("/" in word or "." in word)]


def looks_at_tree(given: Given) -> bool:
    """Whether the result of a call may depend on any file: a command of a shell, a search, a listing."""
    return given.tool.rpartition("__")[2] in _TREE_READERS or bool(given.command)


def same_path(one: str, other: str) -> bool:
    """Whether two spellings can name one file: equal when normalised, or one ends with the other."""
    if one == other:
        return True
    a, b = normalised(one), normalised(other)
    return a == b or a.endswith("/" + b) or b.endswith("/" + a)


@lru_cache(maxsize=4096)
def normalised(path: str) -> str:
    """The path with forward slashes and without `.` and `..`."""
    return posixpath.normpath(path.replace("\\", "/"))


def _patched(patch: str) -> list[str]:
    return [(first or second).strip() for first, second in _PATCH_FILE.findall(patch)]


def _words(command: str) -> list[str]:
    return [word.strip("'\"();&|<>") for word in command.split()]


class CallTarget(NamedTuple):
    """What a call was about: the file it names or the program it runs, and a short line for people.

    `shows_file` says that the result is the content of a file as it lies on disk, a listing, or a difference; `writes`
    that the call writes the file it names.
    """

    path: str | None
    command: str | None
    summary: str
    shows_file: bool = False
    writes: bool = False


def call_target(given: Given) -> CallTarget:
    """The target of a call. `summary` is the tool with its telling argument, at most 80 characters of it."""
    named, tool = given.paths, given.tool
    line = "" if named else given.command
    recorded = given.arguments if isinstance(given.arguments, str) else ""
    telling = named[0] if named else line or _first_text(given.fields) or recorded
    shown = " ".join(telling[:400].split())
    program = _program(line)
    return CallTarget(
        normalised(named[0]) if named else None,
        program,
        f"{tool} {shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + '…'}".strip(),
        bool(named) or program in _FILE_READERS or _READING.search(line) is not None,
        bool(named) and is_writer(tool) and given.fields.get("command") not in _EDITOR_READS,
    )


def _first_text(fields: dict[str, Any]) -> str:
    return next((value for value in fields.values() if isinstance(value, str) and value), "")


def _program(line: str) -> str | None:
    """The first program of a command line that does more than prepare for the next."""
    for simple in _SEPARATORS.split(line[:400]):
        words = (word.strip("'\"()") for word in simple.split() if "=" not in word)
        program = next((word for word in words if word and word not in _PREFIXES), None)
        if program and program not in _PREPARING:
            return posixpath.basename(program) or None
    return None
