"""Every entry of the catalogue is found by a rule, or docs/rules.md says why none finds it; rules name no others."""

from __future__ import annotations

from docs.generate import NO_RULE, ROOT, catalogue, rules_by_ref

ENTRIES = {"A": 46, "O": 18, "R": 16, "G": 6, "M": 8, "B": 7, "D": 5, "L": 16, "K": 19}
"""How many entries each family has: Anthropic, chat, Responses, Gemini, Mistral, Bedrock, strict hosts, logs, cache."""

IDS = [f"{family}{number:02}" for family, count in ENTRIES.items() for number in range(1, count + 1)]


def test_the_catalogue_is_whole() -> None:
    assert len(IDS) == 141
    assert [ref for ref, *_ in catalogue()] == IDS


def test_each_entry_is_found_or_its_reason_is_given() -> None:
    assert sorted([*rules_by_ref(), *NO_RULE]) == sorted(IDS)


def test_reasons_stand_in_the_docs() -> None:
    page = (ROOT / "docs" / "rules.md").read_text("utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| L")]
    assert {row[0]: row[2] for row in rows if row[0] in NO_RULE} == NO_RULE
