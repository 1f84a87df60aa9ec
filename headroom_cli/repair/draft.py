"""A history while it is being repaired: copied where it is changed, identical everywhere else.

Positions stay what they were until `commit`: an item of a list is replaced, dropped or surrounded by others without
moving its neighbours. So all repairs of a round can name places as lint found them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from headroom_cli.lint.history import Block, Entry, History, Pointer


@dataclass(slots=True, eq=False)
class _Slot:
    """An item of a list: what it has become, and what stands around it now."""

    items: list[Any]
    before: list[Any] = field(default_factory=list)
    after: list[Any] = field(default_factory=list)


class Misshapen(Exception):  # noqa: N818 - says why a history stays as it is
    """A place that a repair needs is not there, or holds something else than it must."""


class Origins:
    """Which value of the original each copied container comes from."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, Any]] = {}  # the copy is kept, so that its id stays its own

    def copy(self, value: Any) -> Any:
        """A shallow copy of a dict or list that remembers where it comes from."""
        made = value.copy()
        self.derive(made, value)
        return made

    def derive(self, made: Any, value: Any) -> None:
        """Say that `made` stands in the place of `value`."""
        self._known[id(made)] = (made, self.of(value))

    def join(self, others: Origins) -> None:
        """Know what `others` know as well."""
        self._known.update(others._known)

    def of(self, value: Any) -> Any:
        """The original of a copy; the value itself where it is none."""
        known = self._known.get(id(value))
        return value if known is None else known[1]


class Draft:
    """`root` is the body, or the list of messages. All pointers lead from it, as lint gave them."""

    def __init__(self, history: History, root: Any, origins: Origins) -> None:
        self.history = history
        self._root = root
        self._origins = origins
        self._own: dict[int, Any] = {}
        self._slotted: dict[int, list[Any]] = {}
        self._blocks: set[int] = set()
        self._shared: set[int] = set()
        self._entries: set[int] = set()
        self._claimed: tuple[Block | Entry, ...] = ()
        self.taken_ids: set[str] = set()

    @property
    def changed(self) -> bool:
        """Whether anything was changed since the last commit."""
        return bool(self._own)

    def is_taken(self, block: Block) -> bool:
        """Whether another repair of this round has the block."""
        return id(block) in self._blocks or id(block.entry) in self._entries

    def claim(self, *targets: Block | Entry, beside: Sequence[Entry] = ()) -> bool:
        """Whether these are free in this round; then they are taken, blocks one by one, entries with all in them.

        `beside` are entries that something is added to: they must not be taken whole.
        """
        if any(id(entry) in self._entries for entry in beside):
            return False
        for target in targets:
            if isinstance(target, Block):
                if self.is_taken(target):
                    return False
            elif id(target) in self._entries or id(target) in self._shared:
                return False
        for target in targets:
            if isinstance(target, Block):
                self._blocks.add(id(target))
                self._shared.add(id(target.entry))
            else:
                self._entries.add(id(target))
        self._shared.update(id(entry) for entry in beside)
        self._claimed += targets
        return True

    def keep(self) -> None:
        """What was claimed stays so: it was changed."""
        self._claimed = ()

    def release(self) -> None:
        """Give back what was claimed since the last `keep`: none of it was changed."""
        for target in self._claimed:
            self._blocks.discard(id(target))
            self._entries.discard(id(target))
        self._claimed = ()

    def get(self, path: Pointer) -> Any:
        """The value at a place as it is now. Raises `Misshapen` where there is none."""
        value = self._root
        for key in path:
            value = _member(value, key)
            if isinstance(value, _Slot):
                value = _member(value.items, 0)
        return value

    def stands(self, path: Pointer) -> bool:
        """Whether there is still something at a place."""
        value = self._root
        for key in path:
            value = _member(value, key)
            if isinstance(value, _Slot):
                if not value.items:
                    return False
                value = value.items[0]
        return True

    def length(self, path: Pointer) -> int:
        """How many items a list will have."""
        items = self.get(path)
        return sum(
            len(item.before) + len(item.items) + len(item.after) if isinstance(item, _Slot) else 1 for item in items
        )

    def set(self, path: Pointer, value: Any) -> None:
        """Put a value in a place."""
        if not path:
            self._root = value
            self._own[id(value)] = value
            return
        holder: Any = self._mutable(path[:-1])
        key: Any = path[-1]
        if isinstance(holder, dict) and isinstance(key, str):
            holder[key] = value
        elif isinstance(_member(holder, key), _Slot):
            holder[key].items = [value]
        else:
            holder[key] = value

    def drop(self, path: Pointer) -> None:
        """Take a value out: a member of an object, or an item of a list."""
        holder = self._mutable(path[:-1])
        if isinstance(holder, list):
            self._slot(path).items = []
        else:
            holder.pop(path[-1], None)

    def replace(self, path: Pointer, values: Sequence[Any]) -> None:
        """Put any number of items in the place of one."""
        self._slot(path).items = list(values)

    def before(self, path: Pointer, *values: Any) -> None:
        """Items before one, behind those that were put there already."""
        self._slot(path).before.extend(values)

    def after(self, path: Pointer, *values: Any) -> None:
        """Items after one, behind those that were put there already."""
        self._slot(path).after.extend(values)

    def copy(self, value: Any) -> Any:
        """A shallow copy of a container that counts as the same value at a new place."""
        return self._origins.copy(value)

    def commit(self) -> Any:
        """The new root, positions settled; the draft is used up."""
        for items in self._slotted.values():
            settled: list[Any] = []
            for item in items:
                if isinstance(item, _Slot):
                    settled += [*item.before, *item.items, *item.after]
                else:
                    settled.append(item)
            items[:] = settled
        return self._root

    def _slot(self, path: Pointer) -> _Slot:
        holder: Any = self._mutable(path[:-1])
        held = _member(holder, path[-1])
        if isinstance(held, _Slot):
            return held
        made = holder[path[-1]] = _Slot([held])
        self._slotted[id(holder)] = holder
        return made

    def _mutable(self, path: Pointer) -> Any:
        """The container at a place, copied on the way to it if it is still the original."""
        value = self._root
        if id(value) not in self._own:
            value = self._root = self._copied(value)
        for key in path:
            held = _member(value, key)
            inner = _member(held.items, 0) if isinstance(held, _Slot) else held
            if id(inner) not in self._own:
                inner = self._copied(inner)
                if isinstance(held, _Slot):
                    held.items[0] = inner
                else:
                    value[key] = inner
            value = inner
        return value

    def _copied(self, value: Any) -> Any:
        if not isinstance(value, dict | list):
            raise Misshapen
        made = self._origins.copy(value)
        self._own[id(made)] = made
        return made


def _member(holder: Any, key: str | int) -> Any:
    if not isinstance(holder, dict | list):
        raise Misshapen
    try:
        return holder[key]  # type: ignore[index]
    except (KeyError, IndexError, TypeError):
        raise Misshapen from None
