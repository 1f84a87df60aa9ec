"""Codex rollouts: the modern envelope with its event twins and repeated totals, and every eighth file bare."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from benchmarks.text import Clock, Text, estimate

Line = dict[str, Any]
COMPACT_AT = 190_000
BASE_CONTEXT = 11_000
LIMITS = {
    "primary": {"used_percent": 21.0, "window_minutes": 300, "resets_at": 1794000000},
    "secondary": {"used_percent": 30.0, "window_minutes": 10080, "resets_at": 1794500000},
}
COMMANDS = ("rg -n {} src", "sed -n 1,160p src/{}.py", "pytest -q -k {}", "git diff -- src/{}.py", "cat src/{}.ts")


class Rollout:
    """One rollout file."""

    def __init__(self, rng: Random, bare: bool) -> None:
        self.rng, self.text, self.clock = rng, Text(rng), Clock(rng)
        self.id = self.text.uuid()
        self.bare = bare
        self.model = self.text.pick(("gpt-5.1-codex", "gpt-5.1-codex-max", "gpt-5-codex"))
        self.cwd = "/code/acme/" + self.text.pick(("api", "web", "shop", "infra"))
        self.context, self.cached = BASE_CONTEXT, 0
        self.total = dict.fromkeys(
            ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens", "total_tokens"), 0
        )
        self.last_usage = dict(self.total)
        self.commands: list[str] = []
        self.kept: list[Line] = []

    def line(self, kind: str, payload: Line, milliseconds: int = 40) -> Line:
        """A line of the envelope."""
        return {"timestamp": self.clock.tick(milliseconds), "type": kind, "payload": payload}

    def item(self, payload: Line) -> Line:
        """A response item, as it stands in the file: enveloped or bare."""
        return payload if self.bare else self.line("response_item", payload)

    def message(self, role: str, text: str) -> Line:
        """A message item. What enters the context is estimated here."""
        kind = "output_text" if role == "assistant" else "input_text"
        if role != "assistant":
            self.context += estimate(text)
        payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
        if role == "user":
            self.kept.append(payload)
        return self.item(payload)

    def event(self, kind: str, **fields: Any) -> Line:
        """An event: a twin of an item, or a sign of life."""
        return self.line("event_msg", {"type": kind, **fields})

    def count(self) -> Line:
        """The usage event; written again unchanged whenever the rate limits are."""
        info = {
            "total_token_usage": dict(self.total),
            "last_token_usage": dict(self.last_usage),
            "model_context_window": 258400,
        }
        return self.event("token_count", info=info, rate_limits=LIMITS)

    def spend(self, output: int, reasoning: int) -> None:
        """Record the usage of one response."""
        usage = {
            "input_tokens": self.context,
            "cached_input_tokens": min(self.cached, self.context),
            "output_tokens": output,
            "reasoning_output_tokens": reasoning,
            "total_tokens": self.context + output,
        }
        self.last_usage = usage
        self.total = {key: self.total[key] + usage[key] for key in self.total}
        self.cached, self.context = self.context, self.context + output

    def start(self) -> Iterator[Line]:
        """The head of the file: who, where, and the injected instructions."""
        text = self.text
        if self.bare:
            yield {"id": self.id, "timestamp": self.clock.stamp(), "instructions": None, "git": {"branch": "main"}}
            yield {"record_type": "state"}
        else:
            meta = {
                "id": self.id,
                "timestamp": self.clock.stamp(),
                "cwd": self.cwd,
                "originator": "codex_cli_rs",
                "cli_version": "0.125.0",
                "source": "cli",
                "model_provider": "openai",
                "base_instructions": {"text": "You are a coding agent.\n" + text.prose(90)},
                "git": {"commit_hash": f"{self.rng.getrandbits(160):040x}", "branch": "main"},
            }
            yield self.line("session_meta", meta)
        yield self.message(
            "user", f"# AGENTS.md instructions for {self.cwd}\n\n<INSTRUCTIONS>\n{text.prose(30)}\n</INSTRUCTIONS>"
        )
        yield self.message(
            "user", f"<environment_context>\n  <cwd>{self.cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>"
        )

    def turn(self) -> Iterator[Line]:
        """A human turn: the prompt, responses with calls, the answer."""
        text = self.text
        prompt = text.prose(text.skewed(4, 30))
        yield self.message("user", prompt)
        if self.bare:
            yield {"record_type": "state"}
        else:
            turn_id = text.uuid()
            yield self.event("user_message", message=prompt, images=[], local_images=[], text_elements=[])
            yield self.event("task_started", turn_id=turn_id, model_context_window=258400)
            yield self.line(
                "turn_context",
                {
                    "turn_id": turn_id,
                    "cwd": self.cwd,
                    "approval_policy": "on-request",
                    "model": self.model,
                    "effort": "high",
                    "summary": "auto",
                },
            )
        for _ in range(text.skewed(9, 60)):
            yield from self.respond()
            if self.context > COMPACT_AT:
                yield from self.compact()
        answer = text.prose(text.skewed(9, 60))
        yield self.message("assistant", answer)
        self.spend(estimate(answer), 0)
        if not self.bare:
            yield self.event("agent_message", message=answer, phase="final_answer")
            yield self.count()
            yield self.event("task_complete", turn_id=turn_id, last_agent_message=answer)

    def respond(self) -> Iterator[Line]:
        """One response: reasoning, perhaps text, one or more calls; then usage and the outputs."""
        rng, text = self.rng, self.text
        output = reasoning = 0
        if rng.random() < 0.8:
            summary = (
                "**" + text.pick(text.names).replace("_", " ").capitalize() + "**\n\n" + text.prose(text.skewed(2, 16))
            )
            if not self.bare:
                yield self.event("agent_reasoning", text=summary)
            reasoning = estimate(summary) + 200
            yield self.item(
                {
                    "type": "reasoning",
                    "summary": [{"type": "summary_text", "text": summary}],
                    "content": None,
                    "encrypted_content": "gAAAAAB" + text.opaque(text.skewed(4600, 20000)),
                }
            )
        if rng.random() < 0.2:
            note = text.prose(2)
            yield self.message("assistant", note)
            output += estimate(note)
            if not self.bare:
                yield self.event("agent_message", message=note, phase="commentary")
        calls = [self.patch() if rng.random() < 0.2 else self.shell() for _ in range(1 if rng.random() < 0.85 else 3)]
        for call, _, _ in calls:
            output += estimate(str(call))
            yield self.item(call)
        self.spend(output + reasoning, reasoning)
        if not self.bare:
            yield self.count()
        for call, result, shown in calls:
            if not self.bare and call["name"] != "apply_patch":
                command = ["bash", "-lc", json.loads(call["arguments"])["command"]]
                yield self.event(
                    "exec_command_end",
                    call_id=call["call_id"],
                    command=command,
                    cwd=self.cwd,
                    stdout=shown,
                    stderr="",
                    aggregated_output=shown,
                    exit_code=0,
                    formatted_output=shown,
                )
            self.context += estimate(result)
            kind = "custom_tool_call_output" if call["type"] == "custom_tool_call" else "function_call_output"
            yield self.item({"type": kind, "call_id": call["call_id"], "output": result})
        if self.bare:
            yield {"record_type": "state"}
        elif rng.random() < 0.45:
            yield self.count()

    def shell(self) -> tuple[Line, str, str]:
        """A shell call with its output as sent and as shown; sometimes one that ran before."""
        text = self.text
        if self.commands and self.rng.random() < 0.15:
            command = text.pick(self.commands)
        else:
            command = text.pick(COMMANDS).format(text.pick(text.names))
            self.commands.append(command)
        lines = text.skewed(26, 420)
        shown = "\n".join(text.code(lines, "ts")) if command.startswith(("sed", "cat", "git")) else text.output(lines)
        arguments = json.dumps({"command": command, "workdir": self.cwd})
        call = {
            "type": "function_call",
            "name": "shell_command",
            "arguments": arguments,
            "call_id": text.token("call_"),
        }
        return call, f"Exit code: 0\nWall time: 0.{text.number(1, 9)} seconds\nOutput:\n{shown}", shown

    def patch(self) -> tuple[Line, str, str]:
        """A patch: free text, not JSON."""
        text, path = self.text, self.text.path()
        body = "\n".join("+" + line for line in text.code(text.skewed(18, 200), "py"))
        patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n{body}\n*** End Patch"
        call = {
            "type": "custom_tool_call",
            "status": "completed",
            "name": "apply_patch",
            "input": patch,
            "call_id": text.token("call_"),
        }
        return call, f"Success. Updated the following files:\nM {path}\n", ""

    def compact(self) -> Iterator[Line]:
        """A compaction: the history that replaces everything before."""
        if self.bare:
            return
        summary = "Another language model started to solve this problem.\n" + self.text.prose(60)
        last = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": summary}]}
        yield self.line(
            "compacted", {"message": summary, "replacement_history": [*self.kept[:2], *self.kept[-3:], last]}
        )
        yield self.event("context_compacted")
        self.context, self.cached = BASE_CONTEXT + estimate(summary), 0
        self.kept = [*self.kept[:2], last]


def session(rng: Random, number: int) -> Iterator[tuple[str, Line]]:
    """An endless rollout: `(path, line)`. Every eighth file is in the bare format."""
    rollout = Rollout(rng, bare=number % 8 == 3)
    stamp = rollout.clock.stamp()
    name = f"rollout-{stamp[:19].replace(':', '-')}-{rollout.id}"
    path = f"codex/sessions/{stamp[:4]}/{stamp[5:7]}/{stamp[8:10]}/{name}.jsonl"
    for line in rollout.start():
        yield path, line
    while True:
        for line in rollout.turn():
            yield path, line
