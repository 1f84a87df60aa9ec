"""The unified diff of a repair: what `git apply` makes of it is the new file, whatever changed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headroom_cli.cli.difference import changes, unified

LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"\xff", b"\xe2\x80\xa8", b"one\rtwo", b""]), max_size=24)


def applied(old: list[bytes], new: list[bytes]) -> list[bytes]:
    """The old lines with the changes made."""
    made, at = [], 0
    for change in changes(old, new):
        assert old[change.start : change.stop] != new[change.new_start : change.new_stop]
        made += old[at : change.start] + new[change.new_start : change.new_stop]
        assert len(made) == change.new_stop
        at = change.stop
    return made + old[at:]


@given(LINES, LINES)
def test_changes_lead_from_the_old_lines_to_the_new(old: list[bytes], new: list[bytes]) -> None:
    assert applied(old, new) == new
    assert (changes(old, new) == []) == (old == new)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(LINES, LINES, st.booleans(), st.booleans())
def test_git_applies_it(tmp_path: Path, old: list[bytes], new: list[bytes], old_ended: bool, new_ended: bool) -> None:
    before = b"\n".join([*old, b"last"]) + b"\n" * old_ended
    after = b"\n".join([*new, b"last"]) + b"\n" * new_ended
    file = tmp_path / "log.jsonl"
    file.write_bytes(before)
    patch = b"".join(unified(before, after, b"log.jsonl"))
    assert (patch == b"") == (before == after)
    if patch:
        command = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"]
        subprocess.run(command, input=patch, cwd=tmp_path, check=True)
    assert file.read_bytes() == after


def test_one_changed_line_is_one_hunk_with_three_lines_around_it() -> None:
    before = b"".join(b"%d\n" % number for number in range(1, 21))
    assert b"".join(unified(before, before.replace(b"10\n", b"ten\n"), b"x")).decode().splitlines() == [
        "--- a/x",
        "+++ b/x",
        "@@ -7,7 +7,7 @@",
        *(" 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13"),
    ]


@pytest.mark.parametrize("size", [2_000, 20_000])
def test_every_second_line_changed_keeps_the_others(size: int) -> None:
    old = [b"%d" % number for number in range(size)]
    new = [line if number % 2 else line + b" mended" for number, line in enumerate(old)]
    found = changes(old, new)
    assert len(found) == size // 2
    assert found[:2] == [(0, 1, 0, 1), (2, 3, 2, 3)]
