from __future__ import annotations

import pytest

from headroom_cli.lint.history import JudgedAs
from tests.lint.support import assistant, calls, of, tool_use, user

CODE = "HR305"
PREFILLED = [user("x"), assistant("{")]


@pytest.mark.parametrize(
    "model", ["claude-opus-4-6", "claude-sonnet-4-6", "claude-fable-5", "anthropic/claude-opus-5.5"]
)
def test_later_models_do_not_continue_an_answer(model: str) -> None:
    assert [(f.severity, f.refs) for f in of(CODE, PREFILLED, model=model)] == [("error", ("A25",))]


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "claude-haiku-4-5-20251001", "claude-3-5-sonnet-20241022"])
def test_earlier_ones_do(model: str) -> None:
    assert not of(CODE, PREFILLED, model=model)


def test_of_unknown_models_it_is_said_with_may() -> None:
    found = of(CODE, PREFILLED)
    assert [f.severity for f in found] == ["warning"]
    assert "may" in found[0].message


@pytest.mark.parametrize("judged_as", ["history", "training"])
def test_only_requests_are_judged(judged_as: JudgedAs) -> None:
    assert not of(CODE, PREFILLED, as_=judged_as, model="claude-opus-5")
    assert not of(CODE, PREFILLED, "mistral", as_=judged_as)


def test_an_answer_that_paused_is_sent_back_as_it_is() -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    done = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    assert not of(CODE, [user("x"), assistant(search)], model="claude-opus-5")
    assert of(CODE, [user("x"), assistant(search, done)], model="claude-opus-5")


def test_calls_without_results_are_another_rules_matter() -> None:
    assert not of(CODE, [user("x"), assistant(tool_use("a"))], model="claude-opus-5")
    assert not of(CODE, [user("x"), calls("abcdefghi")], "mistral")


def test_bedrock_serves_other_models_too() -> None:
    said = [user({"text": "x"}), assistant({"text": "{"})]
    assert of(CODE, said, "bedrock", model="us.anthropic.claude-opus-4-8-v1:0")
    assert not of(CODE, said, "bedrock", model="amazon.nova-pro-v1:0")


def test_mistral_wants_a_prefix() -> None:
    assert [(f.severity, f.refs) for f in of(CODE, PREFILLED, "mistral")] == [("error", ("M04",))]
    assert not of(CODE, [user("x"), {**assistant("{"), "prefix": True}], "mistral")
    assert not of(CODE, [assistant("{")], "mistral")


def test_openai_and_gemini_just_answer() -> None:
    assert not of(CODE, PREFILLED, "openai")
    assert not of(
        CODE, [{"role": "user", "parts": [{"text": "x"}]}, {"role": "model", "parts": [{"text": "y"}]}], "gemini"
    )
