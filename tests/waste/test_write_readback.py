from __future__ import annotations

import json
from typing import Any

import pytest

from tests.waste.session import Session, numbered, source, tokens

READ = {"file_path": "/w/shape.py"}
PATCH = "*** Begin Patch\n*** Add File: /w/shape.py\n" + "\n".join(f"+{x}" for x in source(1, 10).split("\n"))
CHANGE = "*** Begin Patch\n*** Update File: shape.py\n@@\n-pass\n" + "\n".join(
    f"+{x}" for x in source(1, 10).split("\n")
)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Write", {**READ, "content": source(1, 10)}),
        ("Write", json.dumps({**READ, "content": f"\n{source(1, 30)}\n"})),
        ("Edit", {**READ, "old_string": "pass", "new_string": source(1, 10)}),
        ("MultiEdit", {**READ, "edits": [{"new_string": source(1, 5)}, {"new_string": source(6, 10)}]}),
        ("str_replace_editor", {"command": "create", "path": "/w/shape.py", "file_text": source(1, 10)}),
        ("apply_patch", PATCH),
        ("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{CHANGE}\n*** End Patch\nEOF"]}),
        ("Bash", {"command": f"cat > /w/shape.py <<'EOF'\n{source(1, 10)}\nEOF"}),
    ],
)
def test_reads_what_was_written(session: Session, name: str, arguments: Any) -> None:
    session.tool(name, arguments)
    session.tool("Read", READ, numbered(1, 10))
    (finding,) = session.waste("write_readback")
    assert (finding.block, finding.first_block, finding.request) == (4, 1, 1)
    assert finding.tokens == finding.exclusive_tokens == finding.avoidable_tokens == tokens(numbered(1, 10))


def test_by_the_shell_of_codex(session: Session) -> None:
    session.tool("apply_patch", PATCH)
    output = json.dumps({"output": source(1, 10), "metadata": {"exit_code": 0}}, separators=(",", ":"))
    session.tool("shell", '{"command":["bash","-lc","cat shape.py"],"workdir":"/w"}', output)
    (finding,) = session.waste("write_readback")
    assert finding.avoidable_tokens == tokens(output)


def test_who_asks_for_line_numbers_may_need_them(session: Session) -> None:
    session.tool("Write", {**READ, "content": source(1, 10)})
    session.tool("Bash", {"command": "nl -ba /w/shape.py"}, numbered(1, 10).replace("→", "\t"))
    (finding,) = session.waste("write_readback")
    assert (finding.confidence, finding.avoidable_tokens) == ("low", 0)
    assert finding.exclusive_tokens == finding.tokens > 0


class TestNot:
    def test_lines_around_an_edit(self, session: Session) -> None:
        session.tool("Edit", {**READ, "old_string": "pass", "new_string": source(3, 10)})
        session.tool("Read", READ, numbered(1, 12))
        assert session.waste("write_readback") == []

    def test_what_only_an_earlier_write_has_put_there(self, session: Session) -> None:
        session.tool("Write", {**READ, "content": source(1, 10)})
        session.tool("Edit", {**READ, "old_string": "side_3", "new_string": "left"})
        session.tool("Read", READ, numbered(1, 10))
        assert session.waste("write_readback") == []

    def test_the_write_failed(self, session: Session) -> None:
        session.tool("Write", {**READ, "content": source(1, 10)}, "No space left on device", error=True)
        session.tool("Read", READ, numbered(1, 10))
        assert session.waste("write_readback") == []

    def test_something_came_out_otherwise(self, session: Session) -> None:
        session.tool("Write", {**READ, "content": source(1, 10)})
        session.tool("Read", READ, numbered(1, 10).replace("side_7 =", "side_7="))
        assert session.waste("write_readback") == []

    def test_a_formatter_ran(self, session: Session) -> None:
        session.tool("Write", {**READ, "content": source(1, 10)})
        session.tool("Bash", {"command": "ruff format"})
        session.tool("Read", READ, numbered(1, 10))
        assert session.waste("write_readback") == []

    def test_the_write_left_the_context(self, session: Session) -> None:
        session.tool("Write", {**READ, "content": source(1, 10)})
        session.chat()
        session.leave(session.log.messages[1].parts[0], "compaction")
        session.tool("Read", READ, numbered(1, 10))
        assert session.waste("write_readback") == []

    def test_a_file_of_the_same_name_elsewhere(self, session: Session) -> None:
        session.tool("Write", {"file_path": "/w/old/shape.py", "content": source(1, 10)})
        session.tool("Read", READ, numbered(1, 10))
        assert session.waste("write_readback") == []

    def test_brackets_at_the_end_of_an_edit(self, session: Session) -> None:
        session.tool("Edit", {**READ, "old_string": "pass", "new_string": "    )\n    return None\n}"})
        reminder = "<system-reminder>\n" + "Whether it is malware is to be considered. " * 20 + "\n</system-reminder>"
        session.tool(
            "Read", {**READ, "offset": 510}, f"   510→    )\n   511→    return None\n   512→}}\n\n{reminder}\n"
        )
        assert session.waste("write_readback") == []
