"""One conversation to one analysis: blocks, what answers what, and waste.

Texts live no longer than their analysis. What is found in a text depends on the text alone, so each distinct text is
counted and scanned once, however often it stands in the logs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from headroom_cli.blocks import conversation_blocks, count_tokens
from headroom_cli.model import Block, Conversation, Waste
from headroom_cli.source.stream import DEFAULT_LIMITS, Limits
from headroom_cli.tokens import TextCounter, get_tokenizer, replace_surrogates
from headroom_cli.waste import reread
from headroom_cli.waste.base import PREFIX_KINDS, TEXT_KINDS, behaviour_signals, claims_late, scan_texts
from headroom_cli.waste.claims import Claim, Unclaimed, claim
from headroom_cli.waste.history import History
from headroom_cli.waste.paths import CallTarget, call_target

FILE_CONTENT_SIGNALS = frozenset({"html_noise", "repetition", "whitespace"})
_MEMO_LIMIT = 50_000


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user may set; the defaults are the definitions. `limits` hold while logs are read for an analysis."""

    reread_min_tokens: int = reread.MIN_TOKENS
    reread_gap: int = reread.GAP
    ignored_signals: frozenset[str] = frozenset()
    limits: Limits = DEFAULT_LIMITS

    def options(self, signal: str) -> dict[str, int]:
        """The settings of one signal, as its `find` takes them."""
        return {"min_tokens": self.reread_min_tokens, "gap": self.reread_gap} if signal == reread.NAME else {}


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
        self._counter = counter
        self.settings = settings or Settings()
        self._tokens: dict[str, int] = {}
        self._claims: dict[str, tuple[Claim, ...]] = {}

    @cached_property
    def counter(self) -> TextCounter:
        """What counts; the tokenizer is loaded when the first text has to be counted."""
        return self._counter if self._counter is not None else get_tokenizer()

    def analyse(self, conversations: Sequence[Conversation]) -> list[Analysis]:
        """Analyse the conversations of one file; their texts are scanned together."""
        if len(self._tokens) > _MEMO_LIMIT:
            self.forget()
        blocks = list(map(conversation_blocks, conversations))
        count_tokens(blocks, self.counter, self._tokens)
        self._scan(chain.from_iterable(blocks))
        return [self._analysis(c, made) for c, made in zip(conversations, blocks, strict=True)]

    def forget(self) -> None:
        """Drop what is remembered of texts; nothing but speed depends on it."""
        self._tokens.clear()
        self._claims.clear()

    def _scan(self, blocks: Iterable[Block]) -> None:
        """Find the content signals of texts not seen before, as if each block had all its tokens left to claim."""
        new: dict[str, Block] = {}
        for block in blocks:
            if block.text and (block.kind in TEXT_KINDS or block.kind in PREFIX_KINDS):
                key = _memo_key(block)
                if key not in self._claims:
                    new[key] = block
        if not new:
            return
        texts = [replace_surrogates(block.text) for block in new.values()]
        kinds = [block.kind for block in new.values()]
        sizes = [self._tokens[block.content_hash] for block in new.values()]
        found = scan_texts(texts, kinds, self.counter, sizes)
        for (key, block), text, hits in zip(new.items(), texts, found, strict=True):
            kept = {name: hit for name, hit in hits.items() if name not in self.settings.ignored_signals}
            self._claims[key] = tuple(claim(kept, text, block.tokens, self.counter.count_text)) if kept else ()

    def _analysis(self, conversation: Conversation, blocks: list[Block]) -> Analysis:
        history = History.of(blocks, conversation.messages)
        unclaimed = Unclaimed(blocks)
        waste = self._behaviour(history, unclaimed, late=False)
        targets = {call.index: call_target(history.given(call)) for call in history.calls}
        analysis = Analysis(conversation, blocks, history, waste, targets)
        for block in blocks:
            if block.text and (claims := self._claims.get(_memo_key(block))):
                target = analysis.target(block.index) if block.kind == "tool_result" else None
                shows_file = target is not None and target.shows_file
                waste += unclaimed.take(_content_waste(block, claims, shows_file=shows_file))
        waste += self._behaviour(history, unclaimed, late=True)
        return analysis

    def _behaviour(self, history: History, unclaimed: Unclaimed, *, late: bool) -> list[Waste]:
        """What the behaviour signals find that claim before the content signals, or after them."""
        waste: list[Waste] = []
        for name, signal in behaviour_signals().items():
            if name not in self.settings.ignored_signals and claims_late(name) == late:
                waste += unclaimed.take(signal.find(history, **self.settings.options(name)))
        return waste


def _content_waste(block: Block, claims: Iterable[Claim], *, shows_file: bool) -> list[Waste]:
    """Claims as findings. What was asked for is not avoidable: what stands in a file, what a human has pasted."""
    findings = []
    for found in claims:
        asked_for = (shows_file and found.signal in FILE_CONTENT_SIGNALS) or (
            block.kind == "user" and found.signal == "repetition"
        )
        doubtful = found.confidence == "low" or asked_for
        findings.append(
            Waste(
                found.signal,
                block.index,
                found.tokens,
                exclusive_tokens=found.exclusive,
                avoidable_tokens=0 if doubtful else found.avoidable,
                confidence="low" if doubtful else found.confidence,
                at_risk_tokens=found.at_risk,
            )
        )
    return findings


def _memo_key(block: Block) -> str:
    return f"system {block.content_hash}" if block.kind in PREFIX_KINDS else block.content_hash
