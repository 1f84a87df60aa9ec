from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from headroom_cli.config import ConfigProblem, load


def write(folder: Path, text: str, name: str = "headroom.toml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_defaults_without_a_file(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    config = load(tmp_path)
    assert config.path is None
    assert (config["analyze.since"], config["signals.reread.gap"], config["roots"]) == ("30d", 3, [])
    assert config.zone() is None


def test_the_nearest_file_wins_whole(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path, 'timezone = "Europe/Berlin"\n[signals]\nignore = ["line_numbers"]\n')
    near = write(tmp_path / "a", "[signals.reread]\nmin-tokens = 80\n")
    deep = tmp_path / "a" / "b"
    deep.mkdir()
    config = load(deep)
    assert config.path == near
    assert (config["signals.reread.min-tokens"], config["signals.ignore"], config["timezone"]) == (80, [], "")
    assert load(tmp_path).zone() == ZoneInfo("Europe/Berlin")


def test_pyproject_counts_only_with_a_table_of_ours(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    above = write(tmp_path, '[analyze]\nsince = "7d"\n')
    write(tmp_path / "a", '[project]\nname = "acme"\n', "pyproject.toml")
    assert load(tmp_path / "a").path == above
    write(tmp_path / "a", '[tool.headroom.analyze]\nsince = "1d"\n', "pyproject.toml")
    assert load(tmp_path / "a")["analyze.since"] == "1d"


def test_the_search_ends_at_the_repository_then_asks_the_users_own(tmp_path: Path) -> None:
    write(tmp_path, 'timezone = "UTC"\n')
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    assert load(repository).path is None
    own = write(tmp_path / "own", '[analyze]\nby = ["model"]\n')
    assert load(repository, user=own)["analyze.by"] == ["model"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[signals]\nignor = []\n", "unknown key signals.ignor; did you mean signals.ignore?"),
        ("[lint]\nfail = 1\n", "unknown key lint.fail"),
        ("[signals.reread]\ngap = true\n", "signals.reread.gap must be a whole number, not True"),
        ("[signals.reread]\ngap = -1\n", "signals.reread.gap must be a whole number, not -1"),
        ("[signals]\nignore = [1]\n", "signals.ignore must be a list of strings"),
        ("timezone = 3\n", "timezone must be a string, not 3"),
        ('required-version = ">=99.0"\n', "requires headroom >=99.0"),
        ('required-version = "newest"\n', "cannot read 'newest'"),
        ("timezone = \n", "Invalid value"),
    ],
)
def test_mistakes_are_told_with_file_and_way_out(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigProblem) as problem:
        load(tmp_path)
    assert str(path) in str(problem.value)
    assert said in str(problem.value)


def test_a_zone_that_is_none(tmp_path: Path) -> None:
    write(tmp_path, 'timezone = "Europe/Atlantis"\n')
    with pytest.raises(ConfigProblem, match="no zone is called 'Europe/Atlantis'"):
        load(tmp_path).zone()


@pytest.mark.parametrize(
    ("text", "longest"),
    [("64MB", 64_000_000), ("1 gb", 1_000_000_000), ("  007MB ", 7_000_000), ("999999MB", 999_999_000_000)],
)
def test_the_longest_line(tmp_path: Path, text: str, longest: int) -> None:
    write(tmp_path, f'max-line = "{text}"\n')
    assert load(tmp_path).limits().line_bytes == longest


@pytest.mark.parametrize("text", ["64", "0MB", "1e3MB", "1000000MB", "many"])
def test_what_is_no_length_of_a_line(tmp_path: Path, text: str) -> None:
    write(tmp_path, f'max-line = "{text}"\n')
    with pytest.raises(ConfigProblem, match=f"max-line: cannot read '{text}'; write 64MB, or 1GB"):
        load(tmp_path).limits()


def test_an_explicit_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigProblem, match="no such configuration file"):
        load(tmp_path, explicit=tmp_path / "none.toml")
    named = write(tmp_path, 'required-version = ">=0.0,<99"\n', "other.toml")
    assert load(tmp_path / "elsewhere", explicit=named).path == named
