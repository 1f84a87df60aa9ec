"""The cache: the same figures with it and without, whatever has happened to the logs or to the cache itself."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from headroom_cli.analysis import Analyser, Settings
from headroom_cli.cache import Cache
from headroom_cli.packs import MAX_BYTES, clear, packs_in
from headroom_cli.report.json import document
from headroom_cli.run import analyse_files
from headroom_cli.source.discover import discover
from headroom_cli.tokens import get_tokenizer

SAMPLES = Path(__file__).parents[1] / "sample_transcripts"


class Counting:
    """A tokenizer that says how many texts it was asked for."""

    def __init__(self) -> None:
        self.asked = 0

    def count_text(self, text: str) -> int:
        self.asked += 1
        return get_tokenizer().count_text(text)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    shutil.copytree(SAMPLES, folder)
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache("options", tmp_path / "cache")


def report(logs: Path, cache: Cache | None, settings: Settings | None = None) -> tuple[bytes, int]:
    """The JSON of a run, and how many texts it counted."""
    counter = Counting()
    run = analyse_files(discover([str(logs)]).files, Analyser(counter, settings), cache=cache)
    return document(run), counter.asked


def first_log(logs: Path) -> Path:
    return min(logs.rglob("*.jsonl"))


def test_a_second_run_reads_nothing_and_says_the_same(logs: Path, cache: Cache) -> None:
    plain, asked = report(logs, None)
    assert report(logs, cache) == (plain, asked)
    assert asked > 100
    assert report(logs, cache) == (plain, 0)


def test_an_appended_file_is_read_anew_and_no_other(logs: Path, cache: Cache) -> None:
    report(logs, cache)
    grown = first_log(logs)
    line = grown.read_bytes().splitlines(keepends=True)[-1]
    with grown.open("ab") as file:
        file.write(line)
    plain, everything = report(logs, None)
    again, asked = report(logs, cache)
    assert again == plain
    assert 0 < asked < everything / 2
    assert report(logs, cache) == (plain, 0)


def test_a_file_of_the_same_size_and_another_content_is_read_anew(logs: Path, cache: Cache) -> None:
    path = first_log(logs)
    report(logs, cache)
    data = path.read_bytes()
    changed = data.replace(b"the", b"The")
    assert len(changed) == len(data) and changed != data
    path.write_bytes(changed)
    assert report(logs, cache)[0] == report(logs, None)[0]


def test_files_that_come_and_go(logs: Path, cache: Cache, tmp_path: Path) -> None:
    report(logs, cache)
    path = first_log(logs)
    away = tmp_path / "away.jsonl"
    path.rename(away)
    assert report(logs, cache) == (report(logs, None)[0], 0)
    away.rename(path.with_name("zzz.jsonl"))
    assert report(logs, cache)[0] == report(logs, None)[0]
    (logs / "aaa.jsonl").write_bytes(path.with_name("zzz.jsonl").read_bytes())
    assert report(logs, cache)[0] == report(logs, None)[0]


def test_options_have_packs_of_their_own(logs: Path, cache: Cache, tmp_path: Path) -> None:
    report(logs, cache)
    other = Cache("others", tmp_path / "cache")
    settings = Settings(ignored_signals=frozenset({"reread"}))
    without = report(logs, None, settings)[0]
    assert report(logs, other, settings)[0] == without != report(logs, cache)[0]


@pytest.mark.parametrize("harm", ["cut", "flip", "no meta", "meta is no JSON", "meta was changed", "file removed"])
def test_a_damaged_pack_is_built_again_in_silence(logs: Path, cache: Cache, harm: str) -> None:
    plain, asked = report(logs, cache)
    (pack,) = packs_in(cache.folder)
    blocks, meta = pack.folder / "blocks.arrow", pack.folder / "pack.json"
    data = bytearray(blocks.read_bytes())
    if harm == "cut":
        blocks.write_bytes(data[: len(data) // 2])
    elif harm == "flip":
        data[len(data) // 2] ^= 1
        blocks.write_bytes(data)
    elif harm == "no meta":
        meta.unlink()
    elif harm == "meta is no JSON":
        meta.write_bytes(b"{")
    elif harm == "meta was changed":
        meta.write_bytes(meta.read_bytes().replace(b'"damaged"', b'"DAMAGED"'))
    else:
        blocks.unlink()
    assert report(logs, cache) == (plain, asked)
    assert report(logs, cache) == (plain, 0)


def test_a_cache_that_cannot_be_written_does_no_harm(logs: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert report(logs, Cache("options", blocked))[0] == report(logs, None)[0]


def test_packs_are_private_and_replaced_ones_go(logs: Path, cache: Cache) -> None:
    report(logs, cache)
    if os.name == "posix":
        assert cache.folder.stat().st_mode & 0o077 == 0
    for number in range(12):
        (logs / f"more-{number}.jsonl").write_bytes(first_log(logs).read_bytes())
        report(logs, cache)
    assert len(list(packs_in(cache.folder))) < 10
    assert report(logs, cache) == (report(logs, None)[0], 0)


def test_the_bound_holds(logs: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    report(logs, cache)
    monkeypatch.setitem(MAX_BYTES, "analysis", 1000)
    with first_log(logs).open("ab") as file:
        file.write(b"\n")
    assert report(logs, cache)[0] == report(logs, None)[0]
    assert list(packs_in(cache.folder)) == []


def test_clearing(logs: Path, cache: Cache, tmp_path: Path) -> None:
    report(logs, cache)
    assert clear(tmp_path / "cache") > 0
    assert not cache.folder.exists()
    assert clear(tmp_path / "cache") == 0


def test_a_sidecar_that_changes_makes_a_subagents_file_new(tmp_path: Path) -> None:
    from headroom_cli.source.stamps import stamp_of

    log = tmp_path / "agent-a1.jsonl"
    log.write_text("{}\n")
    alone = stamp_of(log)
    (tmp_path / "agent-a1.meta.json").write_text("{}")
    assert alone is not None and stamp_of(log) != alone
    assert stamp_of(tmp_path / "none.jsonl") is None
