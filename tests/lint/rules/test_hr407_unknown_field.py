from __future__ import annotations

import pytest

from tests.lint.support import assistant, of, text, tool_use, user

CODE = "HR407"


@pytest.mark.parametrize("key", ["timestamp", "uuid", "reasoning_content", "name", "tool_calls"])
def test_members_of_a_message(key: str) -> None:
    found = of(CODE, [{**user("x"), key: 1}])
    assert [(f.severity, f.refs, f.at) for f in found] == [("error", ("A43",), (key,))]
    assert found[0].api_error == f"messages.0.{key}: Extra inputs are not permitted"


def test_members_of_a_block_and_of_the_request() -> None:
    found = of(CODE, [user("x"), assistant({**text("a"), "parsed_output": {}}), user("y")], modify_params=True)
    assert [(f.at, f.target is None) for f in found] == [(("modify_params",), True), (("parsed_output",), False)]


def test_what_the_api_knows_is_fine() -> None:
    cached = {**text("a"), "cache_control": {"type": "ephemeral"}, "citations": []}
    called = {**tool_use("t"), "caller": {"type": "direct"}}
    messages = [user(cached), assistant(called)]
    assert not of(CODE, messages, container="c", context_management={}, output_config={}, betas=[], new_in_2027=1)


def test_only_requests_are_judged() -> None:
    assert not of(CODE, [{**user("x"), "timestamp": 1}], as_="history")
    assert not of(CODE, [user("x")], "openai", as_="training", instructions="i")


def test_parameters_of_other_apis_in_chat_completions() -> None:
    found = of(CODE, [user("x")], "openai", reasoning={"effort": "low"}, model="gpt-5")
    assert [(f.severity, f.refs, f.api_error) for f in found] == [
        ("error", ("O18",), "Unknown parameter: 'reasoning'.")
    ]
    assert not of(CODE, [user("x")], "openai", reasoning_effort="low", model="gpt-5", tools=[])


def test_other_hosts_take_more() -> None:
    assert not of(CODE, [user("x")], "openai", reasoning={}, model="anthropic/claude-opus-4.8")
    assert not of(CODE, [user("x")], "openai", reasoning={}, model="openai/gpt-5")
    assert [f.severity for f in of(CODE, [user("x")], "openai", reasoning={}, model="my-deployment")] == ["warning"]
