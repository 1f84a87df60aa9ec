from __future__ import annotations

import pytest

from headroom_cli.lint.models import UNKNOWN, traits


@pytest.mark.parametrize(
    ("model", "family", "version"),
    [
        ("claude-opus-4-8", "opus", (4, 8)),
        ("claude-opus-4-20250514", "opus", (4, 0)),
        ("claude-3-5-sonnet-20241022", "sonnet", (3, 5)),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "haiku", (4, 5)),
        ("anthropic/claude-sonnet-4.5", "sonnet", (4, 5)),
        ("Claude-Fable-5-1", "fable", (5, 1)),
        ("claude-mythos-preview", "mythos", None),
    ],
)
def test_names_of_claude_models(model: str, family: str, version: tuple[int, int] | None) -> None:
    found = traits(model)
    assert (found.vendor, found.family, found.version) == ("claude", family, version)


def test_what_claude_models_enforce() -> None:
    assert [traits(m).checks_prefix for m in ("claude-opus-4-8", "claude-opus-5", "claude-opus-5-5")] == [
        None,
        None,
        "may",
    ]
    assert traits("claude-fable-5-2").checks_prefix == "yes"
    assert [traits(m).prefill for m in ("claude-sonnet-4-5", "claude-sonnet-4-6", "claude-mythos-preview")] == [
        True,
        False,
        None,
    ]
    assert [traits(m).thinks_by_default for m in ("claude-opus-4-8", "claude-opus-5")] == [False, True]
    assert [traits(m).max_images for m in ("claude-haiku-4-5", "claude-opus-4-6", "claude-haiku-5-5")] == [
        100,
        600,
        600,
    ]


def test_other_vendors() -> None:
    assert traits("models/gemini-3-pro-preview").wants_signatures is True
    assert traits("gemini-2.5-flash").wants_signatures is False
    assert [traits(m).returns_reasoning for m in ("deepseek-v4", "deepseek-reasoner", "kimi-k2-thinking")] == [
        True,
        False,
        True,
    ]
    assert (traits("openai/gpt-5.2-codex").vendor, traits("openai/gpt-5.2-codex").version) == ("openai", (5, 2))
    assert traits("o1-mini").family == "o1"


def test_names_that_tell_nothing() -> None:
    for model in (None, "", "<synthetic>", "my-alias", "gpto", "x" * 10_000):
        assert traits(model) is UNKNOWN or traits(model) == UNKNOWN
