from __future__ import annotations

import json
from typing import Any

import pytest

from headroom_cli.model import ToolCall
from tests.waste.session import Session, tokens

FOUND = '[{"id": "mem_17", "text": "The user works in vim."}]'
UPDATE = {"id": "mem_17", "text": "The user works in Helix."}


@pytest.mark.parametrize(
    ("look", "change"),
    [
        (("memory_search", {"query": "editor"}), ("memory_update", UPDATE)),
        (("memory_search", '{"query": "editor"}'), ("memory_delete", json.dumps({"memory_id": "mem_17"}))),
        (("search_memories", {"query": "editor"}), ("delete_memory", {"memoryId": "mem_17"})),
        (("mcp__mem__list-memories", {}), ("mcp__mem__delete-memories", {"ids": ["mem_17"]})),
    ],
)
def test_a_search_for_the_next_change(session: Session, look: tuple[str, Any], change: tuple[str, Any]) -> None:
    session.tool(*look, FOUND)
    session.tool(*change, "done")
    (finding,) = session.waste("id_lookup")
    assert (finding.block, finding.first_block, finding.request) == (2, 3, 0)
    assert finding.tokens == finding.exclusive_tokens == finding.avoidable_tokens == tokens(FOUND)
    assert finding.confidence == "high"


def test_the_memory_tool_of_the_provider(session: Session) -> None:
    listing = "Directory: /memories\n- /memories/editor.md\n- /memories/style.md"
    session.tool("memory", {"command": "view", "path": "/memories"}, listing)
    session.tool("memory", {"command": "delete", "path": "/memories/editor.md"}, "deleted")
    (finding,) = session.waste("id_lookup")
    assert (finding.block, finding.avoidable_tokens) == (2, tokens(listing))


def test_several_changes_at_once(session: Session) -> None:
    session.tool("memory_search", {"query": "editor"}, '[{"id": 417}, {"id": 418}]')
    session.answer(ToolCall("a", "memory_delete", {"id": 417}), ToolCall("b", "memory_delete", {"id": 418}))
    session.result("deleted", "a")
    session.result("deleted", "b")
    assert [f.block for f in session.waste("id_lookup")] == [2]


def test_other_stores_have_to_be_asked(session: Session) -> None:
    session.tool("mcp__tracker__list_issues", {"query": "vim"}, '{"issues": [{"id": "ENT-64"}]}')
    session.tool("mcp__tracker__update_issue", {"id": "ENT-64", "state": "done"})
    (finding,) = session.waste("id_lookup")
    assert (finding.confidence, finding.avoidable_tokens) == ("low", 0)
    assert finding.exclusive_tokens == finding.tokens > 0


class TestNot:
    @pytest.mark.parametrize(
        ("look", "change"),
        [
            # The id was known before.
            (("memory_get", {"id": "mem_17"}), ("memory_update", UPDATE)),
            # Another store.
            (("notes_search", {"query": "editor"}), ("memory_update", UPDATE)),
            # The id is not in the result.
            (("memory_search", {"query": "editor"}), ("memory_update", {"id": "mem_1", "text": "x"})),
            # Nothing is changed, or something new is made.
            (("memory_search", {"query": "editor"}), ("memory_get", {"id": "mem_17"})),
            (("memory_search", {"query": "editor"}), ("memory_add", {"text": "mem_17"})),
            # No id at all.
            (("memory_search", {"query": "editor"}), ("memory_update", {"text": "mem_17"})),
            # A look and a change that no noun belongs to.
            (("Read", {"file_path": "mem_17"}), ("Edit", {"file_path": "mem_17"})),
            (("Bash", {"command": "find"}), ("Bash", {"command": "rename", "path": "mem_17"})),
        ],
    )
    def test_near_misses(self, session: Session, look: tuple[str, Any], change: tuple[str, Any]) -> None:
        session.tool(*look, FOUND)
        session.tool(*change, "done")
        assert [f for f in session.waste("id_lookup") if f.avoidable_tokens] == []

    def test_a_human_answered_in_between(self, session: Session) -> None:
        session.tool("memory_search", {"query": "editor"}, FOUND)
        session.chat(1)
        session.tool("memory_update", UPDATE)
        assert session.waste("id_lookup") == []

    def test_another_call_in_between(self, session: Session) -> None:
        session.tool("memory_search", {"query": "editor"}, FOUND)
        session.tool("Read", {"file_path": "~/.vimrc"}, "set nocompatible")
        session.tool("memory_update", UPDATE)
        assert session.waste("id_lookup") == []

    def test_another_call_beside_the_change(self, session: Session) -> None:
        session.tool("memory_search", {"query": "editor"}, FOUND)
        session.answer(ToolCall("a", "memory_update", UPDATE), ToolCall("b", "Read", {"file_path": "~/.vimrc"}))
        session.result("updated", "a")
        session.result("set nocompatible", "b")
        assert session.waste("id_lookup") == []

    def test_a_look_that_failed(self, session: Session) -> None:
        session.tool("memory_search", {"query": "editor"}, FOUND, error=True)
        session.tool("memory_update", UPDATE)
        assert session.waste("id_lookup") == []
