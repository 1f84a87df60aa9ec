"""Repair of Codex rollouts: orphan, displaced and second outputs. Missing ones the client adds itself when it sends.

Lines have no parents here, but a paginated rollout counts them (`ordinal`), and forks point to them by byte offset: no
line of such a file is moved or dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headroom_cli.lint.base import Finding, Rule
from headroom_cli.lint.history import Block
from headroom_cli.lint.placeholders import says_nothing
from headroom_cli.lint.providers import Profile
from headroom_cli.repair import shapes
from headroom_cli.repair.draft import Origins
from headroom_cli.repair.lines import Lines, SessionRepair, repair_lines, target_of
from headroom_cli.repair.splice import Span
from headroom_cli.repair.work import CannotRepair

_ORDER = ("HR201", "HR104", "HR103", "HR107", "HR102", "HR108")
_TYPES = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}


def repair_codex(
    data: bytes, name: str, *, profiles: Sequence[Profile] | None = None, rules: Sequence[Rule] | None = None
) -> SessionRepair:
    """Repair the bytes of a rollout."""
    return repair_lines(data, name, fix, _ORDER, profiles=profiles, rules=rules)


def fix(lines: Lines, finding: Finding) -> str:
    """Make the repair of one finding."""
    code = finding.rule.code
    call, output = target_of(finding, "call"), target_of(finding, "result")
    if code in ("HR102", "HR107") and output is not None:
        return _neutralize(lines, output)
    if code == "HR104" and output is not None:
        safe = finding.fix is not None and finding.fix.safe
        return _drop(lines, output, call) if safe else _neutralize(lines, output, call)
    if code == "HR103" and call is not None and output is not None:
        return _move(lines, call, output)
    if code == "HR108" and call is not None and output is not None:
        return _retype(lines, call, output)
    if code == "HR201" and call is not None and finding.fix is not None and finding.fix.kind == "drop":
        return _drop(lines, call)
    raise CannotRepair("no repair is known for a rollout")


def _neutralize(lines: Lines, output: Block, call: Block | None = None) -> str:
    """Keep what an output says as a message of the developer: one of the user would begin a turn.

    `call` is the call that it answers, if the rollout has it.
    """
    if says_nothing(output) and not _counts_lines(lines):
        return _drop(lines, output)
    return _say(lines, output, shapes.neutral(output, call))


def _say(lines: Lines, item: Block, words: str) -> str:
    text = shapes.text("openai-responses", words)
    _put(lines, item, shapes.message("openai-responses", "developer", [text]))
    return "keep it as text, in its line"


def _drop(lines: Lines, item: Block, call: Block | None = None) -> str:
    """Drop the line of an item; where lines are counted, a text that says the same stands there."""
    _record_with(lines, item)
    if _counts_lines(lines):
        return _say(lines, item, shapes.neutral(item, call) if item.kind == "result" else shapes.call_words(item))
    if len(lines.records(item.line)) > 1:
        raise CannotRepair("its line holds other records")
    lines.drop(item.line)
    return "drop the line"


def _move(lines: Lines, call: Block, output: Block) -> str:
    _record_with(lines, call)
    _record_with(lines, output)
    if _counts_lines(lines) or call.line == output.line or len(lines.records(output.line)) > 1:
        raise CannotRepair("its line cannot be moved")
    text = lines.text(output.line)
    lines.drop(output.line)
    lines.insert(call.line, text if text.endswith("\n") else text + "\n")
    return "move its line to right after the call"


def _retype(lines: Lines, call: Block, output: Block) -> str:
    kind = _TYPES.get(call.type)
    if kind is None:
        raise CannotRepair("the kind of output that the call wants is not known")
    span = _record_with(lines, output)
    origins = Origins()
    made, item = _copied(span.value, origins)
    item["type"] = kind
    lines.change(output.line, span, made, origins)
    return f"make it a {kind}"


def _put(lines: Lines, output: Block, item: dict[str, Any]) -> None:
    span = _record_with(lines, output)
    if "payload" not in span.value:
        lines.change(output.line, span, item, Origins())
        return
    origins = Origins()
    made = origins.copy(span.value)
    made["payload"] = item
    lines.change(output.line, span, made, origins)


def _copied(record: dict[str, Any], origins: Origins) -> tuple[dict[str, Any], dict[str, Any]]:
    made = origins.copy(record)
    if "payload" not in record:
        return made, made
    made["payload"] = origins.copy(record["payload"])
    return made, made["payload"]


def _record_with(lines: Lines, block: Block) -> Span:
    """The record on a block's line that is its item, by its kind and id; of several, one that is equal to it."""
    items = [(span.value.get("payload", span.value), span) for span in lines.records(block.line)]
    found = [
        (item, span)
        for item, span in items
        if isinstance(item, dict) and item.get("type") == block.type and item.get("call_id") == block.id
    ]
    if len(found) > 1:
        found = [(item, span) for item, span in found if item == block.raw]
    if not found:
        raise CannotRepair("it stands inside another record (a compaction)")
    return found[0][1]


def _counts_lines(lines: Lines) -> bool:
    for span in lines.records(1) if len(lines) else ():
        payload = span.value.get("payload")
        if isinstance(payload, dict):
            return payload.get("history_mode") == "paginated"
    return False
