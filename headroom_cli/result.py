"""What a run gave: each file's fate, and everything settled. Reports read this and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field

from headroom_cli.cost import PriceList
from headroom_cli.model import Damage
from headroom_cli.selection import Selection
from headroom_cli.settle import Settled


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file. `skipped` says why nothing was read; `notes` what the reader could not tell."""

    path: str
    log_format: str
    bytes: int
    records: int
    conversations: int
    damaged: list[Damage]
    unknown: dict[str, int]
    skipped: str | None
    notes: list[str]
    named: bool = True


@dataclass(frozen=True, slots=True)
class Run:
    """All files of a run and what they gave, settled. `tool_units` only where asked for: by conversation number.

    `selection` says which requests and conversations were asked for, `prices` what they were priced at.
    `lint` is how many errors and warnings lint finds, where that was asked for.
    """

    settled: Settled
    files: list[FileReport]
    tool_units: dict[int, list[tuple[int, list[int]]]] = field(default_factory=dict)
    selection: Selection = field(default_factory=Selection)
    prices: PriceList = field(default_factory=PriceList)
    lint: tuple[int, int] | None = None
