"""Real-shaped logs written by us, and the run over them, for the tests of reports."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headroom_cli.analysis import Analyser
from headroom_cli.result import Run
from headroom_cli.run import analyse_files
from headroom_cli.selection import Selection
from headroom_cli.source.discover import Discovery, discover

SESSION = "0f3c9a1e-52b1-4c52-9d0e-3a4f8e6b2c11"
CODE = "\n".join(
    f"     {n}\tdef total_{n}(order): return sum(line.net for line in order.lines_{n})" for n in range(1, 21)
)
PAGE = "".join(f'<div class="row" id="r{n}"><span>{word}</span></div>' for n, word in enumerate(("alpha", "beta") * 20))

Write = Callable[[str, list[dict[str, Any]]], Path]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def write(here: Path) -> Write:
    """Write records as JSON lines under the working directory; the path is relative."""

    def write_lines(name: str, records: list[dict[str, Any]]) -> Path:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        return path

    return write_lines


def analyse(*paths: Path | str, selection: Selection | None = None) -> tuple[Run, Discovery]:
    """A run over `paths`, as the command line makes it."""
    discovery = discover([str(path) for path in paths])
    return analyse_files(discovery.files, Analyser(), selection=selection), discovery


class ClaudeLog:
    """A Claude Code session as its client writes it, one response a line."""

    def __init__(self, *, model: str = "claude-opus-4-5-20251101", cwd: str = "/code/acme", **extra: Any) -> None:
        self.records: list[dict[str, Any]] = []
        self.model, self.common = model, {"sessionId": SESSION, "cwd": cwd, "version": "2.1.138", **extra}
        self.minute = 0
        self.cached = 0

    def add(self, kind: str, **fields: Any) -> None:
        number = len(self.records)
        prefix = self.common.get("agentId", "main")
        parent = self.records[-1]["uuid"] if self.records else None
        self.minute += 1
        record = {
            "type": kind,
            "uuid": f"{prefix}-{number:04d}",
            "parentUuid": parent,
            "isSidechain": "agentId" in self.common,
            "timestamp": f"2026-11-12T13:{self.minute:02d}:00.000Z",
            "gitBranch": "main",
            **self.common,
            **fields,
        }
        self.records.append(record)

    def user(self, text: str, **extra: Any) -> None:
        self.add("user", message={"role": "user", "content": text}, **extra)

    def call(self, call_id: str, name: str, arguments: dict[str, Any], result: str, *, new: int = 500) -> None:
        """One request that calls a tool, and the result. The cache holds what went before; `new` tokens join it."""
        self.respond([{"type": "tool_use", "id": call_id, "name": name, "input": arguments}], new, "tool_use")
        content = [{"type": "tool_result", "tool_use_id": call_id, "content": result}]
        self.add("user", message={"role": "user", "content": content})

    def say(self, text: str, *, new: int = 500, stop: str | None = "end_turn") -> None:
        self.respond([{"type": "text", "text": text}], new, stop)

    def respond(self, content: list[dict[str, Any]], new: int, stop: str | None) -> None:
        number = len(self.records)
        usage = {
            "input_tokens": 3,
            "cache_read_input_tokens": self.cached,
            "cache_creation_input_tokens": new,
            "output_tokens": 40,
        }
        self.cached += new
        message = {
            "id": f"msg_{self.common.get('agentId', 'main')}_{number}",
            "role": "assistant",
            "model": self.model,
            "content": content,
            "stop_reason": stop,
            "usage": usage,
        }
        self.add("assistant", message=message, requestId=f"req_{self.common.get('agentId', 'main')}_{number}")


def claude_session() -> list[dict[str, Any]]:
    """Eight requests: a file read twice, a page as HTML, an edit, the file read again after it, and an end."""
    log = ClaudeLog()
    read = {"file_path": "/code/acme/src/billing.py"}
    log.user("Totals are off by one cent. Please find out why.")
    log.call("toolu_01", "Read", read, CODE, new=18_000)
    log.call("toolu_02", "Grep", {"pattern": "total_"}, "src/billing.py:1: total_1\n" * 3)
    log.call("toolu_03", "WebFetch", {"url": "https://example.com/rounding"}, PAGE)
    log.call("toolu_04", "Bash", {"command": "git log -3 --oneline"}, "a1b2c3d one\nb2c3d4e two\nc3d4e5f three")
    log.call("toolu_05", "Read", read, CODE)
    log.call("toolu_06", "Edit", {**read, "old_string": "line.net", "new_string": "line.gross"}, "The file was edited.")
    log.call("toolu_07", "Read", read, CODE)
    log.say("Rounded per line instead of per order: fixed.", stop=None)
    return log.records


def subagent() -> list[dict[str, Any]]:
    """A subagent of that session: two requests of another model."""
    log = ClaudeLog(model="claude-haiku-4-5-20251001", agentId="a3f1c9e")
    log.user("Look for rounding in src.")
    log.call("toolu_91", "Grep", {"pattern": "round"}, "src/billing.py:9: round(total, 2)", new=9_000)
    log.say("Only in src/billing.py.")
    return log.records


def chat(model: str | None = None) -> list[dict[str, Any]]:
    """An OpenAI-style conversation, one message a line: no usage, no times."""
    call = {"id": "call_1", "type": "function", "function": {"name": "get_order", "arguments": '{"id": 4411}'}}
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You help customers of a shop."},
        {"role": "user", "content": "Where is my order 4411?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": '{"id": 4411, "state": "shipped"}'},
        {"role": "assistant", "content": "It was shipped yesterday."},
    ]
    return [
        {**message, "model": model} if model and message["role"] == "assistant" else message for message in messages
    ]


@pytest.fixture
def session(write: Write) -> tuple[Run, Discovery]:
    """The session with its subagent."""
    write(f"logs/{SESSION}.jsonl", claude_session())
    write(f"logs/{SESSION}/subagents/agent-a3f1c9e.jsonl", subagent())
    return analyse("logs")


@pytest.fixture
def machine(write: Write) -> tuple[Run, Discovery]:
    """The session, a session of another project without a price, a chat without usage, and a file that is no log."""
    write(f"logs/{SESSION}.jsonl", claude_session())
    write(f"logs/{SESSION}/subagents/agent-a3f1c9e.jsonl", subagent())
    other = ClaudeLog(model="glm-4.6", cwd="/code/web", sessionId="7be1aa00-0000-4000-8000-000000000000")
    other.user("Hello, what is this repository about?")
    other.say("A web shop.", new=12_000)
    for number, record in enumerate(other.records):
        record["uuid"] = f"web-{number}"
        record["parentUuid"] = f"web-{number - 1}" if number else None
        if "message" in record and "id" in record["message"]:
            record["message"]["id"], record["requestId"] = f"msg_web_{number}", f"req_web_{number}"
    write("logs/web.jsonl", other.records)
    write("logs/chat/support.jsonl", chat())
    write("logs/settings.json", [{"theme": "dark", "editor": "vi"}])
    return analyse("logs")


@pytest.fixture
def snapshot() -> Callable[[str, str], None]:
    """Compare text with `snapshots/NAME`; HEADROOM_UPDATE_SNAPSHOTS=1 writes it instead."""

    def compare(name: str, text: str) -> None:
        path = Path(__file__).parent / "snapshots" / name
        stable = re.sub(r"genai-prices [\d.]+", "genai-prices X.Y.Z", text)
        if os.environ.get("HEADROOM_UPDATE_SNAPSHOTS"):
            path.write_text(stable, "utf-8")
        assert stable == path.read_text("utf-8")

    return compare


@pytest.fixture
def analyse_paths(here: Path) -> Callable[..., tuple[Run, Discovery]]:
    """`analyse`, for tests."""
    return analyse


@pytest.fixture
def claude_records() -> Callable[[], list[dict[str, Any]]]:
    """The records of the session."""
    return claude_session


@pytest.fixture
def chat_log() -> Callable[..., list[dict[str, Any]]]:
    """The records of the chat."""
    return chat
