"""Spans of characters: which of them overlap, and what is left of them."""

from __future__ import annotations

from collections.abc import Sequence

Span = tuple[int, int]
"""Characters `start <= i < end` of a text."""


def subtract(spans: Sequence[Span], taken: Sequence[Span]) -> list[Span]:
    """What of `spans` no span of `taken` covers. Both are disjoint and in order; so is the result."""
    free = []
    position = 0
    for start, end in spans:
        while position < len(taken) and taken[position][1] <= start:
            position += 1
        ahead = position
        while ahead < len(taken) and taken[ahead][0] < end:
            if taken[ahead][0] > start:
                free.append((start, taken[ahead][0]))
            start = max(start, taken[ahead][1])
            ahead += 1
        # The last one looked at may reach into the next span.
        position = max(position, ahead - 1)
        if start < end:
            free.append((start, end))
    return free


def merge(spans: Sequence[Span], others: Sequence[Span]) -> list[Span]:
    """All spans of two lists that are disjoint and in order, in order, with touching ones joined."""
    merged: list[Span] = []
    for start, end in sorted([*spans, *others]):
        if merged and merged[-1][1] >= start:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
