"""The vocabulary: plain slotted data that every room shares. No behaviour, no imports from other rooms.

A *conversation* is one thread that one model sees. It holds *messages* made of *parts*, and the *requests* (API
calls) that were made over them. What a request saw is written on the parts: each part carries the intervals of
request indices during which it stood in the context.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Role = Literal["system", "user", "assistant", "tool"]
Origin = Literal["human", "model", "tool", "harness", "command", "hook"]
ConversationKind = Literal["main", "subagent", "side"]
LeftBy = Literal["compaction", "rollback", "rewind", "clear", "replacement", "strip"]
BlockKind = Literal["system", "user", "rag", "assistant", "thinking", "tool_call", "tool_result", "image", "unknown"]

BLOCK_KINDS: tuple[BlockKind, ...] = (
    "system",
    "user",
    "rag",
    "assistant",
    "thinking",
    "tool_call",
    "tool_result",
    "image",
    "unknown",
)


class Interval(NamedTuple):
    """Requests `enters <= k < leaves` saw the part; `leaves` None means that it is still in the context.

    `enters` may equal the number of requests: in the context, but not sent yet.
    """

    enters: int
    leaves: int | None = None
    left_by: LeftBy | None = None


@dataclass(slots=True, kw_only=True)
class Part:
    """A piece of a message. `line` is the 1-based physical line it came from; `raw` its form in the log."""

    raw: Any = None
    line: int = 0
    context: tuple[Interval, ...] = ()


@dataclass(slots=True)
class Text(Part):
    """Text of a message."""

    text: str


@dataclass(slots=True)
class Thinking(Part):
    """Thinking or reasoning. `text` is empty where the log has only a signature or ciphertext."""

    text: str
    signature: str | None = None


@dataclass(slots=True)
class ToolCall(Part):
    """A call of a tool. `arguments` as recorded: a string, or the decoded object; `server` is an MCP server."""

    id: str | None
    name: str
    arguments: Any
    type: Literal["function", "custom", "server", "mcp"] = "function"
    server: str | None = None


@dataclass(slots=True)
class Media(Part):
    """An image, document or sound. `digest` identifies its bytes; `width` and `height` are pixels, if known."""

    mime: str
    bytes: int = 0
    width: int | None = None
    height: int | None = None
    digest: str | None = None


@dataclass(slots=True)
class ToolResult(Part):
    """The result of a call. `text` is what `docs/signals.md` section 1 calls the text of a result.

    `name` is kept where the wire format has no id and matches by name (Gemini, legacy `function` role).
    """

    call_id: str | None
    text: str
    is_error: bool | None = None
    media: list[Media] = field(default_factory=list)
    name: str | None = None


@dataclass(slots=True)
class Declaration(Part):
    """A tool's schema as declared in a request. `text` is `json.dumps(schema)` with default separators."""

    name: str
    text: str
    type: str = "function"


@dataclass(slots=True)
class Other(Part):
    """Anything that has no text of its own: references, markers, unknown block types."""

    type: str


@dataclass(slots=True)
class Message:
    """One message. `timestamp` is in microseconds since the epoch, UTC.

    `key` makes it the same message in another file: built by the reader from uuid, response id or call ids; empty
    where the log has no such ids. `request` is the index of the request that produced it (model output only).
    `copied` is set where the file itself tells that the message was copied from another session.
    """

    index: int
    role: Role
    parts: list[Part]
    line: int = 0
    last_line: int = 0
    timestamp: int | None = None
    key: str = ""
    origin: Origin = "human"
    request: int | None = None
    copied: bool = False


@dataclass(slots=True)
class Usage:
    """Tokens that the provider counted for one request, named as in OpenTelemetry GenAI.

    `input_tokens` includes cache reads and writes; `uncached_input_tokens` is the rest; `output_tokens` includes
    reasoning. None = not recorded; 0 = recorded as none.
    """

    input_tokens: int | None = None
    uncached_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    cache_write_5m_input_tokens: int | None = None
    cache_write_1h_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_output_tokens: int | None = None
    output_is_lower_bound: bool = False


@dataclass(slots=True)
class Request:
    """One call of the API.

    `key` identifies the response wherever it is repeated (empty: nothing identifies it). `source` is `recorded` where
    the log has the request or its usage, `implied` where an assistant message only implies one. `context_tokens` is
    the recorded size of the context where it differs from `usage.input_tokens` (server tools sample several times).
    `cache_miss` is the provider's own reason why its cache was not read, with the tokens that it missed. `billing`
    names what changes its price (see `headroom_cli.billing`); None is the standard way.
    """

    index: int
    source: Literal["recorded", "implied"] = "implied"
    key: str = ""
    model: str | None = None
    timestamp: int | None = None
    line: int = 0
    usage: Usage | None = None
    response_id: str | None = None
    stop_reason: str | None = None
    service_tier: str | None = None
    context_tokens: int | None = None
    context_limit: int | None = None
    tools_hash: str | None = None
    system_hash: str | None = None
    copied: bool = False
    cache_miss: tuple[str, int | None] | None = None
    billing: str | None = None


@dataclass(slots=True)
class NestedUsage:
    """Usage that stands only inside a progress record: a response whose own record may lie in another file."""

    key: str
    model: str | None
    timestamp: int | None
    usage: Usage


@dataclass(slots=True)
class Sent:
    """A request, or a plain history, in raw form as a log has it: kept where `Reading.keeps_sent` asks for it.

    `messages` are the raw messages or items, `length` their number. They are None where the next request of the
    conversation repeats them and goes on: then its first `length` messages are these. `keys` tell messages apart
    (cache markers aside), and are there where `messages` are. `lines` are their physical lines where each has its own,
    else None: then all stand in `anchor`, the body on `line`. `body` is what stood beside the messages; equal values in
    several bodies are one object. `recorded` is False for a plain history that only implies requests; `answer` is
    what came back, as messages, `output` as raw items of the Responses API. `parent` is the request whose context this
    one continues by `previous_response_id`: then `messages` are only what is new. `markers` are the newest cache
    markers among the messages, oldest first, as index of message and of block.
    """

    line: int
    dialect: str
    messages: list[Any] | None
    keys: list[bytes] = field(default_factory=list)
    lines: list[int] | None = None
    anchor: Any = None
    body: dict[str, Any] = field(default_factory=dict)
    recorded: bool = True
    model: str | None = None
    timestamp: int | None = None
    response_id: str | None = None
    previous_response_id: str | None = None
    answer: list[Message] = field(default_factory=list)
    usage: Usage | None = None
    length: int = 0
    output: list[Any] = field(default_factory=list)
    parent: Sent | None = None
    markers: tuple[tuple[int, int], ...] = ()


class Spawn(NamedTuple):
    """A subagent: its conversation's id, the call that started it, and of which type it is, where the log tells."""

    conversation_id: str
    call_id: str
    agent_name: str | None


@dataclass(slots=True)
class Conversation:
    """One thread that one model sees. A file may hold many; a session may span files.

    `identity` says what message keys are worth: `ids` are unique in the world, so equal keys are copies; `content`
    keys chain hashes from the first message on, so only a whole conversation that is a prefix of another is a copy.
    `system` and `tools` are the parts that requests carry outside their messages. `missing_parents` are the lines that
    follow one which is not in the file, `off_chain` those of results beside which another call of the same response
    stands: a walk from the last line to the first does not meet them. `summaries` are the messages (by index) that sum
    up what a compaction took out: they stand before what it kept, whose messages are older. `spawned` are the
    subagents whose own files may be elsewhere.
    """

    id: str
    session_id: str | None
    log_format: str
    dialect: str
    path: str
    kind: ConversationKind = "main"
    identity: Literal["ids", "content"] = "ids"
    parent_id: str | None = None
    parent_call_id: str | None = None
    agent_name: str | None = None
    client: str | None = None
    client_version: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    repo_url: str | None = None
    model: str | None = None
    started_at: int | None = None
    ended_at: int | None = None
    messages: list[Message] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    system: list[Part] = field(default_factory=list)
    tools: list[Declaration] = field(default_factory=list)
    resets: list[int] = field(default_factory=list)
    nested_usage: list[NestedUsage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    missing_parents: list[int] = field(default_factory=list)
    off_chain: list[int] = field(default_factory=list)
    summaries: list[int] = field(default_factory=list)
    spawned: list[Spawn] = field(default_factory=list)


@dataclass(slots=True)
class Damage:
    """A record that could not be read. `line` is 1-based; `reason` is a short fixed phrase, never log text."""

    line: int
    reason: str


@dataclass(slots=True)
class Reading:
    """What one file gave. `unknown` counts record types that no reader knows; `skipped` says why nothing was read.

    `keeps_sent` is set before reading, by who needs `Conversation.sent`. `replaced`: by line, the strings in which
    U+FFFD took the place of lone surrogates. `alone` is set before reading, by who looks at no other file: what only
    tells copies in several files from one another may be missing then (keys of messages and requests, nested usage).
    """

    path: str
    log_format: str = "unknown"
    conversations: list[Conversation] = field(default_factory=list)
    records: int = 0
    bytes: int = 0
    damaged: list[Damage] = field(default_factory=list)
    unknown: dict[str, int] = field(default_factory=dict)
    skipped: str | None = None
    notes: list[str] = field(default_factory=list)
    keeps_sent: bool = False
    alone: bool = False
    replaced: dict[int, list[str]] = field(default_factory=dict)


@dataclass(slots=True)
class Block:
    """What one part of a message put into the context (`docs/signals.md` section 1).

    `tokens` = o200k_base of the text, plus framing. `text` and `part` are dropped once the block has been analysed.
    `step` is the position that gaps are measured in. `message_index` is -1 for what a request carries outside its
    messages. `bytes` is the size of the text in UTF-8, or of the medium.
    """

    index: int
    kind: BlockKind
    message_index: int
    text: str
    tokens: int
    content_hash: str
    step: int = 0
    line: int = 0
    bytes: int = 0
    call_id: str | None = None
    tool_name: str | None = None
    server: str | None = None
    call_key: str | None = None
    is_error: bool | None = None
    origin: Origin = "human"
    request: int | None = None
    copied: bool = False
    context: tuple[Interval, ...] = ()
    part: Part | None = None


@dataclass(slots=True)
class Waste:
    """A finding of one waste signal in one block. Definitions: `docs/signals.md` section 5.

    `tokens` is the definition's figure, `exclusive_tokens` what no earlier signal has claimed, `avoidable_tokens` the
    part that a cure would recover. `first_block` is the evidence: the earlier serve, write or failure, or
    the later change.
    """

    signal: str
    block: int
    tokens: int
    cause: str | None = None
    exclusive_tokens: int = 0
    avoidable_tokens: int = 0
    confidence: Literal["high", "medium", "low"] = "high"
    first_block: int | None = None
    request: int | None = None
    at_risk_tokens: int | None = None
