"""JUnit XML: a suite of all files, a test case for each history that was judged."""

from __future__ import annotations

from collections.abc import Collection
from xml.etree import ElementTree

from headroom_cli.lint.diagnostic import Diagnostic
from headroom_cli.lint.run import JudgedHistory, LintRun
from headroom_cli.report.lint.text import finding
from headroom_cli.report.words import place, plain

_WIDTH = 100
_MESSAGE = 1000


def document(run: LintRun, failing: Collection[str]) -> bytes:
    """Findings of a `failing` severity that are new fail their test case; others are told in its output."""
    by_history: dict[tuple[str, str | None, int], list[Diagnostic]] = {}
    for diagnostic in run.diagnostics:
        key = (diagnostic.path, diagnostic.conversation_id, diagnostic.history)
        by_history.setdefault(key, []).append(diagnostic)
    suite = ElementTree.Element("testsuite", name="headroom lint")
    tests = failures = skipped = errors = 0
    refused = run.refused
    for file in run.files:
        name = plain(place(file.path), 4096)
        if file.skipped is not None:
            case = ElementTree.SubElement(suite, "testcase", classname=name, name="file")
            error = file in refused
            ElementTree.SubElement(case, "error" if error else "skipped", message=plain(file.skipped))
            tests, errors, skipped = tests + 1, errors + error, skipped + (not error)
        for history in file.histories:
            found = by_history.pop((history.path, history.conversation_id, history.number), [])
            failures += _case(suite, name, _title(history), found, failing)
            tests += 1
    rest: dict[str, list[Diagnostic]] = {}
    for diagnostics in by_history.values():  # about a log as a whole, or about the configuration
        rest.setdefault(diagnostics[0].path, []).extend(diagnostics)
    for path, found in rest.items():
        failures += _case(suite, plain(place(path), 4096) if path else "headroom.toml", "as a whole", found, failing)
        tests += 1
    for figure, number in (("tests", tests), ("failures", failures), ("errors", errors), ("skipped", skipped)):
        suite.set(figure, str(number))
    root = ElementTree.Element("testsuites", name="headroom")
    root.append(suite)
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _title(history: JudgedHistory) -> str:
    number = f", {history.number + 1}" if history.number else ""
    return f"history at line {history.line} ({history.conversation_id[:8]}{number})"


def _case(suite: ElementTree.Element, file: str, title: str, found: list[Diagnostic], failing: Collection[str]) -> int:
    case = ElementTree.SubElement(suite, "testcase", classname=file, name=title)
    failed = [d for d in found if d.severity in failing and not d.baselined]
    if failed:
        message = f"{failed[0].rule} {plain(failed[0].message, _MESSAGE)}"
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        failure = ElementTree.SubElement(case, "failure", type=failed[0].rule, message=message + more)
        failure.text = _text(failed)
    told = [d for d in found if d not in failed]
    if told:
        ElementTree.SubElement(case, "system-out").text = _text(told)
    return bool(failed)


def _text(found: list[Diagnostic]) -> str:
    return "\n\n".join("\n".join(line.plain for line in finding(d, _WIDTH)) for d in found)
