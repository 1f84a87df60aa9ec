"""Which result answers which call, as a provider sees it: ordered, by occurrence, and in the right place.

`headroom_cli.pairing` asks what belongs together; here the question is what a provider accepts. A result is *in place*
where the provider looks for it (`Profile.adjacency`). One that stands elsewhere is displaced: one finding with two
places, never an unanswered call and an orphan.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from headroom_cli.lint.history import Block, Entry, History, Turn
from headroom_cli.lint.providers import Profile

INTERRUPTED = "[Request interrupted by user"


@dataclass(slots=True, eq=False)
class Displaced:
    """A call and its result, which does not stand where the provider looks for it. `early`: before its call."""

    call: Block
    result: Block
    early: bool = False


@dataclass(slots=True, eq=False)
class Duplicate:
    """Another result of a call that has one. `same_place`: in the same turn or run."""

    call: Block
    first: Block
    again: Block
    same_place: bool


@dataclass(slots=True, eq=False)
class Orphan:
    """A result that answers no call of the history. `calls` are those that the place it stands in could answer."""

    result: Block
    calls: list[Block] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Matching:
    """`pending` calls have no result yet, at the open end of a log; `unanswered` ones never got one."""

    answered: list[tuple[Block, Block]] = field(default_factory=list)
    pending: list[Block] = field(default_factory=list)
    unanswered: list[Block] = field(default_factory=list)
    orphans: list[Orphan] = field(default_factory=list)
    displaced: list[Displaced] = field(default_factory=list)
    duplicates: list[Duplicate] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Open:
    call: Block
    turn: int
    result: Block | None = None
    in_place: bool = False


class _Calls:
    """The calls of one id (or name): those without a result, and the last that got one."""

    __slots__ = ("answered", "waiting")

    def __init__(self) -> None:
        self.waiting: dict[int, _Open] = {}
        self.answered: _Open | None = None


_Key = tuple[str, str]


class _Matcher:
    def __init__(self, anywhere: bool) -> None:
        self.found = Matching()
        self.calls: list[_Open] = []
        self._anywhere = anywhere
        self._by_key: dict[_Key, _Calls] = {}
        self._here: dict[_Key, list[_Open]] = {}  # the calls that results standing here may answer
        self._here_calls: list[Block] = []
        self._strays: list[Orphan] = []

    def open(self, block: Block, turn: int) -> None:
        entry, key = _Open(block, turn), _key(block)
        self.calls.append(entry)
        self._here.setdefault(key, []).append(entry)
        self._here_calls.append(block)
        self._by_key.setdefault(key, _Calls()).waiting[id(entry)] = entry

    def leave_place(self) -> None:
        if not self._anywhere:
            self._here, self._here_calls = {}, []

    def take(self, result: Block) -> None:
        key = _key(result)
        known = self._by_key.get(key)
        if known is None:
            self._strays.append(Orphan(result, self._here_calls))
            return
        here = self._here.get(key, ())
        entry = next((entry for entry in here if entry.result is None), None)
        if entry is not None:
            self._answer(known, entry, result, in_place=True)
        elif known.waiting:
            entry = next(reversed(known.waiting.values()))
            self._answer(known, entry, result, in_place=False)
            self.found.displaced.append(Displaced(entry.call, result))
        else:
            first = here[-1] if here else known.answered
            if first is not None and first.result is not None:
                same = first.in_place and bool(here)
                self.found.duplicates.append(Duplicate(first.call, first.result, result, same))

    def _answer(self, known: _Calls, entry: _Open, result: Block, *, in_place: bool) -> None:
        entry.result, entry.in_place = result, in_place
        del known.waiting[id(entry)]
        known.answered = entry

    def settle_strays(self) -> None:
        """A result whose call comes only after it is displaced, not an orphan."""
        for orphan in self._strays:
            known = self._by_key.get(_key(orphan.result))
            if known is None or not known.waiting:
                self.found.orphans.append(orphan)
                continue
            entry = next(iter(known.waiting.values()))
            self._answer(known, entry, orphan.result, in_place=False)
            self.found.displaced.append(Displaced(entry.call, orphan.result, early=True))


def match(history: History, profile: Profile) -> Matching:
    """Pair the calls and results of a history by the provider's rules. Cost: linear in its blocks."""
    turns = history.merged_turns if profile.merges_turns else history.single_turns
    matcher = _Matcher(profile.adjacency == "anywhere")
    for turn in turns:
        calls = False
        for block in turn.blocks:
            if block.kind == "call":
                if not calls:
                    calls = True
                    matcher.leave_place()
                matcher.open(block, turn.index)
            elif block.kind == "result":
                matcher.take(block)
        if not calls and _ends_place(turn, profile):
            matcher.leave_place()
    matcher.settle_strays()
    found = matcher.found
    open_end = _frontier(turns) if history.spares_frontier else None
    for entry in matcher.calls:
        if entry.result is None:
            pending = open_end is not None and entry.turn >= open_end
            (found.pending if pending else found.unanswered).append(entry.call)
        elif entry.in_place:
            found.answered.append((entry.call, entry.result))
    return found


def _key(block: Block) -> _Key:
    return ("id", block.id) if block.id is not None else ("name", block.name)


def _ends_place(turn: Turn, profile: Profile) -> bool:
    """Whether results after this turn, which calls nothing, are out of place."""
    if profile.adjacency == "anywhere":
        return False
    if profile.adjacency == "before_assistant":
        return turn.side == "assistant"
    if profile.adjacency == "run":
        return not any(block.kind == "result" for block in turn.blocks)
    return True


def _frontier(turns: list[Turn]) -> int | None:
    """The turn from which on calls may wait for results: the last of the assistant, if no human spoke after it."""
    for turn in reversed(turns):
        if turn.side == "assistant":
            return turn.index
        if turn.side == "user" and any(map(_speaks, turn.entries)):
            return None
    return None


def _speaks(entry: Entry) -> bool:
    """Whether an entry of the user's says more than results and that the user interrupted."""
    return any(
        block.kind == "media" or (block.kind == "text" and not str(block.value).startswith(INTERRUPTED))
        for block in entry.blocks
    )
