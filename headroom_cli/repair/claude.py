"""Repair of Claude Code sessions that no longer resume: only broken lines change, all others stay as they are.

A missing result becomes a user line right after the line of its call; a result whose call was never written stays in
its line as text; thinking without a signature, and a call of a server tool that was never answered, go. Lines whose
parent was lost with the call hang on the line before.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from typing import Any

from headroom_cli.lint.base import Finding, Rule
from headroom_cli.lint.history import Block
from headroom_cli.lint.providers import Profile
from headroom_cli.repair import shapes
from headroom_cli.repair.draft import Origins
from headroom_cli.repair.lines import Lines, SessionRepair, repair_lines, target_of
from headroom_cli.repair.splice import Span
from headroom_cli.repair.work import CannotRepair

_SPACE = uuid.UUID("6f0f7f0e-52f5-5d6c-9a43-5f1c2b7d9e01")
_ENVELOPE = (
    "isSidechain",
    "teamName",
    "agentName",
    "agentId",
    "slug",
    "promptId",
    "userType",
    "entrypoint",
    "cwd",
    "sessionId",
    "version",
    "gitBranch",
    "sessionKind",
)
"""What a result's line has in common with the line of its call."""

_CHAIN = frozenset({"user", "assistant", "system", "attachment", "progress"})
_ORDER = ("HR201", "HR104", "HR103", "HR107", "HR102", "HR101", "HR110", "HR504")


def repair_claude(
    data: bytes, name: str, *, profiles: Sequence[Profile] | None = None, rules: Sequence[Rule] | None = None
) -> SessionRepair:
    """Repair the bytes of a session file."""
    return repair_lines(data, name, _Fixes().fix, _ORDER, profiles=profiles, rules=rules)


class _Fixes:
    """The repairs of one file. Knows the lines' ids and parents as of the last reading."""

    def __init__(self) -> None:
        self._round = -1
        self._links: dict[str, list[int]] = {}
        self._uuids: dict[str, int] = {}

    def fix(self, lines: Lines, finding: Finding) -> str:
        """Make the repair of one finding."""
        code = finding.rule.code
        call, result = target_of(finding, "call"), target_of(finding, "result")
        if code == "HR101" and call is not None:
            self._index(lines)
            self._answer(lines, call)
            return f'add a line after it: "{shapes.NO_RESULT}"'
        if code in ("HR102", "HR107") and result is not None:  # ids are the server's: none was written wrongly
            self._index(lines)
            self._neutralize(lines, result)
            return "keep it as text, in its line"
        if code == "HR103" and call is not None and result is not None:
            self._index(lines)
            self._neutralize(lines, result, call)
            self._answer(lines, call)
            return f'keep it as text, and add "{shapes.NO_RESULT}" after its call'
        if code == "HR104" and result is not None:
            self._index(lines)
            if finding.fix is not None and finding.fix.safe:
                return self._drop(lines, result)
            self._neutralize(lines, result, call)
            return "keep it as text, in its line"
        if code == "HR201" and call is not None and finding.fix is not None and finding.fix.kind == "drop":
            self._index(lines)
            return self._drop(lines, call)
        useless = target_of(finding, "thinking" if code == "HR504" else "server_call")
        if code in ("HR110", "HR504") and useless is not None and finding.fix is not None and finding.fix.safe:
            self._index(lines)
            return self._drop(lines, useless)
        raise CannotRepair("no repair is known for a session")

    def _index(self, lines: Lines) -> None:
        """The ids and parents of all lines, made once a round."""
        if self._round == lines.round:
            return
        self._round = lines.round
        self._links, self._uuids = {}, {}
        for number in range(1, len(lines) + 1):
            if '"uuid"' not in lines.text(number):
                continue
            for span in lines.records(number):
                own, parent = span.value.get("uuid"), span.value.get("parentUuid")
                if isinstance(own, str):
                    self._uuids.setdefault(own, number)
                if isinstance(parent, str):
                    self._links.setdefault(parent, []).append(number)

    def _answer(self, lines: Lines, call: Block) -> None:
        """Add a line with an error result right after the line of a call."""
        span = _record_with(lines, call)
        record, own = span.value, span.value.get("uuid")
        if call.id is None or not isinstance(own, str):
            raise CannotRepair("the call, or its line, has no id")
        result_id = self._lost_child(lines, call.line, own) or str(uuid.uuid5(_SPACE, f"{own}\0{call.id}"))
        made = {"parentUuid": own, **{key: record[key] for key in _ENVELOPE if key in record}}
        made |= {
            "type": "user",
            "message": {"role": "user", "content": [shapes.result("anthropic", call)]},
            "uuid": result_id,
            **({"timestamp": record["timestamp"]} if "timestamp" in record else {}),
            "toolUseResult": f"Error: {shapes.NO_RESULT}",
            "sourceToolAssistantUUID": own,
        }
        text = lines.text(call.line)
        ending = "\r\n" if text.endswith("\r\n") else "\n"
        lines.insert(call.line, json.dumps(made, ensure_ascii=False, separators=(",", ":")) + ending)
        for number in self._links.get(own, ()):
            self._relink_prompt(lines, number, own, record, result_id)

    def _lost_child(self, lines: Lines, line: int, own: str) -> str | None:
        """The id of a line that is gone, if what comes next hangs on it: the result that was never written."""
        for number in range(line + 1, min(line + 65, len(lines) + 1)):
            for span in lines.records(number):
                parent = span.value.get("parentUuid")
                if isinstance(parent, str) and parent not in self._uuids and span.value.get("type") in _CHAIN:
                    self._uuids[parent] = line
                    return parent
        return None

    def _relink_prompt(self, lines: Lines, number: int, parent: str, call: dict[str, Any], result_id: str) -> None:
        """What follows a call that was not answered hangs on its result, so that every client walks over it.

        Lines of the same response, and results, stand in branches of their own in sound sessions too.
        """
        for span in lines.records(number):
            record = span.value
            if record.get("parentUuid") != parent or record.get("type") not in _CHAIN:
                continue
            message = record.get("message")
            if not isinstance(message, dict):
                if record.get("type") != "system":
                    continue
                message = {}
            same = record.get("type") == "assistant" and message.get("id") == call["message"].get("id")
            content = message.get("content")
            answers = isinstance(content, list) and any(
                isinstance(block, dict) and block.get("type") == "tool_result" for block in content
            )
            if same or answers:
                continue
            origins = Origins()
            made = origins.copy(record)
            made["parentUuid"] = result_id
            lines.change(number, span, made, origins)
            return

    def _neutralize(self, lines: Lines, result: Block, call: Block | None = None) -> None:
        """Keep what a result says as text in its line; what hung on its lost call hangs on the line before.

        `call` is the call that it answers, if the session has it.
        """
        span = _record_with(lines, result)
        record = span.value
        lost = next(
            (
                each
                for each in (record.get("parentUuid"), record.get("sourceToolAssistantUUID"))
                if isinstance(each, str) and each not in self._uuids
            ),
            None,
        )
        blocks = [shapes.text("anthropic", shapes.neutral(result, call)), *shapes.result_media(result)]
        origins = Origins()
        made = _with_block(record, result, blocks, origins)
        before = self._line_before(lines, result.line, record) if lost is not None else None
        if lost is not None and before is None:
            raise CannotRepair("the session begins here: its call stands in another file")
        if before is not None and made.get("parentUuid") == lost:
            made["parentUuid"] = before
        lines.change(result.line, span, made, origins)
        if lost is None or before is None:
            return
        for number in self._links.pop(lost, ()):
            for other in lines.records(number):
                if other.value.get("parentUuid") == lost and other.value.get("uuid") != record.get("uuid"):
                    moved = Origins()
                    copy = moved.copy(other.value)
                    copy["parentUuid"] = before
                    lines.change(number, other, copy, moved)
        self._uuids[lost] = result.line

    def _line_before(self, lines: Lines, line: int, record: dict[str, Any]) -> str | None:
        """The id of the nearest line above of the same thread."""
        for number in range(line - 1, 0, -1):
            for span in reversed(lines.records(number)):
                other = span.value
                if (
                    other.get("type") in _CHAIN
                    and isinstance(other.get("uuid"), str)
                    and bool(other.get("isSidechain")) == bool(record.get("isSidechain"))
                    and other.get("agentId") == record.get("agentId")
                ):
                    found: str = other["uuid"]
                    return found
        return None

    def _drop(self, lines: Lines, block: Block) -> str:
        """Drop a block from its line; of a line that held nothing else, the children hang on its parent."""
        span = _record_with(lines, block)
        record = span.value
        origins = Origins()
        made = _with_block(record, block, [], origins)
        if made["message"]["content"]:
            lines.change(block.line, span, made, origins)
            return "drop it from its line"
        if len(lines.records(block.line)) > 1:
            raise CannotRepair("its line holds other records")
        own, parent = record.get("uuid"), record.get("parentUuid")
        lines.drop(block.line)
        for number in self._links.get(own, ()) if isinstance(own, str) else ():
            for other in lines.records(number):
                if other.value.get("parentUuid") == own:
                    moved = Origins()
                    copy = moved.copy(other.value)
                    copy["parentUuid"] = parent
                    lines.change(number, other, copy, moved)
        return "drop the line"


def _record_with(lines: Lines, block: Block) -> Span:
    """The record on a block's line that holds it."""
    for span in lines.records(block.line):
        if _position(span.value, block) is not None:
            return span
    raise CannotRepair("its line cannot be found again")


def _position(record: dict[str, Any], block: Block) -> int | None:
    """Which block of a record's message a block is, by its kind and id; of several, the last that is equal to it."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    key = "tool_use_id" if block.kind == "result" else "id"
    found = [
        number
        for number, each in enumerate(blocks)
        if isinstance(each, dict) and each.get("type") == block.type and each.get(key) == block.id
    ]
    if len(found) > 1:
        found = [number for number in found if blocks[number] == block.raw]
    return found[-1] if found else None


def _with_block(record: dict[str, Any], block: Block, blocks: list[Any], origins: Origins) -> Any:
    """A copy of a record with other blocks in the place of one."""
    number = _position(record, block)
    made = origins.copy(record)
    made["message"] = origins.copy(record["message"])
    content = made["message"]["content"] = origins.copy(record["message"]["content"])
    content[number : (number or 0) + 1] = blocks
    return made
