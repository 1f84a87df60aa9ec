"""A token is claimed once (docs/signals.md section 5).

The signals that hit one block claim its characters in a fixed order. What a signal may call its own is what its
unclaimed characters cost, and never more than the block has left; so the sum over all signals cannot exceed the block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from headroom_cli.model import Block, Waste
from headroom_cli.tokens import TextCounter
from headroom_cli.waste.base import Count, Hit, behaviour_signals, content_signals, scan_texts
from headroom_cli.waste.spans import Span, merge, subtract

CONTENT_OF_FILES = frozenset({"html_noise", "repetition", "whitespace"})
"""Signals that are of low confidence where a file was read with line numbers: it may be what the agent came for."""


class Claim(NamedTuple):
    """What one signal flags in one block, in tokens: by its definition, after earlier claims, and avoidable.

    A claim of low confidence has nothing avoidable.
    """

    signal: str
    tokens: int
    exclusive: int
    avoidable: int
    confidence: Literal["high", "low"] = "high"
    at_risk: int | None = None


class Unclaimed:
    """What no signal has claimed yet of the blocks of a history."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        self._claimed: dict[int, int] = {}

    def take(self, findings: list[Waste]) -> list[Waste]:
        """Let the findings of one signal, or of several in the order of claims, take what is left of their blocks.

        A behaviour signal claims all tokens of its finding, a content signal what its claim on the text has left it.
        Findings of low confidence have nothing avoidable.
        """
        claimed = self._claimed
        for finding in findings:
            before = claimed.get(finding.block, 0)
            wanted = finding.tokens if finding.signal in behaviour_signals() else finding.exclusive_tokens
            exclusive = min(wanted, self._blocks[finding.block].tokens - before)
            finding.exclusive_tokens = exclusive
            finding.avoidable_tokens = 0 if finding.confidence == "low" else min(finding.avoidable_tokens, exclusive)
            claimed[finding.block] = before + exclusive
        return findings


def detect(
    texts: Sequence[str], kinds: Sequence[str], block_tokens: Sequence[int], counter: TextCounter
) -> list[list[Claim]]:
    """The content signals' claims on each text, for blocks of such a kind and so many tokens.

    Texts should be distinct (what is found depends on the text alone) and free of surrogates. In a block that a
    whole-block claim has taken before, nothing is left for these: exclusive and avoidable figures are 0.
    """
    hits = scan_texts(texts, kinds, counter)
    return [
        claim(found, text, tokens, counter.count_text) if found else []
        for found, text, tokens in zip(hits, texts, block_tokens, strict=True)
    ]


def claim(hits: Mapping[str, Hit], text: str, block_tokens: int, count: Count) -> list[Claim]:
    """Claims on one block of `block_tokens` tokens, in the order of claims, whatever the order of `hits`."""
    claims = []
    claimed: list[Span] = []
    left = block_tokens
    order = [name for name in content_signals() if name in hits]
    for name in order:
        hit = hits[name]
        unclaimed = hit.tokens
        # Where only one signal hits, its spans need not be known.
        if len(order) > 1:
            signal = content_signals()[name]
            spans = list(signal.spans(text, count) if hit.spans is None else hit.spans)
            free = subtract(spans, claimed)
            if free != spans:
                unclaimed = min(hit.tokens, signal.measure(text, free, count))
            if name != order[-1]:
                claimed = merge(claimed, free)
        exclusive = min(unclaimed, left)
        left -= exclusive
        if name in CONTENT_OF_FILES and "line_numbers" in hits:
            claims.append(Claim(name, hit.tokens, exclusive, 0, "low"))
        else:
            claims.append(Claim(name, hit.tokens, exclusive, min(hit.avoidable, exclusive), "high", hit.at_risk))
    return claims
