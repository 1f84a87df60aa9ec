"""One conversation to one analysis: blocks, what answers what, and waste.

Texts live no longer than their analysis. What is found in a text depends on the text alone, so each distinct text is
counted and scanned once, however often it stands in the logs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from headroom_cli.blocks import conversation_blocks
from headroom_cli.model import Block, Conversation, ToolCall, Waste
from headroom_cli.tokens import TextCounter, get_tokenizer
from headroom_cli.waste import reread
from headroom_cli.waste.base import Hit
from headroom_cli.waste.claims import claim
from headroom_cli.waste.content import scan
from headroom_cli.waste.history import History
from headroom_cli.waste.paths import CallTarget, call_target

_MEMO_LIMIT = 300_000
_SCANNED_KINDS = frozenset({"user", "rag", "assistant", "tool_result"})


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user may set; the defaults are the definitions."""

    reread_min_tokens: int = reread.MIN_TOKENS
    reread_gap: int = reread.GAP
    ignored_signals: frozenset[str] = frozenset()


@dataclass(slots=True)
class Analysis:
    """What was found in one conversation. `targets` tells the file or command of each call, by block index."""

    conversation: Conversation
    blocks: list[Block]
    history: History
    waste: list[Waste]
    targets: dict[int, CallTarget] = field(default_factory=dict)

    def target(self, block: int) -> CallTarget | None:
        """What the call behind a block (a call or its result) was about."""
        call = self.history.call_of.get(block, block)
        return self.targets.get(call)


class Analyser:
    """Analyses conversations, remembering what it has counted and scanned."""

    def __init__(self, counter: TextCounter | None = None, settings: Settings | None = None) -> None:
        self.counter = counter if counter is not None else get_tokenizer()
        self.settings = settings or Settings()
        self._tokens: dict[str, int] = {}
        self._hits: dict[tuple[str, bool], tuple[Hit, ...]] = {}

    def analyse(self, conversations: Sequence[Conversation]) -> list[Analysis]:
        """Analyse the conversations of one file; their texts are scanned together."""
        if len(self._tokens) > _MEMO_LIMIT:
            self._tokens.clear()
            self._hits.clear()
        blocks = [conversation_blocks(conversation, self.counter, self._tokens) for conversation in conversations]
        self._scan(block for made in blocks for block in made)
        return [self._analysis(c, made) for c, made in zip(conversations, blocks, strict=True)]

    def _scan(self, blocks: Iterable[Block]) -> None:
        texts: dict[tuple[str, bool], str] = {}
        for block in blocks:
            is_system = block.kind == "system"
            if block.text and (is_system or block.kind in _SCANNED_KINDS):
                key = (block.content_hash, is_system)
                if key not in self._hits:
                    texts[key] = block.text
        for is_system in (False, True):
            keys = [key for key in texts if key[1] is is_system]
            found = scan([texts[key] for key in keys], self.counter, system=is_system)
            self._hits.update(zip(keys, found, strict=True))

    def _analysis(self, conversation: Conversation, blocks: list[Block]) -> Analysis:
        history = History.of(blocks, conversation.messages)
        ignored = self.settings.ignored_signals
        waste: list[Waste] = []
        claimed: set[int] = set()
        if reread.NAME not in ignored:
            waste = reread.find(history, min_tokens=self.settings.reread_min_tokens, gap=self.settings.reread_gap)
            for finding in waste:
                finding.exclusive_tokens = finding.tokens
                finding.avoidable_tokens = finding.tokens if finding.cause == reread.AVOIDABLE_CAUSE else 0
                claimed.add(finding.block)
        for block in blocks:
            hits = self._hits.get((block.content_hash, block.kind == "system")) if block.text else None
            if hits:
                kept = [hit for hit in hits if hit.signal not in ignored]
                waste += claim(block, kept, self.counter, whole_block_claimed=block.index in claimed)
        targets = {
            block.index: call_target(block.tool_name or "", block.part.arguments)
            for block in blocks
            if isinstance(block.part, ToolCall)
        }
        return Analysis(conversation, blocks, history, waste, targets)
