"""A conversation's blocks with what answers what: the view that the passes over behaviour share."""

from __future__ import annotations

from dataclasses import dataclass, field

from headroom_cli.model import Block, Message
from headroom_cli.pairing import Pair, pair, tool_units


@dataclass(slots=True)
class History:
    """Blocks by index; `result_of` a call, `call_of` a result, and the results that took the place of another."""

    blocks: list[Block]
    result_of: dict[int, int] = field(default_factory=dict)
    call_of: dict[int, int] = field(default_factory=dict)
    replaced_by: dict[int, list[int]] = field(default_factory=dict)
    pairs: list[Pair] = field(default_factory=list)

    @property
    def units(self) -> list[tuple[int, list[int]]]:
        """`(message that calls, [messages with its results])`."""
        return tool_units(self.pairs)

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
