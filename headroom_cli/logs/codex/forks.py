"""Where a Codex thread's own history starts, if its file begins with history copied from another thread.

Copied lines carry the time of the copy, so only ids and the burst in which they were written tell them apart.
"""

from __future__ import annotations

from typing import Any

from headroom_cli.logs.codex.items import micros
from headroom_cli.logs.codex.scan import Thread
from headroom_cli.wire.base import text_or_none

# A copy is written in one go; a person or a model needs longer than this to add a line.
_BURST_GAP_US = 500_000


def parent_thread(thread: Thread) -> str | None:
    """The thread that spawned this one or that it was forked from."""
    meta = thread.meta
    spawn = _subagent(meta)
    if isinstance(spawn, dict):
        spawn = spawn.get("thread_spawn")
    spawned_by = spawn.get("parent_thread_id") if isinstance(spawn, dict) else None
    for candidate in (
        meta.get("parent_thread_id"),
        spawned_by,
        meta.get("forked_from_id"),
        next(iter(thread.ancestors), None),
    ):
        parent = text_or_none(candidate)
        if parent is not None and parent != thread.id:
            return parent
    return None


def subagent_label(thread: Thread) -> str | None:
    """The name of a sub-agent's kind (`review`, a nickname, a role); None for a session of its own."""
    meta = thread.meta
    source = _subagent(meta)
    if source is None and meta.get("thread_source") != "subagent" and not text_or_none(meta.get("parent_thread_id")):
        return None
    spawn = source.get("thread_spawn") if isinstance(source, dict) else None
    for holder in (meta, spawn):
        if isinstance(holder, dict):
            for name in ("agent_nickname", "agent_role", "agent_path"):
                if label := text_or_none(holder.get(name)):
                    return label
    if isinstance(source, dict):
        source = text_or_none(source.get("other")) or next(iter(source), None)
    return text_or_none(source) or "subagent"


def _subagent(meta: dict[str, Any]) -> Any:
    source = meta.get("source")
    return source.get("subagent") if isinstance(source, dict) else None


def own_start(thread: Thread) -> int:
    """The index of the first entry that the thread made itself; 0 if nothing was copied.

    Signs in order of trust: the ordinal that the client noted, a line that names this thread, a turn that began after
    the thread was made, and the end of the burst in which the copy was written.
    """
    if thread.own_ordinal_at is not None:
        return thread.own_ordinal_at
    if thread.copy_starts is None and not text_or_none(thread.meta.get("forked_from_id")):
        return 0
    start = _first_own(thread)
    if thread.copy_starts is None and not any(e.output or e.kind == "usage" for e in thread.entries[:start]):
        # No line of the parent's own and no answer of a model: these are the thread's first lines.
        return 0
    return start


def _first_own(thread: Thread) -> int:
    for sign in thread.signs:
        if sign.kind == "thread" and sign.id == thread.id:
            return sign.entry
    for sign in thread.signs:
        if sign.kind == "turn" and sign.entry >= (thread.copy_starts or 0) and _made_after(sign.id, thread.id):
            return _with_prompt(thread, sign.entry)
    return _burst_end(thread)


def _made_after(turn_id: str, thread_id: str) -> bool:
    """Both ids are UUIDs of version 7, which sort by the time they were made, and the turn's is the later."""
    return all(len(i) == 36 and i[14] == "7" for i in (turn_id, thread_id)) and turn_id.lower() >= thread_id.lower()


def _with_prompt(thread: Thread, turn: int) -> int:
    """Older clients write the prompt before the turn's own line: take it in if it came after the burst."""
    start = _burst_end(thread)
    between = thread.entries[start:turn]
    return start if start < turn and not any(e.output or e.kind == "usage" for e in between) else turn


def _burst_end(thread: Thread) -> int:
    start = thread.copy_starts or 0
    before = micros(thread.first_stamp if thread.copy_starts is None else thread.copy_stamp)
    if before is None:
        return start
    for index in range(start, len(thread.entries)):
        now = micros(thread.entries[index].stamp)
        if now is not None:
            if now - before > _BURST_GAP_US:
                return index
            before = now
    return len(thread.entries)
