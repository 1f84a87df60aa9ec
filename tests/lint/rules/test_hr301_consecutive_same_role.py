from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.support import assistant, error_codes, findings_in, of, text, tool_result, tool_use, user

CODE = "HR301"


def test_a_run_is_one_finding_at_its_second_message() -> None:
    found = of(CODE, [user("a"), user("b"), user("c"), assistant("d"), user("e")])
    assert [(f.severity, f.entry.index, f.message) for f in found] == [  # type: ignore[union-attr]
        ("warning", 1, "3 messages of the user in a row")
    ]
    assert found[0].related[0].target.raw == user("a")
    assert found[0].fix is not None
    assert found[0].fix.kind == "merge"


@pytest.mark.parametrize(("provider", "severity", "ref"), [("bedrock", "error", "B05"), ("strict", "error", "D03")])
def test_hosts_that_do_not_merge_refuse_it(provider: str, severity: str, ref: str) -> None:
    said = {"text": "a"}
    messages = [user(said), user(said)] if provider == "bedrock" else [user("a"), user("b")]
    found = of(CODE, messages, provider)
    assert [f.severity for f in found] == [severity]
    assert ref in found[0].refs


def test_other_models_on_bedrock_may() -> None:
    said = {"text": "a"}
    found = of(CODE, [user(said), user(said)], "bedrock", model="amazon.titan-text-express-v1")
    assert [f.severity for f in found] == ["warning"]
    found = of(CODE, [user(said), user(said)], "bedrock", model="anthropic.claude-3-haiku-20240307-v1:0")
    assert [f.severity for f in found] == ["error"]


@pytest.mark.parametrize("provider", ["openai", "mistral", "gemini", "openai-responses"])
def test_others_take_it(provider: str) -> None:
    assert not of(CODE, [user("a"), user("b"), assistant("c")], provider)


def test_split_results_are_another_rules_matter() -> None:
    messages = [
        user("x"),
        assistant(tool_use("a"), tool_use("b")),
        user(tool_result("a")),
        user(tool_result("b")),
    ]
    assert not of(CODE, messages)
    assert not of(CODE, messages, "strict")


def test_tool_messages_in_a_row_and_messages_apart_are_fine() -> None:
    chat = [
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
    ]
    assert not of(CODE, chat, "strict", dialect="openai")
    assert not of(CODE, [user("a"), assistant("b"), user("c"), assistant("d")])


def test_thinking_of_two_answers_is_not_merged() -> None:
    thought = {"type": "thinking", "thinking": "t", "signature": "s"}
    found = of(CODE, [user("a"), assistant(thought, text("b")), assistant(text("c")), user("d")])
    assert [f.fix for f in found] == [None]


def test_claude_code_merges_before_it_sends(tmp_path: Path) -> None:
    rows = [
        '{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","timestamp":"2026-01-01T00:00:00Z",'
        '"message":{"role":"user","content":"a"}}',
        '{"type":"user","uuid":"u2","parentUuid":"u1","sessionId":"s","timestamp":"2026-01-01T00:00:01Z",'
        '"message":{"role":"user","content":"b"}}',
        '{"type":"assistant","uuid":"a1","parentUuid":"u2","sessionId":"s","timestamp":"2026-01-01T00:00:02Z",'
        '"message":{"id":"msg_1","role":"assistant","model":"claude-opus-4-8","content":[{"type":"text","text":"c"}],'
        '"usage":{"input_tokens":1,"output_tokens":1}}}',
    ]
    log = tmp_path / "s.jsonl"
    log.write_text("\n".join(rows) + "\n")
    assert [f for f in findings_in(log, "anthropic") if f.rule.code == CODE] == []


def test_nothing_else_is_wrong_with_it() -> None:
    assert error_codes([user("a"), user("b")]) == []
