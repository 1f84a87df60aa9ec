"""Roles, origins and times, as several wire formats write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from headroom_cli.model import Origin, Part, Role, ToolResult

_ROLES: dict[str, Role] = {
    "assistant": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "function": "tool",
    "tool": "tool",
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def role_of(role: object) -> Role:
    """The role that a wire role means; `user` where it is unknown."""
    return _ROLES.get(role, "user") if isinstance(role, str) else "user"


def origin_of(role: Role, parts: list[Part]) -> Origin:
    """Where a message comes from: a `user` message that holds nothing but tool results comes from the tools."""
    if role == "assistant":
        return "model"
    if role == "system":
        return "harness"
    if role == "tool":
        return "tool"
    return "tool" if parts and all(isinstance(part, ToolResult) for part in parts) else "human"


def microseconds_of(stamp: object) -> int | None:
    """An ISO 8601 time as microseconds since the epoch, or None; a time without a zone is UTC."""
    if not isinstance(stamp, str):
        return None
    try:
        moment = datetime.fromisoformat(stamp)
        if moment.tzinfo is not UTC:
            moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)  # out of range: no time
        return (moment - _EPOCH) // _MICROSECOND
    except (ValueError, OverflowError):
        return None
