from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.logs.claude.order import AHEAD, in_order
from headroom_cli.logs.formats.claude_code import FORMAT
from headroom_cli.model import Conversation, Reading
from headroom_cli.source.records import Record

SESSION = "0b3c9a52-1111-4222-8333-944445555666"


def line(uuid: str, parent: str | None) -> dict[str, Any]:
    return {"type": "system", "uuid": uuid, "parentUuid": parent}


def ordered(*values: Any) -> list[Any]:
    """The uuids of the lines in the order in which a reader would take them."""
    taken: list[Any] = []

    def take(record: Record) -> None:
        taken.append(record.value["uuid"] if isinstance(record.value, dict) else record.value)

    for record in in_order([Record(n, value) for n, value in enumerate(values, 1)], taken.__contains__):
        take(record)
    return taken


def test_a_line_comes_behind_the_one_that_it_names() -> None:
    early = [line("a", None), line("r", "c"), line("b", "a"), line("c", "b"), line("d", "r")]
    assert ordered(*early) == ["a", "b", "c", "r", "d"]


def test_what_follows_a_line_that_came_too_early_comes_behind_it() -> None:
    early = [line("a", None), line("r", "c"), line("s", "r"), line("b", "a"), line("c", "b")]
    assert ordered(*early) == ["a", "b", "c", "r", "s"]


def test_a_parent_that_is_lost_or_too_far_away_changes_nothing() -> None:
    lost = [line("a", None), line("b", "gone"), line("c", "b")]
    assert ordered(*lost) == ["a", "b", "c"]
    far = [line("r", "z"), *(line(f"l{n}", None) for n in range(AHEAD)), line("z", None)]
    assert ordered(*far)[0] == "r"
    assert ordered(far[0], *far[2:])[-2:] == ["z", "r"]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdefg")), max_size=30))
def test_no_line_is_lost_or_told_twice_whatever_they_name(links: list[tuple[str, str]]) -> None:
    lines = [line(uuid, parent) for uuid, parent in links]
    assert sorted(ordered(*lines)) == sorted(uuid for uuid, _ in links)


def test_what_is_no_line_of_a_session_keeps_its_place() -> None:
    assert ordered([1], {"uuid": None, "parentUuid": 7}, line("a", None)) == [[1], None, "a"]


@given(st.permutations(range(12)))
def test_any_order_within_reach_becomes_that_of_the_links(order: list[int]) -> None:
    lines = [line(str(n), str(n - 1) if n else None) for n in range(12)]
    assert ordered(*(lines[n] for n in order)) == [str(n) for n in range(12)]


def session(*values: dict[str, Any]) -> Conversation:
    records = (Record(number, value) for number, value in enumerate(values, 1))
    (conversation,) = FORMAT.read(records, f"{SESSION}.jsonl", Reading("x"))
    return conversation


def message(uuid: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    said = {"role": role, "content": content, **more}
    return {"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": SESSION, "message": said}


def test_a_result_written_before_its_call_is_read_behind_it() -> None:
    usage = {"input_tokens": 9, "output_tokens": 3}
    c = session(
        message("u1", None, "user", "look"),
        message("r1", "a2", "user", [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "found"}]),
        message("a1", "u1", "assistant", [{"type": "text", "text": "I look."}], id="msg_1", usage=usage),
        message(
            "a2",
            "a1",
            "assistant",
            [{"type": "tool_use", "id": "toolu_1", "name": "Grep", "input": {}}],
            id="msg_1",
            usage=usage,
        ),
        message("b1", "r1", "assistant", [{"type": "text", "text": "Done."}], id="msg_2", usage=usage),
    )
    assert [(m.role, m.line) for m in c.messages] == [("user", 1), ("assistant", 3), ("user", 2), ("assistant", 5)]
    assert c.missing_parents == []
    assert [len(m.parts) for m in c.messages] == [1, 2, 1, 1]
