"""Which dialect a history is written in, and histories of any dialect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

from headroom_cli.model import Message, Usage
from headroom_cli.wire import anthropic, bedrock, gemini, openai_chat, openai_responses
from headroom_cli.wire.base import RequestBody, ResponseBody
from headroom_cli.wire.openai_items import CLIENT_OUTPUT_TYPES, OUTPUT_TYPES


class Dialect(Protocol):
    """What the module of each wire format offers. `line` is the physical line that the value came from."""

    NAME: str

    def parse_message(self, raw: Any, index: int, line: int = 0) -> Message:
        """One message; a value that is none gives a message with an unreadable part."""
        ...

    def parse_request(self, body: dict[str, Any], line: int = 0) -> RequestBody:
        """The body of a request."""
        ...

    def parse_response(self, body: dict[str, Any], line: int = 0) -> ResponseBody | None:
        """The body of a response; None if it is something else."""
        ...

    def parse_usage(self, raw: object) -> Usage | None:
        """What the provider counted; None if that is nothing."""
        ...


DIALECTS: dict[str, Dialect] = {
    openai_chat.NAME: openai_chat,
    openai_responses.NAME: openai_responses,
    anthropic.NAME: anthropic,
    bedrock.NAME: bedrock,
    gemini.NAME: gemini,
}

_ITEM_TYPES = (
    OUTPUT_TYPES
    | CLIENT_OUTPUT_TYPES
    | {"tool_search_output", "shell_call_output", "mcp_list_tools", "item_reference", "program_output", "compaction"}
)
_BLOCK_DIALECTS = {
    **dict.fromkeys(("tool_use", "tool_result", "thinking", "redacted_thinking"), anthropic.NAME),
    **dict.fromkeys(("search_result", "container_upload", "compaction", "mid_conv_system"), anthropic.NAME),
    **dict.fromkeys(("image_url", "input_audio", "file", "refusal"), openai_chat.NAME),
    **dict.fromkeys(("input_text", "output_text", "input_image", "input_file"), openai_responses.NAME),
}
_BEDROCK_KEYS = frozenset(
    {
        "text",
        "toolUse",
        "toolResult",
        "reasoningContent",
        "cachePoint",
        "guardContent",
        "citationsContent",
        "image",
        "document",
        "video",
        "audio",
        "searchResult",
    }
)


def module(dialect: str) -> Dialect:
    """The module of a dialect; an unknown name gives Chat Completions, which many servers imitate."""
    return DIALECTS.get(dialect, openai_chat)


def dialect_of(messages: Sequence[Any]) -> str:
    """The dialect of a history: that of most of its messages, `openai` where none is marked by one."""
    votes = Counter(vote for message in messages if (vote := _vote(message)) is not None)
    return votes.most_common(1)[0][0] if votes else openai_chat.NAME


def parse_history(messages: Sequence[Any], dialect: str | None = None) -> tuple[str, list[Message]]:
    """The dialect of a history of plain values, and its messages, indexed by their position.

    Each message is read in the dialect that it is marked by; those without a mark in that of the history.
    """
    if not isinstance(messages, (list, tuple)):
        return dialect or openai_chat.NAME, []
    votes = [_vote(message) for message in messages]
    if dialect is None:
        counted = Counter(vote for vote in votes if vote is not None)
        dialect = counted.most_common(1)[0][0] if counted else openai_chat.NAME
    return dialect, [
        module(vote or dialect).parse_message(message, index)
        for index, (message, vote) in enumerate(zip(messages, votes, strict=True))
    ]


def _vote(message: Any) -> str | None:
    """The dialect that a message is certainly written in; None where several would do."""
    if not isinstance(message, dict):
        return None
    kind = message.get("type")
    if isinstance(kind, str) and kind in _ITEM_TYPES:
        return openai_responses.NAME
    if kind == "message" and "role" in message:
        return anthropic.NAME if "stop_reason" in message else _vote_content(message) or openai_responses.NAME
    if isinstance(message.get("parts"), list):
        return gemini.NAME
    role = message.get("role")
    if role is None and isinstance(message.get("message"), dict) and "message_id" in message:
        return bedrock.NAME
    if role in ("tool", "function") or message.get("tool_calls") or message.get("function_call"):
        return openai_chat.NAME
    return _vote_content(message)


def _vote_content(message: dict[str, Any]) -> str | None:
    content = message.get("content")
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            continue
        kind = block.get("type")
        if not isinstance(kind, str):
            if not _BEDROCK_KEYS.isdisjoint(block):
                return bedrock.NAME
        elif (found := _BLOCK_DIALECTS.get(kind)) is not None:
            return found
        elif kind.endswith(("_tool_use", "_tool_result")) or (kind in ("image", "document") and "source" in block):
            return anthropic.NAME
    return None
