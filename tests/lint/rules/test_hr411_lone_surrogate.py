from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headroom_cli.lint.base import Finding
from tests.lint.support import assistant, findings_in, of, text, tool_result, tool_use, user

CODE = "HR411"
HALF, OTHER = "\ud83d", "\ude00"


def in_file(tmp_path: Path, data: str | bytes, provider: str = "anthropic") -> list[Finding]:
    log = tmp_path / "log.jsonl"
    log.write_bytes(data.encode() if isinstance(data, str) else data)
    return [finding for finding in findings_in(log, provider) if finding.rule.code == CODE]


def body(*messages: Any, **more: Any) -> str:
    return json.dumps({"model": "claude-opus-4-8", "max_tokens": 9, **more, "messages": [*messages]})


def test_in_values_as_they_were_given() -> None:
    result = tool_result("t", [text("ok"), text(f"cut {HALF}")])
    found = of(CODE, [user("a"), assistant(tool_use("t")), user(result)], system=f"{OTHER}s")
    assert [(f.severity, f.refs, f.at) for f in found] == [
        ("error", ("A42",), ("content", 0, "content", 1, "text")),
        ("error", ("A42",), ("system",)),
    ]


@pytest.mark.parametrize("sound", ["\U0001f600", "\ufffd", "plain", HALF + OTHER, "é"])
def test_whole_characters_are_fine(sound: str) -> None:
    assert not of(CODE, [user(sound)])


def test_escapes_in_a_line(tmp_path: Path) -> None:
    lines = [body(user("a")), body(user("a"), assistant(f"cut {HALF}"), user("genuine \ufffd"))]
    found = in_file(tmp_path, "\n".join(lines) + "\n")
    assert [(f.severity, f.entry.line, f.at) for f in found] == [("error", 2, ("content",))]  # type: ignore[union-attr]


def test_escapes_in_a_pretty_document(tmp_path: Path) -> None:
    data = json.dumps(json.loads(body(user("a"), assistant("b"), user(f"{HALF}!"), user("\ufffd"))), indent=2)
    found = in_file(tmp_path, data)
    assert [(f.entry.index, f.at) for f in found] == [(2, ("content",))]  # type: ignore[union-attr]


def test_halves_that_are_joined_and_replaced_bytes_are_no_fault(tmp_path: Path) -> None:
    assert not in_file(tmp_path, body(user(HALF + OTHER)) + "\n")
    assert not in_file(tmp_path, body(user("a\ufffd")) + "\n")
    assert not in_file(tmp_path, body(user("X")).encode().replace(b"X", b"\xff") + b"\n")


def test_beside_the_messages(tmp_path: Path) -> None:
    found = in_file(tmp_path, body(user("a"), system=[text(f"s{HALF}")]) + "\n")
    assert [(f.target, f.at) for f in found] == [(None, ("system", 0, "text"))]


def test_in_a_session_of_claude_code(tmp_path: Path) -> None:
    def row(uuid: str, parent: str | None, message: dict[str, Any], **more: Any) -> str:
        stamp = "2026-01-01T00:00:00Z"
        line = {"type": message["role"], "uuid": uuid, "parentUuid": parent, "sessionId": "s", "timestamp": stamp}
        return json.dumps({**line, "message": message, **more})

    usage = {"input_tokens": 1, "output_tokens": 1}
    called = {
        "id": "msg_1",
        "role": "assistant",
        "model": "claude-opus-4-8",
        "content": [tool_use("t")],
        "usage": usage,
    }
    answered = {"id": "msg_2", "role": "assistant", "model": "claude-opus-4-8", "content": [text("b")], "usage": usage}
    lines = [
        row("u1", None, user("a"), toolUseResult={"stdout": f"not sent {HALF}"}),
        row("a1", "u1", called),
        row("u2", "a1", user(tool_result("t", f"cut {HALF}"))),
        row("a2", "u2", answered),
    ]
    found = in_file(tmp_path, "\n".join(lines) + "\n")
    assert [(f.target.line, f.at) for f in found] == [(3, ("content",))]  # type: ignore[union-attr]


def test_in_a_body_that_is_kept_as_text(tmp_path: Path) -> None:
    inner = body(user("a"), assistant("b"), user(f"cut {HALF}"))
    rows = [
        {"type": "request", "request_id": "r", "body": inner},
        {"request": {"method": "POST", "body": inner}, "response": {"status": 400}},
        {"interactions": [{"request": {"uri": "https://api.anthropic.com/v1/messages", "body": inner}}]},
    ]
    for row in rows:
        found = in_file(tmp_path, json.dumps(row) + "\n")
        assert [(f.entry.index, f.at) for f in found] == [(2, ("content",))], row  # type: ignore[union-attr]


def test_others_may_refuse_it(tmp_path: Path) -> None:
    assert [f.severity for f in of(CODE, [user(HALF)], "openai")] == ["warning"]
    assert [f.severity for f in of(CODE, [user(HALF)], "strict")] == ["error"]


def test_depth_and_length_cost_no_more_than_they_are() -> None:
    deep: Any = "x"
    for _ in range(50_000):
        deep = [deep]
    assert not of(CODE, [user(tool_result("t", deep))])
