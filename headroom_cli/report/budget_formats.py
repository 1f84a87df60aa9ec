"""What goes beyond a budget, for GitHub: as annotations, and as SARIF."""

from __future__ import annotations

import hashlib
from typing import Any
from urllib.parse import quote

from headroom_cli.report.annotations import command, harmless, most
from headroom_cli.report.budget import Breach, Verdict
from headroom_cli.report.repository import path_in_repository, repository_root
from headroom_cli.report.sarif import sarif_location, sarif_log, sarif_text
from headroom_cli.report.words import place, plain, plural

_TITLE = "headroom budget"
_RULES = {
    "avoidable": "More of a conversation was avoidable than the budget allows.",
    "cost": "A conversation cost more than the budget allows.",
    "context": "The context of a conversation grew larger than the budget allows.",
}


def workflow_commands(verdict: Verdict) -> list[str]:
    """Workflow commands, then a line for each breach."""
    root = repository_root()
    commands = []
    for breach in verdict.breaches:
        path = path_in_repository(breach.path, root)
        file = None if path is None else plain(path, 4096)
        where = "" if file else f"{place(breach.path)}:{breach.line}: "
        commands.append(command("error", file, breach.line, 1, _TITLE, where + breach.message))
    told = [f"{place(breach.path)}:{breach.line}  {plain(breach.message)}" for breach in verdict.breaches]
    return [*most(_TITLE, "error", commands), *(harmless(line) for line in told or ["budget kept"])]


def sarif(verdict: Verdict) -> bytes:
    """One run with a result for each breach in a file of the repository; a note says how many lie outside."""
    root = repository_root()
    kinds = sorted({breach.kind for breach in verdict.breaches})
    placed = [(breach, path_in_repository(breach.path, root)) for breach in verdict.breaches]
    results = [_result(breach, quote(path, safe="/"), kinds) for breach, path in placed if path is not None]
    outside = len(placed) - len(results)
    notes = [f"{plural(outside, 'conversation')} outside of the repository left out"] if outside else []
    return sarif_log("headroom-budget", [_rule(kind) for kind in kinds], results, notes)


def _rule(kind: str) -> dict[str, Any]:
    words = {"text": _RULES[kind]}
    return {"id": f"budget-{kind}", "shortDescription": words, "fullDescription": words}


def _result(breach: Breach, uri: str, kinds: list[str]) -> dict[str, Any]:
    mark = hashlib.sha256(f"{breach.kind} {breach.conversation_id}".encode()).hexdigest()[:24]
    return {
        "ruleId": f"budget-{breach.kind}",
        "ruleIndex": kinds.index(breach.kind),
        "level": "error",
        "message": {"text": sarif_text(breach.message)},
        "locations": [sarif_location(uri, breach.line)],
        "partialFingerprints": {"headroomBudget/v1": mark},
    }
