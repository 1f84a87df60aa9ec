from __future__ import annotations

from typing import Any

import pytest

from tests.waste.session import Session, numbered, tokens

READ = {"file_path": "/w/shape.py"}
LINE = "self.side_9 = sides[9]"
EDIT = {**READ, "old_string": LINE, "new_string": "self.side_9 = None"}
PATCH = f"*** Begin Patch\n*** Update File: shape.py\n@@\n     self.x = 1\n-    {LINE}\n+    self.side_9 = None\n"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Edit", EDIT),
        ("Edit", {**READ, "old_string": LINE, "new_string": f"{LINE}\nself.colour = None"}),
        ("Write", {**READ, "content": "x = 1"}),
        ("apply_patch", PATCH),
        ("Bash", {"command": "cd /w && sed -i s/side/edge/ shape.py"}),
        ("Bash", {"command": "rm /w/shape.py"}),
    ],
)
def test_the_file_was_changed_later(session: Session, name: str, arguments: Any) -> None:
    session.tool("Read", READ, numbered(1, 20))
    session.chat(1)
    session.tool(name, arguments)
    session.chat(1)
    (finding,) = session.waste("stale_read", "line_numbers", "repetition")
    assert (finding.block, finding.first_block, finding.request) == (2, 5, 2)
    assert (finding.tokens, finding.exclusive_tokens) == (tokens(numbered(1, 20)), tokens(numbered(1, 20)))
    assert finding.avoidable_tokens == 0


def test_it_takes_what_content_signals_have_left(session: Session) -> None:
    session.tool("Read", READ, numbered(1, 20))
    session.tool("Edit", EDIT)
    (finding,) = session.waste("stale_read", "repetition")
    # Each of the 20 prefixes, such as `     9→`, costs 4 tokens: they are claimed as line numbers before.
    assert finding.exclusive_tokens == finding.tokens - 80


class TestNot:
    def test_a_change_elsewhere_in_the_file(self, session: Session) -> None:
        session.tool("Read", READ, numbered(1, 20))
        session.tool("Edit", {**READ, "old_string": "self.side_90 = sides[90]", "new_string": "pass"})
        assert session.waste("stale_read") == []

    def test_a_change_before(self, session: Session) -> None:
        session.tool("Edit", EDIT)
        session.tool("Read", READ, numbered(1, 20))
        assert session.waste("stale_read") == []

    def test_a_change_that_failed(self, session: Session) -> None:
        session.tool("Read", READ, numbered(1, 20))
        session.tool("Edit", EDIT, "<tool_use_error>String to replace not found in file.</tool_use_error>", error=True)
        assert session.waste("stale_read") == []

    def test_another_file(self, session: Session) -> None:
        session.tool("Read", READ, numbered(1, 20))
        session.tool("Edit", {**EDIT, "file_path": "/x/shape.py"})
        assert session.waste("stale_read") == []

    def test_a_compaction_took_it_out_before(self, session: Session) -> None:
        read = session.tool("Read", READ, numbered(1, 20))
        session.chat()
        session.leave(read, "compaction")
        session.tool("Edit", EDIT)
        assert session.waste("stale_read") == []

    def test_a_compaction_took_it_out_right_after(self, session: Session) -> None:
        read = session.tool("Read", READ, numbered(1, 20))
        session.tool("Edit", EDIT)
        session.leave(read, "compaction")
        session.chat()
        assert session.waste("stale_read") == []

    def test_small_reads(self, session: Session) -> None:
        session.tool("Read", READ, numbered(9, 10))
        session.tool("Edit", EDIT)
        assert session.waste("stale_read") == []
