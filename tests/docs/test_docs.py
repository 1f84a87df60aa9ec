"""The documentation says what the code does: generated parts fresh, everything described, links and examples sound."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import headroom_cli
from docs.generate import ROOT, commands, option_names, parameters, run, written
from headroom_cli.cli import exits
from headroom_cli.cli.app import app
from headroom_cli.config import KEYS
from headroom_cli.logs import known_formats
from headroom_cli.report.dimensions import DIMENSIONS
from headroom_cli.waste import pages as signal_pages

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
CODE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)
FORMAT_NAMES = {log_format.name for log_format in known_formats()}


def text_of(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def relative(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.skipif(sys.platform == "win32", reason="outputs hold paths with slashes")
def test_generated_parts_are_fresh() -> None:
    stale = [page.as_posix() for page, text in written().items() if text_of(page.as_posix()) != text]
    assert not stale, f"run `make docs`: {', '.join(stale)}"


def test_no_page_is_about_what_is_gone() -> None:
    there = {folder: {page.stem for page in (ROOT / "docs" / folder).glob("*.md")} for folder in
             ("commands", "formats", "signals")}  # fmt: skip
    assert there == {"commands": set(commands()), "formats": FORMAT_NAMES, "signals": set(signal_pages())}


@pytest.mark.parametrize("command", sorted(commands()))
def test_every_option_is_documented(command: str) -> None:
    page = text_of(f"docs/commands/{command}.md")
    for parameter, _, info in parameters(command):
        assert info.help, f"{command}: {parameter.name} has no help"
        if isinstance(info, typer.models.OptionInfo):
            for name in option_names(parameter, info):
                assert f"`{name}`" in page
    assert f"docs/commands/{command}.md" in text_of("README.md")
    assert f"commands/{command}.md" in text_of("docs/index.md")


def test_names_of_options_are_those_of_the_command_line() -> None:
    parser = typer.main.get_command(app)
    for command in commands():
        known = {name for parameter in parser.commands[command].params for name in parameter.opts}  # type: ignore[attr-defined]
        for parameter, _, info in parameters(command):
            if isinstance(info, typer.models.OptionInfo):
                assert set(option_names(parameter, info)) <= known


def test_every_dimension_of_by_is_documented() -> None:
    page = text_of("docs/commands/analyze.md")
    assert [name for name in DIMENSIONS if f"`{name}`" not in page] == []


def test_every_format_is_documented() -> None:
    for name in FORMAT_NAMES:
        page = text_of(f"docs/formats/{name}.md")
        assert page.startswith("# ")
        for heading in ("## What is read", "## What cannot be known", "## Evidence"):
            assert heading in page, f"docs/formats/{name}.md: {heading}"
        assert re.search(r"Last checked:\s+20\d\d-\d\d-\d\d", page), name
        assert f"docs/formats/{name}.md" in text_of("README.md")


@pytest.mark.parametrize("name", sorted(signal_pages()))
def test_every_signal_is_documented(name: str) -> None:
    page = text_of(f"docs/signals/{name}.md")
    assert page.startswith(f"# {name}: ")
    for heading in ("What it does", "Why it matters", "Known problems", "Example", "Fix", "References"):
        assert f"## {heading}\n" in page
    assert f"signals/{name}.md" in text_of("docs/signals.md")


def test_design_names_the_rooms_in_the_order_of_the_import_contract() -> None:
    (contract,) = tomllib.loads(text_of("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    layers = [set(re.findall(r"headroom_cli\.(\w+)", layer)) for layer in contract["layers"]]
    rooms = re.findall(r"^\| `(\w+)` \|", text_of("docs/design.md"), re.MULTILINE)
    place = {room: place for place, layer in enumerate(layers) for room in layer}
    assert set(rooms) == set(place)
    assert rooms == sorted(rooms, key=lambda room: place[room])


def test_every_key_of_the_configuration_is_documented() -> None:
    page = text_of("docs/configuration.md")
    assert [key for key in KEYS if f"| `{key}` |" not in page] == []


def test_exit_codes() -> None:
    codes = {value for name, value in vars(exits).items() if name.isupper()}
    rows = re.findall(r"^\| (\d+(?:, \d+)*) \|", text_of("README.md"), re.MULTILINE)
    assert {int(code) for row in rows for code in row.split(", ")} == codes


def test_every_name_of_the_library_is_documented() -> None:
    page = text_of("docs/library.md")
    functions = [name for name in headroom_cli.__all__ if name[0].islower()]
    assert [name for name in functions if f"`{name}(" not in page] == []


def test_the_example_of_the_library_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = (found["text"] for found in CODE.finditer(text_of("docs/library.md")) if found["language"] == "python")
    exec(compile(example, "docs/library.md", "exec"), {})
    promised = [line.split("  # ")[1] for line in example.splitlines() if line.startswith("print(")]
    assert capsys.readouterr().out.splitlines() == promised


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_lead_somewhere(page: Path) -> None:
    prose = CODE.sub("", page.read_text("utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose)):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", there.read_text("utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}, target


def examples() -> Iterator[Any]:
    for page in PAGES:
        for block in CODE.finditer(page.read_text("utf-8")):
            for line in block["text"].splitlines() if block["language"] == "sh" else ():
                for piece in re.split(r"[|>]", line.split(" #")[0]):
                    if piece.split()[:1] == ["headroom"]:
                        yield pytest.param(piece.strip(), id=f"{relative(page)}: {piece.strip()}")


@pytest.mark.parametrize("example", list(examples()))
def test_shell_examples_parse(example: str) -> None:
    parser: Any = typer.main.get_command(app)
    words = shlex.split(example)[1:]
    with parser.make_context("headroom", list(words)) as context:
        name, command, rest = parser.resolve_command(context, words)
        command.make_context(name, rest, parent=context)


SHAPES = {
    ("document", "conversations"): "conversation",
    ("document", "totals"): "totals",
    ("document", "groups"): "group",
    ("document", "residency"): "residency",
    ("document", "calibration"): "calibration",
    ("calibration", "models"): "calibrated",
    ("calibration", "whole_contexts"): "whole_context",
    ("document", "budget"): "budget",
    ("budget", "breaches"): "breach",
    ("document", "skipped"): "skipped",
    ("document", "damaged"): "damaged",
    ("document", "unknown_records"): "unknown_records",
    ("conversation", "findings"): "finding",
    ("waste", "by_signal"): "signal",
    ("cache", "rebuilds"): "rebuild",
    **{
        (owner, key): shape
        for owner in ("conversation", "totals")
        for key, shape in {
            "tokens": "tokens",
            "usage": "usage",
            "usage_nested": "usage",
            "cost_parts": "cost_parts",
            "cache": "cache",
            "waste": "waste",
        }.items()
    },
}
NAMED_BY_DATA = {("waste", "by_signal")}


def keys_of(value: Any, shape: str, found: dict[str, set[str]]) -> None:
    """Gather the keys of each kind of object in a document."""
    if isinstance(value, list):
        for item in value:
            keys_of(item, shape, found)
    elif isinstance(value, dict):
        found.setdefault(shape, set()).update(value)
        for key, child in value.items():
            below = SHAPES.get((shape, key))
            if below:
                keys_of(list(child.values()) if (shape, key) in NAMED_BY_DATA else child, below, found)


def test_every_key_of_the_json_is_documented(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text('{"role": "user", "content": "x"}\n{broken\n{"role": "assistant", "content": "y"}\n{"odd": 1}\n')
    (tmp_path / "other.jsonl").write_text('{"a": 1}\n')
    paths = f"sample_transcripts {shlex.quote(tmp_path.as_posix())}"
    document = json.loads(run(f"headroom analyze {paths} --verbose --by model --max-context 1 --format json", code=1))
    found: dict[str, set[str]] = {}
    keys_of(document, "document", found)
    by_file = json.loads(run("headroom analyze sample_transcripts --by file --format json"))
    found["group"] |= {key for group in by_file["groups"] for key in group}
    found["group"] -= {"model", "file"}
    sections = re.split(r"^## ", text_of("docs/json.md"), flags=re.MULTILINE)[1:]
    documented = {
        section.split("\n", 1)[0]: set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) for section in sections
    }
    assert document["skipped"] and document["damaged"] and document["unknown_records"]
    assert found == documented
