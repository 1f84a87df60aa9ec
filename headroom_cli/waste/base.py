"""What a waste signal is, and how the content signals are run over a batch of texts.

A signal is a module of this package; its docstring is the page that `headroom explain` prints. A content signal has a
function `scan` and states what it flags as spans of a text, so that a token can be claimed once (see `claims.py`). A
behaviour signal has a function `find`, which looks at a whole history and flags whole blocks.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from headroom_cli.model import Block, Waste
from headroom_cli.pieces import extract_all
from headroom_cli.tokens import TextCounter
from headroom_cli.waste.spans import Span

if TYPE_CHECKING:
    import polars as pl

    from headroom_cli.waste.history import History

CLAIM_ORDER = (
    "reread",
    "duplicate_image",
    "failed_retry",
    "write_readback",
    "subset_read",
    "id_lookup",
    "base64",
    "ansi_noise",
    "html_noise",
    "json_bloat",
    "repetition",
    "line_numbers",
    "whitespace",
    "dynamic_date",
    "stale_read",
    "unused_tools",
)
"""In this order signals claim the tokens of a block (docs/signals.md section 5)."""

TEXT_KINDS = frozenset({"user", "rag", "assistant", "tool_result"})
"""Kinds of block whose text the content signals look into."""

PREFIX_KINDS = frozenset({"system"})
"""Kinds of block that make the cached prefix: system text and tool schemas."""

Count = Callable[[str], int]


class Hit(NamedTuple):
    """What one signal found in one text, in tokens.

    `tokens` is the figure of the signal's definition, `avoidable` the part that a cure would recover, `at_risk` the
    tokens after the first value that changes (dynamic_date only). `spans` is what the signal's `spans` would find,
    where it is known already.
    """

    tokens: int
    avoidable: int
    spans: Sequence[Span] | None = None
    at_risk: int | None = None


@dataclass(slots=True)
class Batch:
    """Distinct texts that are scanned together. `column` holds the same texts as `texts`; `count` counts tokens.

    `sizes` are the tokens of the whole texts, where they are known already.
    """

    texts: Sequence[str]
    column: pl.Series
    count: Count
    sizes: Sequence[int] | None = None

    def matching(self, pattern: str) -> list[int]:
        """Indices of the texts that hold a match of a regular expression (Rust syntax, linear time)."""
        return cast("list[int]", self.column.str.contains(pattern).arg_true().to_list())

    def extract(self, pattern: str, *, among: str | None = None) -> Iterator[tuple[int, list[str]]]:
        """Index and matches of each text that holds a match, or a match of `among`."""
        indices = self.matching(among or pattern)
        matches = extract_all(self.column.gather(indices), pattern).to_list() if indices else []
        return zip(indices, matches, strict=True)


class ContentSignal(Protocol):
    """The face of a content signal's module."""

    NAME: str
    KINDS: frozenset[str]

    def scan(self, batch: Batch) -> dict[int, Hit]:
        """Hits by index of the text."""

    def spans(self, text: str, count: Count) -> list[Span]:
        """What `scan` flags in a text that it has hit: disjoint spans in order."""

    def measure(self, text: str, spans: Sequence[Span], count: Count) -> int:
        """The flagged tokens of these spans, or of parts of them."""


class BehaviourSignal(Protocol):
    """The face of a behaviour signal's module."""

    NAME: str

    def find(self, history: History, **options: int) -> list[Waste]:
        """Findings in block order, none twice for a block. Each claims all of its block that is left.

        `tokens`, `avoidable_tokens` and `confidence` are those of the definition, as if nothing had been claimed.
        """


def whole_block(signal: str, block: Block, evidence: int, request: int | None, *, doubtful: bool = False) -> Waste:
    """A finding whose cure recovers the whole block: what it told stood in the block `evidence` already.

    Where that is doubtful, confidence is low and nothing is avoidable.
    """
    finding = Waste(signal, block.index, block.tokens, first_block=evidence, request=request)
    if doubtful:
        finding.confidence = "low"
    else:
        finding.avoidable_tokens = block.tokens
    return finding


@cache
def content_signals() -> dict[str, ContentSignal]:
    """The content signals by name, in the order of their claims: every module of this package that has `scan`."""
    return {name: cast("ContentSignal", module) for name, module in _modules("scan").items()}


@cache
def behaviour_signals() -> dict[str, BehaviourSignal]:
    """The behaviour signals by name, in the order of their claims: every module of this package that has `find`."""
    return {name: cast("BehaviourSignal", module) for name, module in _modules("find").items()}


def claims_late(name: str) -> bool:
    """Whether a signal claims what the content signals have left."""
    return CLAIM_ORDER.index(name) > CLAIM_ORDER.index("dynamic_date")


def _modules(function: str) -> dict[str, ModuleType]:
    package = __name__.rpartition(".")[0]
    modules = pkgutil.iter_modules(importlib.import_module(package).__path__)
    signals = (importlib.import_module(f"{package}.{module.name}") for module in modules)
    found = {signal.NAME: signal for signal in signals if hasattr(signal, "NAME") and hasattr(signal, function)}
    return {name: found[name] for name in CLAIM_ORDER if name in found}


def joined(text: str, spans: Sequence[Span], count: Count) -> int:
    """Tokens of the spans set one behind the other."""
    return count("".join([text[start:end] for start, end in spans]))


def one_by_one(text: str, spans: Sequence[Span], count: Count) -> int:
    """Tokens of each span on its own, summed."""
    pieces = Counter(text[start:end] for start, end in spans)
    return sum(count(piece) * times for piece, times in pieces.items())


def scan_texts(
    texts: Sequence[str], kinds: Sequence[str], counter: TextCounter, sizes: Sequence[int] | None = None
) -> list[dict[str, Hit]]:
    """Hits of all content signals by name, in the order of claims, for each text of a block of such a kind.

    The texts must be free of surrogates (`tokens.replace_surrogates`). `sizes` are their tokens, if they are known.
    """
    import polars as pl

    hits: list[dict[str, Hit]] = [{} for _ in texts]
    for group in (TEXT_KINDS, PREFIX_KINDS):
        members = [index for index, kind in enumerate(kinds) if kind in group and texts[index]]
        if not members:
            continue
        chosen = [texts[index] for index in members]
        known = None if sizes is None else [sizes[index] for index in members]
        batch = Batch(chosen, pl.Series(chosen, dtype=pl.String), counter.count_text, known)
        for name, signal in content_signals().items():
            if group == signal.KINDS:
                for position, hit in signal.scan(batch).items():
                    hits[members[position]][name] = hit
    return hits
