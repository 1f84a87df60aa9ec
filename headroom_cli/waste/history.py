"""A conversation's blocks with what answers what: the view that the passes over behaviour share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from headroom_cli.model import Block, Message, ToolCall
from headroom_cli.pairing import Pair, pair, tool_units
from headroom_cli.waste.access import Shown
from headroom_cli.waste.files import Files, Touch
from headroom_cli.waste.given import Given
from headroom_cli.waste.lines import Lines, shown_lines
from headroom_cli.waste.paths import same_path

RETRIEVAL_MARKERS = ("Retrieve more: hash=", "Retrieve original: hash=", "<<ccr:")
MIN_READ_TOKENS = 50
LOOK_BACK = 30
CLEARED_PREFIXES = ("[Old tool result content cleared",)
_FAILURE = re.compile(
    r"\s*(?:<tool_use_error>|Error\b|error:|Traceback \(most recent call last\)"
    r"|(?:Exit code|Exit code:|Process exited with code) [1-9])"
    r'|\{"output":.*"exit_code":-?[1-9]\d*[,}]',
    re.DOTALL,
)


class FileRead(NamedTuple):
    """A call that shows a file, its result of at least 50 tokens, and the touches of that file around it.

    `before` has the latest first, `after` the next; each at most 30 of the calls that touch a file of this name.
    """

    call: int
    shown: Shown
    result: Block
    before: list[Touch]
    after: list[Touch]


@dataclass
class History:
    """Blocks by index; `result_of` a call, `call_of` a result, and the results that took the place of another."""

    blocks: list[Block]
    result_of: dict[int, int] = field(default_factory=dict)
    call_of: dict[int, int] = field(default_factory=dict)
    replaced_by: dict[int, list[int]] = field(default_factory=dict)
    pairs: list[Pair] = field(default_factory=list)
    _lines: dict[int, Lines] = field(default_factory=dict)
    _failed: dict[int, bool] = field(default_factory=dict)
    _given: dict[int, Given] = field(default_factory=dict)

    @property
    def units(self) -> list[tuple[int, list[int]]]:
        """`(message that calls, [messages with its results])`."""
        return tool_units(self.pairs)

    @cached_property
    def calls(self) -> list[Block]:
        """The blocks of calls, in order."""
        return [block for block in self.blocks if block.kind == "tool_call"]

    @cached_property
    def file_reads(self) -> list[FileRead]:
        """The reads that succeeded, of files that are read or written more than once."""
        return list(self._file_reads())

    @cached_property
    def files(self) -> Files:
        """Which calls read and write which files."""
        return Files.of((call.index, self.given(call)) for call in self.calls)

    def given(self, call: Block) -> Given:
        """What a call was given."""
        if call.index not in self._given:
            recorded = call.part.arguments if isinstance(call.part, ToolCall) else None
            self._given[call.index] = Given(call.tool_name or "", recorded)
        return self._given[call.index]

    def result(self, call: int) -> Block | None:
        """The block of the result of a call."""
        index = self.result_of.get(call)
        return None if index is None else self.blocks[index]

    def lines(self, call: int, shown: Shown) -> Lines:
        """The lines that a call shows."""
        if call not in self._lines:
            text = self.blocks[self.result_of[call]].text
            self._lines[call] = shown_lines(text, shown.first, matches=shown.matches)
        return self._lines[call]

    def failed(self, call: int) -> bool:
        """Whether a call failed: the log says so or, where it says nothing, the result begins as errors do."""
        if call not in self._failed:
            result = self.result(call)
            said = None if result is None else result.is_error
            self._failed[call] = (
                (result is not None and _FAILURE.match(result.text) is not None) if said is None else said
            )
        return self._failed[call]

    def gone(self, earlier: int, request: int | None) -> str | None:
        """How an earlier block left the context before `request`; None if it was still there, whole."""
        block = self.blocks[earlier]
        if block.text.startswith(CLEARED_PREFIXES):
            return "cleared"
        if any(marker in block.text for marker in RETRIEVAL_MARKERS):
            return "compressed"
        if request is None or in_context(block, request):
            return None
        if block.context and request < block.context[0].enters:
            return "unanswered"
        substitutes = [self.blocks[index] for index in self.replaced_by.get(earlier, ())]
        if any(marker in other.text for other in substitutes for marker in RETRIEVAL_MARKERS):
            return "compressed"
        left_by = next((i.left_by for i in reversed(block.context) if i.enters <= request), None)
        return "cleared" if substitutes or left_by in ("clear", "replacement") else "compacted"

    def _file_reads(self) -> Iterator[FileRead]:
        for touches in self.files.touches.values():
            for position, read in enumerate(touches) if len(touches) > 1 else ():
                result = self.result(read.call) if read.shown is not None else None
                if read.shown is None or result is None or result.tokens < MIN_READ_TOKENS or self.failed(read.call):
                    continue
                around = touches[max(0, position - LOOK_BACK) : position + LOOK_BACK + 1]
                same = [touch for touch in around if touch is not read and same_path(touch.path, read.path)]
                if same:
                    before = [touch for touch in reversed(same) if touch.call < read.call]
                    yield FileRead(
                        read.call, read.shown, result, before, [touch for touch in same if touch.call > read.call]
                    )

    @classmethod
    def of(cls, blocks: list[Block], messages: list[Message]) -> History:
        """Pair the blocks; a further result for an answered call is what later replaced the first."""
        history = cls(blocks)
        index_of = {id(block.part): block.index for block in blocks if block.kind in ("tool_call", "tool_result")}
        answered: dict[str, int] = {}
        history.pairs = pair(messages)
        for entry in history.pairs:
            result = index_of.get(id(entry.result))
            if entry.result is None or result is None:
                continue
            call = index_of.get(id(entry.call))
            if call is not None:
                history.result_of[call], history.call_of[result] = result, call
                blocks[result].tool_name = blocks[call].tool_name
                blocks[result].server = blocks[call].server
                blocks[result].call_key = blocks[call].call_key
                if entry.result.call_id:
                    answered[entry.result.call_id] = result
            elif entry.result.call_id in answered:
                history.replaced_by.setdefault(answered[entry.result.call_id], []).append(result)
        return history


def in_context(block: Block, request: int) -> bool:
    """Whether a request saw the block."""
    return any(i.enters <= request and (i.leaves is None or request < i.leaves) for i in block.context)
