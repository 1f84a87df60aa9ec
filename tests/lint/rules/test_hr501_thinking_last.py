from __future__ import annotations

import json
from pathlib import Path

from tests.lint.support import assistant, findings_in, of, text, tool_result, tool_use, user

THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "EqQBCkYIBRgC"}
REDACTED = {"type": "redacted_thinking", "data": "EqQBCkYIBRgC"}


def test_a_turn_of_nothing_but_thinking_is_found() -> None:
    found = of("HR501", [user("x"), assistant(THOUGHT), user("y")])
    assert [(f.severity, f.refs, f.message) for f in found] == [
        ("error", ("A26",), "the turn holds nothing but thinking")
    ]
    assert found[0].api_error == "messages.1: The final block in an assistant message cannot be `thinking`."


def test_thinking_after_a_call_is_found() -> None:
    messages = [user("x"), assistant(THOUGHT, tool_use("t1"), REDACTED), user(tool_result("t1"))]
    assert [f.message for f in of("HR501", messages)] == ["the turn ends in thinking"]


def test_messages_in_a_row_are_one_turn() -> None:
    assert not of("HR501", [user("x"), assistant(THOUGHT), assistant(text("y")), user("z")])
    assert of("HR501", [user("x"), assistant(text("y")), assistant(THOUGHT), user("z")])


def test_thinking_before_text_or_a_call_is_healthy() -> None:
    healthy = [user("x"), assistant(THOUGHT, tool_use("t1")), user(tool_result("t1")), assistant(THOUGHT, text("y"))]
    assert not of("HR501", healthy)


def test_the_end_of_a_history_may_be_interrupted_but_not_that_of_a_request() -> None:
    messages = [user("x"), assistant(text("y"), THOUGHT)]
    assert not of("HR501", messages, as_="history")
    assert of("HR501", messages, as_="request")


def test_claude_code_keeps_each_block_on_its_own_line(tmp_path: Path) -> None:
    def line(uuid: str, parent: str | None, role: str, content: object, **message: object) -> str:
        body = {"role": role, "content": content, **message}
        stamp = f"2026-11-30T10:00:0{uuid}.000Z"
        return json.dumps(
            {"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "timestamp": stamp, "message": body}
        )

    log = tmp_path / "s.jsonl"
    model = {"model": "claude-opus-4-8"}
    lines = [
        line("1", None, "user", "x"),
        line("2", "1", "assistant", [THOUGHT], id="msg_1", **model),
        line("3", "2", "assistant", [tool_use("t1")], id="msg_1", **model),
        line("4", "3", "user", [tool_result("t1")]),
        line("5", "4", "assistant", [THOUGHT], id="msg_2", **model),  # interrupted: the client drops it
        line("6", "5", "user", [text("[Request interrupted by user]")]),
        line("7", "6", "user", "y"),
        line("8", "7", "assistant", [text("z")], id="msg_3", **model),
    ]
    log.write_text("\n".join(lines) + "\n")
    assert [f.rule.code for f in findings_in(log, "anthropic") if f.rule.code == "HR501"] == []
