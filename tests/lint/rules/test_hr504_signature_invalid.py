from __future__ import annotations

from typing import Any

import pytest

from tests.lint.support import assistant, of, text, user


def messages(block: dict[str, Any]) -> list[dict[str, Any]]:
    return [user("x"), assistant(block, text("y")), user("z")]


@pytest.mark.parametrize(
    ("signature", "said"),
    [
        ("", "the signature of the thinking is empty"),
        (None, "the thinking has no signature"),
        (7, "the signature of the thinking is no text"),
        ("reasoning_content", "the signature of the thinking was not made by a Claude model"),
        ("rs_0123456789", "the signature of the thinking was not made by a Claude model"),
        ("<from another host>", "the signature of the thinking was not made by a Claude model"),
        ("A" * 2000 + "_", "the signature of the thinking was not made by a Claude model"),
    ],
)
def test_signatures_that_cannot_be_genuine(signature: Any, said: str) -> None:
    found = of("HR504", messages({"type": "thinking", "thinking": "t", "signature": signature}))
    assert [(f.severity, f.refs, f.message) for f in found] == [("error", ("A29",), said)]
    assert found[0].api_error == "messages.1.content.0: Invalid `signature` in `thinking` block"


def test_a_missing_signature() -> None:
    found = of("HR504", messages({"type": "thinking", "thinking": "t"}))
    assert found[0].api_error == "messages.1.content.0.thinking.signature: Field required"


def test_redacted_thinking_needs_its_data() -> None:
    assert of("HR504", messages({"type": "redacted_thinking", "data": ""}))
    assert not of("HR504", messages({"type": "redacted_thinking", "data": "EqQB+/8="}))


def test_healthy_signatures() -> None:
    for value in ("EqQB", "Eq==", "A" * 5000, "Eq+/aZ09="):
        assert not of("HR504", messages({"type": "thinking", "thinking": "", "signature": value}))


def test_hosts_of_other_models_have_other_rules() -> None:
    foreign = messages({"type": "thinking", "thinking": "t", "signature": ""})
    assert not of("HR504", foreign, model="deepseek-v4")
    assert of("HR504", foreign, model="claude-opus-4-8")
    assert of("HR504", foreign, model="my-gateway-alias")


def test_the_open_end_of_a_history_may_be_cut() -> None:
    cut = [user("x"), assistant({"type": "thinking", "thinking": "t"}, text("y"))]
    assert not of("HR504", cut, as_="history")
    assert of("HR504", cut)
