from __future__ import annotations

from typing import Any

from headroom_cli.lint.declared import declared_tools
from headroom_cli.lint.history import JudgedAs
from headroom_cli.lint.sent import history_of


def names(dialect: str, as_: JudgedAs = "request", **body: Any) -> list[str] | None:
    found = declared_tools(history_of([{"role": "user", "content": "x"}], dialect, body=body, judged_as=as_))
    return None if found is None else [name for name, _ in found.names]


def test_every_shape_of_declarations() -> None:
    assert names("anthropic", tools=[{"name": "a"}, {"type": "web_search_20250305", "name": "web_search"}]) == [
        "a",
        "web_search",
    ]
    assert names("openai", tools=[{"type": "function", "function": {"name": "a"}}]) == ["a"]
    assert names("openai-responses", tools=[{"type": "function", "name": "a"}, {"type": "tool_search"}]) == ["a"]
    assert names("bedrock", toolConfig={"tools": [{"toolSpec": {"name": "a"}}, {"cachePoint": {}}]}) == ["a"]
    assert names("gemini", tools=[{"functionDeclarations": [{"name": "a"}, {"name": "b"}]}]) == ["a", "b"]


def test_a_whole_request_without_tools_declares_none() -> None:
    assert names("anthropic", model="claude-opus-4-8") == []
    assert names("anthropic", as_="history", model="claude-opus-4-8") is None
    assert names("anthropic") is None
    assert names("openai-responses", model="m", previous_response_id="resp_1") is None


def test_hostile_declarations() -> None:
    deep: Any = {"functionDeclarations": [{"functionDeclarations": [None, {"name": 7}]}]}
    assert names("gemini", tools=[None, 7, [], deep, {"function": []}]) == []
