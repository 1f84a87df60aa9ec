from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from headroom_cli.source.discover import Discovery, Skipped, UsageProblem, discover, machine_roots

A = "0f3a9c52-1d7e-4b8a-9c11-2f6f0f5f7a01"
B = "0f3b7712-88aa-4c0d-8a57-6f1d33b0c902"
C = "c0dec0de-0000-4000-8000-000000000003"
AGENT = "a1b2c3d4"

WINDOWS = sys.platform == "win32"


def write(path: Path, *records: Any, mtime: float = 1_000_000.0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    path.write_bytes(zstandard.compress(data) if path.name.endswith(".zst") else data)
    os.utime(path, (mtime, mtime))
    return path


def claude_line(session: str, cwd: str = "/code/shop", **more: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": session, "cwd": cwd, **more}


def codex_line(thread: str, cwd: str = "/code/shop") -> dict[str, Any]:
    return {"timestamp": "2026-08-03T10:48:56.000Z", "type": "session_meta", "payload": {"id": thread, "cwd": cwd}}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A machine: two Claude Code sessions, one with sub-agents, and a Codex rollout."""
    projects = tmp_path / "claude" / "projects"
    shop = projects / "-code-shop"
    write(shop / f"{A}.jsonl", {"type": "summary", "leafUuid": "x"}, claude_line(A), mtime=5_000)
    write(shop / A / "subagents" / f"agent-{AGENT}.jsonl", claude_line(A, isSidechain=True), mtime=6_000)
    write(shop / A / "subagents" / f"agent-{AGENT}.meta.json", {"agentType": "Explore"})
    write(shop / A / "subagents" / "workflows" / "run" / "agent-ffff0000.jsonl", claude_line(A), mtime=5_500)
    write(shop / A / "tool-results" / "out.json", {"big": 1})
    write(shop / "agent-beef0001.jsonl", claude_line(A, isSidechain=True), mtime=5_000)
    write(shop / "agent-beef0002.jsonl", claude_line(B, isSidechain=True), mtime=5_000)
    write(projects / "-code-shop-api" / f"{B}.jsonl", claude_line(B, cwd="/code/shop/api"), mtime=4_000)
    write(tmp_path / "claude" / "history.jsonl", {"display": "hello"})
    day = tmp_path / "codex" / "sessions" / "2026" / "08" / "03"
    write(day / f"rollout-2026-08-03T12-48-56-{C}.jsonl", codex_line(C, cwd="/code/shop-old"), mtime=3_000)
    write(day / f"rollout-2026-08-03T12-48-56-{C}.jsonl.zst", codex_line(C, cwd="/code/shop-old"), mtime=2_000)
    write(tmp_path / "codex" / "history.jsonl", {"session_id": C, "ts": 1, "text": "hello"})
    return tmp_path


def machine(home: Path, *paths: str | Path, **options: Any) -> Discovery:
    environ = {"CLAUDE_CONFIG_DIR": str(home / "claude"), "CODEX_HOME": str(home / "codex")}
    return discover(paths, environ=environ, **options)


def names(discovery: Discovery) -> list[str]:
    return [found.path.name for found in discovery.files]


MAIN_AND_AGENTS = [f"{A}.jsonl", "agent-beef0001.jsonl", f"agent-{AGENT}.jsonl", "agent-ffff0000.jsonl"]
ROLLOUT = f"rollout-2026-08-03T12-48-56-{C}.jsonl"


def test_this_machine(home: Path) -> None:
    discovery = machine(home)
    assert sorted(names(discovery)) == sorted([*MAIN_AND_AGENTS, "agent-beef0002.jsonl", f"{B}.jsonl", ROLLOUT])
    assert [found.path.parts for found in discovery.files] == sorted(found.path.parts for found in discovery.files)
    assert not any(found.named for found in discovery.files)
    assert discovery.skipped == []
    assert discovery.roots == [
        home / "claude" / "projects",
        home / "codex" / "sessions",
        home / "codex" / "archived_sessions",
    ]


def test_the_window_leaves_older_files_unopened(home: Path) -> None:
    discovery = machine(home, since=4_500.0)
    assert sorted(names(discovery)) == sorted([*MAIN_AND_AGENTS, "agent-beef0002.jsonl"])
    assert discovery.older_files == 2
    assert discovery.older_bytes == sum(
        path.stat().st_size for path in home.rglob("*.jsonl") if path.name in (f"{B}.jsonl", ROLLOUT)
    )
    # What the user names is read, however old.
    assert names(machine(home, home / "codex" / "sessions", since=4_500.0)) == [ROLLOUT]


def test_roots_of_the_configuration(home: Path) -> None:
    discovery = machine(home, roots=[home / "codex" / "sessions", home / "missing"])
    assert names(discovery) == [ROLLOUT]
    assert discovery.skipped == [Skipped(home / "missing", "no such directory")]


def test_where_clients_keep_sessions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert machine_roots({}) == [
        tmp_path / ".claude" / "projects",
        tmp_path / ".config" / "claude" / "projects",
        tmp_path / ".codex" / "sessions",
        tmp_path / ".codex" / "archived_sessions",
    ]
    assert machine_roots({"CLAUDE_CONFIG_DIR": f"~/one, {tmp_path / 'two' / 'projects'},", "CODEX_HOME": "~/cx"}) == [
        tmp_path / "one" / "projects",
        tmp_path / "two" / "projects",
        tmp_path / "cx" / "sessions",
        tmp_path / "cx" / "archived_sessions",
    ]
    assert discover(environ={}).files == []


@pytest.mark.parametrize("prefix", [A, A[:4], A[:10], A.upper()])
def test_session_by_the_beginning_of_its_id(home: Path, prefix: str) -> None:
    discovery = machine(home, prefix)
    assert sorted(names(discovery)) == sorted(MAIN_AND_AGENTS)
    assert all(found.named for found in discovery.files)


def test_rollouts_and_agents_by_id(home: Path) -> None:
    assert names(machine(home, "c0de")) == [ROLLOUT]
    assert names(machine(home, AGENT)) == [f"agent-{AGENT}.jsonl"]
    assert names(machine(home, "agent-a1b2")) == [f"agent-{AGENT}.jsonl"]
    assert len(machine(home, "c0de", A, AGENT).files) == 5  # each file once


def test_ambiguous_id(home: Path) -> None:
    with pytest.raises(UsageProblem) as problem:
        machine(home, "beef")
    assert str(problem.value) == "beef begins 2 sessions: agent-beef0001, agent-beef0002"
    assert problem.value.hint == "give more digits"


def test_a_whole_id_is_not_ambiguous(home: Path) -> None:
    write(home / "claude" / "projects" / "-code-shop" / f"agent-{AGENT}99.jsonl", claude_line(A))
    assert names(machine(home, AGENT)) == [f"agent-{AGENT}.jsonl"]
    with pytest.raises(UsageProblem):
        machine(home, AGENT[:6])


def test_paths_that_do_not_exist(home: Path) -> None:
    for path, message, hint in (
        ("beadfeed", "no such file, and no session on this machine begins with beadfeed", "run without a path"),
        (str(home / "claud"), f"no such file or directory: {home / 'claud'}", f"did you mean {home / 'claude'}?"),
        (str(home / "zzz.jsonl"), "no such file or directory", ""),
        ("0f3", "no such file or directory: 0f3", ""),
        ("a\0b", "no such file or directory", ""),
        ("x" * 5000, "no such file or directory", ""),
    ):
        with pytest.raises(UsageProblem) as problem:
            machine(home, path)
        assert str(problem.value).startswith(message)
        assert problem.value.hint.startswith(hint)


def test_last_is_the_session_written_to_last(home: Path) -> None:
    # The newest file is a sub-agent's; the session is the one it belongs to. The window does not matter.
    assert sorted(names(machine(home, last=True, since=1e9))) == sorted(MAIN_AND_AGENTS)
    os.utime(home / "claude" / "projects" / "-code-shop" / "agent-beef0002.jsonl", (9_000, 9_000))
    assert f"{B}.jsonl" in names(machine(home, last=True))
    assert names(machine(home, home / "codex" / "sessions", last=True)) == [ROLLOUT]
    assert names(machine(home, roots=[], last=True)) == []


def test_project_by_the_recorded_directory(home: Path) -> None:
    everything = [*MAIN_AND_AGENTS, "agent-beef0002.jsonl", f"{B}.jsonl"]
    assert sorted(names(machine(home, project="/code/shop"))) == sorted(everything)  # but not /code/shop-old
    assert names(machine(home, project="/code/shop/api")) == [f"{B}.jsonl"]
    assert names(machine(home, project="/code/shop-old/")) == [ROLLOUT]
    assert len(machine(home, project="/").files) == 7
    older = machine(home, project="/code/shop", since=4_500.0)
    assert (len(older.files), older.older_files) == (5, 1)


def test_project_of_a_linked_worktree(home: Path, tmp_path: Path) -> None:
    worktree = tmp_path / "worktrees" / "fix"
    (worktree / "src").mkdir(parents=True)
    (worktree / ".git").write_text(f"gitdir: {tmp_path / 'repo'}/.git/worktrees/fix\n")
    write(home / "claude" / "projects" / "x" / f"{C}.jsonl", claude_line(C, cwd=str(worktree / "src")))
    (tmp_path / "repo").mkdir()
    assert names(machine(home, project=tmp_path / "repo")) == [f"{C}.jsonl"]
    assert names(machine(home, project=worktree)) == [f"{C}.jsonl"]


def test_the_head_is_enough_and_bad_heads_say_nothing(home: Path) -> None:
    shop = home / "claude" / "projects" / "-code-shop"
    snapshot = {"type": "file-history-snapshot", "snapshot": {"cwd": 7, "text": "x" * (2 << 20)}}
    write(shop / f"{C}.jsonl", snapshot, ["cwd"], {"cwd": ["no"]}, claude_line(C, cwd="/code/late"))
    write(shop / "empty.jsonl")
    (shop / "broken.jsonl").write_bytes(b'{"cwd": "/code/late"\n\xff\xfe"cwd"\n')
    assert names(machine(home, project="/code/late")) == [f"{C}.jsonl"]


def test_directories_are_walked(tmp_path: Path) -> None:
    wanted = ["a.jsonl", "b.json", "c.ndjson.gz", "d.traj", "e.jsonl.zstd", "sub/deep/f.jsonl.zst", ".codex/g.jsonl"]
    for name in [*wanted, "notes.txt", "a.jsonl.bak", "x.meta.json", ".codex/history.jsonl", "node_modules/n.json"]:
        write(tmp_path / name, {})
    write(tmp_path / ".git" / "h.jsonl")
    write(tmp_path / "history.jsonl", {})  # not in a client's directory: any log may be called so
    discovery = discover([tmp_path])
    assert [found.path.relative_to(tmp_path).as_posix() for found in discovery.files] == sorted(
        [*wanted, "history.jsonl"], key=lambda name: Path(name).parts
    )
    assert all(found.size == found.path.stat().st_size for found in discovery.files)
    assert {found.mtime for found in discovery.files} == {1_000_000.0}


def test_a_named_file_is_always_taken_and_once(tmp_path: Path) -> None:
    side = write(tmp_path / "x.meta.json", {})
    text = write(tmp_path / "notes.txt", {})
    log = write(tmp_path / "a.jsonl", {})
    discovery = discover([side, text, tmp_path, log, str(log), "-", "-"])
    assert [(found.path.name, found.named) for found in discovery.files] == [
        ("-", True),
        ("a.jsonl", True),
        ("notes.txt", True),
        ("x.meta.json", True),
    ]
    assert [found.stdin for found in discovery.files] == [True, False, False, False]


def test_twins_and_patterns(tmp_path: Path) -> None:
    write(tmp_path / "r1.jsonl.zst", {})
    write(tmp_path / "r2.jsonl", {})
    write(tmp_path / "r[3].jsonl", {})
    assert names(discover([tmp_path / "r1.jsonl"])) == ["r1.jsonl.zst"]
    assert names(discover([tmp_path / "r2.jsonl.zst"])) == ["r2.jsonl"]
    assert names(discover([tmp_path / "r?.jsonl*"])) == ["r1.jsonl.zst", "r2.jsonl"]
    assert names(discover([tmp_path / "r[3].jsonl"])) == ["r[3].jsonl"]
    with pytest.raises(UsageProblem):
        discover([tmp_path / "none*.jsonl"])


@pytest.mark.skipif(WINDOWS, reason="links need rights on Windows")
def test_links(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    write(logs / "a.jsonl", {})
    write(tmp_path / "elsewhere" / "b.jsonl", {})
    (logs / "loop").symlink_to(logs, target_is_directory=True)
    (logs / "up").symlink_to(tmp_path, target_is_directory=True)
    (logs / "root").symlink_to("/", target_is_directory=True)
    (logs / "other").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (tmp_path / "elsewhere" / "back").symlink_to(logs / "other", target_is_directory=True)
    (logs / "same.jsonl").symlink_to(logs / "a.jsonl")
    (logs / "gone.jsonl").symlink_to(logs / "nowhere.jsonl")
    (logs / "self.jsonl").symlink_to(logs / "self.jsonl")
    os.mkfifo(logs / "pipe.jsonl")
    discovery = discover([logs])
    assert names(discovery) == ["a.jsonl", "b.jsonl"]
    assert discovery.skipped == [
        Skipped(logs / "gone.jsonl", "no such file"),
        Skipped(logs / "pipe.jsonl", "not a regular file"),
        Skipped(logs / "self.jsonl", "cannot be read"),
    ]
    assert names(discover([logs / "pipe.jsonl"])) == ["pipe.jsonl"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="everything is open to root")
def test_closed_directories_are_reported(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {})
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    try:
        discovery = discover([tmp_path])
        assert names(discovery) == ["a.jsonl"]
        assert discovery.skipped == [Skipped(closed, "permission denied")]
        assert names(discover([closed / "b.jsonl"])) == ["b.jsonl"]  # who opens it says why it can't be read
    finally:
        closed.chmod(0o700)


def test_order_does_not_depend_on_the_arguments(tmp_path: Path) -> None:
    files: Iterable[Path] = [write(tmp_path / name, {}) for name in ("b/x.jsonl", "a.jsonl", "b.jsonl")]
    expected = ["a.jsonl", "x.jsonl", "b.jsonl"]
    assert names(discover(list(files))) == names(discover(list(files)[::-1])) == expected
