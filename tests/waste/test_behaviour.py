"""What all behaviour signals have in common: their pages, their examples, and claims that never exceed a block."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.analysis import Analyser, Analysis, Settings
from headroom_cli.logs.exchange.history import read_history
from headroom_cli.waste import pages
from headroom_cli.waste.base import CLAIM_ORDER, behaviour_signals, claims_late, content_signals
from headroom_cli.wire.anthropic import parse_tools
from tests.waste.session import Session, numbered, source

SECTIONS = ["What it does", "Why it matters", "Known problems", "Example", "Fix", "References"]
EXAMPLE = re.compile(
    r"## Example\n```python\n(.*?)\n```\n(.*?)Flagged: ([\d,]+) tokens; avoidable: ([\d,]+)", re.DOTALL
)
HELPER = re.compile(r"`(\w+)(?:\((.*?)\))?` is\s`(.*?)`\.\n", re.DOTALL)


def call(number: str, name: str, arguments: dict[str, Any], text: str) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": number, "name": name, "input": arguments}
    result = {"type": "tool_result", "tool_use_id": number, "content": text}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def analysis_of(example: str, text_below: str) -> Analysis:
    """The example of a page, with the names that it explains."""
    names: dict[str, Any] = {"call": call}
    for name, arguments, value in HELPER.findall(text_below):
        names[name] = eval(f"lambda {arguments}: {value}" if arguments else value)
    given = eval(example, names)
    body = given if isinstance(given, dict) else {"messages": given}
    messages, tools = body["messages"], parse_tools(body.get("tools"))
    log = read_history(messages, range(1, len(messages) + 1), "x.jsonl", "anthropic", tools=tools)
    return Analyser().analyse([log])[0]


def test_every_signal_is_registered_once_and_has_its_place_in_the_order_of_claims() -> None:
    assert set(behaviour_signals()) | set(content_signals()) == set(CLAIM_ORDER) <= set(pages())
    assert set(behaviour_signals()).isdisjoint(content_signals())
    assert list(behaviour_signals()) == [
        "reread",
        "duplicate_image",
        "failed_retry",
        "write_readback",
        "subset_read",
        "id_lookup",
        "stale_read",
        "unused_tools",
    ]
    assert [name for name in CLAIM_ORDER if claims_late(name)] == ["stale_read", "unused_tools"]


@pytest.mark.parametrize("name", behaviour_signals())
def test_page_has_its_sections_and_its_example_is_true(name: str) -> None:
    page = pages()[name]
    assert page.startswith(f"# {name}: ")
    assert re.findall("^## (.*)", page, re.MULTILINE) == SECTIONS
    example = EXAMPLE.search(page)
    assert example
    found = [finding for finding in analysis_of(example[1], example[2]).waste if finding.signal == name]
    assert len(found) == 1
    assert (found[0].exclusive_tokens, found[0].avoidable_tokens) == (int(example[3]), int(example[4]))


@pytest.mark.parametrize("name", behaviour_signals())
def test_can_be_ignored(name: str, session: Session) -> None:
    session.tool("Read", {"file_path": "/w/a.py"}, numbered(1, 40))
    session.tool("Read", {"file_path": "/w/a.py", "offset": 5}, numbered(5, 20))
    session.chat()
    session.tool("Read", {"file_path": "/w/a.py"}, numbered(1, 40))
    session.tool("Write", {"file_path": "/w/a.py", "content": source(1, 9)})
    session.tool("Read", {"file_path": "/w/a.py"}, numbered(1, 9))
    session.tracker.finish()
    everything = Analyser().analyse([session.log])[0].waste
    ignoring = Analyser(settings=Settings(ignored_signals=frozenset({name}))).analyse([session.log])[0].waste
    assert {f.signal for f in everything} >= {"reread", "subset_read", "write_readback", "stale_read"}
    assert {f.signal for f in ignoring} == {f.signal for f in everything} - {name}


def test_a_block_is_claimed_by_the_first_signal_of_the_order(session: Session) -> None:
    session.tool("Write", {"file_path": "/w/a.py", "content": source(1, 40)})
    session.tool("Read", {"file_path": "/w/a.py"}, numbered(1, 40))
    session.tool("Read", {"file_path": "/w/a.py", "offset": 5, "limit": 10}, numbered(5, 14))
    session.tracker.finish()
    found = Analyser().analyse([session.log])[0]
    block = found.blocks[6]
    own = [(f.signal, f.exclusive_tokens) for f in found.waste if f.block == 6]
    assert own[:2] == [("write_readback", block.tokens), ("subset_read", 0)]
    assert all(exclusive == 0 for _, exclusive in own[1:])


PATHS = st.sampled_from(["/w/a.py", "a.py", "/w/b.py"])
SPANS = st.tuples(st.integers(1, 30), st.integers(4, 30))
MOVES = st.one_of(
    st.tuples(st.just("Read"), PATHS, SPANS),
    st.tuples(st.just("cat"), PATHS, SPANS),
    st.tuples(st.just("Write"), PATHS, SPANS),
    st.tuples(st.just("Edit"), PATHS, SPANS),
    st.tuples(st.just("fail"), PATHS, SPANS),
    st.tuples(st.just("memory"), PATHS, SPANS),
    st.tuples(st.just("leave"), PATHS, SPANS),
    st.tuples(st.just("chat"), PATHS, SPANS),
)


@given(st.lists(MOVES, max_size=25))
def test_no_block_is_claimed_beyond_its_tokens(moves: list[tuple[str, str, tuple[int, int]]]) -> None:
    session = Session()
    session.say("Fix the shapes. It is 2026-03-01.")
    results = []
    for move, path, (first, length) in moves:
        named = {"file_path": path}
        text = numbered(first, first + length)
        if move == "Read":
            results.append(session.tool("Read", {**named, "offset": first}, text))
        elif move == "cat":
            results.append(
                session.tool("Bash", {"command": f"sed -n {first},99p {path}"}, source(first, first + length))
            )
        elif move == "Write":
            session.tool("Write", {**named, "content": source(first, first + length)})
        elif move == "Edit":
            session.tool("Edit", {**named, "old_string": source(first, first), "new_string": source(first + 1, 40)})
        elif move == "fail":
            session.tool("Read", named, f"<tool_use_error>{text}</tool_use_error>", error=True)
        elif move == "memory":
            session.tool("memory_search", {"query": path}, f'[{{"id": "{path}"}}]')
            session.tool("memory_update", {"id": path})
        elif move == "leave" and results:
            session.leave(results.pop(), "compaction")
        else:
            session.chat(1)
    session.tracker.finish()
    found = Analyser().analyse([session.log])[0]
    claimed: Counter[int] = Counter()
    for finding in found.waste:
        assert 0 <= finding.avoidable_tokens <= finding.exclusive_tokens <= finding.tokens
        assert finding.confidence != "low" or finding.avoidable_tokens == 0
        claimed[finding.block] += finding.exclusive_tokens
    assert all(exclusive <= found.blocks[block].tokens for block, exclusive in claimed.items())
    assert max(Counter((f.signal, f.block) for f in found.waste).values(), default=1) == 1
