from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.repair.messages import Repaired, repair
from tests.repair.support import (
    PROVIDERS,
    TURNS,
    Turns,
    break_history,
    build,
    errors,
    exchanged,
    profile_of,
    texts,
    turns_where,
)

TIMES = st.integers(1, 3)


def repaired(messages: list[Any], name: str, *, unsafe: bool = False) -> Repaired:
    return repair(messages, PROVIDERS[name], profiles=[profile_of(name)], judged_as="history", unsafe=unsafe)


def broken_history(turns: Turns, name: str, times: int, data: st.DataObject) -> list[Any]:
    broken = build(turns, PROVIDERS[name])
    for _ in range(times):
        if broken:
            broken = break_history(broken, PROVIDERS[name], data.draw)
    return broken


@pytest.mark.parametrize("name", PROVIDERS)
@given(turns=TURNS)
@settings(max_examples=20)
def test_a_healthy_history_is_left_alone(name: str, turns: Turns) -> None:
    messages = build(turns, PROVIDERS[name])
    assert errors(messages, name) == []
    outcome = repaired(messages, name)
    assert not outcome.changed
    assert all(after is before for after, before in zip(outcome.messages, messages, strict=True))


@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize("name", PROVIDERS)
@given(turns=TURNS, times=TIMES, data=st.data())
@settings(max_examples=60)
def test_what_is_left_is_told_and_a_second_repair_changes_nothing(
    name: str, unsafe: bool, turns: Turns, times: int, data: st.DataObject
) -> None:
    outcome = repaired(broken_history(turns, name, times, data), name, unsafe=unsafe)
    assert sorted(errors(outcome.messages, name)) == sorted(left.finding.rule.code for left in outcome.left)
    again = repaired(outcome.messages, name, unsafe=unsafe)
    assert again.changes == []
    assert all(after is before for after, before in zip(again.messages, outcome.messages, strict=True))


@pytest.mark.parametrize("name", PROVIDERS)
@given(
    turns=st.lists(st.tuples(st.integers(0, 3), st.just(False)), min_size=1, max_size=5), times=TIMES, data=st.data()
)
@settings(max_examples=60)
def test_a_broken_history_without_thinking_is_clean_after_repair(
    name: str, turns: Turns, times: int, data: st.DataObject
) -> None:
    outcome = repaired(broken_history(turns, name, times, data), name, unsafe=True)
    assert errors(outcome.messages, name) == []
    assert outcome.left == []


@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize("name", PROVIDERS)
@given(turns=TURNS, times=TIMES, data=st.data())
@settings(max_examples=60)
def test_nothing_that_was_said_is_lost_or_reordered(
    name: str, unsafe: bool, turns: Turns, times: int, data: st.DataObject
) -> None:
    broken = broken_history(turns, name, times, data)
    given_text = json.dumps(broken)
    outcome = repaired(broken, name, unsafe=unsafe)
    assert json.dumps(broken) == given_text
    after = "\n".join(texts(outcome.messages, PROVIDERS[name]))
    said = [words for words in texts(broken, PROVIDERS[name]) if not words.startswith('{"type": "thinking"')]
    places = [after.find(words) for words in said]
    assert -1 not in places
    assert places == sorted(places)
    for value in exchanged(broken, PROVIDERS[name]):
        assert value in exchanged(outcome.messages, PROVIDERS[name]) or words_of(value) in after


def words_of(value: str) -> str:
    """The words of a result, or the path in the arguments of a call, as they stand in a text."""
    found = json.loads(value)
    while not isinstance(found, str):
        found = found[0] if isinstance(found, list) else next(iter(found.values()))
    return found


@pytest.mark.parametrize("name", ["anthropic", "strict"])
@given(turns=turns_where(thinks=True), times=TIMES, data=st.data())
@settings(max_examples=60)
def test_thinking_is_never_written_moved_or_changed(name: str, turns: Turns, times: int, data: st.DataObject) -> None:
    broken = broken_history(turns, name, times, data)
    outcome = repaired(broken, name, unsafe=True)
    before, after = (
        [words for words in texts(messages, "anthropic") if words.startswith('{"type": "thinking"')]
        for messages in (broken, outcome.messages)
    )
    remaining = iter(before)
    assert all(words in remaining for words in after)


@pytest.mark.parametrize("name", PROVIDERS)
@given(turns=TURNS, times=TIMES, data=st.data())
@settings(max_examples=40)
def test_what_lies_apart_from_the_damage_is_the_object_that_was_given(
    name: str, turns: Turns, times: int, data: st.DataObject
) -> None:
    dialect = PROVIDERS[name]
    around = [(1, False), (2, False)]
    whole = build([*around, *turns, *around], dialect)
    length = len(build(around, dialect))
    head, broken, tail = whole[:length], whole[length:-length], whole[-length:]
    for _ in range(times):
        broken = break_history(broken, dialect, data.draw) if broken else broken
    outcome = repaired([*head, *broken, *tail], name, unsafe=True)
    # The messages next to the damage may take in what is merged or moved.
    for after, before in zip(outcome.messages, head[:-1], strict=False):
        assert after is before
    for after, before in zip(reversed(outcome.messages), reversed(tail[1:]), strict=False):
        assert after is before


@pytest.mark.parametrize("name", ["anthropic", "bedrock", "gemini"])
@given(turns=TURNS, times=TIMES, data=st.data())
@settings(max_examples=40)
def test_blocks_that_stay_equal_are_the_objects_that_were_given(
    name: str, turns: Turns, times: int, data: st.DataObject
) -> None:
    broken = broken_history(turns, name, times, data)
    outcome = repaired(broken, name, unsafe=True)
    places: dict[str, list[int]] = {}
    for raw in blocks_of(broken):
        places.setdefault(json.dumps(raw), []).append(id(raw))
    for raw in blocks_of(outcome.messages):
        same = places.get(json.dumps(raw))
        assert same is None or id(raw) in same


def blocks_of(messages: list[Any]) -> list[Any]:
    contents = [message.get("content", message.get("parts")) for message in messages]
    return [part for content in contents if isinstance(content, list) for part in content]


def test_repairs_that_undo_each_other_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = build([(1, False), (0, False)], "anthropic")
    del broken[2]
    monkeypatch.setattr("headroom_cli.repair.messages.MAX_ROUNDS", 1)
    outcome = repaired(broken, "anthropic")
    assert outcome.messages == broken
    assert outcome.changes == []
    assert [(left.finding.rule.code, left.why) for left in outcome.left] == [("HR101", "repairs of it undo each other")]
