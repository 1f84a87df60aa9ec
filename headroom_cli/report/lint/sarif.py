"""SARIF 2.1.0 as code scanning takes it: every result with a physical location, paths from the repository's root.

Results whose file lies outside of the repository are left out, for one of them makes GitHub refuse the whole upload;
so are those beyond the 5,000 that it takes. Notifications of the run say how many.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import quote

from headroom_cli.lint.diagnostic import Diagnostic, Mention
from headroom_cli.lint.engine import known_rules, rule_page
from headroom_cli.lint.run import LintRun
from headroom_cli.report.lint.levels import fingerprint, worst_first
from headroom_cli.report.repository import path_in_repository, repository_root
from headroom_cli.report.sarif import MOST_CHARACTERS, sarif_location, sarif_log, sarif_text
from headroom_cli.report.words import plain, plural

MOST_RESULTS = 5000
FINGERPRINT = "headroomHistory/v1"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def document(run: LintRun) -> bytes:
    """One run, valid also without a result. Findings of the baseline are suppressed, not left out."""
    root = repository_root()
    placed = [(d, uri) for d in run.diagnostics if (uri := _uri(d, root)) is not None]
    by_id = {id(d): uri for d, uri in placed}
    kept = worst_first(d for d, _ in placed)[:MOST_RESULTS]
    used = sorted({d.rule for d in kept})
    results = [_result(d, by_id[id(d)], used.index(d.rule), root) for d in kept]
    rules = [_rule(code) for code in used]
    told = _notifications(run, len(placed), len(kept), root)
    return sarif_log("headroom-lint", rules, results, told, successful=bool(run.checked) and not run.refused)


def _uri(diagnostic: Diagnostic, root: Path) -> str | None:
    """Relative and percent-encoded. What is about the run as a whole lies where the configuration would."""
    if not diagnostic.path:
        return "headroom.toml"
    path = path_in_repository(diagnostic.path, root)
    return None if path is None else quote(path, safe="/")


def _rule(code: str) -> dict[str, Any]:
    rule = known_rules()[code]
    page = rule_page(rule)
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        "help": {"text": page, "markdown": page},
        "properties": {"tags": ["llm", "transcripts", *sorted({ref for refs in rule.refs.values() for ref in refs})]},
    }


def _result(diagnostic: Diagnostic, uri: str, index: int, root: Path) -> dict[str, Any]:
    location = sarif_location(uri, diagnostic.line, diagnostic.column)
    if diagnostic.pointer:
        location["logicalLocations"] = [
            {"fullyQualifiedName": plain(diagnostic.pointer, MOST_CHARACTERS), "kind": "object"},
        ]
    result: dict[str, Any] = {
        "ruleId": diagnostic.rule,
        "ruleIndex": index,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": sarif_text(diagnostic.message)},
        "locations": [location],
    }
    related = [r for m in diagnostic.related if (r := _related(m, root)) is not None]
    if related:
        result["relatedLocations"] = [{"id": number, **r} for number, r in enumerate(related, 1)]
    result["partialFingerprints"] = {FINGERPRINT: fingerprint(diagnostic)}
    if diagnostic.baselined:
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": "in the baseline"}]
    result["properties"] = {
        "provider": diagnostic.provider,
        "confidence": diagnostic.confidence,
        "refs": list(diagnostic.refs),
    }
    return result


def _related(mention: Mention, root: Path) -> dict[str, Any] | None:
    path = path_in_repository(mention.path, root)
    if path is None or mention.line < 1:
        return None
    note = mention.note or f"message {mention.message_index}"
    return {**sarif_location(quote(path, safe="/"), mention.line), "message": {"text": sarif_text(note)}}


def _notifications(run: LintRun, placed: int, kept: int, root: Path) -> list[str]:
    told = []
    outside = len(run.diagnostics) - placed
    if outside:
        told.append(f"{plural(outside, 'finding')} in files outside of the repository left out")
    if placed > kept:
        told.append(f"{plural(placed - kept, 'finding')} left out: no more than {MOST_RESULTS:,} are taken")
    reasons = Counter(plain(file.skipped or "", 200) for file in run.skipped)
    told += [f"{plural(number, 'file')} not checked: {reason}" for reason, number in sorted(reasons.items())]
    return told
