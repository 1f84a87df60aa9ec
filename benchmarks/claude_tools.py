"""What the tools of a Claude Code session answer: results as the model saw them, and the twins the harness keeps."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from benchmarks.text import Language, Text

TODO_ANSWER = (
    "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. "
    "Please proceed with the current tasks if applicable"
)
EDITED = "The file {} has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n"
COMMANDS = (
    "pytest -q tests/{}",
    "git diff --stat src/{}",
    "ruff check src/{}",
    "ls -la src/{}",
    "go test ./{}/...",
    "npm test -- {}",
)


class Call(NamedTuple):
    """A tool call with what came back: the result as sent, the twin that the harness keeps, and whether it failed."""

    name: str
    arguments: dict[str, Any]
    result: Any
    twin: Any
    error: bool = False


def language_of(path: str) -> Language:
    """The language of a file, from its suffix."""
    suffix = path.rpartition(".")[2]
    return suffix if suffix in ("go", "ts", "md") else "py"  # type: ignore[return-value]


class Workspace:
    """The files of one project as the agent reads and edits them."""

    def __init__(self, text: Text, project: str) -> None:
        self.rng, self.text, self.project = text.rng, text, project
        self.files: dict[str, list[str]] = {}
        self.reads: list[tuple[str, int, int]] = []
        self.commands: list[str] = []

    def read(self) -> Call:
        """A file or a part of it; now and then one that was read before, with the same range."""
        rng, text = self.rng, self.text
        if self.reads and rng.random() < 0.16:
            path, start, count = self.reads[int(rng.random() * len(self.reads))]
        else:
            path = text.path() if len(self.files) < 5 or rng.random() < 0.22 else text.pick(list(self.files))
            start, count = (1, 2000) if rng.random() < 0.1 else (text.number(1, 500), text.number(15, 72))
            self.reads.append((path, start, count))
        lines = self.file(path)
        start = min(start, len(lines))
        part = lines[start - 1 : start - 1 + count]
        arguments: dict[str, Any] = {"file_path": f"{self.project}/{path}"}
        if count != 2000:
            arguments |= {"offset": start, "limit": count}
        twin = {
            "type": "text",
            "file": {
                "filePath": arguments["file_path"],
                "content": "\n".join(part),
                "numLines": len(part),
                "startLine": start,
                "totalLines": len(lines),
            },
        }
        return Call("Read", arguments, "\n".join(f"{n:>6}→{line}" for n, line in enumerate(part, start)), twin)

    def file(self, path: str) -> list[str]:
        """The lines of a project file, written when first asked for."""
        lines = self.files.get(path)
        if lines is None:
            lines = self.files[path] = self.text.code(self.text.skewed(560, 2000) + 40, language_of(path))
        return lines

    def edit(self) -> Call:
        """An edit of a known file. The twin holds the whole original file: most bytes of a real log are these."""
        text, path = self.text, self.text.pick(list(self.files) or [self.text.path()])
        lines = self.file(path)
        at = text.number(0, max(1, len(lines) - 12))
        old = lines[at : at + text.number(1, 10)]
        new = text.code(len(old) + text.number(0, 9), language_of(path))
        original = "\n".join(lines)
        lines[at : at + len(old)] = new
        full = f"{self.project}/{path}"
        arguments = {
            "file_path": full,
            "old_string": "\n".join(old),
            "new_string": "\n".join(new),
            "replace_all": False,
        }
        patch = (
            [" " + line for line in lines[max(0, at - 3) : at]]
            + ["-" + line for line in old]
            + ["+" + line for line in new]
        )
        twin = {
            "filePath": full,
            "oldString": arguments["old_string"],
            "newString": arguments["new_string"],
            "originalFile": original,
            "structuredPatch": [
                {"oldStart": at + 1, "oldLines": len(old), "newStart": at + 1, "newLines": len(new), "lines": patch}
            ],
            "userModified": False,
            "replaceAll": False,
        }
        shown = "\n".join(f"{n:>6}→{line}" for n, line in enumerate(new, at + 1))
        return Call(
            "Edit",
            arguments,
            EDITED.format(full) + shown,
            twin,
        )

    def bash(self) -> Call:
        """A command; sometimes one that ran before, with output that differs only in its numbers."""
        text = self.text
        if self.commands and self.rng.random() < 0.2:
            command = text.pick(self.commands)
        else:
            command = text.pick(COMMANDS).format(f"{text.pick(self.text.names)}")
            self.commands.append(command)
        output = text.output(text.skewed(15, 420))
        failed = self.rng.random() < 0.1
        arguments = {"command": command, "description": "Check the " + text.pick(self.text.names)}
        if failed:
            return Call("Bash", arguments, f"Exit code 1\n{output}", f"Error: Exit code 1\n{output}", True)
        return Call("Bash", arguments, output, {"stdout": output, "stderr": "", "interrupted": False, "isImage": False})

    def grep(self) -> Call:
        """Matches of a pattern in the files."""
        text = self.text
        content = "\n".join(
            f"{self.text.path()}:{text.number(1, 900)}:{line}" for line in text.code(text.skewed(15, 260), "py") if line
        )
        arguments = {
            "pattern": text.pick(self.text.names),
            "path": f"{self.project}/src",
            "output_mode": "content",
            "-n": True,
        }
        return Call(
            "Grep",
            arguments,
            content,
            {
                "mode": "content",
                "numFiles": 0,
                "filenames": [],
                "content": content,
                "numLines": content.count("\n") + 1,
            },
        )

    def issue(self) -> Call:
        """An MCP call that answers with JSON, wrapped in a list of text parts."""
        found = {"items": [self.text.record() for _ in range(self.text.number(1, 24))], "next": None}
        parts = [{"type": "text", "text": json.dumps(found, indent=2 if self.rng.random() < 0.5 else None)}]
        return Call("mcp__tracker__list_issues", {"query": self.text.pick(self.text.names), "limit": 25}, parts, parts)

    def todo(self) -> Call:
        """The list of things to do: a long call with a fixed answer."""
        steps = [
            {"content": sentence, "status": "pending", "activeForm": sentence.replace("I'll check", "Checking")}
            for sentence in (self.text.prose(1) for _ in range(self.text.number(3, 7)))
        ]
        return Call("TodoWrite", {"todos": steps}, TODO_ANSWER, {"oldTodos": steps[:-1], "newTodos": steps})

    def call(self) -> Call:
        """One call, drawn as often as real agents use each tool."""
        u = self.rng.random()
        for share, make in (
            (0.33, self.bash),
            (0.59, self.read),
            (0.79, self.edit),
            (0.92, self.grep),
            (0.95, self.issue),
        ):
            if u < share:
                return make()
        return self.todo()
