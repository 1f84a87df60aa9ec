from __future__ import annotations

from headroom_cli.model import Media, Text, ToolCall, ToolResult
from tests.waste.session import Session

SHOT = "0b5c0ffee0b5c0ff"


def shot(digest: str | None = SHOT) -> Media:
    return Media("image/png", bytes=48_213, width=1280, height=800, digest=digest)


def attach(session: Session, media: Media) -> None:
    session._message("user", media, Text("Look at this."))
    session.tracker.enter([media])


def test_the_same_bytes_again(session: Session) -> None:
    attach(session, shot())
    session.answer(Text("A chart."))
    attach(session, shot())
    session.answer(Text("Still a chart."))
    (finding,) = session.waste("duplicate_image")
    assert (finding.block, finding.first_block, finding.cause, finding.request) == (4, 1, "in_context", 1)
    assert (finding.tokens, finding.exclusive_tokens, finding.avoidable_tokens) == (0, 0, 0)


def test_in_the_result_of_a_tool(session: Session) -> None:
    attach(session, shot())
    session.answer(ToolCall("a", "screenshot", {}))
    part = ToolResult("a", "", media=[shot()])
    session._message("tool", part)
    session.tracker.enter([part])
    session.answer(Text("Nothing has changed."))
    (finding,) = session.waste("duplicate_image")
    assert (finding.first_block, finding.cause) == (1, "in_context")


def test_what_had_become_of_the_earlier_one(session: Session) -> None:
    first = shot()
    attach(session, first)
    session.answer(Text("A chart."))
    session.leave(first, "compaction")
    attach(session, shot())
    session.answer(Text("A chart."))
    assert [f.cause for f in session.waste("duplicate_image")] == ["compacted"]


def test_two_in_one_message(session: Session) -> None:
    session._message("user", shot(), shot())
    session.answer(Text("Two charts."))
    assert [f.cause for f in session.waste("duplicate_image")] == ["parallel"]


def test_other_bytes_or_none_known(session: Session) -> None:
    for digest in (SHOT, "1b5c0ffee0b5c0ff", None, None, ""):
        attach(session, shot(digest))
        session.answer(Text("A chart."))
    assert session.waste("duplicate_image") == []
