"""`headroom repair`, and the parts of `headroom lint` that change files."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

SESSIONS = Path(__file__).parent / "sessions"
LOST = SESSIONS / "claude-lost-call.jsonl"
SESSION_ID = "7c0e9d52-3b1f-4a86-9d27-5e8f10c4ab63"
HELLO = {"role": "user", "content": "hello"}
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}]}
ADDED = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "no result recorded", "is_error": True}
DONE = {"role": "assistant", "content": "done"}


def headroom(*arguments: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "headroom_cli", *map(str, arguments)]
    environment = {**os.environ, "COLUMNS": "120", "NO_COLOR": "1", **(env or {})}
    return subprocess.run(command, capture_output=True, timeout=60, check=False, env=environment, encoding="utf-8")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A session that was changed an hour ago."""
    path = tmp_path / "projects" / "-code-acme-shop" / f"{SESSION_ID}.jsonl"
    path.parent.mkdir(parents=True)
    shutil.copy(LOST, path)
    path.chmod(0o640)
    hour_ago = time.time() - 3600
    os.utime(path, (hour_ago, hour_ago))
    return path


def test_it_shows_what_it_would_change(session: Path) -> None:
    done = headroom("repair", session)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines()[1:] == [
        "  line 8  HR102  the result toolu_01NVHHYtoBd1FkMNkLy8iQtV answers no call of this history  "
        "keep it as text, in its line",
        "1 repair, 1 of 13 lines touched, then 0 errors. Nothing written yet.",
        f"Write: headroom repair {session} --write   (keeps the old file as .bak-N)",
    ]
    assert session.read_bytes() == LOST.read_bytes()


def test_it_writes_and_keeps_the_old_file(session: Path) -> None:
    first = headroom("repair", session, "--write")
    assert first.returncode == 0
    assert first.stdout.splitlines()[-2:] == [
        f"1 repair, 1 of 13 lines touched, then 0 errors. Written; the old file is {SESSION_ID}.jsonl.bak-1.",
        f"Try: claude --resume {SESSION_ID}",
    ]
    assert session.with_name(f"{session.name}.bak-1").read_bytes() == LOST.read_bytes()
    if os.name == "posix":
        assert stat.S_IMODE(session.stat().st_mode) == 0o640
    repaired = session.read_bytes()
    assert repaired != LOST.read_bytes()
    assert sorted(path.name for path in session.parent.iterdir()) == [session.name, f"{session.name}.bak-1"]
    again = headroom("repair", session, "--write", "--force")
    assert (again.returncode, again.stdout.splitlines()[1]) == (0, "sound: nothing to repair.")
    assert session.read_bytes() == repaired


def test_a_session_is_found_by_its_id(session: Path, tmp_path: Path) -> None:
    done = headroom("repair", SESSION_ID[:8], env={"CLAUDE_CONFIG_DIR": str(tmp_path), "HOME": str(tmp_path)})
    assert done.returncode == 1
    assert done.stdout.startswith(f"Claude Code session {SESSION_ID[:8]}")
    assert f"Write: headroom repair {SESSION_ID[:8]} --write" in done.stdout


def test_a_file_that_its_client_may_be_writing_is_left_alone(session: Path) -> None:
    os.utime(session)
    refused = headroom("repair", session, "--write")
    assert refused.returncode == 2
    assert "its client may still write it. End the client, or use --force" in refused.stderr
    assert session.read_bytes() == LOST.read_bytes()
    assert headroom("repair", session).returncode == 1  # it may be looked at
    assert headroom("repair", session, "--write", "--force").returncode == 0
    assert session.read_bytes() != LOST.read_bytes()


def test_it_writes_to_another_file(session: Path, tmp_path: Path) -> None:
    other = tmp_path / "repaired.jsonl"
    done = headroom("repair", session, "-o", other)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        0,
        f"1 repair, 1 of 13 lines touched, then 0 errors. Written to {other}.",
    )
    assert session.read_bytes() == LOST.read_bytes() != other.read_bytes()
    sound = tmp_path / "sound.jsonl"
    assert headroom("repair", other, "-o", sound).returncode == 0
    assert sound.read_bytes() == other.read_bytes()
    refused = headroom("repair", session, "-o", session)
    assert (refused.returncode, session.read_bytes()) == (2, LOST.read_bytes())


def test_the_diff_can_be_applied(session: Path, tmp_path: Path) -> None:
    done = headroom("repair", session, "--diff")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert [line[:1] for line in lines] == ["-", "+", "@", " ", " ", " ", "-", "+", " ", " ", " "]
    headroom("repair", session, "-o", tmp_path / "repaired.jsonl")
    removed, added = (line[1:] for line in lines[6:8])
    before = session.read_text("utf-8")
    assert before.replace(removed, added) == (tmp_path / "repaired.jsonl").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--diff", "--write"], 2, "--diff, --write and --output exclude each other"),
        (["--write", "-o", "other.jsonl"], 2, "--diff, --write and --output exclude each other"),
    ],
)
def test_wrong_usage(session: Path, arguments: list[str], code: int, said: str) -> None:
    done = headroom("repair", session, *arguments)
    assert (done.returncode, said in done.stderr) == (code, True)


def test_what_is_no_session_is_refused(tmp_path: Path) -> None:
    chat = tmp_path / "chat.json"
    chat.write_text(json.dumps({"messages": [HELLO, CALL, HELLO, DONE]}))
    done = headroom("repair", chat)
    assert done.returncode == 3
    assert "it is no session of Claude Code or Codex; for other histories: headroom lint --fix" in done.stderr
    assert headroom("repair", "-").returncode == 2
    assert headroom("repair", tmp_path / "none.jsonl").returncode == 2


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    path = tmp_path / "golden" / "broken.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"messages": [HELLO, CALL, HELLO, DONE]}, indent=1))
    return path


FIXED = {"messages": [HELLO, CALL, {"role": "user", "content": [ADDED, {"type": "text", "text": "hello"}]}, DONE]}


def test_lint_fix_repairs_in_place(golden: Path) -> None:
    sound = golden.with_name("sound.json")
    sound.write_text(json.dumps({"messages": [HELLO, DONE]}))
    before = (sound.stat().st_mtime_ns, sound.stat().st_ino)
    done = headroom("lint", golden.parent, "--fix")
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        f'{golden}:7: HR101 fixed: added an error result, "no result recorded"',
        "headroom: 1 repair in 1 file",
    ]
    assert "0 errors, 0 warnings in 2 files, 2 histories." in done.stdout
    assert json.loads(golden.read_text()) == FIXED
    assert (sound.stat().st_mtime_ns, sound.stat().st_ino) == before
    assert sorted(path.name for path in golden.parent.iterdir()) == ["broken.json", "sound.json"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_no_unreadable_log(session: Path, golden: Path) -> None:
    for command in (["repair", session], ["lint", golden, "--fix"]):
        done = headroom(*command, "-o", "/dev/full")
        assert (done.returncode, done.stderr) == (4, "headroom: cannot write /dev/full: No space left on device\n")


def test_lint_diff_changes_nothing(golden: Path) -> None:
    before = golden.read_text()
    done = headroom("lint", golden, "--diff")
    assert (done.returncode, golden.read_text()) == (1, before)
    assert '-   "content": "hello"' in done.stdout and '+     "content": "no result recorded",' in done.stdout
    headroom("lint", golden, "--fix")
    assert headroom("lint", golden, "--diff").returncode == 0


def test_lint_fix_to_another_file(golden: Path, tmp_path: Path) -> None:
    before, other = golden.read_text(), tmp_path / "fixed.json"
    done = headroom("lint", golden, "-o", other)
    assert (done.returncode, golden.read_text(), json.loads(other.read_text())) == (0, before, FIXED)
    assert headroom("lint", golden, golden.parent, "-o", other, "--diff").returncode == 2


def test_lint_fix_says_why_errors_are_left(tmp_path: Path) -> None:
    tool = {"name": "get.weather", "input_schema": {"type": "object"}}
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"model": "claude-haiku-4-5", "max_tokens": 9, "tools": [tool], "messages": [HELLO]}))
    done = headroom("lint", path, "--fix")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"{path}: 1 error of HR204 left: the program knows the tool by this name",
        "headroom: 0 repairs in 0 files",
    ]


def test_unsafe_repairs_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    system = {"role": "system", "content": "be terse"}
    body = {"model": "claude-haiku-4-5", "max_tokens": 9, "messages": [system, HELLO]}
    path.write_text(json.dumps(body))
    safe = headroom("lint", path, "--provider", "anthropic", "--fix")
    assert safe.returncode == 1
    assert "1 error of HR303 left: its repair is not safe; --unsafe-fixes makes it" in safe.stderr
    assert json.loads(path.read_text()) == body
    assert headroom("lint", path, "--provider", "anthropic", "--fix", "--unsafe-fixes").returncode == 0
    assert json.loads(path.read_text()) == {**body, "messages": [HELLO], "system": "be terse"}
    assert headroom("lint", path, "--unsafe-fixes").returncode == 2


def test_what_is_expected_stays_broken(golden: Path) -> None:
    config = golden.parent.parent / "headroom.toml"
    config.write_text('[lint.expect]\n"golden/broken.json" = ["HR101"]\n')
    before = golden.read_text()
    done = headroom("lint", golden, "--fix", "--config", config)
    assert (done.returncode, golden.read_text()) == (0, before)


def test_sessions_are_not_golden_files(session: Path) -> None:
    done = headroom("lint", session, "--fix")
    assert done.returncode == 1
    assert f"not repaired: {session}: a session of a client: headroom repair FILE repairs it" in done.stderr
    assert session.read_bytes() == LOST.read_bytes()


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVkc2lnbmVk"}


def test_thinking_below_a_repair_is_told(session: Path, golden: Path) -> None:
    body = json.loads(golden.read_text())
    body["model"] = "claude-fable-5-2"
    body["messages"][3] = {"role": "assistant", "content": [THOUGHT, {"type": "text", "text": "done"}]}
    golden.write_text(json.dumps({"messages": [*body["messages"], HELLO], "model": body["model"], "max_tokens": 9}))
    done = headroom("lint", golden, "--provider", "anthropic", "--fix")
    assert f"{golden}: thinking after a repair is bound to what stood before it" in done.stderr

    lines = LOST.read_text("utf-8").replace("claude-opus-4-6", "claude-fable-5-2").splitlines()
    answer = json.loads(lines[8])
    answer["message"]["content"].insert(0, THOUGHT)
    session.write_text("\n".join([*lines[:8], json.dumps(answer), *lines[9:]]), "utf-8")
    done = headroom("repair", session)
    assert "Thinking after these lines is bound to what precedes it: this model refuses it" in done.stdout
