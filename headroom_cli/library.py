"""The library: histories of plain values, SDK objects or paths in; blocks, tokens and waste out.

The names are those that people know from the proxy of the same family; the figures are those of `docs/signals.md`, the
same as the command line's. Whatever the messages hold, nothing here raises because of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from headroom_cli import logs, wire
from headroom_cli.analysis import Analyser, Settings
from headroom_cli.blocks import compute_hash, count_tokens, is_rag_content, message_blocks
from headroom_cli.logs.context import replay_append_only
from headroom_cli.logs.exchange.thread import ITEM_DIALECTS
from headroom_cli.model import Block, BlockKind, Conversation, Message, Reading, Text
from headroom_cli.pairing import pair, tool_units
from headroom_cli.source.stream import DEFAULT_LIMITS, limits_for
from headroom_cli.tokens import TextCounter, Tokenizer, get_tokenizer, replace_surrogates
from headroom_cli.waste import pages, reread
from headroom_cli.waste.claims import detect
from headroom_cli.waste.history import RETRIEVAL_MARKERS
from headroom_cli.wire.plain import as_plain

__all__ = [
    "ParsedBlock",
    "ParsedHistory",
    "WasteSignals",
    "analyze",
    "compute_hash",
    "detect_waste_signals",
    "find_tool_units",
    "get_message_content_text",
    "is_rag_content",
    "parse_message_to_blocks",
    "parse_messages",
    "read",
]


@dataclass(frozen=True, slots=True)
class ParsedBlock:
    """What one part of a message puts into the context (`docs/signals.md` section 1). `tokens` includes framing.

    `content_hash` is the first 16 hex digits of the MD5 of the text; of an image, of its data ("" if unknown).
    `tool_call_id`, `tool_name` and `call_key` belong to calls and to results, as far as they are known.
    """

    kind: BlockKind
    text: str
    tokens: int
    content_hash: str
    message_index: int
    tool_call_id: str | None = None
    tool_name: str | None = None
    call_key: str | None = None
    is_error: bool | None = None


class WasteSignals(dict[str, int]):
    """Flagged tokens by signal, 0 where nothing was found, also as attributes: `waste.reread`, `waste["json_bloat"]`.

    `reread_compressed` is a part of `reread`. `flagged` counts each token once, however many signals hit it, and so
    never exceeds the tokens of the history; `avoidable` is the part that a cure would recover.
    """

    flagged: int
    avoidable: int

    def __init__(self, figures: Mapping[str, int] = {}, *, flagged: int = 0, avoidable: int = 0) -> None:
        super().__init__(dict.fromkeys(pages(), 0) | {"reread_compressed": 0} | dict(figures))
        self.flagged, self.avoidable = flagged, avoidable

    def __getattr__(self, name: str) -> int:
        figure = self.get(name.removesuffix("_tokens"))
        if figure is None:
            raise AttributeError(f"no waste signal is called {name!r}")
        return figure

    def total(self) -> int:
        """The flagged tokens, each counted once."""
        return self.flagged

    def to_dict(self) -> dict[str, int]:
        """The figures as a plain dict."""
        return dict(self)


class ParsedHistory(NamedTuple):
    """Blocks in wire order, tokens by kind of block, and waste."""

    blocks: list[ParsedBlock]
    tokens_by_kind: dict[str, int]
    waste: WasteSignals


def parse_messages(
    messages: Sequence[Any],
    tokenizer: TextCounter | None = None,
    compressed_messages: Sequence[Any] | None = None,
) -> ParsedHistory:
    """Blocks, tokens by kind and waste of a history in any dialect, of dicts or SDK objects.

    `tokenizer` is anything with `count_text(str) -> int`; by default o200k_base. `compressed_messages` is the same
    history after a compressor, with as many messages: repeats of a result whose first serve it replaced by a retrieval
    marker count into `waste.reread_compressed`.
    """
    history = _plain_list(messages)
    dialect, parsed = wire.parse_history(history)
    conversation = Conversation("", None, "", dialect, "", messages=parsed)
    replay_append_only(conversation, merge_runs=dialect in ITEM_DIALECTS)
    analysis = Analyser(_counter(tokenizer)).analyse([conversation])[0]
    by_kind: Counter[str] = Counter()
    for block in analysis.blocks:
        by_kind[block.kind] += block.tokens
    figures: Counter[str] = Counter()
    for finding in analysis.waste:
        figures[finding.signal] += finding.tokens
    figures["reread_compressed"] = _compressed(analysis.blocks, history, compressed_messages)
    waste = WasteSignals(
        figures,
        flagged=sum(finding.exclusive_tokens for finding in analysis.waste),
        avoidable=sum(finding.avoidable_tokens for finding in analysis.waste),
    )
    return ParsedHistory([_parsed(block) for block in analysis.blocks], dict(by_kind), waste)


def parse_message_to_blocks(message: Any, index: int = 0, tokenizer: TextCounter | None = None) -> list[ParsedBlock]:
    """The blocks of one message, with `index` as its place in the history; at least one."""
    _, (parsed,) = wire.parse_history([as_plain(message)])
    parsed.index = index
    blocks = message_blocks([parsed])
    count_tokens([blocks], _counter(tokenizer), {})
    return [_parsed(block) for block in blocks]


def find_tool_units(messages: Sequence[Any]) -> list[tuple[int, list[int]]]:
    """`(index of a message that calls, [indices of the messages with its results])`, in order, by call id.

    Whatever may stand between; ids that repeat are matched by occurrence. Messages whose calls have no result are left
    out.
    """
    return tool_units(pair(_parse(messages)))


def detect_waste_signals(text: str, tokenizer: TextCounter | None = None, kind: BlockKind = "user") -> WasteSignals:
    """The content signals in a text, as in a block of `kind` (`dynamic_date` is looked for in `system` text only)."""
    if not isinstance(text, str) or not text:
        return WasteSignals()
    counter = _counter(tokenizer)
    clean = replace_surrogates(text)
    (claims,) = detect([clean], [kind], [counter.count_text(clean)], counter)
    return WasteSignals(
        {claim.signal: claim.tokens for claim in claims},
        flagged=sum(claim.exclusive for claim in claims),
        avoidable=sum(claim.avoidable for claim in claims),
    )


def get_message_content_text(message: Any) -> str:
    """The text of a message, its parts joined with a newline; without calls, results and media."""
    return "\n".join(part.text for part in _parse([message])[0].parts if isinstance(part, Text) and part.text)


def read(path: str | Path, *, max_line: int | None = None) -> Reading:
    """The conversations in one log file. `Reading.skipped` says why there are none; nothing in a file raises.

    `max_line` is the longest line, or document, that is read, in bytes.
    """
    return logs.read_log(path, limits=limits_for(max_line) if max_line else DEFAULT_LIMITS)


def analyze(
    paths: str | Path | Iterable[str | Path], tokenizer: TextCounter | None = None, *, max_line: int | None = None
) -> dict[str, Any]:
    """What `headroom analyze PATHS --format json --limit 0` prints, as a dict; `max_line` as for `read`.

    Raises ValueError where a path does not exist.
    """
    from headroom_cli.report.json import document
    from headroom_cli.run import analyse_files
    from headroom_cli.source.discover import UsageProblem, discover

    given = [paths] if isinstance(paths, str | Path) else list(paths)
    try:
        files = discover([str(path) for path in given], since=None).files if given else []
    except UsageProblem as problem:
        raise ValueError(str(problem)) from problem
    settings = Settings(limits=limits_for(max_line) if max_line else DEFAULT_LIMITS)
    run = analyse_files(files, Analyser(_counter(tokenizer), settings), tool_units=True)
    found: dict[str, Any] = orjson.loads(document(run, limit=0))
    return found


def _counter(tokenizer: TextCounter | None) -> TextCounter:
    if tokenizer is None:
        return get_tokenizer()
    # Guards a foreign tokenizer against what none can take: surrogates and very long runs.
    return tokenizer if isinstance(tokenizer, Tokenizer) else Tokenizer("custom", "custom", tokenizer.count_text)


def _plain_list(messages: Any) -> list[Any]:
    plain = as_plain(messages)
    return plain if isinstance(plain, list) else []


def _parse(messages: Sequence[Any]) -> list[Message]:
    return wire.parse_history(_plain_list(messages))[1]


def _parsed(block: Block) -> ParsedBlock:
    return ParsedBlock(
        block.kind,
        block.text,
        block.tokens,
        block.content_hash,
        block.message_index,
        block.call_id,
        block.tool_name,
        block.call_key,
        block.is_error,
    )


def _compressed(blocks: list[Block], history: list[Any], compressed_messages: Sequence[Any] | None) -> int:
    """Tokens of repeats whose first serve the compressor replaced by a marker (`docs/signals.md` section 2)."""
    if compressed_messages is None:
        return 0
    compressed = _plain_list(compressed_messages)
    if len(compressed) != len(history):
        return 0
    shown: dict[int, list[str]] = {}
    for block in message_blocks(wire.parse_history(compressed)[1]):
        shown.setdefault(block.message_index, []).append(block.text)
    tokens = 0
    for group, repeats in reread.same_content(blocks):
        text = "\n".join(shown[group[0].message_index])
        if group[0].text not in text and any(marker in text for marker in RETRIEVAL_MARKERS):
            tokens += sum(group[position].tokens for position in repeats)
    return tokens
