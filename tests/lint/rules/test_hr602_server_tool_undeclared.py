from __future__ import annotations

from typing import Any

from tests.lint.support import assistant, of, text, user


def use(name: str) -> dict[str, Any]:
    return {"type": "server_tool_use", "id": "srvtoolu_1", "name": name, "input": {}}


def result(name: str) -> dict[str, Any]:
    return {"type": f"{name}_tool_result", "tool_use_id": "srvtoolu_1", "content": []}


SEARCH = {"type": "web_search_20250305", "name": "web_search"}


def test_advice_needs_its_tool_in_every_request() -> None:
    messages = [user("q"), assistant(use("advisor"), result("advisor"), text("ok")), user("go")]
    found = of("HR602", messages, tools=[SEARCH])
    assert [(f.severity, f.refs, f.message) for f in found] == [
        ("error", ("A15",), "advisor is in the history, but this request does not declare it")
    ]
    assert not of("HR602", messages, tools=[{"type": "advisor_20260101", "name": "advisor"}])


def test_a_call_that_is_still_to_be_run() -> None:
    messages = [user("q"), assistant(text("let me see"), use("web_fetch"))]
    assert [f.message for f in of("HR602", messages, tools=[SEARCH])] == [
        "web_fetch is still to be run, but this request does not declare it"
    ]
    assert not of("HR602", [user("q"), assistant(use("web_search"))], tools=[SEARCH])


def test_families_of_tools() -> None:
    code = {"type": "code_execution_20250825", "name": "code_execution"}
    assert not of("HR602", [user("q"), assistant(use("bash_code_execution"))], tools=[code])
    regex = {"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"}
    assert not of("HR602", [user("q"), assistant(use("tool_search_tool_regex"))], tools=[regex])


def test_searches_that_are_done_are_healthy() -> None:
    messages = [user("q"), assistant(use("web_search"), result("web_search"), text("ok")), user("go")]
    assert not of("HR602", messages, tools=[])
    assert not of("HR602", [user("q"), assistant(use("advisor"))], as_="history")
