"""What tests of rules share: findings of a history given as raw messages, and short builders of messages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from headroom_cli.lint.base import Finding
from headroom_cli.lint.engine import judge, judge_session, known_rules
from headroom_cli.lint.history import JudgedAs
from headroom_cli.lint.providers import PROFILES
from headroom_cli.lint.sent import history_of, sessions
from headroom_cli.lint.shapes import MESSAGE_KEYS
from headroom_cli.logs import read_log
from headroom_cli.wire import dialect_of

Raw = dict[str, Any]

_DIALECTS = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "gemini": "gemini",
    "openai-responses": "openai-responses",
    "openai": "openai",
    "mistral": "openai",
}


def findings(
    messages: Sequence[Any],
    provider: str = "anthropic",
    as_: JudgedAs = "request",
    dialect: str | None = None,
    **body: Any,
) -> list[Finding]:
    """The findings of all rules (also of those that are off) in raw messages; `body` is what stands beside them."""
    dialect = dialect or _DIALECTS.get(provider) or dialect_of(messages)
    body = {**body, MESSAGE_KEYS.get(dialect, "messages"): list(messages)}
    model = body.get("model")
    history = history_of(
        list(messages), dialect, body=body, judged_as=as_, model=model if isinstance(model, str) else None
    )
    return judge(history, [PROFILES[provider]], list(known_rules().values()))


def of(code: str, messages: Sequence[Any], provider: str = "anthropic", **more: Any) -> list[Finding]:
    """The findings of one rule."""
    return [finding for finding in findings(messages, provider, **more) if finding.rule.code == code]


def error_codes(messages: Sequence[Any], provider: str = "anthropic", **more: Any) -> list[str]:
    """The codes of all findings at error level, in order of rules."""
    return [finding.rule.code for finding in findings(messages, provider, **more) if finding.severity == "error"]


def findings_in(path: Path, provider: str, as_: JudgedAs | None = None) -> list[Finding]:
    """The findings of all rules in a log, also of those over the log as a whole."""
    reading = read_log(path, keeps_sent=True)
    rules = list(known_rules().values())
    return [
        finding for session in sessions(reading, as_) for finding in judge_session(session, [PROFILES[provider]], rules)
    ]


# Anthropic


def user(*content: Any) -> Raw:
    """A user's message: a string, or blocks."""
    return {"role": "user", "content": content[0] if len(content) == 1 and isinstance(content[0], str) else [*content]}


def assistant(*content: Any) -> Raw:
    """An answer: a string, or blocks."""
    return {**user(*content), "role": "assistant"}


def text(value: str) -> Raw:
    """A text block."""
    return {"type": "text", "text": value}


def tool_use(call_id: str, name: str = "f", **arguments: Any) -> Raw:
    """A call."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def tool_result(call_id: str, content: Any = "r", **more: Any) -> Raw:
    """A result."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


# Chat completions


def calls(*ids: str, content: str | None = None, name: str = "f") -> Raw:
    """An assistant message that calls a function once for each id."""
    made = [{"id": each, "type": "function", "function": {"name": name, "arguments": "{}"}} for each in ids]
    return {"role": "assistant", "content": content, "tool_calls": made}


def tool(call_id: str, content: Any = "r") -> Raw:
    """A tool message."""
    return {"role": "tool", "tool_call_id": call_id, "content": content}


# Responses


def item(role: str, value: str = "x") -> Raw:
    """A message item."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": value}]}


def function_call(call_id: str, name: str = "f", **more: Any) -> Raw:
    """A call item."""
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": "{}", **more}


def function_output(call_id: str, output: Any = "r", **more: Any) -> Raw:
    """An output item."""
    return {"type": "function_call_output", "call_id": call_id, "output": output, **more}


# Bedrock Converse


def bedrock_use(call_id: str, name: str = "f") -> Raw:
    """A call."""
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": {}}}


def bedrock_result(call_id: str, value: str = "r", **more: Any) -> Raw:
    """A result."""
    return {"toolResult": {"toolUseId": call_id, "content": [{"text": value}], **more}}


# Gemini


def content(role: str, *parts: Raw) -> Raw:
    """A content."""
    return {"role": role, "parts": [*parts]}


def gemini_call(name: str = "f", **more: Any) -> Raw:
    """A call."""
    return {"functionCall": {"name": name, "args": {}, **more}}


def gemini_response(name: str = "f", **more: Any) -> Raw:
    """A response."""
    return {"functionResponse": {"name": name, "response": {"r": 1}, **more}}
