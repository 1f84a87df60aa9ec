"""What a Codex item is besides its content: who wrote it, and what makes it the same item elsewhere."""

from __future__ import annotations

import hashlib
from typing import Any

from headroom_cli.model import Media, Message, Origin, Other, Text, Thinking, ToolCall, ToolResult
from headroom_cli.wire.fields import microseconds_of
from headroom_cli.wire.results import call_text, dump

# Ids shorter than this are counters ("call_0") that repeat from session to session.
_MIN_UNIQUE_ID = 16

_INJECTED = (
    "# AGENTS.md instructions",
    "<user_instructions>",
    "<environment_context>",
    "<environments_instructions>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<apps_instructions>",
    "<skills_instructions>",
    "<skill>",
    "<plugins_instructions>",
    "<recommended_plugins>",
    "<tools>",
    "<multi_agent_mode>",
    "<personality_spec>",
    "<model_switch>",
    "<context_window",
    "<token_budget>",
    "<rollout_budget>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<codex_internal_context",
    "<goal_context>",
    "<external_",
    "<image_resize_notice>",
)


def micros(stamp: object) -> int | None:
    """Microseconds since the epoch of an ISO 8601 time; without a zone it is taken as UTC."""
    if not isinstance(stamp, str) or len(stamp) > 40:
        return None
    return microseconds_of(stamp)


def first_text(message: Message) -> str:
    """The message's first text, empty if it has none."""
    for part in message.parts:
        if isinstance(part, Text):
            return part.text
    return ""


def origin_of(message: Message) -> Origin:
    """Who wrote a message of role `user` or `system`: the person, or the client in their name."""
    if message.role == "system":
        return "harness"
    start = first_text(message)[:60].lstrip()
    if start.startswith("<user_shell_command"):
        return "command"
    if start.startswith("<hook_prompt"):
        return "hook"
    return "harness" if start.startswith(_INJECTED) else "human"


def identity(item: dict[str, Any]) -> str:
    """What names an item in every file that holds it: its call id or its own id; empty if it has neither."""
    call_id = item.get("call_id")
    if isinstance(call_id, str) and len(call_id) >= _MIN_UNIQUE_ID:
        kind = item.get("type")
        return f"{'result' if isinstance(kind, str) and kind.endswith('_output') else 'call'}:{call_id}"
    item_id = item.get("id")
    return f"item:{item_id}" if isinstance(item_id, str) and len(item_id) >= _MIN_UNIQUE_ID else ""


def digest(message: Message) -> str:
    """16 hex digits of a message's content: equal for two copies of it, whatever ids and states they carry."""
    pieces: list[str] = [message.role]
    for part in message.parts:
        if isinstance(part, Text):
            pieces.append(part.text)
        elif isinstance(part, Thinking):
            pieces += ("thinking", part.text, part.signature or "")
        elif isinstance(part, ToolCall):
            pieces += ("call", part.id or "", call_text(part.name, part.arguments))
        elif isinstance(part, ToolResult):
            pieces += ("result", part.call_id or "", part.text)
            pieces += [media.digest or media.mime for media in part.media]
        elif isinstance(part, Media):
            pieces += ("media", part.digest or part.mime)
        elif isinstance(part, Other):
            pieces += ("other", part.type, dump(part.raw))
    text = "\0".join(pieces)
    # Much of a rollout is hashed here, ciphertext of reasoning above all: SHA-1 takes half the time of MD5.
    return hashlib.sha1(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:16]
