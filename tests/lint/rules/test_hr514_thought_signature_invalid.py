from __future__ import annotations

from typing import Any

import pytest

from tests.lint.support import content, gemini_call, gemini_response, of


def found(signature: Any) -> list[tuple[str, str]]:
    call = {**gemini_call(), "thoughtSignature": signature}
    contents = [content("user", {"text": "x"}), content("model", call), content("user", gemini_response())]
    return [(f.severity, f.message) for f in of("HR514", contents, "gemini")]


@pytest.mark.parametrize("signature", ["EqQB-anthropic", "rs_0123", "abcde", "[REDACTED]", 7])
def test_foreign_signatures(signature: Any) -> None:
    assert found(signature) == [("warning", "the thought signature was not made by Gemini")]


def test_an_empty_signature() -> None:
    assert found("") == [("warning", "the thought signature is empty")]


@pytest.mark.parametrize("signature", ["CiQB", "CiQBAA==", "Ci+/AAA=", "skip_thought_signature_validator"])
def test_healthy_signatures(signature: str) -> None:
    assert found(signature) == []
