"""What the readers found, as histories that were sent: session logs by context epoch, request logs by request.

A session log is judged before each compaction and at its end, after the clean-up that its client does before it
sends. A cumulative request log is judged once per run of requests that only append, and at each break.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from headroom_cli.lint.epochs import describe, epochs
from headroom_cli.lint.history import Entry, History, JudgedAs, Pointer
from headroom_cli.lint.shapes import MESSAGE_KEYS, read_entry
from headroom_cli.logs.detection.shapes import as_object
from headroom_cli.logs.exchange.exchanges import is_output
from headroom_cli.model import Conversation, Reading, Sent

_CONVERTED = frozenset({"agent-framework", "swe-agent"})  # their readers make the messages that the client sent
_ROW_KEYS = frozenset({"tools", "functions", "parallel_tool_calls", "weight"})
_LINKED_SHARE = 8  # histories along branching response ids repeat the log at most so many times
_ENVELOPE = frozenset(
    {
        "model",
        "modelId",
        "max_tokens",
        "max_completion_tokens",
        "max_output_tokens",
        "temperature",
        "inferenceConfig",
        "generationConfig",
        "toolConfig",
        "stream",
        "store",
        "previous_response_id",
        "thinking",
        "reasoning",
    }
)


@dataclass(eq=False)
class Session:
    """One conversation of a log for lint: its histories, and the reading that it came from.

    `conversation.sent` has the requests in raw form, where the log records requests.
    """

    conversation: Conversation
    reading: Reading
    judged_as: JudgedAs | None = None
    begins_file: bool = True
    among_others: bool = False
    histories: list[History] = field(init=False)

    def __post_init__(self) -> None:
        self.histories = list(_histories(self.conversation, self._as()))
        for history in self.histories:
            history.replaced = self.reading.replaced

    def _as(self) -> JudgedAs | None:
        """Rows of a file that hold nothing but messages and tools are for fine-tuning; a lone one is a history."""
        conversation = self.conversation
        if self.judged_as is not None or not conversation.sent:
            return self.judged_as
        if conversation.log_format == "training":
            return "training"
        rows = self.among_others and all(
            not sent.recorded and isinstance(sent.anchor, dict) and sent.body.keys() <= _ROW_KEYS
            for sent in conversation.sent
        )
        return "training" if rows else None

    def release(self) -> None:
        """Take entries and blocks apart when they are no longer needed: no garbage collector has to find them then."""
        for history in self.histories:
            for entry in history.entries:
                entry.blocks = []

    @property
    def dialect(self) -> str:
        """The wire dialect."""
        return self.conversation.dialect

    @property
    def model(self) -> str | None:
        """The model of the first request that names one."""
        return self.conversation.model

    @cached_property
    def requests(self) -> list[Sent]:
        """The recorded requests, in order."""
        return [sent for sent in self.conversation.sent if sent.recorded]


def sessions(reading: Reading, judged_as: JudgedAs | None = None) -> list[Session]:
    """All conversations of a file. `judged_as` overrides what each seems to be."""
    among_others = len(reading.conversations) > 1
    return [
        Session(conversation, reading, judged_as, number == 0, among_others)
        for number, conversation in enumerate(reading.conversations)
    ]


def history_of(
    messages: Sequence[Any],
    dialect: str,
    *,
    body: dict[str, Any] | None = None,
    judged_as: JudgedAs | None = None,
    model: str | None = None,
) -> History:
    """The history of raw messages, with the body that holds them if there is one."""
    body = body or {}
    sent = Sent(0, dialect, list(messages), anchor=body or list(messages), body=body, recorded=False, model=model)
    return _of_sent(sent, None, judged_as)


def _histories(conversation: Conversation, judged_as: JudgedAs | None) -> Iterable[History]:
    if not conversation.sent:
        yield from epochs(conversation, judged_as)
        return
    histories = [_of_sent(sent, conversation, judged_as) for sent in conversation.sent if _is_judged(sent)]
    histories += _linked(conversation, judged_as)
    histories = sorted((h for h in histories if h.entries), key=lambda history: history.line)
    for epoch, history in enumerate(histories):
        history.epoch, history.last_epoch = epoch, epoch == len(histories) - 1
        yield history


def _is_judged(sent: Sent) -> bool:
    return sent.messages is not None and sent.parent is None


def _linked(conversation: Conversation, judged_as: JudgedAs | None) -> Iterable[History]:
    """Requests that continue another by its id: the ends of each line of them, over all that the log has of it."""
    linked = [sent for sent in conversation.sent if sent.parent is not None]
    if not linked:
        return
    continued = {id(sent.parent) for sent in linked}
    own = own_messages(conversation.sent)
    left = _LINKED_SHARE * sum(sent.length + len(sent.output) for sent in conversation.sent)
    for sent in linked:
        if id(sent) in continued:
            continue
        line_of: list[Sent] = []
        at: Sent | None = sent
        while at is not None and left >= 0:
            line_of.append(at)
            left -= at.length + len(at.output) + 1
            at = at.parent
        rows: list[Any] = []
        lines: list[int] = []
        complete = at is None and line_of[-1].previous_response_id is None
        for step in reversed(line_of):
            rows += own[id(step)]
            lines += [step.line] * (len(rows) - len(lines))
            if step is not sent:
                rows += step.output
                lines += [step.line] * len(step.output)
                complete = complete and bool(step.output)
        whole = replace(sent, messages=rows, lines=lines, anchor=None)
        history = _of_sent(whole, conversation, judged_as)
        history.complete = complete
        yield history


def own_messages(requests: Sequence[Sent]) -> dict[int, list[Any]]:
    """The raw messages of each request by its `id()`, also of those that the next one repeats."""
    found: dict[int, list[Any]] = {}
    whole: list[Any] = []
    for sent in reversed(requests):
        if sent.messages is not None:
            whole = sent.messages
        found[id(sent)] = whole if len(whole) == sent.length else whole[: sent.length]
    return found


def _of_sent(sent: Sent, conversation: Conversation | None, judged_as: JudgedAs | None) -> History:
    key = MESSAGE_KEYS.get(sent.dialect, "messages")
    anchor = sent.anchor
    base: Pointer = ()
    if isinstance(anchor, dict):
        key = next((name for name in ("messages", "contents", "input") if name in anchor), key)
        base = (key,)
    single = isinstance(anchor, dict) and isinstance(anchor.get(key), str)
    entries = []
    for index, raw in enumerate(sent.messages or []):
        entry = read_entry(sent.dialect, raw, index)
        if anchor is not None:
            entry.path = base if single else (*base, index)
        entry.line = sent.lines[index] if sent.lines is not None else sent.line
        for block in entry.blocks:
            block.line = entry.line
        entries.append(entry)
    body = sent.body
    history = History(
        sent.dialect,
        judged_as or _seems(sent),
        entries,
        line=sent.line,
        body=body,
        anchor=anchor,
        system=_first(body, "system", "instructions", "systemInstruction", "system_instruction"),
        tools=_tools(body),
        model=sent.model or (conversation.model if conversation is not None else None),
        complete=not _goes_on(sent, entries),
    )
    if conversation is not None:
        describe(history, conversation)
        history.wire = conversation.log_format not in _CONVERTED
    return history


def _goes_on(sent: Sent, entries: list[Entry]) -> bool:
    """Whether the server holds more of the history: a stored response, a conversation, or items that are named only."""
    if sent.dialect != "openai-responses":
        return False
    held = sent.previous_response_id or sent.body.get("previous_response_id") or sent.body.get("conversation")
    return bool(held) or any(block.type == "item_reference" for entry in entries for block in entry.blocks)


def _seems(sent: Sent) -> JudgedAs:
    """A request if anything of an envelope stands around the messages.

    A model alone does not make one of a history that ends with an answer: that is how finished runs are stored.
    """
    around = _ENVELOPE.intersection(sent.body)
    if around == {"model"} and not sent.recorded and sent.messages and is_output(sent.messages[-1]):
        return "history"
    return "request" if sent.recorded or around else "history"


def _tools(body: dict[str, Any]) -> list[Any] | None:
    """The declared tools as they stand; None where nothing tells. A request without the key declares none."""
    config = body.get("toolConfig")
    found = body.get("tools", config.get("tools") if isinstance(config, dict) else None)
    found = as_object(found)
    return found if isinstance(found, list) else None


def _first(body: dict[str, Any], *names: str) -> Any:
    return next((body[name] for name in names if name in body), None)
