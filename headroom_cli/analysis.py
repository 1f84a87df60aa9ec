"""One conversation to one analysis: blocks, what answers what, and waste.

Texts live no longer than their analysis. What is found in a text depends on the text alone, so each distinct text is
counted and scanned once, however often it stands in the logs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from headroom_cli.blocks import conversation_blocks
from headroom_cli.model import Block, Conversation, ToolCall, Waste
from headroom_cli.tokens import TextCounter, get_tokenizer, replace_surrogates
from headroom_cli.waste import reread
from headroom_cli.waste.base import PREFIX_KINDS, TEXT_KINDS, Hit, scan_texts
from headroom_cli.waste.claims import claim
from headroom_cli.waste.history import History
from headroom_cli.waste.paths import CallTarget, call_target

_MEMO_LIMIT = 300_000


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
        self._hits: dict[tuple[str, bool], dict[str, Hit]] = {}

    def analyse(self, conversations: Sequence[Conversation]) -> list[Analysis]:
        """Analyse the conversations of one file; their texts are scanned together."""
        if len(self._tokens) > _MEMO_LIMIT:
            self._tokens.clear()
            self._hits.clear()
        blocks = [conversation_blocks(conversation, self.counter, self._tokens) for conversation in conversations]
        self._scan(block for made in blocks for block in made)
        return [self._analysis(c, made) for c, made in zip(conversations, blocks, strict=True)]

    def _scan(self, blocks: Iterable[Block]) -> None:
        new: dict[tuple[str, bool], Block] = {}
        for block in blocks:
            if block.text and (block.kind in TEXT_KINDS or block.kind in PREFIX_KINDS):
                key = _hit_key(block)
                if key not in self._hits:
                    new[key] = block
        if new:
            texts = [replace_surrogates(block.text) for block in new.values()]
            found = scan_texts(texts, [block.kind for block in new.values()], self.counter)
            self._hits.update(zip(new, found, strict=True))

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
            hits = self._hits.get(_hit_key(block)) if block.text else None
            if hits:
                waste += self._claims(block, hits, left=0 if block.index in claimed else block.tokens)
        targets = {
            block.index: call_target(block.tool_name or "", block.part.arguments)
            for block in blocks
            if isinstance(block.part, ToolCall)
        }
        return Analysis(conversation, blocks, history, waste, targets)

    def _claims(self, block: Block, hits: Mapping[str, Hit], left: int) -> list[Waste]:
        kept = {name: hit for name, hit in hits.items() if name not in self.settings.ignored_signals}
        return [
            Waste(
                claimed.signal,
                block.index,
                claimed.tokens,
                exclusive_tokens=claimed.exclusive,
                avoidable_tokens=claimed.avoidable,
                at_risk_tokens=claimed.at_risk,
            )
            for claimed in claim(kept, replace_surrogates(block.text), left, self.counter.count_text)
        ]


def _hit_key(block: Block) -> tuple[str, bool]:
    return block.content_hash, block.kind in PREFIX_KINDS
