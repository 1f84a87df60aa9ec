"""`headroom compare` as a user calls it: what may be compared, formats, exit codes, refusals."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.cli.test_endings import headroom
from tests.report.test_compare import after, before

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs `old` and `new`, and datasets of them: Parquet by month, and NDJSON."""
    root = tmp_path_factory.mktemp("compare")
    for name, sessions in (("old", before()), ("new", after())):
        (root / name).mkdir()
        for session, lines in sessions.items():
            (root / name / f"{session}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for name, options in (("old", ["--partition-by", "month"]), ("new", ["--format", "ndjson"])):
        assert headroom("export", str(root / name), "-o", str(root / f"{name}-set"), *options).returncode == 0
    return root


def compared(root: Path, *arguments: str, code: int = 0) -> dict[str, Any]:
    done = headroom("compare", *arguments, "--format", "json", cwd=root)
    assert (done.returncode, done.stderr) == (code, b"")
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_logs_and_datasets_compare_alike(sets: Path) -> None:
    logs = compared(sets, "old", "new")
    assert logs["figures"]["cost_usd_micros"]["a"]["rate"] == 21_875
    for pair in (("old-set", "new-set"), ("old", "new-set"), ("old-set", "new")):
        found = compared(sets, *pair)
        assert (found["a"].pop("path"), found["b"].pop("path")) == pair
        assert {**found, "a": logs["a"], "b": logs["b"]} == logs
        assert found["b"]["totals"] == logs["b"]["totals"]


def test_a_set_equals_its_dataset(sets: Path) -> None:
    found = compared(sets, "new", "new-set")
    assert {figure["verdict"] for figure in found["figures"].values()} <= {"same", None}
    assert {figure["difference"] for figure in found["figures"].values()} <= {0, None}
    assert (found["signals"], found["tools"], found["models"], found["shared_conversations"]) == ([], [], [], 5)


def test_sides_exchanged_mirror(sets: Path) -> None:
    one, other = compared(sets, "old", "new"), compared(sets, "new", "old")
    for name, figure in one["figures"].items():
        back = other["figures"][name]
        assert (figure["a"], figure["b"]) == (back["b"], back["a"])
        assert figure["difference"] is None or figure["difference"] == -back["difference"]
        assert figure["effect"] is None or figure["effect"]["delta"] == -back["effect"]["delta"]
    assert [row["name"] for row in one["tools"]] == [row["name"] for row in other["tools"]]


def test_every_key_of_the_json_is_documented(sets: Path) -> None:
    found = compared(sets, "old", "new", "--max-increase", "10%", code=1)
    figure = found["figures"]["cost_usd_micros"]
    shapes = {
        "document": found, "side": found["a"], "totals": found["a"]["totals"], "figure": figure,
        "values": figure["a"], "effect": figure["effect"], "row": found["tools"][0], "increase": found["increase"],
    }  # fmt: skip
    page = (DOCS / "commands" / "compare.md").read_text("utf-8")
    for name, value in shapes.items():
        section = page.split(f"\n### {name}\n")[1].split("\n### ")[0].split("\n## ")[0]
        assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(value), name
    for figures in (found["figures"], *(found[kind][0]["figures"] for kind in ("tools", "models"))):
        assert [name for name in figures if f"| `{name}` |" not in page] == []


def test_exit_codes(sets: Path) -> None:
    done = headroom("compare", "old", "new", cwd=sets)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"COMPARED") and b"  A old " in done.stdout
    done = headroom("compare", "old", "new", "--max-increase", "10%", cwd=sets)
    assert done.returncode == 1 and b"cost of a session: +15.5 %" in done.stdout
    assert headroom("compare", "old", "new", "--max-increase", "16%", cwd=sets).returncode == 0
    done = headroom("compare", "old", "new", "--format", "markdown", cwd=sets)
    assert done.returncode == 0 and done.stdout.startswith(b"## COMPARED\n")


def test_only_new(sets: Path) -> None:
    assert compared(sets, "old", "new", "--only-new")["b"]["totals"]["conversations"] == 5
    done = headroom("compare", "old", "old-set", "--only-new", cwd=sets)
    assert done.returncode == 3 and b"old-set: every conversation in it is in old too" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("old",), 2, b"Missing argument 'B'"),
        (("old", "-"), 2, b"not standard input"),
        (("old", "nowhere"), 2, b"nowhere"),
        (("old", "empty"), 3, b"empty: no conversations in it"),
        (("old", "new", "--max-increase", "ten"), 2, b"--max-increase: cannot read 'ten'; write a share, as in 10%"),
        (("old", "other-schema"), 2, b"other-schema has schema 2.0; this version reads 1.0: export it again"),
        (("old", "partial"), 2, b"partial holds no table waste: export it without --table"),
        (("old", "lost"), 2, b"lost: table waste lacks rows: export it again"),
        (("old", "damaged"), 2, b"damaged: table requests is damaged: export it again"),
    ],
)
def test_refusals(sets: Path, arguments: tuple[str, ...], code: int, said: bytes) -> None:
    (sets / "empty").mkdir(exist_ok=True)
    for name in ("other-schema", "lost", "damaged"):
        shutil.copytree(sets / "old-set", sets / name, dirs_exist_ok=True)
    manifest = json.loads((sets / "old-set" / "_headroom.json").read_text())
    (sets / "other-schema" / "_headroom.json").write_text(json.dumps({**manifest, "schema_version": "2.0"}))
    shutil.rmtree(sets / "lost" / "waste")
    next((sets / "damaged" / "requests").rglob("*.parquet")).write_bytes(b"PAR1 no more")
    if not (sets / "partial").is_dir():
        assert headroom("export", "old", "-o", "partial", "--table", "conversations", "--table", "files",
                        "--table", "requests", "--table", "tool_calls", cwd=sets).returncode == 0  # fmt: skip
    done = headroom("compare", *arguments, cwd=sets)
    assert done.returncode == code and said in done.stderr
    assert not done.stdout


def test_a_dataset_of_an_older_minor_version_lacks_columns(sets: Path) -> None:
    shutil.copytree(sets / "old-set", sets / "older", dirs_exist_ok=True)
    for part in (sets / "older" / "conversations").rglob("*.parquet"):
        pl.read_parquet(part, hive_partitioning=False).drop("lint_errors").write_parquet(part)
    assert compared(sets, "older", "old")["figures"]["lint_errors"]["verdict"] == "same"


def test_a_manifest_is_not_trusted(sets: Path) -> None:
    """Words of it are made harmless, paths in it not followed, a column that no version leaves out is missed."""
    shutil.copytree(sets / "old-set", sets / "odd", dirs_exist_ok=True)
    manifest = json.loads((sets / "old-set" / "_headroom.json").read_text())
    manifest["tables"]["waste"]["parts"] = [{"path": "../../new-set/waste/part-0.ndjson", "rows": 9, "bytes": 9}]
    (sets / "odd" / "_headroom.json").write_text(json.dumps({**manifest, "prices": "\x1b[31mmine", "options": [1]}))
    done = headroom("compare", "odd", "new", cwd=sets)
    assert done.returncode == 0 and b"\x1b" not in done.stdout
    assert "Costs are by different prices: A ·[31mmine, B genai-prices" in " ".join(done.stdout.decode().split())
    part = next((sets / "odd" / "requests").rglob("*.parquet"))
    pl.read_parquet(part, hive_partitioning=False).drop("conversation_id").write_parquet(part)
    done = headroom("compare", "odd", "new", cwd=sets)
    assert done.returncode == 2 and b"table requests is damaged" in done.stderr


def test_a_damaged_manifest_is_said(sets: Path) -> None:
    shutil.copytree(sets / "old-set", sets / "cut", dirs_exist_ok=True)
    (sets / "cut" / "_headroom.json").write_bytes((sets / "old-set" / "_headroom.json").read_bytes()[:100])
    done = headroom("compare", "cut", "new", cwd=sets)
    words = f"headroom: {Path('cut', '_headroom.json')} is damaged; export once more\n"
    assert (done.returncode, done.stderr.decode()) == (2, words)


def test_redacted_names_are_told_and_figures_kept(sets: Path) -> None:
    environment = {"HEADROOM_REDACT_KEY": "a key for this test only"}
    done = headroom("export", "new", "-o", "hidden", "--redact", cwd=sets, env={**os.environ, **environment})
    assert done.returncode == 0
    found = compared(sets, "new", "hidden")
    assert found["notes"] == ["Names are redacted: those of tools match only under the same key."]
    assert found["figures"]["cost_usd_micros"]["verdict"] == "same"
