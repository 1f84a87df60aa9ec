"""Claude Code sessions in the shape of clients 2.0 to 2.1: a line a block, twins, progress, compaction.

The proportions (lines by type, sizes of results, calls by tool, lines of one response) follow real sessions of those
clients; see the README of this folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from benchmarks.claude_tools import Workspace
from benchmarks.text import Clock, Text, estimate

Line = dict[str, Any]
COMPACT_AT = 155_000
BASE_CONTEXT = 19_000
VERSIONS = {"2.1.42": "never", "2.1.92": "last", "2.1.138": "every"}
MODELS = ("claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001")


class Session:
    """One session file, or one subagent file of a session when `agent` is given."""

    def __init__(self, rng: Random, parent: Session | None = None) -> None:
        self.rng, self.text = rng, Text(rng)
        self.clock: Clock = parent.clock if parent else Clock(rng)
        self.id: str = parent.id if parent else self.text.uuid()
        self.agent = f"a{rng.getrandbits(28):07x}" if parent else None
        self.project: str = (
            parent.project if parent else f"/code/acme/{self.text.pick(('api', 'web', 'shop', 'infra'))}"
        )
        self.version: str = parent.version if parent else self.text.pick(list(VERSIONS))
        self.model = MODELS[2] if parent else self.text.pick(MODELS[:2])
        self.tools = Workspace(self.text, self.project)
        self.context, self.cached, self.requests = BASE_CONTEXT, 0, 0
        self.last: str | None = None
        self.envelope: Line = {
            "isSidechain": parent is not None,
            "userType": "external",
            "cwd": self.project,
            "sessionId": self.id,
            "version": self.version,
            "gitBranch": f"feature/{self.text.pick(self.text.names)}",
            "slug": "-".join(rng.choices(self.text.names, k=3)),
        }
        if self.agent:
            self.envelope["agentId"] = self.agent

    def link(self, fields: Line, milliseconds: int = 400) -> Line:
        """A line of the chain: envelope, fields, a new uuid that follows the last one."""
        line = {"parentUuid": self.last, **self.envelope, **fields}
        self.last = line["uuid"] = self.text.uuid()
        line["timestamp"] = self.clock.tick(milliseconds)
        return line

    def user(self, content: Any, **fields: Any) -> Line:
        """A user line: a prompt, a tool result, an injected text."""
        if isinstance(content, str):
            self.context += estimate(content)
        return self.link({"type": "user", "message": {"role": "user", "content": content}, **fields})

    def respond(self, blocks: list[Line]) -> list[Line]:
        """The lines of one response: one a block, all with its id; final usage on none, the last, or every line."""
        self.requests += 1
        created = max(3, self.context - self.cached)
        output = sum(estimate(str(block)) for block in blocks)
        message_id, request_id = self.text.token("msg_"), self.text.token("req_")
        stop = "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn"
        variant, out = VERSIONS[self.version], []
        for index, block in enumerate(blocks):
            final = variant == "every" or (variant == "last" and index == len(blocks) - 1)
            usage = {
                "input_tokens": 2 + self.requests % 8,
                "cache_creation_input_tokens": created,
                "cache_read_input_tokens": self.cached,
                "cache_creation": {"ephemeral_5m_input_tokens": created, "ephemeral_1h_input_tokens": 0},
                "output_tokens": output if final else 1 + self.requests % 4,
                "service_tier": "standard",
                "inference_geo": "not_available",
            }
            message = {
                "model": self.model,
                "id": message_id,
                "type": "message",
                "role": "assistant",
                "content": [block],
                "stop_reason": stop if final else None,
                "stop_sequence": None,
                "usage": usage,
            }
            out.append(self.link({"message": message, "requestId": request_id, "type": "assistant"}, 3000))
        self.cached = self.context
        self.context += output
        return out

    def step(self, final: bool) -> Iterator[Line]:
        """One response and the results of its calls. Progress may stand between a call and its result."""
        rng, text = self.rng, self.text
        blocks: list[Line] = []
        if rng.random() < 0.62:
            blocks.append(
                {
                    "type": "thinking",
                    "thinking": text.prose(text.skewed(5, 60)),
                    "signature": text.opaque(text.skewed(900, 9000)),
                }
            )
        if final or rng.random() < 0.5:
            blocks.append({"type": "text", "text": text.prose(text.skewed(4, 40))})
        calls = [] if final else [self.tools.call() for _ in range(1 if rng.random() < 0.86 else text.number(2, 6))]
        ids = [text.token("toolu_") for _ in calls]
        blocks += [
            {"type": "tool_use", "id": id_, "name": c.name, "input": c.arguments}
            for id_, c in zip(ids, calls, strict=True)
        ]
        lines = self.respond(blocks)
        sources = [line["uuid"] for line in lines[len(lines) - len(calls) :]]
        yield from lines
        for id_, call, source in zip(ids, calls, sources, strict=True):
            if call.name == "Bash" and rng.random() < 0.3:
                yield from self.progress(id_, text.skewed(9, 60))
            elif rng.random() < 0.25:
                yield self.hook(id_)
            result: Line = {"tool_use_id": id_, "type": "tool_result", "content": call.result}
            if call.error:
                result["is_error"] = True
            self.context += estimate(call.result if isinstance(call.result, str) else call.result[0]["text"])
            yield self.user([result], toolUseResult=call.twin, sourceToolAssistantUUID=source)

    def progress(self, call_id: str, count: int) -> Iterator[Line]:
        """A command that runs long: the client notes its last lines each second. Not context."""
        shown = self.text.output(3)
        for second in range(2, count + 2):
            data = {
                "type": "bash_progress",
                "output": shown,
                "fullOutput": shown,
                "elapsedTimeSeconds": second,
                "totalLines": 3,
            }
            yield self.link(
                {"type": "progress", "data": data, "toolUseID": f"bash-progress-{second}", "parentToolUseID": call_id},
                1000,
            )

    def hook(self, call_id: str) -> Line:
        """A hook that ran before a tool. Not context."""
        data = {
            "type": "hook_progress",
            "hookEvent": "PreToolUse",
            "hookName": "PreToolUse:Bash",
            "command": "acme-hooks check",
        }
        return self.link({"type": "progress", "data": data, "toolUseID": call_id, "parentToolUseID": call_id}, 20)

    def attachment(self) -> Line:
        """Context that the harness injects: a memory file or a reminder."""
        text = self.text
        if self.rng.random() < 0.5:
            path = f"{self.project}/{text.pick(list(self.tools.files) or ['src'])}.md"
            content = {"path": path, "type": "Project", "content": text.prose(text.skewed(12, 60))}
            body: Line = {"type": "nested_memory", "path": path, "content": content}
        else:
            body = {
                "type": "todo_reminder",
                "content": [{"content": text.prose(1), "status": "pending"}],
                "itemCount": 1,
            }
        self.context += estimate(str(body))
        return self.link({"attachment": body, "type": "attachment"}, 5)

    def compact(self) -> Iterator[Line]:
        """A boundary, then the summary that replaces everything before."""
        before, self.context, self.cached = self.context, BASE_CONTEXT, 0
        logical, self.last = self.last, None
        yield self.link(
            {
                "logicalParentUuid": logical,
                "type": "system",
                "subtype": "compact_boundary",
                "content": "Conversation compacted",
                "isMeta": False,
                "level": "info",
                "compactMetadata": {"trigger": "auto", "preTokens": before},
            }
        )
        summary = (
            "This session is being continued from a previous conversation that ran out of context.\n"
            + self.text.prose(110)
        )
        yield self.user(summary, isVisibleInTranscriptOnly=True, isCompactSummary=True)

    def task(self, child: Session, lines: list[Line]) -> Iterator[Line]:
        """A subagent seen from its parent: the call, copies of its messages as progress, its answer."""
        text = self.text
        prompt = lines[0]["message"]["content"]
        arguments = {
            "description": "Explore the " + text.pick(self.text.names),
            "prompt": prompt,
            "subagent_type": "Explore",
        }
        id_ = text.token("toolu_")
        for line in self.respond([{"type": "tool_use", "id": id_, "name": "Task", "input": arguments}]):
            source = line["uuid"]
            yield line
        for line in lines[1:]:
            if line["type"] in ("user", "assistant") and self.rng.random() < 0.6:
                kept = {
                    k: line[k]
                    for k in ("type", "message", "requestId", "uuid", "timestamp", "toolUseResult")
                    if k in line
                }
                data = {
                    "message": kept,
                    "normalizedMessages": [],
                    "type": "agent_progress",
                    "prompt": prompt,
                    "agentId": child.agent,
                }
                yield self.link(
                    {"type": "progress", "data": data, "toolUseID": f"agent_{child.agent}", "parentToolUseID": id_}, 100
                )
        answer = [{"type": "text", "text": lines[-1]["message"]["content"][0].get("text") or text.prose(8)}]
        self.context += estimate(answer[0]["text"])
        twin = {
            "status": "completed",
            "prompt": prompt,
            "agentId": child.agent,
            "content": answer,
            "totalTokens": child.context,
            "totalToolUseCount": child.requests,
        }
        yield self.user(
            [{"tool_use_id": id_, "type": "tool_result", "content": answer}],
            toolUseResult=twin,
            sourceToolAssistantUUID=source,
        )

    def prompt(self) -> Iterator[Line]:
        """A human turn, with what the client notes around it."""
        text = self.text
        files = {
            path: {"backupFileName": f"{text.uuid()[:16]}@v1", "version": 1, "backupTime": self.clock.stamp()}
            for path in list(self.tools.files)[:3]
        }
        message_id = text.uuid()
        snapshot = {"messageId": message_id, "trackedFileBackups": files, "timestamp": self.clock.stamp()}
        yield {
            "type": "file-history-snapshot",
            "messageId": message_id,
            "snapshot": snapshot,
            "isSnapshotUpdate": False,
        }
        yield self.user(
            text.prose(text.skewed(4, 30)),
            thinkingMetadata={"maxThinkingTokens": 31999},
            todos=[],
            permissionMode="default",
        )


def subagent(parent: Session) -> tuple[Session, list[Line]]:
    """A subagent's own lines: a prompt, some steps, an answer."""
    child = Session(parent.rng, parent)
    lines = [child.user(child.text.prose(6))]
    for _ in range(child.text.number(6, 22)):
        lines += child.step(final=False)
    lines += child.respond([{"type": "text", "text": child.text.prose(14)}])
    return child, lines


def session(rng: Random) -> Iterator[tuple[str, Line]]:
    """An endless session: `(path, line)` for the main file and, now and then, for a whole subagent file."""
    main = Session(rng)
    folder = main.project.replace("/", "-")
    path = f"claude/projects/{folder}/{main.id}.jsonl"
    while True:
        for line in main.prompt():
            yield path, line
        for _ in range(main.text.skewed(9, 60)):
            for line in main.step(final=False):
                yield path, line
            if main.context > COMPACT_AT:
                for line in main.compact():
                    yield path, line
            if rng.random() < 0.05:
                yield path, main.attachment()
            if rng.random() < 0.02:
                child, lines = subagent(main)
                agent_path = f"claude/projects/{folder}/{main.id}/subagents/agent-{child.agent}.jsonl"
                for line in lines:
                    yield agent_path, line
                for line in main.task(child, lines):
                    yield path, line
        for line in main.step(final=True):
            yield path, line
        yield (
            path,
            main.link(
                {
                    "type": "system",
                    "subtype": "turn_duration",
                    "durationMs": main.text.number(9000, 400000),
                    "isMeta": False,
                }
            ),
        )
