"""What calls show and write, as told by the arguments of common tools."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.waste.access import Shown, only_looks, replaced_text, shown_file, tool_words, written_text
from headroom_cli.waste.given import Given

PATCH = """*** Begin Patch
*** Update File: src/shape.py
@@ class Shape
 def area(self):
-    return 0
+    return self.side ** 2
*** Add File: notes.md
+Squares only.
*** End Patch"""


class TestShownByTools:
    @pytest.mark.parametrize(
        ("name", "arguments", "shown"),
        [
            ("Read", {"file_path": "/w/./a.py"}, Shown("/w/a.py")),
            ("Read", {"file_path": "/w/a.py", "offset": 40, "limit": 20}, Shown("/w/a.py", 40)),
            ("Read", {"file_path": "/w/a.py", "offset": 0}, Shown("/w/a.py")),
            ("read_file", '{"path": "a.py", "start_line": 7, "end_line": 9}', Shown("a.py", 7)),
            ("mcp__files__read_text_file", {"path": "a.py"}, Shown("a.py")),
            (
                "str_replace_editor",
                {"command": "view", "path": "/w/a.py", "view_range": [11, 20]},
                Shown("/w/a.py", 11),
            ),
            ("text_editor_code_execution", {"command": "view", "path": "/w/a.py"}, Shown("/w/a.py")),
            ("str_replace_editor", {"command": "create", "path": "/w/a.py"}, None),
            ("Grep", {"pattern": "x", "path": "a.py", "output_mode": "content"}, Shown("a.py", None, matches=True)),
            (
                "Grep",
                {"pattern": "x", "path": "a.py", "output_mode": "content", "-n": True},
                Shown("a.py", None, matches=True, asks_numbers=True),
            ),
            ("Grep", {"pattern": "x", "path": "a.py", "output_mode": "files_with_matches"}, None),
            ("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, None),
            ("LSP", {"filePath": "a.py", "line": 3}, None),
            ("search", {"query": "a.py"}, None),
            ("now", None, None),
        ],
    )
    def test_file(self, name: str, arguments: Any, shown: Shown | None) -> None:
        assert shown_file(Given(name, arguments)) == shown


class TestShownByTheShell:
    @pytest.mark.parametrize(
        ("command", "shown"),
        [
            ("cat a.py", Shown("a.py")),
            ("cd /w && cat src/a.py", Shown("/w/src/a.py")),
            ("cat 'my notes.md' 2>/dev/null", Shown("my notes.md")),
            ("cat a.py 2>&1", Shown("a.py")),
            ("cat -n a.py", Shown("a.py", 1, asks_numbers=True)),
            ("nl -ba a.py | sed -n '200,260p'", Shown("a.py", 200, asks_numbers=True)),
            ("sed -n '40,80p' a.py", Shown("a.py", 40)),
            ("sed -n 40p a.py", Shown("a.py", 40)),
            ("sed -n '1,5p;9,12p' a.py", Shown("a.py", None)),
            ("sed -n '10,$p' a.py | head -20", Shown("a.py", 10)),
            ("head -50 a.py", Shown("a.py")),
            ("head -n 50 a.py | tail -n +40", Shown("a.py", 40)),
            ("head -50 a.py | tail -5", Shown("a.py", None)),
            ("tail -20 a.py", Shown("a.py", None)),
            ("tail -n 20 a.py", Shown("a.py", None)),
            ("tail -n +20 a.py", Shown("a.py", 20)),
            ("awk 'NR>=10 && NR<=20' a.py", Shown("a.py", None)),
            ('grep -n "a|b" a.py', Shown("a.py", None, matches=True, asks_numbers=True)),
            ("grep -A 5 'def area' a.py | head -20", Shown("a.py", None, matches=True)),
            ("cat a.py | grep area", Shown("a.py", None, matches=True)),
        ],
    )
    def test_one_file(self, command: str, shown: Shown) -> None:
        assert shown_file(Given("Bash", {"command": command})) == shown

    @pytest.mark.parametrize(
        "command",
        [
            "cat a.py b.py",
            "cat a.py; cat b.py",
            "cat a.py && make",
            "cat a.py || true",
            "cat src/*.py",
            "cat $FILE",
            "cat a.py > b.py",
            "cat <<'EOF' > a.py\nx = 1\nEOF",
            "cat a.json | jq .name",
            "cat a.py | wc -l",
            "sed 's/a/b/' a.py",
            "sed -i 's/a/b/' a.py",
            "grep -rn area src",
            "grep -l area a.py",
            "ls a.py",
            "make test",
            "cat",
            "cat -",
            "| cat a.py",
            "cd /w &&",
            "cat 'a.py",
            "",
        ],
    )
    def test_none_or_several_or_changed(self, command: str) -> None:
        assert shown_file(Given("Bash", {"command": command})) is None

    def test_of_codex(self) -> None:
        arguments = {"command": ["bash", "-lc", "sed -n '1,200p' src/a.py"], "workdir": "/w"}
        assert shown_file(Given("shell", json.dumps(arguments))) == Shown("/w/src/a.py")
        assert shown_file(Given("exec_command", '{"cmd": "cat a.py", "workdir": "/w"}')) == Shown("/w/a.py")


class TestTexts:
    @pytest.mark.parametrize(
        ("arguments", "written", "replaced"),
        [
            ({"file_path": "a.py", "content": "x = 1\n"}, "x = 1\n", None),
            ({"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}, "x = 2", "x = 1"),
            ({"command": "str_replace", "path": "a.py", "old_str": "x", "new_str": "y"}, "y", "x"),
            ({"command": "create", "path": "a.py", "file_text": "x"}, "x", None),
            (
                {"file_path": "a.py", "edits": [{"old_string": "a", "new_string": "b"}, {"new_string": "d"}, None]},
                "b\nd",
                "a",
            ),
            ({"command": "cat <<'EOF' > a.py\nx = 1\nEOF"}, "cat <<'EOF' > a.py\nx = 1\nEOF", None),
            ({"path": "a.py"}, None, None),
        ],
    )
    def test_by_tools(self, arguments: Any, written: str | None, replaced: str | None) -> None:
        assert written_text(Given("", arguments), "a.py") == written
        assert replaced_text(Given("", arguments), "a.py") == replaced
        assert written_text(Given("", json.dumps(arguments)), "a.py") == written

    @pytest.mark.parametrize("arguments", [PATCH, {"input": PATCH}, {"command": ["apply_patch", PATCH]}])
    def test_by_a_patch_each_file_has_its_own(self, arguments: Any) -> None:
        assert written_text(Given("", arguments), "/w/src/shape.py") == "def area(self):\n    return self.side ** 2"
        assert replaced_text(Given("", arguments), "/w/src/shape.py") == "def area(self):\n    return 0"
        assert written_text(Given("", arguments), "notes.md") == "Squares only."
        assert replaced_text(Given("", arguments), "notes.md") is None
        assert written_text(Given("", arguments), "other.md") == ""


class TestLooking:
    @pytest.mark.parametrize(
        ("name", "arguments"),
        [
            ("Read", {"file_path": "a.py"}),
            ("Grep", {"pattern": "x"}),
            ("WebFetch", {"url": "x"}),
            ("TodoWrite", {"todos": []}),
            ("update_plan", {"plan": []}),
            ("get_reservation_details", {"reservation_id": "4WQ150"}),
            ("mcp__tracker__listIssues", {}),
            ("Bash", {"command": "cd /w && git -C src log --oneline | head -5"}),
            ("Bash", {"command": 'grep -n "a|b" a.py 2>/dev/null; ls'}),
            ("shell", '{"command": ["bash", "-lc", "cat a.py"]}'),
            ("str_replace_editor", {"command": "view", "path": "a.py"}),
        ],
    )
    def test_changes_nothing(self, name: str, arguments: Any) -> None:
        assert only_looks(Given(name, arguments))

    @pytest.mark.parametrize(
        ("name", "arguments"),
        [
            ("Edit", {"file_path": "a.py"}),
            ("Task", {"prompt": "Fix it"}),
            ("cancel_reservation", {"reservation_id": "4WQ150"}),
            ("get_or_create_user", {}),
            ("Bash", {"command": "make test"}),
            ("Bash", {"command": "ls && rm a.py"}),
            ("Bash", {"command": "sed -i s/a/b/ a.py"}),
            ("Bash", {"command": "find . -name x -exec rm {} +"}),
            ("Bash", {"command": "git checkout main"}),
            ("Bash", {"command": "sleep 5"}),
            ("Bash", {"command": ""}),
            ("str_replace_editor", {"command": "create", "path": "a.py"}),
            ("wait", None),
        ],
    )
    def test_may_change_something(self, name: str, arguments: Any) -> None:
        assert not only_looks(Given(name, arguments))

    def test_words_of_names(self) -> None:
        assert tool_words("mcp__crm__listUsers") == ("list", "users")
        assert tool_words("HTTPGet") == ("http", "get")
        assert tool_words("update-issue_2") == ("update", "issue", "2")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["command", "path", "offset", "view_range", "edits", "new_string", "workdir", "input"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=10,
)


@given(st.sampled_from(["Read", "Grep", "Edit", "shell", "str_replace_editor", ""]), anything)
def test_nothing_raises(name: str, arguments: Any) -> None:
    for form in (arguments, json.dumps(arguments)):
        shown = shown_file(Given(name, form))
        assert shown is None or (shown.path and (shown.first is None or shown.first >= 1))
        assert isinstance(only_looks(Given(name, form)), bool)
        for text in (written_text(Given("", form), "a.py"), replaced_text(Given("", form), "a.py")):
            assert text is None or isinstance(text, str)


@pytest.mark.parametrize("piece", ["'", '"', "\\", "|", "cat ", "&& ", "-n ", "'a'\"b\"", "> "])
def test_long_commands_take_no_time(piece: str) -> None:
    command = {"command": "cat " + piece * 100_000}
    assert shown_file(Given("Bash", command)) is None
    assert only_looks(Given("Bash", command)) in (True, False)
