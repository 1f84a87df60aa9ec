"""Many files: any number of processes and any state of the cache give the same findings."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from headroom_cli.lint import run as running
from headroom_cli.lint.engine import Selection
from headroom_cli.lint.files import Judged, Options, judge_file
from headroom_cli.lint.providers import PROFILES
from headroom_cli.lint.run import LintRun, lint_files
from headroom_cli.packs import cache_folder, packs_in
from headroom_cli.parallel import KILLED
from headroom_cli.source.discover import Found, discover

ROOT = Path(__file__).parents[2]
ORPHAN = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_9", "content": "ok"}]}]
COMMAND = [sys.executable, "-m", "headroom_cli", "lint"]


@pytest.fixture(autouse=True)
def _empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("headroom_cli.packs._program", lambda: "this one")  # also while its files are being edited


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """The samples, and every case of the rules: all there is to find."""
    folder = tmp_path / "logs"
    shutil.copytree(ROOT / "sample_transcripts", folder / "samples")
    shutil.copytree(ROOT / "tests" / "cases" / "lint", folder / "cases")
    return folder


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the files that were read."""
    names: list[str] = []

    def noting(file: Found, options: Options) -> Judged:
        names.append(file.path.name)
        return judge_file(file, options)

    monkeypatch.setattr("headroom_cli.lint.run.judge_file", noting)
    yield names


def lint(folder: Path, options: Options | None = None, **how: Any) -> LintRun:
    return lint_files(discover([folder], golden=True).files, options, **how)


def write(folder: Path, *names: str) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text(json.dumps({"messages": ORPHAN}))


def test_any_number_of_processes_finds_the_same(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = lint(logs, jobs=2)
    monkeypatch.setattr(running, "_WORTH_PROCESSES", 0)
    monkeypatch.setattr(running, "_PIECE_BYTES", 20_000)
    told: list[tuple[int, int]] = []
    apart = lint(logs, jobs=2, progress=lambda files, size: told.append((files, size)))
    assert apart == alone
    assert len({d.rule for d in apart.diagnostics}) > 40
    assert told[-1] == (len(apart.files), sum(file.size for file in discover([logs], golden=True).files))


def test_a_second_run_reads_nothing_and_finds_the_same(logs: Path, read: list[str]) -> None:
    plain = lint(logs)
    assert lint(logs, cached=True) == plain
    read.clear()
    assert lint(logs, cached=True) == plain
    assert read == []


def test_what_was_found_before_is_sifted_anew(tmp_path: Path, read: list[str]) -> None:
    write(tmp_path / "logs", "a.json")
    lint(tmp_path / "logs", cached=True)
    named = lint_files(discover([tmp_path / "logs" / "a.json"]).files, cached=True)
    assert read == ["a.json"]
    assert [file.named for file in named.files] == [True]
    assert "HR102" in {d.rule for d in named.diagnostics}


def test_a_file_that_grew_is_read_anew_and_no_other(tmp_path: Path, read: list[str]) -> None:
    logs = tmp_path / "logs"
    write(logs, "a.jsonl", "b.jsonl")
    before = lint(logs, cached=True)
    with (logs / "b.jsonl").open("a") as file:
        file.write("\n" + json.dumps({"messages": ORPHAN}))
    read.clear()
    after = lint(logs, cached=True)
    assert read == ["b.jsonl"]
    assert after == lint(logs)
    assert len(after.diagnostics) > len(before.diagnostics)


def test_options_have_packs_of_their_own(tmp_path: Path, read: list[str]) -> None:
    write(tmp_path / "logs", "a.json")
    every = [
        Options(),
        Options(rules=Selection(("HR101",)).rules()),
        Options(providers=[PROFILES["openai"]]),
        Options(judged_as="training"),
    ]
    for options in every * 2:
        assert lint(tmp_path / "logs", options, cached=True) == lint(tmp_path / "logs", options)
    assert len(read) == 3 * len(every)


@pytest.mark.parametrize("harm", ["cut", "flip", "no meta", "meta is no JSON", "part removed"])
def test_a_damaged_pack_is_built_again_in_silence(tmp_path: Path, read: list[str], harm: str) -> None:
    logs = tmp_path / "logs"
    write(logs, "a.json", "b.json")
    plain = lint(logs, cached=True)
    (pack,) = packs_in(cache_folder() / "lint")
    part, meta = pack.folder / "judged.jsonl", pack.folder / "pack.json"
    data = bytearray(part.read_bytes())
    if harm == "cut":
        part.write_bytes(data[: len(data) // 2])
    elif harm == "flip":
        data[len(data) // 2] ^= 1
        part.write_bytes(data)
    elif harm == "no meta":
        meta.unlink()
    elif harm == "meta is no JSON":
        meta.write_bytes(b"{")
    else:
        part.unlink()
    read.clear()
    assert lint(logs, cached=True) == plain
    assert read == ["a.json", "b.json"]
    assert lint(logs, cached=True) == plain
    assert len(read) == 2


def test_many_small_packs_become_one(tmp_path: Path, read: list[str]) -> None:
    logs = tmp_path / "logs"
    for number in range(12):
        write(logs, f"{number:02}.json")
        lint(logs, cached=True)
    assert len(read) == 12
    assert len(list(packs_in(cache_folder() / "lint"))) < 10
    assert lint(logs, cached=True) == lint(logs)


def test_a_file_whose_reader_is_killed_is_named_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tmp_path / "logs"
    write(logs, "a.json", "killer.json", "z.json")
    monkeypatch.setattr(running, "_WORTH_PROCESSES", 0)
    with monkeypatch.context() as deadly:
        deadly.setattr(running, "_Task", partial(KilledBy, "killer"))
        run = lint(logs, jobs=2, cached=True)
    assert {Path(file.path).stem: file.skipped for file in run.files} == {"a": None, "killer": KILLED, "z": None}
    assert {Path(d.path).stem for d in run.diagnostics} == {"a", "z"}
    assert lint(logs, cached=True) == lint(logs)


class KilledBy(running._Task):
    """Judges files as ever, and dies of one."""

    def __init__(self, word: str, options: Options) -> None:
        super().__init__(options)
        self._word = word

    def __call__(self, files: list[Found]) -> list[Judged]:
        if any(self._word in found.path.name for found in files):
            os.kill(os.getpid(), signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
        return super().__call__(files)


@pytest.mark.skipif(sys.platform != "linux", reason="file names of Linux")
def test_names_that_look_alike_are_not_taken_for_each_other(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    write(logs, "a\\xff.json")
    Path(os.fsdecode(os.fsencode(logs) + b"/a\xff.json")).write_text(
        '{"messages": [{"role": "user", "content": "hi"}]}'
    )
    assert lint(logs, cached=True) == lint(logs, cached=True) == lint(logs)


def test_two_at_once_and_the_command_for_the_cache(tmp_path: Path) -> None:
    write(tmp_path / "logs", *(f"{number}.json" for number in range(20)))
    arguments = [*COMMAND, str(tmp_path / "logs"), "--format", "json"]
    both = [subprocess.Popen(arguments, stdout=subprocess.PIPE) for _ in range(2)]
    said = {process.communicate(timeout=60)[0] for process in both}
    plain = subprocess.run([*arguments, "--no-cache", "--jobs", "1"], stdout=subprocess.PIPE, timeout=60, check=False)
    assert said == {plain.stdout} and plain.returncode == 1
    command = [sys.executable, "-m", "headroom_cli", "cache"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "20 files in " in shown
    subprocess.run([*command, "--clear"], capture_output=True, timeout=60, check=True)
    assert not list(packs_in(cache_folder() / "lint"))


def test_what_utf_8_cannot_hold_is_judged_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "logs", "a.json", "b.json")
    read = []

    def judge(file: Found, options: Options) -> Judged:
        read.append(file.path.name)
        checked, found = judge_file(file, options)
        half = "\ud800" if file.path.name == "b.json" else ""
        return checked, [replace(diagnostic, message=diagnostic.message + half) for diagnostic in found]

    monkeypatch.setattr("headroom_cli.lint.run.judge_file", judge)
    assert lint(tmp_path / "logs", cached=True) == lint(tmp_path / "logs", cached=True)
    assert read == ["a.json", "b.json", "b.json"]
