from __future__ import annotations

from typing import Any

from tests.lint.support import item, of, user


def tools(number: int) -> list[dict[str, Any]]:
    return [{"type": "function", "function": {"name": f"f{i}", "parameters": {}}} for i in range(number)]


def test_129_tools() -> None:
    found = of("HR701", [{"role": "user", "content": "x"}], "openai", tools=tools(129))
    assert [(f.severity, f.refs, f.at) for f in found] == [("error", ("O15",), ("tools",))]
    assert (found[0].api_error or "").endswith("got an array with length 129 instead.")


def test_healthy_twins() -> None:
    assert not of("HR701", [{"role": "user", "content": "x"}], "openai", tools=tools(128))
    assert not of("HR701", [item("user")], "openai-responses", tools=tools(600))
    assert not of("HR701", [user("x")], "anthropic", tools=tools(600))
    assert not of("HR701", [{"role": "user", "content": "x"}], "mistral", tools=tools(129))
