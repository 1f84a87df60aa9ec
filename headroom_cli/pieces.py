"""Many texts counted at once: cut where the tokenizer itself cuts, each distinct piece counted once.

A tokenizer cuts a text by an expression before it looks for tokens, and no token spans a cut. Texts repeat their
pieces: a thousand pages of logs hold some ten thousand words. Counting these, and adding up, takes half the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

O200K_PIECE = "|".join(
    (
        r"[^\S\r\n]*(?:[^\r\n\p{L}\p{N}]?\p{L}+(?:'\p{L}+)*|\p{N}{1,3}|[^\s\p{L}\p{N}]+[\r\n/]*)",
        r"\s*[\r\n]+",
        r"\s+",
    )
)
"""In a text without combining marks, ends only where the expression of o200k_base cuts, and leaves no gap: words, with
the blanks before them.

That expression itself has a look-ahead, which Polars lacks, and takes a thousand times longer there on Chinese text."""

_MARK = r"\p{M}"
_KEPT_CHARACTERS = 1_000_000
_FEW_NEW = 500


def extract_all(texts: pl.Series, expression: str) -> pl.Series:
    """All matches in each text. The expression goes as a column, for then Polars compiles it once for all calls."""
    import polars as pl

    return texts.str.extract_all(pl.repeat(expression, len(texts), eager=True))


class Pieces:
    """Counts texts by their pieces, and remembers the pieces, up to some million characters of them.

    `count` counts a text with o200k_base.
    """

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self._known: _Known | None = None

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text, none of which may hold surrogates."""
        import polars as pl

        column = pl.Series(texts, dtype=pl.String)
        is_marked = column.str.contains(_MARK)
        counts = iter(self._count_pieces(column.filter(~is_marked)))
        return [self._count(text) if marked else next(counts) for text, marked in zip(texts, is_marked, strict=True)]

    def _count_pieces(self, texts: pl.Series) -> Iterable[int]:
        """The tokens of texts without marks. If they repeat little, as without blanks, each is counted as it is."""
        import polars as pl

        if self._known is None or self._known.characters > _KEPT_CHARACTERS:
            self._known = _Known()
        pieces = extract_all(texts, O200K_PIECE)
        found = pieces.explode(empty_as_null=False).cast(self._known.categories.dtype)
        numbers = found.to_physical()
        new = found.filter(numbers >= len(self._known.tokens)).unique()
        if len(new) > _FEW_NEW and len(new) > len(found) // 4:
            self._known = None
            return map(self._count, texts)
        self._known.add(new, self._count)
        sums = pl.concat([pl.Series([0], dtype=pl.UInt32), self._known.tokens.gather(numbers).cum_sum()])
        return [end - start for start, end in pairwise([0, *sums.gather(pieces.list.len().cum_sum())])]


class _Known:
    """The pieces counted so far, as categories, and the tokens of each."""

    def __init__(self) -> None:
        import polars as pl

        self.categories = pl.Series(dtype=pl.Categorical(pl.Categories.random()))  # they last as long as a column
        self.tokens = pl.Series(dtype=pl.UInt32)
        self.characters = 0

    def add(self, pieces: pl.Series, count: Callable[[str], int]) -> None:
        """Count the pieces whose categories are the latest."""
        import polars as pl

        new = pieces.gather(pieces.to_physical().arg_sort()).to_list()
        self.tokens = pl.concat([self.tokens, pl.Series(map(count, new), dtype=pl.UInt32)])
        self.characters += sum(map(len, new))
