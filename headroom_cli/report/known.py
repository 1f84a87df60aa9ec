"""Sums of what may not be known."""

from __future__ import annotations

import polars as pl


def known_sum(name: str) -> pl.Expr:
    """The sum of a column, NULL where nothing in it is known."""
    return pl.when(pl.col(name).is_not_null().any()).then(pl.col(name).sum()).alias(name)
