from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli.waste.given import Given
from headroom_cli.waste.paths import (
    call_target,
    changes_tree,
    normalised,
    read_paths,
    same_path,
    written_paths,
)

PATCH = """*** Begin Patch
*** Update File: src/shape.py
*** Move to: src/form.py
@@
-a
+b
*** Add File: docs/new file.md
+text
*** Delete File: old.py
*** End Patch
"""


class TestWritten:
    @pytest.mark.parametrize(
        ("name", "arguments", "paths"),
        [
            ("Edit", {"file_path": "/w/a.py", "old_string": "x"}, ["/w/a.py"]),
            ("Write", '{"file_path": "/w/a.py", "content": "x"}', ["/w/a.py"]),
            ("NotebookEdit", {"notebook_path": "/w/a.ipynb"}, ["/w/a.ipynb"]),
            ("str_replace_editor", {"command": "create", "path": "/w/a.py"}, ["/w/a.py"]),
            ("str_replace_editor", {"command": "view", "path": "/w/a.py"}, []),
            ("replace", {"file_path": "a.py"}, ["a.py"]),
            ("Read", {"file_path": "/w/a.py"}, []),
            ("memory", {"note": "a > b"}, []),
            ("Edit", {"file_path": "a.py", "command": [["view"]]}, ["a.py"]),
            ("mcp__files__edit_file", {"path": "a.py"}, ["a.py"]),
            ("text_editor_code_execution", {"command": "str_replace", "path": "a.py"}, ["a.py"]),
            ("memory", {"command": "view", "path": "/memories"}, []),
            ("memory", {"command": "delete", "path": "/memories/a.md"}, ["/memories/a.md"]),
            ("apply_patch", {"type": "update_file", "path": "a.py", "diff": "-a\n+b"}, ["a.py"]),
            ("Write", {"file_path": "a.md", "content": PATCH}, ["a.md"]),
            ("Write", json.dumps({"file_path": "a.md", "content": PATCH}), ["a.md"]),
        ],
    )
    def test_by_tools(self, name: str, arguments: Any, paths: list[str]) -> None:
        assert written_paths(Given(name, arguments)) == paths

    @pytest.mark.parametrize(
        ("name", "arguments"),
        [
            ("apply_patch", PATCH),
            ("apply_patch", {"input": PATCH}),
            ("apply_patch", json.dumps({"patch": PATCH})),
            ("shell", {"command": ["apply_patch", PATCH]}),
            ("exec_command", {"cmd": f"apply_patch <<'EOF'\n{PATCH}EOF"}),
        ],
    )
    def test_by_a_patch(self, name: str, arguments: Any) -> None:
        assert [path.strip("'") for path in written_paths(Given(name, arguments))] == [
            "src/shape.py",
            "src/form.py",
            "docs/new file.md",
            "old.py",
        ]

    @pytest.mark.parametrize(
        ("command", "paths"),
        [
            ("echo hi > out.txt", ["out.txt"]),
            ("cat a >> 'my log.txt'", ["my log.txt"]),
            ("make 2> err.log", ["err.log"]),
            ("make &> all.log", ["all.log"]),
            ("make >out.txt 2>&1", ["out.txt"]),
            ("make > /dev/null 2>&1", []),
            ("cat > a.py <<'EOF'\nx = 1\nEOF", ["a.py"]),
            ("sed -i 's/a/b/' a.py", ["s/a/b/", "a.py"]),
            ("sed -Ei.bak s/a/b/ a.py", ["s/a/b/", "a.py"]),
            ("perl -pi -e s/a/b/ a.py", ["s/a/b/", "a.py"]),
            ("sed -n 1,20p a.py", []),
            ("cp a.py b.py && cat a.py", ["b.py"]),
            ("cd /w; mv a.py b.py; ls", ["a.py", "b.py"]),
            ("ls | tee -a list.txt | wc", ["list.txt"]),
            ("sudo rm -rf build", ["build"]),
            ("cat a.py", []),
            ("grep -n 'cp' a.py b.py", ["b.py"]),
        ],
    )
    def test_by_the_shell(self, command: str, paths: list[str]) -> None:
        assert written_paths(Given("Bash", {"command": command})) == paths


class TestTree:
    @pytest.mark.parametrize(
        ("name", "arguments"),
        [
            ("Task", {"prompt": "Fix it"}),
            ("Bash", {"command": "git fetch && git rebase origin/main"}),
            ("Bash", {"command": "mise run fmt && mise run lint"}),
            ("Bash", {"command": "make format"}),
            ("shell", '{"command": ["bash", "-lc", "cargo fmt"]}'),
        ],
    )
    def test_may_write_anything(self, name: str, arguments: Any) -> None:
        assert changes_tree(Given(name, arguments))

    @pytest.mark.parametrize("command", ["git status", "make test", "cat format.py", "mise run lint"])
    def test_writes_nothing_unnamed(self, command: str) -> None:
        assert not changes_tree(Given("Bash", {"command": command}))


class TestRead:
    @pytest.mark.parametrize(
        ("arguments", "paths"),
        [
            ({"file_path": "/w/a.py", "limit": 10}, ["/w/a.py"]),
            ({"absolute_path": "/w/a.py"}, ["/w/a.py"]),
            ({"command": "cat -n src/a.py | head"}, ["src/a.py"]),
            ({"command": ["bash", "-lc", "sed -n '1,40p' a.py"]}, ["a.py"]),
            ('{"cmd": "cat a.py"}', ["a.py"]),
            ({"query": "a.py"}, []),
            ("", []),
        ],
    )
    def test_paths(self, arguments: Any, paths: list[str]) -> None:
        assert read_paths(Given("any", arguments)) == paths


class TestCommand:
    @pytest.mark.parametrize(
        ("fields", "line"),
        [
            ({"command": "ls -la"}, "ls -la"),
            ({"cmd": "ls"}, "ls"),
            ({"command": ["git", "log", "--format=%h %s"]}, "git log '--format=%h %s'"),
            ({"command": ["bash", "-lc", "cd x && ls"]}, "cd x && ls"),
            ({"action": {"type": "exec", "command": ["ls"]}}, "ls"),
            ({"action": {"action": {"command": "ls"}}}, ""),
            ({"command": 5}, ""),
            ({"command": [None, 5, "ls"]}, "ls"),
            ({}, ""),
        ],
    )
    def test_line(self, fields: dict[str, Any], line: str) -> None:
        assert Given("", fields).command == line


class TestPaths:
    def test_spellings_of_one_file(self) -> None:
        assert same_path("/w/src/a.py", "src/a.py")
        assert same_path("./src/a.py", "/w/src/../src/a.py")
        assert same_path("C:\\w\\a.py", "a.py")
        assert not same_path("/w/a.py", "/x/a.py")
        assert not same_path("/w/aa.py", "a.py")
        assert normalised("src//a/../b.py") == "src/b.py"


class TestTarget:
    @pytest.mark.parametrize(
        ("name", "arguments", "path", "command", "summary"),
        [
            ("Read", {"file_path": "/w/./a.py", "limit": 5}, "/w/a.py", None, "Read /w/./a.py"),
            ("Bash", {"command": "cd /w && git  status\n"}, None, "git", "Bash cd /w && git status"),
            ("Bash", {"command": "LANG=C sudo /usr/bin/make all"}, None, "make", "Bash LANG=C sudo /usr/bin/make all"),
            ("search", {"limit": 5, "query": "tariffs"}, None, None, "search tariffs"),
            ("js", "await run()", None, None, "js await run()"),
            ("now", None, None, None, "now"),
        ],
    )
    def test_target(self, name: str, arguments: Any, path: str | None, command: str | None, summary: str) -> None:
        target = call_target(Given(name, arguments))
        assert (target.path, target.command, target.summary) == (path, command, summary)

    def test_long_arguments_are_cut(self) -> None:
        assert len(call_target(Given("Bash", {"command": "x " * 10_000})).summary) <= 85


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["command", "cmd", "action", "file_path", "input", "patch", "x"]), inner, max_size=4
        )
    ),
    max_leaves=10,
)


@given(st.sampled_from(["Bash", "Edit", "apply_patch", "shell", ""]), anything)
def test_nothing_raises(name: str, arguments: Any) -> None:
    for form in (arguments, json.dumps(arguments)):
        assert all(isinstance(path, str) for path in written_paths(Given(name, form)) + read_paths(Given(name, form)))
        assert call_target(Given(name, form)).summary == call_target(Given(name, form)).summary.strip()


def test_deep_arguments_do_not_raise() -> None:
    action: dict[str, Any] = {}
    for _ in range(50_000):
        action = {"action": action}
    assert written_paths(Given("shell", action)) == []


@pytest.mark.parametrize("piece", ["> ", '>"', "rm ", "sed -i ", "&|;", "=", "\\"])
def test_long_commands_take_no_time(piece: str) -> None:
    command = {"command": piece * 100_000}
    assert len(written_paths(Given("Bash", command))) + len(read_paths(Given("Bash", command))) <= 20_000
