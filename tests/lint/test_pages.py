"""The page of a rule: its title, its sections, and an example that the rule finds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from headroom_cli.lint.base import Finding, Rule
from headroom_cli.lint.engine import judge_session, known_rules, rule_page
from headroom_cli.lint.history import JudgedAs
from headroom_cli.lint.providers import PROFILES
from headroom_cli.lint.sent import sessions
from headroom_cli.logs import read_log

CODE = re.compile(r"^```(json|jsonl|text)\n(.*?)^```", re.DOTALL | re.MULTILINE)
RULES = known_rules()
WITH_CHECK = [code for code, rule in RULES.items() if rule.check is not None or rule.check_session is not None]


@pytest.mark.parametrize("code", list(RULES))
def test_title_and_sections(code: str) -> None:
    rule = RULES[code]
    page = rule_page(rule)
    assert page.startswith(f"# {code} {rule.name}\n")
    assert re.findall(r"^## (.*)$", page, re.MULTILINE)[-1] == "What to do"
    assert re.fullmatch(r"HR\d{3}", code) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert rule.summary.endswith(".") and len(rule.summary) <= 100
    assert max(map(len, page.splitlines())) <= 120


def test_names_are_unique() -> None:
    assert len({rule.name for rule in RULES.values()}) == len(RULES)


@pytest.mark.parametrize("code", WITH_CHECK)
def test_the_example_is_found(code: str, tmp_path: Path) -> None:
    rule, page = RULES[code], rule_page(RULES[code])
    examples = CODE.findall(page)
    if "## Example\n\nNone in full: " in page:  # it would take many megabytes, or a hundred tools
        return
    assert examples, f"{code} has no example"
    language, text = examples[0]
    path = tmp_path / "example.jsonl"
    path.write_text(text if language == "text" else "".join(lines(text)), "utf-8")
    found = [
        finding.rule.code
        for name in PROFILES
        if rule.concerns(name)
        for judged_as in (None, "request")
        for finding in findings_of(path, rule, name, judged_as)
    ]
    assert code in found


def lines(text: str) -> Iterator[str]:
    """The values of an example, one a line, as in the file that it stands for."""
    position = 0
    while rest := text[position:].lstrip():
        position = len(text) - len(rest)
        value, position = json.JSONDecoder().raw_decode(text, position)
        yield json.dumps(value) + "\n"


def findings_of(path: Path, rule: Rule, provider: str, judged_as: JudgedAs | None) -> list[Finding]:
    reading = read_log(path, keeps_sent=True)
    return [
        finding
        for session in sessions(reading, judged_as)
        for finding in judge_session(session, [PROFILES[provider]], [rule])
    ]
