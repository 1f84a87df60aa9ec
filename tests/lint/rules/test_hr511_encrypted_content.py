from __future__ import annotations

from typing import Any

from tests.lint.support import item, of


def items(secret: Any) -> list[Any]:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": secret}
    return [item("user"), reasoning, item("assistant"), item("user")]


def test_damaged_ciphertext() -> None:
    for secret in ("gAAA[REDACTED]", "gAAA…", "gAAA AAA", 7, ["gAAA"]):
        found = of("HR511", items(secret), "openai-responses")
        assert [(f.severity, f.refs, f.at) for f in found] == [("error", ("R13",), ("encrypted_content",))]
    assert [f.severity for f in of("HR511", items("[REDACTED]"), "openai-responses", as_="history")] == ["info"]


def test_healthy_ciphertext() -> None:
    for secret in ("gAAAAABo_-Zz09==", "abc+/9", "", None):
        assert not of("HR511", items(secret), "openai-responses")
