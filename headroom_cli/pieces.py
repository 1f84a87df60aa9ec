"""Many texts counted at once: cut into pieces where every tokenization of them is cut, each distinct piece counted once.

A tokenizer cuts a text by an expression before it looks for tokens, and no token spans a cut. Texts repeat their
pieces: a thousand pages of logs hold some ten thousand words. Counting these, and adding up, takes half the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_WORD = r"[\p{L}\p{M}]+"

O200K_PIECE = "|".join(
    (
        rf"[^\S\r\n]*(?:[^\r\n\p{{L}}\p{{N}}]?{_WORD}(?:'{_WORD})*|\p{{N}}{{1,3}}|[^\s\p{{L}}\p{{N}}]+[\r\n/]*)",
        r"\s*[\r\n]+",
        r"\s+",
    )
)
"""Matches everywhere, and ends only where the expression of o200k_base cuts: words, with the blanks before them.

That expression itself has a look-ahead, which Polars lacks, and takes a thousand times longer there on Chinese text."""

_KEPT_CHARACTERS = 16_000_000
_FEW_NEW = 500


class Pieces:
    """Counts texts by their pieces with `count`, and remembers the pieces, up to some 16 million characters of them.

    `piece` is an expression that matches everywhere, and ends only where the tokenizer itself cuts.
    """

    def __init__(self, piece: str, count: Callable[[str], int]) -> None:
        self._piece = piece
        self._count = count
        self._forget()

    def _forget(self) -> None:
        import polars as pl

        # Categories last as long as a column that has them.
        self._kept = pl.Series(dtype=pl.Categorical(pl.Categories.random()))
        self._tokens = pl.Series(dtype=pl.UInt32)  # by category
        self._characters = 0

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text, none of which may hold surrogates.

        Texts that repeat little, such as those without blanks between words, are counted as they are.
        """
        import polars as pl

        if self._characters > _KEPT_CHARACTERS:
            self._forget()
        given = pl.Series(texts, dtype=pl.String)
        # An expression that comes as a column is kept compiled.
        pieces = given.str.extract_all(pl.repeat(self._piece, len(given), eager=True))
        found = pieces.explode(empty_as_null=False).cast(self._kept.dtype)
        numbers = found.to_physical()
        new = found.filter(numbers >= len(self._tokens)).unique()
        if len(new) > _FEW_NEW and len(new) > len(found) // 4:
            self._forget()
            return list(map(self._count, texts))
        self._count_new(new)
        tokens = self._tokens.gather(numbers).cum_sum()
        ends = pieces.list.len().cum_sum()
        sums = pl.concat([pl.Series([0], dtype=pl.UInt32), tokens]).gather(ends)
        return [end - start for start, end in pairwise([0, *sums.to_list()])]

    def _count_new(self, pieces: pl.Series) -> None:
        import polars as pl

        new = pieces.gather(pieces.to_physical().arg_sort()).to_list()
        self._tokens = pl.concat([self._tokens, pl.Series(map(self._count, new), dtype=pl.UInt32)])
        self._characters += sum(map(len, new))
