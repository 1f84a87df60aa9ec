"""Work spread over processes: the same results for any number of them, and deaths that cost one item."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from headroom_cli import run as running
from headroom_cli.analysis import Analyser, Analysis
from headroom_cli.model import Conversation
from headroom_cli.parallel import Lost, available_cores, spread
from headroom_cli.report.json import document
from headroom_cli.run import analyse_files
from headroom_cli.source.discover import Found, discover

SAMPLES = Path(__file__).parents[1] / "sample_transcripts"


class Doubling:
    """Doubles numbers; dies of 13, fails at 99."""

    def __call__(self, items: list[int]) -> list[int]:
        if 13 in items:
            os.kill(os.getpid(), signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
        if 99 in items:
            raise ValueError("ninety-nine")
        return [2 * item for item in items]


def test_results_stand_in_the_order_of_pieces() -> None:
    pieces = [[1], [2, 3, 4], [5, 6]]
    done: list[list[int]] = []
    assert spread(Doubling, pieces, 2, size=len, done=done.append) == [[2], [4, 6, 8], [10, 12]]
    assert sorted(done) == sorted(pieces)


def test_a_death_costs_the_item_that_caused_it() -> None:
    results = spread(Doubling, [[1, 2], [3, 13, 4], [13], [5]], 2, size=len)
    assert results == [[2, 4], [6], Lost(13), [8], Lost(13), [10]]


def test_a_failure_is_raised_here() -> None:
    with pytest.raises(ValueError, match="ninety-nine"):
        spread(Doubling, [[1], [99]], 2, size=len)


def test_available_cores() -> None:
    assert 1 <= available_cores() <= (os.cpu_count() or 1)


def test_any_number_of_jobs_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_WORTH_PROCESSES", 0)
    monkeypatch.setattr(running, "_PIECE_BYTES", 20_000)
    files = discover([str(SAMPLES)]).files
    alone = analyse_files(files, Analyser(), tool_units=True)
    apart = analyse_files(files, Analyser(), tool_units=True, jobs=2)
    assert document(apart, limit=0) == document(alone, limit=0)
    assert apart.tool_units == alone.tool_units


def test_any_size_of_slices_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    files = discover([str(SAMPLES)]).files
    at_once = analyse_files(files, Analyser(), tool_units=True)
    monkeypatch.setattr(running, "_FILE_BYTES", running._BATCH_BYTES // 3)
    monkeypatch.setattr(running, "_SLICE_MESSAGES", 1)
    sliced = analyse_files(files, Analyser(), tool_units=True)
    assert document(sliced, limit=0) == document(at_once, limit=0)
    assert sliced.tool_units == at_once.tool_units


def test_a_file_of_many_conversations_is_analysed_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two messages each, slices of five messages hold one or two."""
    rows = [
        {"messages": [{"role": role, "content": str(number)} for role in ("user", "assistant")]} for number in range(5)
    ]
    (tmp_path / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr(running, "_SLICE_MESSAGES", 5)
    sizes: list[int] = []

    class Watched(Analyser):
        def analyse(self, conversations: Sequence[Conversation]) -> list[Analysis]:
            sizes.append(len(conversations))
            return super().analyse(conversations)

    run = analyse_files(discover([str(tmp_path)]).files, Watched())
    assert sizes == [2, 2, 1]
    assert len(run.settled.conversations) == 5


def test_a_file_whose_reader_is_killed_is_named_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_WORTH_PROCESSES", 0)
    for name in ("a", "killer", "z"):
        (tmp_path / f"{name}.jsonl").write_text('{"role": "user", "content": "hi"}\n')
    monkeypatch.setattr(running, "_Task", partial(KilledBy, "killer"))
    run = analyse_files(discover([str(tmp_path)]).files, Analyser(), jobs=2)
    fates = {Path(file.path).stem: file.skipped for file in run.files}
    assert fates == {"a": None, "killer": "the process that read it was killed (out of memory?)", "z": None}
    assert len(run.settled.conversations) == 2


class KilledBy(running._Task):
    """Reads files as ever, and dies of one."""

    def __init__(self, word: str, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self._word = word

    def __call__(self, files: list[Found]) -> running.Gathered:
        if any(self._word in found.path.name for found in files):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(files)
