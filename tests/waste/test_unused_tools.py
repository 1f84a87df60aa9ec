from __future__ import annotations

from typing import Any

import pytest

from headroom_cli.model import Declaration, Text
from headroom_cli.wire.results import dump
from tests.waste.session import Session, tokens


def declared(name: str, kind: str = "function", **more: Any) -> Declaration:
    schema = {"name": name, "description": f"Does {name}.", "input_schema": {"type": "object"}, **more}
    return Declaration(name, dump(schema) or "", kind, raw=schema)


@pytest.fixture
def session() -> Session:
    started = Session()
    started.log.tools = [declared("get_weather"), declared("get_traffic")]
    started.tracker.enter(started.log.tools)
    started.say("How is the weather?")
    return started


def test_schemas_that_two_requests_sent_in_vain(session: Session) -> None:
    session.tool("get_weather", {"city": "Bern"}, "fair")
    session.answer(Text("Fair."))
    (finding,) = session.waste("unused_tools")
    text = session.log.tools[1].text
    assert text == '{"name": "get_traffic", "description": "Does get_traffic.", "input_schema": {"type": "object"}}'
    assert (finding.block, finding.tokens, finding.confidence) == (1, tokens(text), "medium")
    assert finding.exclusive_tokens == finding.avoidable_tokens == finding.tokens


def test_without_any_call_all_are_unused(session: Session) -> None:
    session.chat()
    assert [f.block for f in session.waste("unused_tools")] == [0, 1]


def test_dates_in_a_schema_are_claimed_before(session: Session) -> None:
    session.log.tools.append(declared("now", description="Today is 2026-03-01."))
    session.tracker.enter(session.log.tools)
    session.chat()
    (date,) = session.waste("dynamic_date")
    unused = session.waste("unused_tools")[-1]
    assert date.block == unused.block == 2
    assert date.exclusive_tokens == 6
    assert unused.exclusive_tokens == unused.avoidable_tokens == unused.tokens - 6


class TestNot:
    def test_one_request(self, session: Session) -> None:
        session.answer(Text("I do not know."))
        assert session.waste("unused_tools") == []

    def test_the_second_request_had_other_tools(self, session: Session) -> None:
        session.answer(Text("I do not know."))
        session.leave(session.log.tools[1], "replacement")
        session.say()
        session.tool("get_weather", {"city": "Bern"}, "fair")
        assert session.waste("unused_tools") == []

    @pytest.mark.parametrize(
        "tool",
        [
            declared("web_search", "web_search_20250305"),
            declared("files", "mcp"),
            declared("shell", "local_shell"),
            declared("get_traffic", defer_loading=True),
        ],
    )
    def test_what_the_vendor_runs_or_loads_late(self, session: Session, tool: Declaration) -> None:
        session.log.tools[1] = tool
        session.tracker.enter([tool])
        session.tool("get_weather", {"city": "Bern"}, "fair")
        session.chat()
        assert session.waste("unused_tools") == []
