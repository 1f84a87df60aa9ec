from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.lint.engine import judge, known_rules
from headroom_cli.lint.providers import PROFILES
from headroom_cli.lint.sent import history_of

RULES = [rule for rule in known_rules().values() if rule.code.startswith(("HR3", "HR4"))]
DIALECTS = ("anthropic", "openai", "openai-responses", "bedrock", "gemini")
KEYS = (
    "role",
    "content",
    "type",
    "text",
    "tool_calls",
    "tool_call_id",
    "parts",
    "toolResult",
    "is_error",
    "status",
    "function",
    "function_call",
    "id",
    "name",
    "output_config",
    "prefix",
)
WORDS = (
    *("user", "assistant", "system", "tool", "model", "developer", "function", "bot"),
    *("text", "tool_use", "tool_result", "image_url", "tool_reference", "thinking", "error", "", " ", "\ud83d"),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(WORDS))
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)),
    max_leaves=12,
)
MESSAGES = st.lists(st.one_of(ANYTHING, st.dictionaries(st.sampled_from(KEYS), ANYTHING, max_size=6)), max_size=5)


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=120, deadline=None)
@given(messages=MESSAGES, system=ANYTHING, model=st.sampled_from([None, "claude-opus-4-8", "o1-mini", "x" * 3000]))
def test_nothing_in_a_history_raises(dialect: str, messages: list[Any], system: Any, model: str | None) -> None:
    body = {"messages": messages, "system": system, "model": model}
    history = history_of(messages, dialect, body=body, judged_as="request", model=model)
    for profile in PROFILES.values():
        for finding in judge(history, [profile], RULES):
            assert finding.message
            assert finding.refs
