"""A session that tests write call by call, with the context of each request."""

from __future__ import annotations

from typing import Any

from headroom_cli.analysis import Analyser, Settings
from headroom_cli.blocks import conversation_blocks, count_tokens
from headroom_cli.logs.context import ContextTracker
from headroom_cli.model import Conversation, LeftBy, Message, Part, Request, Text, ToolCall, ToolResult, Waste
from headroom_cli.tokens import get_tokenizer
from headroom_cli.waste import reread
from headroom_cli.waste.history import History


def source(first: int, last: int) -> str:
    """Lines of a module, each of its own."""
    return "\n".join(
        f"    self.side_{number} = sides[{number}]  # as it was given" for number in range(first, last + 1)
    )


def numbered(first: int, last: int) -> str:
    """The same lines as a tool shows them that reads."""
    return "\n".join(f"{number:6}→{line}" for number, line in enumerate(source(first, last).split("\n"), first))


def tokens(text: str) -> int:
    """Tokens of a result."""
    return get_tokenizer().count_text(text) + 4


class Session:
    """A session that is written call by call; each call is a request of its own."""

    def __init__(self) -> None:
        self.log = Conversation("c", "s", "claude-code", "anthropic", "s.jsonl")
        self.tracker = ContextTracker()
        self.pending: list[Part] = []
        self.calls = 0

    def say(self, text: str = "Go on.") -> Text:
        part = Text(text)
        self._message("user", part)
        self.tracker.enter([part])
        return part

    def answer(self, *parts: Part) -> None:
        request = self.tracker.request()
        self.log.requests.append(Request(request))
        self._message("assistant", *parts).request = request
        self.tracker.enter(parts)

    def call(self, text: str, name: str = "Read", *, error: bool | None = None, **arguments: Any) -> ToolResult:
        """A call and its result."""
        return self.tool(name, arguments, text, error=error)

    def tool(self, name: str, arguments: Any, text: str = "ok", *, error: bool | None = None) -> ToolResult:
        """A call with arguments as a log has them, and its result."""
        self.calls += 1
        self.answer(ToolCall(f"toolu_{self.calls}", name, arguments))
        return self.result(text, f"toolu_{self.calls}", error=error)

    def result(self, text: str, call_id: str, *, error: bool | None = None) -> ToolResult:
        part = ToolResult(call_id, text, error)
        self._message("tool", part)
        self.tracker.enter([part])
        return part

    def chat(self, rounds: int = 2) -> None:
        """Enough steps that what follows is no polling."""
        for _ in range(rounds):
            self.answer(Text("Thinking of it."))
            self.say()

    def leave(self, part: Part, left_by: LeftBy) -> None:
        self.tracker.leave([part], left_by)

    def found(self, **options: int) -> list[Waste]:
        self.tracker.finish()
        blocks = conversation_blocks(self.log)
        count_tokens([blocks], get_tokenizer(), {})
        return reread.find(History.of(blocks, self.log.messages), **options)

    def waste(self, signal: str, *ignored: str) -> list[Waste]:
        """What one signal finds, beside what all others claim but for the ignored ones."""
        self.tracker.finish()
        (analysis,) = Analyser(settings=Settings(ignored_signals=frozenset(ignored))).analyse([self.log])
        return [finding for finding in analysis.waste if finding.signal == signal]

    def cause(self) -> str | None:
        (finding,) = self.found()
        return finding.cause

    def _message(self, role: Any, *parts: Part) -> Message:
        message = Message(len(self.log.messages), role, list(parts))
        self.log.messages.append(message)
        return message
