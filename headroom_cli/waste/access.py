"""Which part of which file a call shows, and what it writes into one, as far as its arguments tell."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from typing import Any, NamedTuple

from headroom_cli.waste.given import Given
from headroom_cli.waste.paths import is_writer, normalised, same_path

_READERS = frozenset(
    {
        "read", "readfile", "readtextfile", "view", "viewfile", "open", "openfile", "cat", "fsread", "notebookread",
        "getfilecontents", "getfilecontent",
    }
)  # fmt: skip
_SEARCHERS = frozenset({"grep", "grepsearch", "searchfile", "searchinfile"})
_FIRST_LINE_KEYS = ("offset", "start_line", "line_start", "start_line_one_indexed", "startLine")
_NEW_TEXT_KEYS = (
    "content", "file_text", "contents", "new_string", "new_str", "new_text", "new_source", "insert_text",
    "replacement_text", "newText",
)  # fmt: skip
_OLD_TEXT_KEYS = ("old_string", "old_str", "old_text", "oldText")

_SHOWING = re.compile(r"\s*(?:cd\s+\S+\s*&&\s*)?(?:cat|nl|bat|head|tail|sed|awk|e?grep|rg)\s")
_QUIET = re.compile(r"\s2>\s?(?:&1|/dev/null)")
_TOKEN = re.compile(r"(?:'[^']*+'|\"(?:[^\"\\]|\\.)*+\"|\\.|[^\s'\"|&;<>()\\])++|[|&;<>()]+|['\"\\]", re.DOTALL)
_OPERATOR = re.compile(r"[|&;<>()]+")
_SED_RANGE = re.compile(r"(\d+)(?:,(?:\d+|\$))?p")
_TAIL_FROM = re.compile(r"\+(\d+)")
_GREP_VALUES = ("-A", "-B", "-C", "-m")
_WITH_VALUE = {
    "head": ("-n", "-c"),
    "tail": ("-n", "-c"),
    "grep": _GREP_VALUES,
    "egrep": _GREP_VALUES,
    "rg": _GREP_VALUES,
}
_OTHER_GREP = frozenset({"-r", "-R", "-rn", "-nr", "-l", "-L", "-c", "-o", "--files"})
_MAX_SHOWING = 2_000

_NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LOOKING = frozenset(
    {"read", "view", "open", "grep", "glob", "search", "list", "ls", "find", "get", "fetch", "query", "show", "lookup"}
)
_CHANGING = frozenset(
    {
        "update",
        "delete",
        "remove",
        "create",
        "write",
        "set",
        "edit",
        "add",
        "insert",
        "replace",
        "run",
        "execute",
        "send",
    }
)
_PLANNING = frozenset({"todo", "todos", "plan", "think", "calculate"})
_LOOKING_PROGRAMS = frozenset(
    {
        "cd", "pwd", "ls", "cat", "head", "tail", "nl", "sed", "awk", "grep", "egrep", "rg", "find", "tree", "wc",
        "sort", "uniq", "cut", "tr", "diff", "file", "stat", "which", "type", "echo", "printf", "env", "jq", "date",
        "true", "test", "[", "ps", "du", "df",
    }
)  # fmt: skip
_LOOKING_GIT = frozenset({"status", "log", "diff", "show", "grep", "ls-files", "rev-parse", "blame", "ls-remote"})


class Shown(NamedTuple):
    """A file that a call shows a part of, or all. `first` is the number of the first line, None if it can't be told.

    `matches` says that a pattern picked the lines: they may have numbers in front, as `grep -n` writes them.
    `asks_numbers` says that the call asks for line numbers, as `nl` and `cat -n` do; tools that read give them unasked.
    """

    path: str
    first: int | None = 1
    matches: bool = False
    asks_numbers: bool = False


def shown_file(given: Given) -> Shown | None:
    """The one file that a call shows; None if it shows none, or several, or something else beside it."""
    fields = given.fields
    if given.paths:
        path = normalised(given.paths[0])
        if _shows(given):
            return Shown(path, _first_line(fields))
        if _tool(given.tool) in _SEARCHERS and fields.get("output_mode", "content") == "content":
            return Shown(path, None, matches=True, asks_numbers=fields.get("-n") is True)
        return None
    command = given.command
    if len(command) > _MAX_SHOWING or not _SHOWING.match(command):
        return None
    shown = _shown_by_shell(_QUIET.sub("", command))
    directory = fields.get("workdir")
    if shown is not None and isinstance(directory, str):
        return shown._replace(path=normalised(posixpath.join(directory, shown.path)))
    return shown


def only_looks(given: Given) -> bool:
    """Whether a call can change nothing: a tool that reads, or a command line of programs that only look."""
    words = set(tool_words(given.tool))
    if words & _PLANNING or (words & _LOOKING and not words & _CHANGING):
        return True
    if given.paths:
        return _shows(given)
    commands = _commands(_QUIET.sub("", given.command))
    return bool(commands) and all(map(_looks, commands))


@lru_cache(maxsize=1024)
def tool_words(name: str) -> tuple[str, ...]:
    """The words of a tool's name in lower case: those of `mcp__crm__listUsers` are `list` and `users`."""
    return tuple(word.lower() for word in _NAME_WORD.findall(name.rpartition("__")[2]))


def written_text(given: Given, path: str) -> str | None:
    """What a call writes into the file at `path`: the text it gives, the lines a patch has, or the whole command."""
    if patch := given.patch:
        return "\n".join(line[1:] for line in _section(patch, path) if line[:1] in ("+", " "))
    return _texts(given.fields, _NEW_TEXT_KEYS) or given.command or None


def replaced_text(given: Given, path: str) -> str | None:
    """What stood where a call writes into the file at `path`; None where the call doesn't tell, or replaces it all."""
    if patch := given.patch:
        return "\n".join(line[1:] for line in _section(patch, path) if line[:1] in ("-", " ")) or None
    return _texts(given.fields, _OLD_TEXT_KEYS)


def _shows(given: Given) -> bool:
    """Whether a tool with a path shows the file: a reader, or an editor that was asked to."""
    return _tool(given.tool) in _READERS or (is_writer(given.tool) and given.fields.get("command") == "view")


@lru_cache(maxsize=1024)
def _tool(name: str) -> str:
    """`mcp__fs__read_file` and `ReadFile` are `readfile`."""
    return name.rpartition("__")[2].replace("_", "").replace("-", "").lower()


def _first_line(fields: dict[str, Any]) -> int:
    told = [fields.get(key) for key in _FIRST_LINE_KEYS]
    lines = fields.get("view_range")
    told += lines[:1] if isinstance(lines, list) else ()
    return max(1, next((value for value in told if isinstance(value, int)), 1))


def _shown_by_shell(command: str) -> Shown | None:
    """The one file that a pipeline of programs shows which pick lines and change none."""
    directory = ""
    stages: list[list[str]] = [[]]
    for token in _TOKEN.findall(command):
        if token == "|":
            stages.append([])
        elif token == "&&" and len(stages) == 1 and stages[0][:1] == ["cd"] and len(stages[0]) == 2:
            directory = stages.pop()[1]
            stages.append([])
        elif _OPERATOR.fullmatch(token):
            return None
        else:
            stages[-1].append(token.replace("'", "").replace('"', ""))
    shown = _stage(stages[0])
    for words in stages[1:]:
        picked = _stage([*words, "-"]) if shown is not None else None
        if shown is None or picked is None or picked.path != "-":
            return None
        first = picked.first if shown.first == 1 else shown.first if picked.first == 1 else None
        shown = Shown(shown.path, first, shown.matches or picked.matches, shown.asks_numbers or picked.asks_numbers)
    if shown is None or shown.path == "-":
        return None
    return shown._replace(path=normalised(posixpath.join(directory, shown.path)))


def _stage(words: list[str]) -> Shown | None:
    """What one program shows of its one file."""
    if not words:
        return None
    program, options, operands = words[0], [], []
    rest = iter(words[1:])
    for word in rest:
        if word in _WITH_VALUE.get(program, ()):
            options.append(next(rest, ""))
        elif word.startswith("-") and word != "-":
            options.append(word)
        else:
            operands.append(word)
    if not operands or any(character in operands[-1] for character in "*?$`{"):
        return None
    path = operands.pop()
    numbers = program == "nl" or any("n" in option for option in options if not option.startswith("--"))
    if program in ("cat", "nl", "bat", "head") and not operands:
        return Shown(path, asks_numbers=numbers and program != "head")
    if program == "tail" and not operands:
        start = next(filter(None, (_TAIL_FROM.fullmatch(option.removeprefix("-n")) for option in options)), None)
        return Shown(path, int(start[1]) if start else None)
    if program == "sed" and "-n" in options and len(operands) == 1:
        lines = _SED_RANGE.fullmatch(operands[0])
        return Shown(path, int(lines[1]) if lines else None)
    if program == "awk" and len(operands) == 1 and operands[0].startswith("NR"):
        return Shown(path, None)
    if program in ("grep", "egrep", "rg") and len(operands) == 1 and _OTHER_GREP.isdisjoint(options):
        return Shown(path, None, matches=True, asks_numbers=numbers)
    return None


def _commands(line: str) -> list[list[str]]:
    """The words of each simple command of a command line."""
    commands: list[list[str]] = [[]]
    for token in _TOKEN.findall(line):
        if _OPERATOR.fullmatch(token):
            commands.append([])
        else:
            commands[-1].append(token.replace("'", "").replace('"', ""))
    return [words for words in commands if words]


def _looks(words: list[str]) -> bool:
    program = posixpath.basename(words[0])
    if program == "git":
        return any(word in _LOOKING_GIT for word in words[1:4])
    return program in _LOOKING_PROGRAMS and not any(word.startswith(("-i", "--in-place", "-exec")) for word in words)


def _section(patch: str, path: str) -> list[str]:
    """The lines of a patch that are about one file, with their marks."""
    found: list[str] = []
    inside = False
    for line in patch.split("\n"):
        if line.startswith("*** "):
            named = line.partition(" File: ")[2] or line.partition("*** Move to: ")[2]
            inside = same_path(named.strip(), path) if named else inside and not line.startswith("*** End Patch")
        elif inside:
            found.append(line)
    return found


def _texts(fields: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    """The texts that a call gives under these keys, also once for each of several edits."""
    edits = fields.get("edits")
    several = [edit for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else []
    texts = [value for given in (fields, *several) for key in keys if isinstance(value := given.get(key), str)]
    return "\n".join(texts) if texts else None
