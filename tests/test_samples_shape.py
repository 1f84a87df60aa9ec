"""The sample transcripts: small, invented, consistent in themselves, and in the shape of real logs."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).resolve().parent.parent / "sample_transcripts"
FILES = sorted(SAMPLES.rglob("*.jsonl"))
CLAUDE = SAMPLES / "claude-code/projects/-code-acme-shop"


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def only(pattern: str) -> Path:
    (path,) = SAMPLES.glob(pattern)
    return path


def blocks(lines: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [
        block
        for line in lines
        if isinstance(line.get("message"), dict) and isinstance(line["message"]["content"], list)
        for block in line["message"]["content"]
        if block.get("type") == kind
    ]


def context(usage: dict[str, int]) -> int:
    return usage["input_tokens"] + usage["cache_creation_input_tokens"] + usage["cache_read_input_tokens"]


def test_there_are_ten_logs_and_each_is_in_the_readme() -> None:
    assert len(FILES) == 10
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    for path in FILES:
        folder = path.relative_to(SAMPLES).parts[0]
        assert f"`{folder}/" in readme


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[:30])
def test_small_invented_and_in_november_2026(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    assert lines[-1] == ""
    assert len(lines) - 1 <= 60
    assert max(map(len, lines)) < 7_000
    assert not re.search(r"/home/|/Users/|/root|@[a-z]+\.(?:com|org|net)", text)
    stamps = re.findall(r'"(?:timestamp|created_at)": ?"(\d{4}-\d\d)', text)
    assert set(stamps) <= {"2026-11"}


@pytest.mark.parametrize(
    "path", [*CLAUDE.glob("*.jsonl"), *CLAUDE.rglob("agent-*.jsonl")], ids=lambda path: path.name[:14]
)
def test_claude_chain_calls_and_usage(path: Path) -> None:
    lines = read(path)
    chain = [line for line in lines if "uuid" in line]
    known: set[str] = set()
    for line in chain:
        assert line["parentUuid"] is None or line["parentUuid"] in known
        known.add(line["uuid"])
    assert [line["timestamp"] for line in chain] == sorted(line["timestamp"] for line in chain)
    calls = [block["id"] for block in blocks(lines, "tool_use")]
    assert len(calls) == len(set(calls))
    assert sorted(block["tool_use_id"] for block in blocks(lines, "tool_result")) == sorted(calls)

    usage: dict[str, dict[str, Any]] = {}
    for line in chain:
        if line["type"] == "assistant":
            message = line["message"]
            assert usage.setdefault(message["id"], message["usage"]) == message["usage"]
    counts = list(usage.values())
    for before, after in itertools.pairwise(counts):
        compacted = context(after) < context(before)
        if not compacted:
            assert (
                after["cache_read_input_tokens"]
                == before["cache_read_input_tokens"] + before["cache_creation_input_tokens"]
            )
            assert context(after) >= context(before) + before["output_tokens"]
    assert all(entry["output_tokens"] > 10 for entry in counts)


def test_claude_story() -> None:
    lines = read(next(CLAUDE.glob("*.jsonl")))
    boundaries = [index for index, line in enumerate(lines) if line.get("subtype") == "compact_boundary"]
    assert len(boundaries) == 1
    assert lines[boundaries[0] + 1]["isCompactSummary"] is True
    results = {block["tool_use_id"]: block["content"] for block in blocks(lines, "tool_result")}
    reads = [
        results[block["id"]]
        for block in blocks(lines, "tool_use")
        if block["name"] == "Read"
        and block["input"]["file_path"].endswith("refund.py")
        and "/tests/" not in block["input"]["file_path"]
    ]
    assert len(reads) == 4
    assert reads[0] == reads[1] != reads[2] == reads[3]
    rates = [results[b["id"]] for b in blocks(lines, "tool_use") if b["input"].get("command", "").startswith("stat ")]
    assert len(rates) == 2
    assert rates[0] != rates[1]
    assert rates[0].split("\n")[1:] == rates[1].split("\n")[1:]


def test_claude_subagent_belongs_to_its_call() -> None:
    main, agent = read(next(CLAUDE.glob("*.jsonl"))), next(CLAUDE.rglob("agent-*.jsonl"))
    sidecar = json.loads(agent.with_suffix("").with_suffix(".meta.json").read_text(encoding="utf-8"))
    assert sidecar["toolUseId"] in {block["id"] for block in blocks(main, "tool_use") if block["name"] == "Task"}
    lines = read(agent)
    assert all(line["isSidechain"] and f"agent-{line['agentId']}" == agent.stem for line in lines)
    assert {line["sessionId"] for line in lines} == {main[0]["sessionId"]}
    nested = {line["data"]["message"]["uuid"] for line in main if line.get("data", {}).get("type") == "agent_progress"}
    assert nested
    assert nested <= {line["uuid"] for line in lines}


def test_codex_totals_add_up_and_repeat() -> None:
    lines = read(only("codex/sessions/2026/11/13/*.jsonl"))
    infos = [line["payload"]["info"] for line in lines if line["payload"].get("type") == "token_count"]
    totals = [info["total_token_usage"]["total_tokens"] for info in infos]
    assert totals == sorted(totals)
    assert len(totals) > len(set(totals))
    first = {info["total_token_usage"]["total_tokens"]: info["last_token_usage"] for info in infos}
    for key in ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens"):
        assert sum(last[key] for last in first.values()) == infos[-1]["total_token_usage"][key]
    events = [line["payload"].get("message") for line in lines if line["type"] == "event_msg"]
    texts = [part["text"] for line in lines for part in line["payload"].get("content") or () if "text" in part]
    assert all(event in texts for event in events if event)


def test_codex_bare_lines() -> None:
    lines = read(only("codex/sessions/2026/11/14/*.jsonl"))
    assert set(lines[0]) == {"id", "timestamp", "instructions", "git"}
    assert {"record_type": "state"} in lines
    assert not any("payload" in line for line in lines)
    calls = [line["call_id"] for line in lines if line.get("type") == "function_call"]
    assert sorted(line["call_id"] for line in lines if line.get("type") == "function_call_output") == sorted(calls)


def test_responses_capture_is_a_chain() -> None:
    pairs = read(SAMPLES / "openai-responses/capture.jsonl")
    previous = None
    for pair in pairs:
        assert pair["request"].get("previous_response_id") == previous == pair["response"]["previous_response_id"]
        usage = pair["response"]["usage"]
        assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
        assert usage["input_tokens_details"]["cached_tokens"] <= usage["input_tokens"]
        previous = pair["response"]["id"]


def test_anthropic_log_is_cumulative_and_its_tools_change_once() -> None:
    def bare(message: dict[str, Any]) -> tuple[str, str]:
        parts = message["content"]
        if isinstance(parts, str):
            parts = [{"type": "text", "text": parts}]
        return message["role"], json.dumps([{k: v for k, v in part.items() if k != "cache_control"} for part in parts])

    pairs = read(SAMPLES / "anthropic/requests.jsonl")
    names = [tuple(tool["name"] for tool in pair["request"]["tools"]) for pair in pairs]
    assert names == sorted(names, key=len)
    assert len(set(names)) == 2
    for before, after in itertools.pairwise(pairs):
        history = [bare(message) for message in [*before["request"]["messages"], before["response"]]]
        assert [bare(message) for message in after["request"]["messages"]][: len(history)] == history
        assert context(after["response"]["usage"]) > context(before["response"]["usage"])
        same_tools = len(after["request"]["tools"]) == len(before["request"]["tools"])
        assert (after["response"]["usage"]["cache_read_input_tokens"] > 0) == same_tools


def test_broken_history_has_one_orphan() -> None:
    lines = read(SAMPLES / "broken/orphaned-result.jsonl")
    parts = [part for line in lines if isinstance(line["content"], list) for part in line["content"]]
    calls = {part["id"] for part in parts if part["type"] == "tool_use"}
    assert [part["tool_use_id"] in calls for part in parts if part["type"] == "tool_result"] == [True, False]
