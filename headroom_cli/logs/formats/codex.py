"""Codex CLI rollouts: enveloped lines (since September 2025), the bare items before that, and files that mix them."""

from __future__ import annotations

from collections.abc import Iterable

from headroom_cli.logs.base import LogFormat, conversation_id
from headroom_cli.logs.codex.context import Replay, mark_prompts
from headroom_cli.logs.codex.forks import own_start, parent_thread, subagent_label
from headroom_cli.logs.codex.items import first_text, micros
from headroom_cli.logs.codex.scan import Scan, Thread
from headroom_cli.model import Conversation, Declaration, Part, Reading, Text
from headroom_cli.source.records import Record
from headroom_cli.wire import openai_responses
from headroom_cli.wire.base import text_or_none
from headroom_cli.wire.results import dump

_NAME = "codex"

# Sub-agents that serve the client itself, not the task.
_SIDE_AGENTS = frozenset({"compact", "memory_consolidation"})


def read(records: Iterable[Record], path: str, reading: Reading) -> list[Conversation]:
    """The threads of a rollout file, nearly always one."""
    return [_conversation(thread, path, reading.alone) for thread in Scan(reading).run(records)]


FORMAT = LogFormat(
    name=_NAME,
    title="Codex CLI rollout",
    client="Codex",
    families=frozenset({"codex-rollout", "codex-legacy"}),
    summary="Session files in ~/.codex/sessions, archived ones and those of 2025 without envelope too.",
    read=read,
)


def _conversation(thread: Thread, path: str, alone: bool) -> Conversation:
    meta = thread.meta
    mark_prompts(thread)
    parent, start = parent_thread(thread), own_start(thread)
    replay = Replay(thread, start, keyed=not (alone and thread.id))
    system = _system(thread)
    tools = _tools(thread)
    replay.run([*system, *tools])
    label = subagent_label(thread)
    git = meta.get("git")
    git = git if isinstance(git, dict) else {}
    first = "" if thread.id else next((m.key or first_text(m) for m in replay.messages), "")
    times = [m for m in (micros(thread.first_stamp), micros(thread.last_stamp)) if m is not None]
    started = micros(meta.get("timestamp")) or min(times, default=None)
    return Conversation(
        id=conversation_id(_NAME, thread.id, "", first),
        session_id=(text_or_none(meta.get("session_id")) if label else None) or thread.id or None,
        log_format=_NAME,
        dialect=openai_responses.NAME,
        path=path,
        kind="main" if label is None else "side" if label in _SIDE_AGENTS else "subagent",
        parent_id=None if parent is None else conversation_id(_NAME, parent, "", ""),
        agent_name=label,
        client="Codex",
        client_version=text_or_none(meta.get("cli_version")),
        cwd=text_or_none(meta.get("cwd")) or thread.cwd,
        git_branch=text_or_none(git.get("branch")),
        repo_url=text_or_none(git.get("repository_url")),
        model=thread.settings.model,
        started_at=started,
        ended_at=max(times, default=None),
        messages=replay.messages,
        requests=replay.requests,
        system=system,
        tools=tools,
        resets=replay.resets,
        notes=_notes(thread, replay, start),
    )


def _system(thread: Thread) -> list[Part]:
    """The system prompt. `instructions` of older clients is mostly AGENTS.md, which a message repeats."""
    base = thread.meta.get("base_instructions")
    text = text_or_none(base.get("text")) if isinstance(base, dict) else text_or_none(base)
    if text is not None:
        return [Text(text, raw=base, line=thread.line)]
    text = text_or_none(thread.meta.get("instructions"))
    if text is None or any(text.strip() in message for message in _injected_texts(thread)):
        return []
    return [Text(text, raw=text, line=thread.line)]


def _injected_texts(thread: Thread) -> Iterable[str]:
    """Texts of the messages before the first output."""
    for entry in thread.entries:
        if entry.output:
            return
        if entry.kind == "item":
            yield first_text(entry.value)


def _tools(thread: Thread) -> list[Declaration]:
    tools = thread.meta.get("dynamic_tools")
    return [
        Declaration(text_or_none(tool.get("name")) or "", dump(tool), raw=tool, line=thread.line)
        for tool in (tools if isinstance(tools, list) else [])
        if isinstance(tool, dict)
    ]


def _notes(thread: Thread, replay: Replay, start: int) -> list[str]:
    notes: list[str] = []
    own = [request for request in replay.requests if not request.copied]
    if own and all(request.usage is None for request in own):
        notes.append("no usage is recorded" + ("" if not thread.bare else ": rollouts without envelope have none"))
    if replay.unrecorded:
        notes.append(f"the running total counts {replay.unrecorded} tokens more than the requests that are recorded")
    if isinstance(thread.meta.get("history_base"), dict):
        notes.append("continues a thread whose history stands in another file: contexts are larger than shown")
    if start:
        notes.append("starts with history copied from another thread")
    return notes
