from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.lint.support import assistant, findings_in, text, tool_result, tool_use, user

Raw = dict[str, Any]
TOOL = {"name": "f", "input_schema": {"type": "object"}}
MARK = {"cache_control": {"type": "ephemeral"}}


def thought(number: int) -> Raw:
    return {"type": "thinking", "thinking": "", "signature": f"EqQBCkYIBRgC{number}"}


def turn(number: int) -> list[Raw]:
    return [assistant(thought(number), tool_use(f"t{number}")), user(tool_result(f"t{number}", f"result {number}"))]


def found(path: Path, *bodies: Raw, provider: str = "anthropic") -> list[tuple[str, str]]:
    base = {"model": "claude-opus-5-5", "max_tokens": 9, "system": "You help.", "tools": [TOOL]}
    path.write_text("".join(json.dumps({**base, **body}) + "\n" for body in bodies))
    return [(f.severity, f.message) for f in findings_in(path, provider) if f.rule.code == "HR506"]


START = [user("x")]
ONE = [*START, *turn(1)]
TWO = [*ONE, *turn(2)]
THREE = [*TWO, *turn(3)]


def test_system_changed(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    assert found(log, {"messages": ONE}, {"messages": TWO, "system": "You help. 10:01"}) == [
        ("warning", "system changed since the request before (line 1): 2 thinking blocks after it may be refused")
    ]
    changing = [{"messages": m, "system": f"Now {i}"} for i, m in enumerate([START, ONE, TWO, THREE])]
    assert found(log, *changing) == [
        (
            "warning",
            "system changed since the request before (line 1): 1 thinking block after it may be refused; "
            "so in 3 requests",
        )
    ]


def test_tools_changed(tmp_path: Path) -> None:
    tools = [TOOL, {"name": "g", "input_schema": {"type": "object"}}]
    assert found(tmp_path / "log.jsonl", {"messages": ONE}, {"messages": TWO, "tools": tools}) == [
        ("warning", "tools changed since the request before (line 1): 2 thinking blocks after it may be refused")
    ]


def test_an_old_result_was_compressed(tmp_path: Path) -> None:
    edited = [*THREE]
    edited[2] = user(tool_result("t1", "compressed"))
    assert found(tmp_path / "log.jsonl", {"messages": TWO}, {"messages": edited}) == [
        ("warning", "message 2 changed since the request before (line 1): 2 thinking blocks after it may be refused")
    ]


def test_thinking_removed_from_the_middle_and_from_the_front(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"

    def without(*numbers: int) -> list[Raw]:
        return [
            {**m, "content": [b for b in m["content"] if b not in [thought(n) for n in numbers]]}
            if m["role"] == "assistant"
            else m
            for m in THREE
        ]

    assert found(log, {"messages": TWO}, {"messages": without(1)}) == []
    assert found(log, {"messages": TWO}, {"messages": without(1, 2)}) == []
    assert found(log, {"messages": TWO}, {"messages": without(2)}) == [
        ("warning", "message 3 changed since the request before (line 1): 1 thinking block after it may be refused")
    ]


def test_healthy_twins(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    assert found(log, {"messages": START}, {"messages": ONE}, {"messages": TWO}, {"messages": THREE}) == []
    marked = [{**START[0], "content": [{"type": "text", "text": "x", **MARK}]}]
    plain = [{**START[0], "content": [{"type": "text", "text": "x"}]}]
    system = [{"type": "text", "text": "You help.", **MARK}]
    bare = [{"type": "text", "text": "You help."}]
    assert (
        found(
            log,
            {"messages": [*marked, *turn(1)], "system": system, "tools": [{**TOOL, **MARK}]},
            {"messages": [*plain, *turn(1), *turn(2)], "system": bare},
        )
        == []
    )
    # No thinking, another model, or a compaction that left no old thinking.
    assert found(log, {"messages": START}, {"messages": START, "system": "other"}) == []
    older = {"model": "claude-opus-4-8"}
    assert found(log, {"messages": ONE, **older}, {"messages": TWO, "system": "other", **older}) == []
    summary = [user("summary of all that was said"), assistant(text("ok")), user("go on")]
    assert found(log, {"messages": TWO}, {"messages": summary}) == []


def test_what_the_model_and_the_request_say_of_it(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"

    def severity(**more: Any) -> list[str]:
        return [s for s, _ in found(log, {"messages": ONE, **more}, {"messages": TWO, "system": "other", **more})]

    def binding(value: str) -> Raw:
        return {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": value}}

    assert severity(model="claude-fable-5-2") == ["error"]
    assert severity(thinking=binding("error")) == ["error"]
    assert severity(thinking=binding("drop_block")) == ["info"]
    assert severity(model="claude-haiku-4-5") == []
