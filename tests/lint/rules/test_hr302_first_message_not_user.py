from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lint.support import assistant, calls, content, findings_in, gemini_call, gemini_response, of, tool, user

CODE = "HR302"
SAID = {"text": "a"}


def test_anthropic_may_refuse_it() -> None:
    found = of(CODE, [assistant("hello"), user("hi")])
    assert [(f.severity, f.refs) for f in found] == [("warning", ("A19",))]


def test_bedrock_and_templates_do() -> None:
    found = of(CODE, [assistant(SAID), user(SAID)], "bedrock", model="mistral.mistral-large-2407-v1:0")
    assert [(f.severity, f.refs) for f in found] == [("error", ("B05",))]
    claude = of(CODE, [assistant(SAID), user(SAID)], "bedrock", model="us.anthropic.claude-sonnet-4-5-20250929-v1:0")
    assert [f.severity for f in claude] == ["warning"]
    assert [f.severity for f in of(CODE, [assistant("a"), user("b")], "strict")] == ["error"]


@pytest.mark.parametrize("empty", ["", []])
def test_an_empty_assistant_message_may_come_first(empty: object) -> None:
    assert not of(CODE, [{"role": "assistant", "content": empty}, user("hi")])


def test_a_system_message_is_passed_over() -> None:
    system = {"role": "system", "content": "s"}
    assert not of(CODE, [system, user("a")], "strict", dialect="openai")
    assert of(CODE, [system, calls("c1"), tool("c1"), user("a")], "strict", dialect="openai")


def test_openai_takes_it() -> None:
    assert not of(CODE, [assistant("hello"), user("hi")], "openai")


def test_gemini_refuses_only_a_call_as_first_content() -> None:
    called = [content("model", gemini_call()), content("user", gemini_response())]
    assert [f.severity for f in of(CODE, called, "gemini", model="gemini-2.5-pro")] == ["error"]
    assert [f.severity for f in of(CODE, called, "gemini", model="gemini-3-flash-preview")] == ["warning"]
    assert not of(CODE, [content("model", SAID), content("user", SAID)], "gemini")


def test_the_prompt_of_claude_p_was_its_input(tmp_path: Path) -> None:
    line = {"type": "assistant", "parent_tool_use_id": None, "message": {**assistant("hello"), "id": "msg_1"}}
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({**line, "session_id": "s"}) + "\n")
    assert findings_in(log, "anthropic") == []
    log.write_text(json.dumps({**line, "sessionId": "s", "uuid": "1", "parentUuid": None}) + "\n")
    assert [f.rule.code for f in findings_in(log, "anthropic")] == [CODE]


def test_no_messages_are_no_first_one() -> None:
    assert not of(CODE, [])
