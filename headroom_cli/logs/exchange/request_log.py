"""Collects the lines of request logs: each is judged by itself, so a file may mix captures, batches and streams."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from headroom_cli.logs.detection.detect import UNKNOWN, classify
from headroom_cli.logs.detection.shapes import pair_in, request_in, response_in
from headroom_cli.logs.exchange.bedrock_stream import assemble_bedrock
from headroom_cli.logs.exchange.exchanges import answer, from_pair, from_request, from_response, from_row
from headroom_cli.logs.exchange.model import Exchange
from headroom_cli.logs.exchange.threads import Threads
from headroom_cli.model import Conversation, Reading
from headroom_cli.source.records import Record
from headroom_cli.wire.streams import assemble

STREAM_FAMILIES = frozenset({"anthropic-sse", "openai-chat-chunks", "openai-responses-sse", "bedrock-stream"})
BATCH_FAMILIES = frozenset({"openai-batch-in", "openai-batch-out", "anthropic-batch-in", "anthropic-batch-out"})
REQUEST_FAMILIES = frozenset(
    {
        *(f"{d}-request" for d in ("openai", "openai-responses", "anthropic", "bedrock", "gemini")),
        *(f"{d}-object" for d in ("openai", "openai-responses", "anthropic", "bedrock", "gemini")),
        "capture-pair",
        "capture-line",
    }
)

_MAX_WAITING = 64  # requests on lines of their own that may wait for their response


def read(records: Iterable[Record], path: str, reading: Reading) -> Iterator[Conversation]:
    """Read a request log of any kind."""
    log = RequestLog(path, reading)
    for line, value in records:
        log.add(line, value)
        yield from log.ended()
    yield from log.finish()


class RequestLog:
    """The exchanges of one file."""

    def __init__(self, path: str, reading: Reading) -> None:
        self._threads = Threads(path, keeps_sent=reading.keeps_sent, keyed=not reading.alone)
        self._reading = reading
        self._events: list[tuple[int, Any]] = []
        self._bedrock_events: list[tuple[int, Any]] = []
        self._asked: list[tuple[str, Exchange]] = []
        self._answered: dict[str, deque[tuple[int, dict[str, Any]]]] = {}
        self._waiting: deque[tuple[Exchange, bool, Any]] = deque()

    def add(self, line: int, value: Any) -> None:
        """One decoded line."""
        family = classify(value)
        if family.endswith("-request"):
            self._threads.add(from_row(value, line))
        elif family == "capture-pair":
            replaced: list[str] = []
            pair = pair_in(value, replaced)
            self.note_replaced(line, replaced)
            if pair is not None:
                self._threads.add(from_pair(pair[0], pair[1], line, value))
        elif family == "bedrock-stream":
            self._bedrock_events.append((line, value))
        elif family == "gemini-object" or family in STREAM_FAMILIES:
            self._events.append((line, value))
        elif family.endswith("-object"):
            self._add_response(value, line, None)
        elif family in BATCH_FAMILIES:
            self._add_batch(family, line, value)
        elif family == "capture-line":
            self._add_capture(line, value)
        else:
            self.pass_over(family if family != UNKNOWN else _type_of(value))

    def add_exchange(self, exchange: Exchange) -> None:
        """One call that the format's own reader has put together."""
        self._threads.add(exchange)

    def pass_over(self, name: str) -> None:
        """Count a record that gives nothing."""
        self._reading.unknown[name] = self._reading.unknown.get(name, 0) + 1

    def note_replaced(self, line: int, replaced: list[str]) -> None:
        """Remember the strings of a body in which U+FFFD took the place of lone surrogates."""
        if replaced:
            self._reading.replaced.setdefault(line, []).extend(replaced)

    def ended(self) -> list[Conversation]:
        """The conversations that have ended, as far as one can tell."""
        return self._threads.ended()

    def finish(self) -> list[Conversation]:
        """All other conversations of the file."""
        while self._waiting:
            self._threads.add(self._waiting.popleft()[0])
        for custom_id, exchange in self._asked:
            answers = self._answered.get(custom_id)
            if answers:
                answer(exchange, answers.popleft()[1])
            self._threads.add(exchange)
        for custom_id, answers in self._answered.items():
            for line, body in answers:
                self._add_response(body, line, custom_id, "batch")
        for line, body in assemble_bedrock(self._bedrock_events):
            self._add_response(body, line, None)
        for line, body, _ in assemble(self._events):
            self._add_response(body, line, None)
        return self._threads.conversations()

    def _add_response(self, body: dict[str, Any], line: int, session: str | None, billing: str | None = None) -> None:
        exchange = from_response(body, line)
        if exchange is None:
            self.pass_over("response")
            return
        exchange.session, exchange.billing = session or exchange.session, billing
        self._threads.add(exchange)

    def _add_batch(self, family: str, line: int, row: dict[str, Any]) -> None:
        """Lines of the input and of the output of a batch are joined by `custom_id`, in whatever order they stand."""
        custom_id = row["custom_id"] if isinstance(row["custom_id"], str) else str(row["custom_id"])
        if family.endswith("-in"):
            replaced: list[str] = []
            body = request_in(row.get("body") or row.get("params"), replaced)
            self.note_replaced(line, replaced)
            if body is None:
                self.pass_over(f"batch {row['url']}" if isinstance(row.get("url"), str) else "batch request")
                return
            exchange = from_request(body, line, row)
            exchange.alone, exchange.session, exchange.billing = True, custom_id, "batch"
            self._asked.append((custom_id, exchange))
            return
        result = row.get("response") if family == "openai-batch-out" else row.get("result")
        body = response_in(result.get("message") if isinstance(result, dict) and "message" in result else result)
        if body is None:
            self.pass_over("batch error")
            return
        self._answered.setdefault(custom_id, deque()).append((line, body))

    def _add_capture(self, line: int, row: dict[str, Any]) -> None:
        """Requests and responses on lines of their own: a response answers the last request that it can belong to."""
        name = next((row[key] for key in ("request_id", "requestId", "id") if isinstance(row.get(key), str)), None)
        if row["type"] == "request":
            replaced: list[str] = []
            body = request_in(row, replaced)
            if body is None:
                body = next((b for v in row.values() if (b := request_in(v, replaced)) is not None), None)
            self.note_replaced(line, replaced)
            if body is None:
                self.pass_over("request")
                return
            if len(self._waiting) >= _MAX_WAITING:
                self._threads.add(self._waiting.popleft()[0])
            self._waiting.append((from_request(body, line, row), False, name))
            return
        body = response_in(row) or next((b for v in row.values() if (b := response_in(v)) is not None), None)
        found = body if body is not None else row
        for position in range(len(self._waiting) - 1, -1, -1):
            exchange, done, asked = self._waiting[position]
            if not done and (name is None or asked is None or name == asked):
                answer(exchange, found)
                self._waiting[position] = (exchange, True, asked)
                break
        else:
            if body is not None:
                self._add_response(body, line, None)
        while self._waiting and self._waiting[0][1]:
            self._threads.add(self._waiting.popleft()[0])


def _type_of(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) and len(kind) <= 60 else type(value).__name__
