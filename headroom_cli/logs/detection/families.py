"""The family of one decoded object: an ordered table of small predicates, the first match wins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headroom_cli.logs.detection.shapes import (
    ITEM_TYPES,
    MESSAGE_ROLES,
    event_family,
    messages_dialect,
    pair_in,
    request_dialect,
    response_dialect,
)

UNKNOWN = "unknown"

_CODEX_RECORDS = frozenset(
    {
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
        "compacted",
        "world_state",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
        "token_usage_record",
        "retained_context",
        "security_risk_score",
        "realtime_item",
    }
)
_CODEX_EXEC = frozenset(
    {
        "thread.started",
        "turn.started",
        "turn.completed",
        "turn.failed",
        "item.started",
        "item.updated",
        "item.completed",
    }
)
_CLAUDE_METADATA = frozenset(
    {
        "summary",
        "custom-title",
        "ai-title",
        "agent-name",
        "agent-color",
        "agent-setting",
        "tag",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "frame-link",
        "relocated",
        "worktree-state",
        "bridge-session",
        "atis-latch",
        "queue-operation",
        "file-history-snapshot",
        "attribution-snapshot",
        "task-summary",
        "speculation-accept",
        "history-suppression",
        "turn_end",
        "content-replacement",
        "marble-origami-commit",
        "marble-origami-snapshot",
        "marble-origami-reset",
    }
)
_CLAUDE_STREAM = frozenset({"system", "assistant", "user", "result", "stream_event", "rate_limit_event"})
_GEMINI_CLI_TYPES = frozenset({"user", "gemini", "info", "warning", "error"})


def classify(value: Any) -> str:
    """The family of one decoded object or array; `unknown` if no rule matches."""
    if isinstance(value, list):
        return array_family(value) or UNKNOWN
    if not isinstance(value, dict):
        return UNKNOWN
    for rule in _RULES:
        family = rule(value)
        if family is not None:
            return family
    return UNKNOWN


def _codex(o: dict[str, Any]) -> str | None:
    kind = o.get("type")
    if isinstance(kind, str):
        if kind in _CODEX_RECORDS and isinstance(o.get("payload"), dict):
            meta = o["payload"]
            originator = meta.get("originator") if kind == "session_meta" else None
            return "just-every-code" if originator in ("code_cli_rs", "code_cli") else "codex-rollout"
        if kind == "event" and isinstance(o.get("payload"), dict) and "timestamp" in o:
            return "just-every-code"
        if kind in _CODEX_EXEC:
            return "codex-exec"
        return None
    if o.get("record_type") == "state":
        return "codex-legacy"
    if "instructions" in o and isinstance(o.get("id"), str) and "timestamp" in o:
        return "codex-legacy" if o.keys() <= {"id", "timestamp", "instructions", "git"} else None
    message = o.get("msg")
    if isinstance(message, dict) and isinstance(message.get("type"), str) and o.keys() <= {"id", "msg"}:
        return "codex-exec"
    return None


def _prompt_lists(o: dict[str, Any]) -> str | None:
    if len(o) == 3 and o.keys() == {"session_id", "ts", "text"}:
        return "codex-history"
    if len(o) == 3 and o.keys() == {"id", "thread_name", "updated_at"}:
        return "codex-index"
    if "display" in o and "timestamp" in o and ("pastedContents" in o or "project" in o) and "type" not in o:
        return "claude-history"
    return None


def _gemini_cli(o: dict[str, Any]) -> str | None:
    if "projectHash" in o and isinstance(o.get("sessionId"), str):
        return "gemini-cli"
    if "$set" in o or "$rewindTo" in o:
        return "gemini-cli"
    kind = o.get("type")
    shown = isinstance(kind, str) and kind in _GEMINI_CLI_TYPES and isinstance(o.get("id"), str)
    if shown and "timestamp" in o and "content" in o:
        return None if "sessionId" in o or "session_id" in o or "role" in o else "gemini-cli"
    messages = o.get("messages")
    if isinstance(o.get("sessionId"), str) and isinstance(messages, list):
        return "gemini-cli" if any(isinstance(m, dict) and m.get("type") == "gemini" for m in messages[:20]) else None
    return None


def _claude(o: dict[str, Any]) -> str | None:
    kind = o.get("type")
    if not isinstance(kind, str):
        return None
    if isinstance(o.get("sessionId"), str):
        if "uuid" in o or "parentUuid" in o:
            return _claude_line(o, kind)
        if "providerData" in o or kind in ITEM_TYPES:
            return "codebuddy"
        return "claude-code" if kind in _CLAUDE_METADATA or kind in ("user", "assistant", "progress") else None
    if kind in _CLAUDE_METADATA and ("leafUuid" in o or "messageId" in o or "snapshot" in o):
        return "claude-code"
    if kind in _CLAUDE_STREAM and (isinstance(o.get("session_id"), str) or _in_thread(o)):
        return "claude-stream-json"
    return None


def _in_thread(o: dict[str, Any]) -> bool:
    """A message of a stream that says which thread it belongs to; some hosts leave the session out."""
    return "parent_tool_use_id" in o and isinstance(o.get("message"), dict)


def _claude_line(o: dict[str, Any], kind: str) -> str:
    """Other clients write the same envelope around another payload: Gemini parts, results as lines of their own."""
    message = o.get("message")
    if kind in ("tool_result", "tool_call") or (isinstance(message, dict) and isinstance(message.get("parts"), list)):
        return "qwen-code"
    if kind == "assistant" and isinstance(message, dict) and not isinstance(message.get("content"), list | str):
        return UNKNOWN
    if kind in ITEM_TYPES:
        return "codebuddy"
    return "claude-code"


def _batch(o: dict[str, Any]) -> str | None:
    if "custom_id" not in o:
        return None
    if isinstance(o.get("body"), dict):
        return "openai-batch-in"
    if isinstance(o.get("params"), dict):
        return "anthropic-batch-in"
    if isinstance(o.get("result"), dict):
        return "anthropic-batch-out"
    return "openai-batch-out" if "response" in o or "error" in o else None


def _recording(o: dict[str, Any]) -> str | None:
    """HTTP as VCR and browsers record it."""
    log = o.get("log")
    listed = log.get("entries") if isinstance(log, dict) else o.get("interactions", o.get("http_interactions"))
    if isinstance(listed, list) and listed and isinstance(listed[0], dict):
        return "recording" if isinstance(listed[0].get("request"), dict) else None
    return None


def _clients(o: dict[str, Any]) -> str | None:
    history = o.get("history")
    if isinstance(history, list) and (isinstance(o.get("trajectory"), list) or _is_of_an_agent(history)):
        return "swe-agent"
    if isinstance(o.get("message_id"), int | str) and isinstance(o.get("message"), dict):
        return "strands" if "role" in o["message"] else None
    messages = o.get("messages")
    if isinstance(messages, list) and messages and isinstance(messages[0], dict):
        first = messages[0]
        if isinstance(first.get("contents"), list) and "role" in first:
            return "agent-framework"
    return None


def _is_of_an_agent(history: list[Any]) -> bool:
    """Whether SWE-agent wrote a history: its demonstrations hold nothing else."""
    first = history[0] if history else None
    return isinstance(first, dict) and "role" in first and isinstance(first.get("agent"), str)


def _training(o: dict[str, Any]) -> str | None:
    if "chosen" in o and "rejected" in o:
        return "training"
    if "preferred_output" in o and "input" in o:
        return "training"
    turns = o.get("conversations")
    if isinstance(turns, list) and turns and isinstance(turns[0], dict) and "from" in turns[0] and "value" in turns[0]:
        return "training"
    if "prompt" in o and "completion" in o:
        return "training" if isinstance(o["completion"], str | list) and isinstance(o["prompt"], str | list) else None
    return None


def _split_capture(o: dict[str, Any]) -> str | None:
    if o.get("type") not in ("request", "response"):
        return None
    if any(key in o for key in ("messages", "request_params", "outputs", "response", "request", "body", "data")):
        return "capture-line"
    return None


def shape(o: dict[str, Any]) -> str | None:
    """Rules 12 to 17, which also hold inside a wrapper."""
    event = event_family(o)
    if event is not None:
        return event
    if pair_in(o) is not None:
        return "capture-pair"
    dialect = response_dialect(o)
    if dialect is not None:
        return f"{dialect}-object"
    dialect = request_dialect(o)
    return f"{dialect}-request" if dialect is not None else None


def _named_others(o: dict[str, Any]) -> str | None:
    message = o.get("message")
    usage = o.get("usage")
    if isinstance(message, dict) and "finish_reason" in o and isinstance(usage, dict) and "billed_units" in usage:
        return "cohere"
    kind = o.get("type")
    if isinstance(kind, str) and kind in ("message-start", "content-start", "content-end", "message-end"):
        return "cohere"
    if kind in ("content-delta", "tool-plan-delta", "tool-call-start", "tool-call-delta", "tool-call-end"):
        return "cohere"
    if o.get("object") == "interaction" or isinstance(o.get("interaction"), dict) or "interaction_id" in o:
        return "gemini-interactions"
    if isinstance(kind, str) and o.get("event_type") in ("step.start", "step.delta", "step.stop"):
        return "gemini-interactions"
    return None


def _line(o: dict[str, Any]) -> str | None:
    """Rules 18 to 20: one item or message a line."""
    kind, role = o.get("type"), o.get("role")
    if isinstance(kind, str) and kind in ITEM_TYPES and ("role" in o or kind != "message"):
        return "item-line"
    if isinstance(role, str) and role in MESSAGE_ROLES:
        if any(key in o for key in ("content", "parts", "tool_calls", "function_call")):
            return "message-line"
        return None
    if isinstance(o.get("message_data"), str | dict):
        return "item-line"
    if isinstance(role, dict) and isinstance(o.get("contents"), list):
        return "agent-framework"
    message = o.get("message")
    if isinstance(message, dict):
        if kind in ("user", "assistant") and ("role" in message or "content" in message):
            return "claude-code"
        if isinstance(message.get("usage"), dict) and "requestId" in o:
            return "claude-code"
    return None


def array_family(items: list[Any]) -> str | None:
    """A list of messages or items: one conversation. A list of rows is none."""
    dicts = [item for item in items[:20] if isinstance(item, dict)]
    if not dicts or len(dicts) * 2 < len(items[:20]):
        return None
    lines = sum(_line(item) in ("message-line", "item-line") for item in dicts)
    return "history-array" if lines * 2 > len(dicts) and messages_dialect(dicts) is not None else None


_RULES: tuple[Callable[[dict[str, Any]], str | None], ...] = (
    _codex,
    _prompt_lists,
    _gemini_cli,
    _claude,
    _batch,
    _recording,
    _clients,
    _training,
    _split_capture,
    _named_others,
    shape,
    _line,
)
