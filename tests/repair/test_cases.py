"""The catalogue's minimal histories: each is clean after its repair, or it is said why not."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from headroom_cli.lint.engine import Selection, judge_session, known_rules
from headroom_cli.lint.providers import PROFILES
from headroom_cli.lint.sent import sessions
from headroom_cli.logs import read_stream
from headroom_cli.repair.documents import DocumentRepair, Options, repair_document
from headroom_cli.repair.fixes import NO_FIX, known_fixes

CASES = Path(__file__).parents[1] / "cases" / "lint"
LISTED = json.loads((CASES / "cases.json").read_text())
REPAIRED = json.loads((Path(__file__).parent / "repaired.json").read_text())
"""What the repairs of each file say, and what it holds then."""

PROGRAM_KNOWS = "the program knows the tool by this name"
PROGRAM_DECIDES = "which tools the model needs is for the program to decide"
LEFT = {
    "A08-tool-block-wrong-role.json": [("HR101", "the history ends with this call: its result may still come")],
    "A11-tool-name-invalid.json": [("HR204", PROGRAM_KNOWS)],
    "A27-thinking-missing-before-tool-use.json": [("HR502", "thinking that is gone cannot be made up")],
    "A44-all-tools-deferred.json": [("HR603", PROGRAM_DECIDES)],
    "M07-function-name.json": [("HR204", PROGRAM_KNOWS)],
    "O08-function-name-invalid.json": [("HR204", PROGRAM_KNOWS)],
    "O17-foreign-content-part.json": [("HR406", "what it should be here is not known")],
    "R14-deferred-tools-without-search.json": [("HR603", PROGRAM_DECIDES)],
}


def repaired(data: bytes, case: dict[str, Any], *, unsafe: bool) -> DocumentRepair:
    options = Options([PROFILES[case["provider"]]], case["as"], unsafe=unsafe, rules=Selection().rules())
    return repair_document(data, case["file"], options)


def errors(data: bytes, case: dict[str, Any]) -> list[str]:
    reading = read_stream(io.BytesIO(data), case["file"], keeps_sent=True)
    judged = [
        judge_session(session, [PROFILES[case["provider"]]], Selection().rules())
        for session in sessions(reading, case["as"])
    ]
    return sorted(finding.rule.code for found in judged for finding in found if finding.severity == "error")


@pytest.mark.parametrize("case", LISTED, ids=lambda case: case["file"])
def test_all_repairs(case: dict[str, Any]) -> None:
    data = (CASES / case["file"]).read_bytes()
    outcome = repaired(data, case, unsafe=True)
    assert [(left.finding.rule.code, left.why) for left in outcome.left] == LEFT.get(case["file"], [])
    assert errors(outcome.after, case) == [code for code, _ in LEFT.get(case["file"], [])]
    if case["file"].endswith(".json"):
        made = REPAIRED.get(case["file"], {"repairs": [], "after": json.loads(data)})
        assert [f"{placed.change.rule} {placed.change.what}" for placed in outcome.changes] == made["repairs"]
        assert json.loads(outcome.after) == made["after"]
    assert (outcome.after == data) is (outcome.changes == [])
    assert repaired(outcome.after, case, unsafe=True).after == outcome.after


@pytest.mark.parametrize("case", LISTED, ids=lambda case: case["file"])
def test_safe_repairs(case: dict[str, Any]) -> None:
    outcome = repaired((CASES / case["file"]).read_bytes(), case, unsafe=False)
    assert errors(outcome.after, case) == sorted(left.finding.rule.code for left in outcome.left)
    assert repaired(outcome.after, case, unsafe=False).after == outcome.after


def test_every_rule_that_can_be_an_error_has_a_repair_or_a_reason() -> None:
    infos = {"HR113", "HR114", "HR505"}  # they never are
    judged = {code for code in known_rules() if "HR1" <= code < "HR8"} - infos
    assert known_fixes().keys() | NO_FIX.keys() == judged
    assert known_fixes().keys().isdisjoint(NO_FIX)
