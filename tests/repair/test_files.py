from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from headroom_cli.repair import files


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"old\n")
    os.utime(path, (time.time() - 3600,) * 2)
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_each_backup_has_a_name_of_its_own(old: Path) -> None:
    first = files.write(files.read(old), b"new\n")
    assert (old.read_bytes(), first.name, first.read_bytes()) == (b"new\n", "s.jsonl.bak-1", b"old\n")
    second = files.write(files.read(old), b"newer\n", force=True)
    assert (old.read_bytes(), second.name, second.read_bytes()) == (b"newer\n", "s.jsonl.bak-2", b"new\n")
    assert names(old.parent) == ["s.jsonl", "s.jsonl.bak-1", "s.jsonl.bak-2"]


def test_a_file_that_changed_since_it_was_read_is_left_alone(old: Path) -> None:
    snapshot = files.read(old)
    old.write_bytes(b"old\nmore\n")
    os.utime(old, (time.time() - 1800,) * 2)
    with pytest.raises(files.InUse, match="it changed since it was read"):
        files.write(snapshot, b"new\n")
    with pytest.raises(files.InUse, match="it changed since it was read"):
        files.write_checked(snapshot, b"new\n")
    assert old.read_bytes() == b"old\nmore\n"
    assert names(old.parent) == ["s.jsonl"]


def test_where_writing_fails_the_old_file_stays(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("headroom_cli.repair.files.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        files.replace(old, b"new\n")
    assert old.read_bytes() == b"old\n"
    assert names(old.parent) == ["s.jsonl"]


@pytest.mark.skipif(os.name != "posix", reason="symbolic links")
def test_a_link_stays_a_link(old: Path) -> None:
    link = old.with_name("link.jsonl")
    link.symlink_to(old.name)
    backup = files.write(files.read(link), b"new\n")
    assert link.is_symlink() and old.read_bytes() == b"new\n"
    assert backup.name == "s.jsonl.bak-1"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes there")
def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        files.replace(pipe, b"repaired")
        assert os.read(reader, 100) == b"repaired"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_a_backup_that_could_not_be_written_leaves_nothing(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    before = names(old.parent)
    monkeypatch.setattr("shutil.copyfileobj", full)
    with pytest.raises(OSError, match="No space left"):
        files.write(files.read(old), b"new", force=True)
    assert names(old.parent) == before
