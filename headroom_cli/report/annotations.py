"""Workflow commands of GitHub Actions.

GitHub shows at most 10 errors and 10 warnings of a step: the 9 worst of each kind are annotated, one more counts the
rest. No text of a log can be a workflow command: values are escaped, and no line of a report begins like one.
"""

from __future__ import annotations

import re

from headroom_cli.report.words import plain

_SHOWN = 9
_MESSAGE = 1000
_COMMAND = re.compile(r"^(\s*):(?=:)")


def harmless(line: str) -> str:
    """A line that the runner does not take for a command, in neither of the two forms that it knows."""
    return _COMMAND.sub(r"\1: ", line).replace("##[", "# #[")


def most(title: str, name: str, commands: list[str]) -> list[str]:
    """As many as GitHub shows; the last of them counts the rest."""
    if len(commands) <= _SHOWN + 1:
        return commands
    more = f"+ {len(commands) - _SHOWN:,} more, see the log"
    return [*commands[:_SHOWN], command(name, None, 0, 0, title, more)]


def command(name: str, file: str | None, line: int, column: int, title: str, message: str) -> str:
    """One annotation; `line` and `column` from 1 (0: none), `file` from the repository's root."""
    properties = []
    if file is not None:
        properties.append(f"file={_property(file)}")
        if line > 0:
            properties.append(f"line={line}")
            properties.append(f"col={max(column, 1)}")
    properties.append(f"title={_property(title)}")
    return f"::{name} {','.join(properties)}::{_data(plain(message, _MESSAGE))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A").replace("##[", "# #[")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
