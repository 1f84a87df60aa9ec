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
    """A call and its result, which does not stand where the provider looks for it.

    `early`: it stands before its call. `split`: nothing but messages with other results stands between the two.
    """

    call: Block
    result: Block
    early: bool = False
    split: bool = False


@dataclass(slots=True, eq=False)
class Duplicate:
    """Another result of a call that has one. `same_place`: both stand where the provider looks for one."""

    call: Block
    first: Block
    again: Block
    same_place: bool


@dataclass(slots=True, eq=False)
class Orphan:
    """A result that answers no call of the history. `calls` are those whose results were awaited where it stands.

    Of these, `waiting` never got theirs: the ids do not match. `call` is set where one result and one call are left
    over, so that they can only belong together; it stands among the unanswered (or pending) all the same.
    """

    result: Block
    calls: list[Block] = field(default_factory=list)
    waiting: list[Block] = field(default_factory=list)
    call: Block | None = None


@dataclass(slots=True, eq=False)
class Matching:
    """The calls and results of a history. `answered` ones are in place.

    `pending` calls have no result yet, at the open end of a log; `unanswered` ones never got one; `repeated` ones have
    none of their own, for they share the id of a call that has.
    """

    answered: list[tuple[Block, Block]] = field(default_factory=list)
    pending: list[Block] = field(default_factory=list)
    unanswered: list[Block] = field(default_factory=list)
    repeated: list[Block] = field(default_factory=list)
    orphans: list[Orphan] = field(default_factory=list)
    displaced: list[Displaced] = field(default_factory=list)
    duplicates: list[Duplicate] = field(default_factory=list)

    @property
    def misnamed(self) -> set[int]:
        """The calls (by identity) whose result is there, under another id."""
        return {id(orphan.call) for orphan in self.orphans if orphan.call is not None}


@dataclass(slots=True, eq=False)
class _Open:
    call: Block
    turn: int
    result: Block | None = None
    in_place: bool = False


class _Calls:
    """Calls of one id (or name), in order, and the last of them that got a result: of all, and of those of one place.

    A place is what results may stand in that answer the calls before it: they are numbered, and `place` is the last.
    """

    __slots__ = ("_first", "_first_here", "_waiting", "answered", "answered_here", "place")

    def __init__(self, first: _Open, place: int) -> None:
        self.place = place
        self.answered: _Open | None = None
        self.answered_here: _Open | None = None
        self._waiting = [first]
        self._first = self._first_here = 0

    def open(self, entry: _Open, place: int) -> None:
        """One more call waits, in this place."""
        if self.place != place:
            self.place, self.answered_here, self._first_here = place, None, len(self._waiting)
        self._waiting.append(entry)

    def first(self) -> _Open | None:
        """The first that waits."""
        self._first = self._from(self._first)
        return self._waiting[self._first] if self._first < len(self._waiting) else None

    def first_here(self) -> _Open | None:
        """The first that waits in the last place."""
        self._first_here = self._from(self._first_here)
        return self._waiting[self._first_here] if self._first_here < len(self._waiting) else None

    def last(self) -> _Open | None:
        """The last that waits."""
        waiting = self._waiting
        while waiting and waiting[-1].result is not None:
            waiting.pop()
        self._first, self._first_here = min(self._first, len(waiting)), min(self._first_here, len(waiting))
        return waiting[-1] if waiting else None

    def _from(self, number: int) -> int:
        while number < len(self._waiting) and self._waiting[number].result is not None:
            number += 1
        return number


_Key = tuple[str, str]


class _Matcher:
    def __init__(self, history: History, anywhere: bool) -> None:
        self.found = Matching()
        self.calls: list[_Open] = []
        self._anywhere = anywhere
        self._by_name = history.dialect == "gemini"  # ids came late, and one side may lack them
        self._known: dict[_Key, _Calls] = {}
        self._place = 0  # results that stand here may answer the calls of this place
        self._awaited: list[_Open] = []
        self._strays: list[tuple[Block, list[_Open]]] = []

    def open(self, block: Block, turn: int) -> None:
        entry = _Open(block, turn)
        self.calls.append(entry)
        self._awaited.append(entry)
        for key in self._keys_of_call(block):
            calls = self._known.get(key)
            if calls is None:
                self._known[key] = _Calls(entry, self._place)
            else:
                calls.open(entry, self._place)

    def leave_place(self) -> None:
        self._awaited = []
        if not self._anywhere:
            self._place += 1

    def take(self, result: Block) -> None:
        for key in self._keys_of_result(result):
            calls = self._known.get(key)
            if calls is None:
                continue
            here = calls.place == self._place
            if here and (entry := calls.first_here()) is not None:
                self._answer(entry, result, in_place=True)
            elif here and calls.answered_here is not None:
                self._again(calls.answered_here, result, same_place=calls.answered_here.in_place)
            elif (entry := calls.last()) is not None:
                self._answer(entry, result, in_place=False)
                self.found.displaced.append(Displaced(entry.call, result))
            elif calls.answered is not None:
                self._again(calls.answered, result, same_place=False)
            else:
                continue
            return
        self._strays.append((result, self._awaited))

    def _again(self, entry: _Open, result: Block, *, same_place: bool) -> None:
        if entry.result is not None:
            self.found.duplicates.append(Duplicate(entry.call, entry.result, result, same_place))

    def _answer(self, entry: _Open, result: Block, *, in_place: bool) -> None:
        entry.result, entry.in_place = result, in_place
        for key in self._keys_of_call(entry.call):
            calls = self._known[key]
            calls.answered = entry
            if calls.place == self._place:
                calls.answered_here = entry

    def settle_strays(self) -> None:
        """What answered nothing when it came: its call stands later, or it stands in the place of another, or neither.

        Results that stand where calls still wait differ from what is awaited by their id only.
        """
        left: dict[int, tuple[list[_Open], list[Block]]] = {}
        for result, awaited in self._strays:
            known = [self._known[key].first() for key in self._keys_of_result(result) if key in self._known]
            entry = next((entry for entry in known if entry is not None), None)
            if entry is not None:
                self._answer(entry, result, in_place=False)
                self.found.displaced.append(Displaced(entry.call, result, early=True))
            else:
                left.setdefault(id(awaited), (awaited, []))[1].append(result)
        for awaited, results in left.values():
            calls = [entry.call for entry in awaited]
            waiting = [entry.call for entry in awaited if entry.result is None]
            only = waiting[0] if len(waiting) == len(results) == 1 else None
            self.found.orphans += [Orphan(result, calls, waiting, only) for result in results]

    def _keys_of_call(self, block: Block) -> tuple[_Key, ...]:
        if block.id is None:
            return (("name", block.name), ("no id", block.name), ("no name", ""))
        return (("id", block.id), ("name", block.name)) if self._by_name else (("id", block.id),)

    def _keys_of_result(self, block: Block) -> tuple[_Key, ...]:
        """What a result may be known by, best first: its id, else its name, else only its place."""
        if block.id is None:
            return (("name", block.name) if block.name else ("no name", ""),)
        return (("id", block.id), ("no id", block.name)) if self._by_name else (("id", block.id),)


def match(history: History, profile: Profile) -> Matching:
    """Pair the calls and results of a history by the provider's rules. Cost: linear in its blocks."""
    adjacency = profile.adjacency_in(history.dialect)
    items = history.dialect == "openai-responses"  # each call is an entry of its own there
    turns = history.merged_turns if profile.merges(history.dialect) or items else history.single_turns
    matcher = _Matcher(history, adjacency == "anywhere")
    for turn in turns:
        calls = False
        for entry in turn.entries:
            for block in entry.blocks:
                if block.kind == "call":
                    if not calls:
                        calls = True
                        matcher.leave_place()
                    matcher.open(block, turn.index)
                elif block.kind == "result":
                    matcher.take(block)
            if adjacency == "run" and _breaks_run(entry, items):
                matcher.leave_place()
        if not calls and (
            adjacency in ("turn", "next") or (adjacency == "before_assistant" and turn.side == "assistant")
        ):
            matcher.leave_place()
    matcher.settle_strays()
    found = matcher.found
    _mark_split(history, found.displaced)
    found.answered = [(o.call, o.result) for o in matcher.calls if o.in_place and o.result is not None]
    without = [opened for opened in matcher.calls if opened.result is None]
    if not without:
        return found
    open_end = _frontier(turns) if history.spares_frontier else None
    answered: dict[tuple[int, str | None], Block] = {}
    if profile.same_turn_ids is not None:  # else ids may repeat, and each call wants a result of its own
        answered = {(opened.turn, opened.call.id): opened.call for opened in matcher.calls if opened.in_place}
    by_id = {call.id: call for call in answered.values()} if profile.later_turn_ids == "error" else {}
    for opened in without:
        call = opened.call
        if call.id is not None and ((opened.turn, call.id) in answered or _is_copy(call, by_id.get(call.id))):
            found.repeated.append(call)
        elif open_end is not None and opened.turn >= open_end:
            found.pending.append(call)
        else:
            found.unanswered.append(call)
    return found


def _mark_split(history: History, displaced: list[Displaced]) -> None:
    """One pass over the entries tells of any two of them what stands between."""
    if not any(not pair.early for pair in displaced):
        return
    others = [0]
    for entry in history.entries:
        bears = entry.side == "user" and any(block.kind == "result" for block in entry.blocks)
        others.append(others[-1] + (not bears))
    for pair in displaced:
        pair.split = not pair.early and others[pair.result.entry.index] == others[pair.call.entry.index + 1]


def _is_copy(call: Block, other: Block | None) -> bool:
    return other is not None and other.name == call.name and other.value == call.value


def _breaks_run(entry: Entry, items: bool) -> bool:
    """Whether results after this entry no longer stand in the run that follows their calls."""
    kinds = {block.kind for block in entry.blocks}
    if items:
        return not kinds.isdisjoint({"text", "media"})
    return kinds.isdisjoint({"call", "result"})


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
        block.kind == "media"
        or (block.kind == "text" and not (isinstance(block.value, str) and block.value.startswith(INTERRUPTED)))
        for block in entry.blocks
    )
