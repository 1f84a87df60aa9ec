"""What a call was given, taken apart once for all that look at it."""

from __future__ import annotations

import shlex
from typing import Any

import orjson

_PATH_KEYS = ("file_path", "path", "absolute_path", "notebook_path", "filename", "filepath", "file", "target_file")
_ANY_PATH_KEY = frozenset(_PATH_KEYS)
_COMMAND_KEYS = ("command", "cmd", "script")
_PATCH_BEGIN = "*** Begin Patch"
_PATCH_KEYS = ("input", "patch", "patchText")
_MAX_COMMAND = 20_000


class Given:
    """The `tool` and `arguments` of a call, as recorded: an object, or a string that may hold one.

    `fields` are the arguments as an object, empty if they are none; `paths` those that stand in an argument of their
    own; `command` is the command line of a shell call, empty for others.
    """

    __slots__ = ("arguments", "command", "fields", "paths", "tool")

    def __init__(self, tool: str, arguments: Any) -> None:
        self.tool = tool
        self.arguments = arguments
        self.fields = _fields(arguments)
        self.paths = _paths(self.fields)
        self.command = _command(self.fields)

    @property
    def patch(self) -> str:
        """The patch, in the format of `apply_patch`, that the call or its command holds; empty if there is none."""
        text = next((value for key in _PATCH_KEYS if isinstance(value := self.fields.get(key), str)), None)
        if text is None:
            text = self.arguments if isinstance(self.arguments, str) and not self.fields else self.command
        return text if _PATCH_BEGIN in text else ""


def _fields(arguments: Any) -> dict[str, Any]:
    if isinstance(arguments, str) and arguments.lstrip()[:1] == "{":
        try:
            arguments = orjson.loads(arguments)
        except orjson.JSONDecodeError:
            return {}
    return arguments if isinstance(arguments, dict) else {}


def _paths(fields: dict[str, Any]) -> list[str]:
    if _ANY_PATH_KEY.isdisjoint(fields):
        return []
    return [value for key in _PATH_KEYS if isinstance(value := fields.get(key), str) and value]


def _command(fields: dict[str, Any]) -> str:
    """A string, or an argument vector (the script itself behind `sh -c`)."""
    for key in _COMMAND_KEYS:
        value = fields.get(key)
        if isinstance(value, str):
            return value[:_MAX_COMMAND]
        if isinstance(value, list):
            words = [word for word in value if isinstance(word, str)]
            is_script = len(words) >= 3 and words[1] in ("-c", "-lc")
            return (words[2] if is_script else shlex.join(words))[:_MAX_COMMAND]
    action = fields.get("action")
    return _command({**action, "action": None}) if isinstance(action, dict) else ""
