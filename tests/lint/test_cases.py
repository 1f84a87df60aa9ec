"""Each broken case of the catalogue is found under its id, and its healthy twin is left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headroom_cli.lint.base import Finding
from tests.lint.support import findings_in
from tests.lint.twins import TWINS, twin

FOLDER = Path(__file__).parents[1] / "cases" / "lint"
CASES: list[dict[str, str]] = json.loads((FOLDER / "cases.json").read_text("utf-8"))
EACH = pytest.mark.parametrize("case", CASES, ids=[case["file"] for case in CASES])

SEVERITIES = {
    "error": {"error"},
    "error*": {"error", "warning"},
    "warn": {"warning", "error"},
    "waste": {"info"},
    "info": {"info"},
}
WARNED = {
    "A19-first-message-not-user.json": "the provider's answer is known from memory only",
    "B03-tool-config-missing.json": "a body of nothing but messages may have been stored without its tools",
    "R08-item-without-its-reasoning.json": "one request does not tell what the response before it held",
}
"""Cases that the catalogue calls errors, and for which there is less than certainty."""

BROKEN_TWICE = {"G05-thought-signature-invalid.json": "HR302"}
"""The contents of G05 begin with the model, which is G02: a fault of its own, told by its own rule."""


def judged(case: dict[str, str], path: Path) -> list[Finding]:
    return findings_in(path, case["provider"], case["as"])  # type: ignore[arg-type]


def test_the_table_of_cases_and_the_twins_are_whole() -> None:
    assert len(CASES) == 105
    files = [case["file"] for case in CASES]
    assert sorted(files) == sorted(path.name for path in FOLDER.iterdir() if path.name != "cases.json")
    assert list(TWINS) == [Path(file).stem for file in files]


@EACH
def test_a_case_is_found_under_its_id_and_no_other_error_is(case: dict[str, str]) -> None:
    found = judged(case, FOLDER / case["file"])
    own = [finding for finding in found if case["ref"] in finding.refs]
    assert own
    expected = {"warning"} if case["file"] in WARNED else SEVERITIES[case["severity"]]
    assert own[0].severity in expected
    others = {finding.rule.code for finding in found if finding.severity == "error" and finding not in own}
    assert others == ({BROKEN_TWICE[case["file"]]} if case["file"] in BROKEN_TWICE else set())


@EACH
def test_its_healthy_twin_is_left_alone(case: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / case["file"]
    path.write_text(twin(FOLDER / case["file"]), "utf-8")
    found = judged(case, path)
    assert [finding.message for finding in found if case["ref"] in finding.refs] == []
    assert [finding.message for finding in found if finding.severity == "error"] == []
