"""Healthy histories of each dialect give no error; broken ones do, exactly where a simple oracle says so.

`HEADROOM_EXAMPLES` sets how many histories are made for each provider.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.lint.base import Finding
from headroom_cli.lint.history import JudgedAs
from headroom_cli.lint.providers import PROFILES
from headroom_cli.repair.messages import repair
from tests.lint.mutations import FORMS, IN_PLACE, History, blocks, healthy, mutated, render
from tests.lint.oracle import misordered, mispaired
from tests.lint.support import Raw, findings

EXAMPLES = int(os.environ.get("HEADROOM_EXAMPLES", "80"))
EACH = pytest.mark.parametrize("provider", FORMS)


def wire(provider: str) -> tuple[str, str]:
    """The dialect in which a provider's histories are written, and the name of its profile."""
    named = {"gemini-ids": "gemini", "strict-anthropic": "strict"}.get(provider, provider)
    dialects = {"mistral": "openai", "strict": "openai", "strict-anthropic": "anthropic"}
    return dialects.get(provider, named), named


def errors(provider: str, messages: list[Raw], as_: JudgedAs = "request") -> list[Finding]:
    dialect, name = wire(provider)
    return [found for found in findings(messages, name, as_, dialect) if found.severity == "error"]


@EACH
@settings(max_examples=EXAMPLES // 4)
@given(data=st.data())
def test_healthy_histories_have_no_errors(provider: str, data: st.DataObject) -> None:
    history = data.draw(healthy(FORMS[provider]))
    assert (mispaired(provider, history), misordered(provider, history)) == (False, False)
    assert [(found.rule.code, found.message) for found in errors(provider, render(provider, history))] == []
    assert [
        (found.rule.code, found.message) for found in errors(provider, render(provider, history[:-1]), "history")
    ] == []


@pytest.mark.parametrize("form", ["anthropic", "bedrock", "gemini-ids", "openai", "openai-responses"])
@settings(max_examples=EXAMPLES // 4)
@given(data=st.data())
def test_healthy_histories_are_so_for_whomever_they_are_converted(form: str, data: st.DataObject) -> None:
    messages = render(form, data.draw(healthy(FORMS[form])))
    dialect = {"gemini-ids": "gemini"}.get(form, form)
    found = [
        (name, found.rule.code, found.message)
        for name in PROFILES
        for found in findings(messages, name, "history", dialect)
        if found.severity == "error"
    ]
    assert found == []


@EACH
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_what_mutations_break_is_found_and_nothing_else(provider: str, data: st.DataObject) -> None:
    names, history = data.draw(mutated(FORMS[provider]))
    found = errors(provider, render(provider, history))
    of_pairs = [(each.rule.code, each.message) for each in found if each.rule.code < "HR3"]
    of_order = [(each.rule.code, each.message) for each in found if each.rule.code >= "HR3"]
    refused, disordered = mispaired(provider, history), misordered(provider, history)
    if refused is not None:
        assert bool(of_pairs) is refused, (names, of_pairs)
    if disordered is False:
        assert of_order == [], names
    elif disordered:
        assert found, names


@EACH
@settings(max_examples=EXAMPLES // 4)
@given(data=st.data())
def test_what_mutations_break_is_clean_after_repair(provider: str, data: st.DataObject) -> None:
    names, history = data.draw(mutated(FORMS[provider]))
    messages = render(provider, history)
    dialect, name = wire(provider)
    outcome = repair(messages, dialect, profiles=[PROFILES[name]], judged_as="request", unsafe=True)
    left = {found.rule.code for found in errors(provider, outcome.messages)}
    # A call that the history ends with may still run: no result is made up for it.
    assert left <= ({"HR101"} if history[-1].of("call") else set()), names


def to_anthropic(history: History) -> list[Raw]:
    """Tool messages and the user's text after them become one message of Anthropic's, results first."""
    made: list[Raw] = []
    for message in history:
        (raw,) = blocks(message, "anthropic")
        if made and made[-1]["role"] == raw["role"] == "user":
            made[-1]["content"] += raw["content"]
        else:
            made.append(raw)
    return made


@settings(max_examples=2 * EXAMPLES)
@given(mutated("chat", IN_PLACE, 1))
def test_identical_histories_of_openai_and_anthropic_get_identical_verdicts(pair: tuple[list[str], History]) -> None:
    names, history = pair
    ids = [item.id for message in history for item in message.of("call")]
    if len(set(ids)) < len(ids):
        return  # OpenAI takes ids that repeat, Anthropic does not
    chat_codes = [(found.rule.code, found.call_ids) for found in errors("openai", render("openai", history))]
    block_codes = [(found.rule.code, found.call_ids) for found in errors("anthropic", to_anthropic(history))]
    assert sorted(chat_codes) == sorted(block_codes), names
