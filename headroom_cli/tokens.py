"""Counting tokens, offline and exactly.

Two backends count alike: tiktoken, with vocabularies that ship inside this package, and quicktok (the `fast` extra),
about five times faster and used when it is installed. Nothing is ever downloaded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import Any, Protocol

from headroom_cli.data import read_vocabulary
from headroom_cli.pieces import Pieces

DEFAULT_ENCODING = "o200k_base"
BACKEND_VARIABLE = "HEADROOM_TOKENIZER_BACKEND"
BACKENDS = ("quicktok", "tiktoken")

RUN_LIMIT = 100_000
"""Longest run of one character class, in characters, that is counted in one piece (docs/signals.md section 1).

tiktoken panics on a run of about a million blanks, and slows down on long runs of anything."""

_WORTH_PIECES = 10_000  # characters: below, cutting them together costs more than it saves

_LETTER_CASES = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"

# As in tiktoken_ext.openai_public, whose constructors would download their vocabularies.
_PATTERNS = {
    "o200k_base": "|".join(
        (
            rf"[^\r\n\p{{L}}\p{{N}}]?{_LETTER_CASES[0]}*{_LETTER_CASES[1]}+{_CONTRACTION}",
            rf"[^\r\n\p{{L}}\p{{N}}]?{_LETTER_CASES[0]}+{_LETTER_CASES[1]}*{_CONTRACTION}",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        )
    ),
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
}

_CHARACTER_CLASSES = tuple(re.compile(pattern) for pattern in (r"\s+", r"\d+", r"[^\W\d_]+", r"(?:[^\w\s]|_)+"))


class TextCounter(Protocol):
    """Anything that counts the tokens of a text."""

    def count_text(self, text: str, /) -> int:
        """The number of tokens in `text`."""


class TokenizerError(RuntimeError):
    """No tokenizer can be had as asked: the message says what to do."""


class Tokenizer:
    """Counts tokens of any text that a log may hold. `name` is the backend, `encoding` the vocabulary.

    Special tokens (`<|endoftext|>`) are counted as the ordinary text they are. Lone surrogates count as U+FFFD. Runs
    of one character class over `RUN_LIMIT` characters are counted in pieces.
    """

    def __init__(self, name: str, encoding: str, count: Callable[[str], int], pieces: Pieces | None = None) -> None:
        self.name = name
        self.encoding = encoding
        self._count = count
        self._pieces = pieces

    def __repr__(self) -> str:
        return f"Tokenizer({self.name!r}, {self.encoding!r})"

    def count_text(self, text: str, /) -> int:
        """The number of tokens in `text`."""
        if len(text) > RUN_LIMIT:
            return sum(map(self._count, split_long_runs(replace_surrogates(text))))
        try:
            return self._count(text)
        except (TypeError, UnicodeError):
            # How the backends refuse surrogates; anything else is raised again by the second attempt.
            return self._count(replace_surrogates(text))

    def count_many(self, texts: Iterable[str]) -> list[int]:
        """The number of tokens in each text."""
        given = list(texts)
        if self._pieces is None or sum(map(len, given)) < _WORTH_PIECES:
            return list(map(self.count_text, given))
        parts = [list(split_long_runs(replace_surrogates(text))) for text in given]
        counts = iter(self._pieces.count_many(list(chain.from_iterable(parts))))
        return [sum(islice(counts, len(cut))) for cut in parts]


def replace_surrogates(text: str) -> str:
    """`text` with surrogate pairs joined and lone surrogates replaced by U+FFFD: what UTF-8 can hold."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def split_long_runs(text: str) -> Iterator[str]:
    """Cut `text` so that no piece holds more than `RUN_LIMIT` consecutive characters of one class.

    The classes are whitespace, decimal digits, letters (with other numbers), and the rest. A longer run is cut every
    `RUN_LIMIT` characters from its start; what stands before it stays with its first piece, what follows with its last.
    """
    cut = done = 0
    # A run over the limit covers a multiple of it, so only the runs at these places are measured.
    for place in range(RUN_LIMIT, len(text), RUN_LIMIT):
        if place < done:
            continue
        run = next(filter(None, (pattern.match(text, place) for pattern in _CHARACTER_CLASSES)))
        done = run.end()
        before = run.re.match(text[place - RUN_LIMIT : place][::-1])
        start = place - (before.end() if before else 0)
        for end in range(start + RUN_LIMIT, done, RUN_LIMIT):
            yield text[cut:end]
            cut = end
    yield text[cut:]


def get_tokenizer(encoding: str = DEFAULT_ENCODING) -> Tokenizer:
    """The tokenizer of an encoding, `o200k_base` or `cl100k_base`, loaded once.

    quicktok is used when it is installed, else tiktoken; the environment variable HEADROOM_TOKENIZER_BACKEND forces
    one of them. Raises TokenizerError where the encoding or the backend can't be had.
    """
    return _load(encoding, os.environ.get(BACKEND_VARIABLE, ""))


@lru_cache
def _load(encoding: str, backend: str) -> Tokenizer:
    if encoding not in _PATTERNS:
        raise TokenizerError(f"unknown encoding {encoding!r}: use one of {', '.join(_PATTERNS)}")
    if backend and backend not in BACKENDS:
        raise TokenizerError(f"{BACKEND_VARIABLE}={backend}: use quicktok or tiktoken")
    if backend != "tiktoken":
        try:
            return Tokenizer("quicktok", encoding, _quicktok(encoding).count)
        except (ImportError, AttributeError, RuntimeError) as error:
            if backend:
                hint = "pip install 'headroom-transcripts[fast]'"
                raise TokenizerError(f"{BACKEND_VARIABLE}=quicktok: quicktok-v1 is not usable ({hint})") from error
    count = _tiktoken(encoding)
    return Tokenizer("tiktoken", encoding, count, Pieces(count) if encoding == DEFAULT_ENCODING else None)


def _quicktok(encoding: str) -> Any:
    # An unrelated distribution is imported by the same name: it has no get_encoding.
    import quicktok

    return quicktok.get_encoding(encoding)


def _tiktoken(encoding: str) -> Callable[[str], int]:
    import tiktoken

    tokens = read_vocabulary(encoding)
    ranks = dict(zip(tokens, range(len(tokens)), strict=True))
    encode = tiktoken.Encoding(
        encoding, pat_str=_PATTERNS[encoding], mergeable_ranks=ranks, special_tokens={}
    ).encode_ordinary
    # The Rust core has its own copy: 25 MB that nobody reads again.
    ranks.clear()
    return lambda text: len(encode(text))
