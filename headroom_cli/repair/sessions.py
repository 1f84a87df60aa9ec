"""Which repair a session file gets, by its format."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from headroom_cli.lint.base import Rule
from headroom_cli.lint.providers import Profile
from headroom_cli.repair.claude import repair_claude
from headroom_cli.repair.codex import repair_codex
from headroom_cli.repair.files import COMPRESSED
from headroom_cli.repair.lines import SessionRepair
from headroom_cli.repair.splice import NotJson, value_at

_REPAIRS: dict[str, Callable[..., SessionRepair]] = {"claude-code": repair_claude, "codex": repair_codex}
CLIENTS = {"claude-code": "Claude Code", "codex": "Codex"}
"""The clients whose sessions are repaired, by log format."""


def repair_session(
    data: bytes, name: str, *, profiles: Sequence[Profile] | None = None, rules: Sequence[Rule] | None = None
) -> SessionRepair:
    """Repair the bytes of a session of Claude Code or Codex; `refused` where they are neither."""
    if data.startswith(COMPRESSED):
        return SessionRepair(data, data, refused="it is compressed; expand it first")
    # The format is settled by reading; what a rollout's lines have in common only says which repair reads it first.
    first, second = (repair_codex, repair_claude) if _looks_like_rollout(data) else (repair_claude, repair_codex)
    outcome = first(data, name, profiles=profiles, rules=rules)
    right = _REPAIRS.get(outcome.log_format)
    if outcome.refused is not None or right is first:
        return outcome
    if right is second:
        return second(data, name, profiles=profiles, rules=rules)
    refused = "it is no session of Claude Code or Codex; for other histories: headroom lint --fix"
    return SessionRepair(data, data, outcome.log_format, refused=refused)


def _looks_like_rollout(data: bytes) -> bool:
    line = data[: data.find(b"\n") + 1 or None].decode("utf-8", "replace")
    try:
        value = value_at(line, max(line.find("{"), 0)).value
    except NotJson:
        return False
    return isinstance(value, dict) and (
        "payload" in value or value.get("type") == "session_meta" or "instructions" in value
    )
