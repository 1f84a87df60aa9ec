"""Claude Code transcripts: `~/.claude/projects/<project>/<session>.jsonl` and the subagents' `agent-<id>.jsonl`.

The main thread, each subagent's file and each sidechain within a file is a conversation. Where Anthropic's own reader
of these files (claude-agent-sdk-python, `_internal/sessions.py`) and real files differ, real files win.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from headroom_cli.logs.base import LogFormat, conversation_id
from headroom_cli.logs.claude.context import Abandonment, Clearing, Replay, Retraction
from headroom_cli.logs.claude.lines import Lines
from headroom_cli.logs.claude.order import in_order
from headroom_cli.logs.claude.responses import usable_id
from headroom_cli.logs.claude.threads import ROOT, Thread
from headroom_cli.model import Conversation, Message, Reading, Spawn, Text, ToolCall
from headroom_cli.source.records import Record
from headroom_cli.wire.base import text_or_none

NAME = "claude-code"
CLIENT = "Claude Code"

_MAX_SIDECAR = 65_536
# Agents that serve the client itself, not the task: `acompact-…`, `aprompt_suggestion-…`, `aside_question-…`.
_OWN_AGENT = re.compile(r"a([a-z]+(?:_[a-z]+)*)-[0-9a-f]+")
_DROP = 5_000


def read(records: Iterable[Record], path: str, reading: Reading) -> list[Conversation]:
    """The conversations of one file, the main thread first."""
    stem = Path(path).stem
    agent = stem.removeprefix("agent-") if stem.startswith("agent-") else ""
    lines = Lines(reading.unknown, agent, alone=reading.alone)
    for line, value in in_order(records, lines.threads.holds):
        lines.take(value, line)
    return conversations(lines, path, session_of(lines, stem), NAME)


def session_of(lines: Lines, stem: str) -> str | None:
    """The session that the file is of: the one that it is named for, else that of its last line.

    A resumed session or a fork begins with lines of the session that it was copied from.
    """
    return stem if stem in lines.session_ids else lines.session_id


def conversations(lines: Lines, path: str, session: str | None, log_format: str) -> list[Conversation]:
    """Assemble what the lines gave. The id of a thread needs no other file: session id and agent id make it."""
    sidecar = _sidecar(path) if any(thread.side for thread in lines.threads.by_agent.values()) else {}
    threads = sorted((t for t in lines.threads.by_agent.values() if t.messages), key=lambda t: t.agent != "")
    spawning = _spawning_calls(threads)
    seen: set[str] = set()
    result = []
    for thread in threads:
        conversation = _conversation(lines, thread, path, session, log_format)
        conversation.spawned = _spawned(lines, thread, session, log_format)
        if thread.agent:
            _place(conversation, thread, session, log_format, sidecar, lines, spawning)
        _mark_repeats(conversation, seen)
        result.append(conversation)
    return result


def _mark_repeats(conversation: Conversation, seen: set[str]) -> None:
    """A sidechain may repeat the responses of the thread that it left."""
    repeats = {request.index for request in conversation.requests if request.key in seen}
    seen.update(request.key for request in conversation.requests if request.key)
    if repeats:
        for index in repeats:
            conversation.requests[index].copied = True
        for message in conversation.messages:
            message.copied = message.copied or message.request in repeats


def _conversation(lines: Lines, thread: Thread, path: str, session: str | None, log_format: str) -> Conversation:
    messages = _own_messages(thread, session)
    conversation = Conversation(
        _thread_id(log_format, session, thread.agent, messages[0].key),
        session,
        log_format,
        "anthropic",
        path,
        client=CLIENT,
        client_version=lines.client_version,
        cwd=lines.cwd,
        git_branch=lines.git_branch,
        agent_name=thread.agent_name,
        messages=messages,
        nested_usage=list(thread.nested.values()),
    )
    _replay(lines, thread, conversation)
    known = lines.threads.graph.lines
    conversation.missing_parents = [known[uuid][1] for uuid in thread.missing if uuid in known]
    conversation.off_chain = sorted(
        thread.result_parents[uuid] for uuid in thread.continued & thread.result_parents.keys()
    )
    conversation.summaries = [message.index for message in thread.summaries if id(message) not in thread.dropped]
    if thread.cut:
        conversation.notes.append("begins in the middle of a session: what stood before it is not in the file")
    if _unexplained_drops(conversation):
        conversation.notes.append("the recorded context shrank without a record of what left it")
    if thread.collapsed:
        conversation.notes.append("holds records of collapsed context, which are not applied")
    times = [m.timestamp for m in messages if m.timestamp is not None and not m.copied]
    times = times or [m.timestamp for m in messages if m.timestamp is not None]
    if times:
        conversation.started_at, conversation.ended_at = min(times), max(times)
    models = Counter(request.model for request in conversation.requests if request.model)
    if models:
        conversation.model = models.most_common(1)[0][0]
    return conversation


def _own_messages(thread: Thread, session: str | None) -> list[Message]:
    messages: list[Message] = []
    times_used: dict[str, int] = {}
    for message, written_by in zip(thread.messages, thread.sessions, strict=True):
        if id(message) in thread.dropped:
            continue
        if written_by is not None and written_by != session:
            message.copied = True
        message.index = len(messages)
        while message.key in times_used:
            # Two messages of one thread are never the same: a second result of a call, say.
            times_used[message.key] += 1
            message.key += f"+{times_used[message.key]}"
        if message.key:
            times_used[message.key] = 0
        messages.append(message)
    return messages


def _replay(lines: Lines, thread: Thread, conversation: Conversation) -> None:
    replay = Replay(lines.threads.graph, len(thread.messages))
    for call_id, text, line in thread.replacements:
        found = thread.results.get(call_id)
        if found is not None:
            replay.replace(*found, text, line)
    for event in thread.events:
        if isinstance(event, Clearing):
            replay.clear(event, thread.results)
        elif isinstance(event, Retraction):
            replay.retract(event)
        elif isinstance(event, Abandonment):
            replay.abandon(event, thread.results)
        elif event.response is not None and (event.response.usage is not None or not thread.has_usage):
            # Without any recorded usage each response still implies a request.
            conversation.requests.append(replay.request(event, event.response))
    replay.finish(lines.threads.graph.find(thread.last))
    conversation.resets = replay.resets
    if replay.gave_up:
        conversation.notes.append("branches alternate too often: abandoned ones were left in the context")


def _unexplained_drops(conversation: Conversation) -> int:
    """How often the recorded context shrank by a tenth while nothing left it: old clients clear results silently."""
    drops: set[int] = set()
    before = 0
    for request in conversation.requests:
        now = (request.usage.input_tokens if request.usage is not None else None) or before
        if before - now > max(_DROP, before // 10):
            drops.add(request.index)
        before = now
    if drops:
        drops -= {i.leaves for m in conversation.messages for p in m.parts for i in p.context if i.leaves is not None}
    return len(drops)


def _thread_id(log_format: str, session: str | None, agent: str, first_key: str) -> str:
    if agent.startswith(ROOT):
        return conversation_id(log_format, session or "", "", first_key)
    return conversation_id(log_format, session or "", agent, first_key if session is None else "")


def _place(
    conversation: Conversation,
    thread: Thread,
    session: str | None,
    log_format: str,
    sidecar: dict[str, Any],
    lines: Lines,
    spawning: dict[str, tuple[str, str | None]],
) -> None:
    """Say whose subagent a thread is, by which call, under which name."""
    own = _OWN_AGENT.fullmatch(thread.agent)
    conversation.kind = "subagent" if own is None else "side"
    if session is not None:
        parent_agent = usable_id(sidecar.get("parentAgentId")) or ""
        conversation.parent_id = _thread_id(log_format, session, parent_agent, "")
    call, name = spawning.get(_first_text(conversation), (None, None))
    conversation.parent_call_id = usable_id(sidecar.get("toolUseId")) or lines.spawned_by.get(thread.agent) or call
    conversation.agent_name = usable_id(sidecar.get("agentType")) or thread.agent_name or name
    if own is not None:
        conversation.agent_name = own[1]


def _spawning_calls(threads: list[Thread]) -> dict[str, tuple[str, str | None]]:
    """The calls that may have started a subagent, by prompt: call id and type of agent."""
    calls: dict[str, tuple[str, str | None]] = {}
    if not any(thread.side for thread in threads):
        return calls
    for thread in threads:
        for message in thread.messages:
            for part in message.parts:
                if isinstance(part, ToolCall) and part.id and isinstance(part.arguments, dict):
                    prompt, kind = part.arguments.get("prompt"), part.arguments.get("subagent_type")
                    if isinstance(prompt, str):
                        calls.setdefault(prompt, (part.id, kind if isinstance(kind, str) else None))
    return calls


def _spawned(lines: Lines, thread: Thread, session: str | None, log_format: str) -> list[Spawn]:
    """The subagents that calls of the thread started."""
    started = [(agent, call) for agent, call in lines.spawned_by.items() if call in thread.callers]
    if not started or session is None:
        return []
    types: dict[str, str | None] = {}
    for message in thread.messages:
        for part in message.parts:
            if isinstance(part, ToolCall) and part.id and isinstance(part.arguments, dict):
                types[part.id] = text_or_none(part.arguments.get("subagent_type"))
    return [Spawn(_thread_id(log_format, session, agent, ""), call, types.get(call)) for agent, call in started]


def _first_text(conversation: Conversation) -> str:
    for part in conversation.messages[0].parts:
        if isinstance(part, Text):
            return part.text
    return ""


def _sidecar(path: str) -> dict[str, Any]:
    """`agent-<id>.meta.json` beside the file of a subagent; nothing if it is not there or not readable."""
    file = Path(path)
    if not file.name.startswith("agent-") or file.suffix != ".jsonl":
        return {}
    try:
        with file.with_suffix(".meta.json").open("rb") as stream:
            value = json.loads(stream.read(_MAX_SIDECAR))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


FORMAT = LogFormat(
    name=NAME,
    title="Claude Code",
    client=CLIENT,
    families=frozenset({"claude-code"}),
    summary="Session transcripts in ~/.claude/projects, with subagents and sidechains.",
    read=read,
)
