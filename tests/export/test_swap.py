"""A folder is replaced as a whole, also where the system can't exchange two, and after a death at any step."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom_cli.export import swap


def folder(path: Path, text: str) -> Path:
    path.mkdir()
    (path / "data").write_text(text)
    return path


@pytest.mark.parametrize("exchange", [True, False])
def test_the_new_takes_the_place_of_the_old(tmp_path: Path, exchange: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not exchange:
        monkeypatch.setattr(swap, "_exchange", lambda one, other: False)
    target = folder(tmp_path / "target", "old")
    folder(swap.staging(target), "new")
    swap.replace(target)
    assert (target / "data").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


def test_a_new_folder_needs_no_old_one(tmp_path: Path) -> None:
    target = tmp_path / "target"
    folder(swap.staging(target), "new")
    swap.replace(target)
    assert (target / "data").read_text() == "new"


@pytest.mark.parametrize(
    ("target", "old", "new", "expected"),
    [
        ("old", None, "half", "old"),  # died while building
        (None, "old", "new", "old"),  # died between the two renames
        ("new", "old", None, "new"),  # died before the old one was removed
        ("new", None, "old", "new"),  # died after the exchange
        (None, None, "half", None),  # died in the first run of all
    ],
)
def test_recovery(tmp_path: Path, target: str | None, old: str | None, new: str | None, expected: str | None) -> None:
    place = tmp_path / "target"
    for path, text in ((place, target), (place.with_name("target" + swap.OLD_SUFFIX), old), (swap.staging(place), new)):
        if text is not None:
            folder(path, text)
    swap.recover(place)
    assert {path.name: (path / "data").read_text() for path in tmp_path.iterdir()} == (
        {"target": expected} if expected else {}
    )
