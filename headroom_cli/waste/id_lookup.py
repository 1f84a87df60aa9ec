"""# id_lookup: a look into a store only to find the id for the next update

## What it does
Flags the result of a call that searches, lists or views a store, if the next calls of the model change that store and
nothing else, and take an id (or key, or path) from it that the looking call did not have. Store: the same MCP server
and the same words in the names of the tools but for the verb and the plural (`memory_search` and `memory_update`;
`search_memories` and `delete_memory`; the commands of one `memory` tool). Looking: `search`, `list`, `view`, `find`,
`query`, `retrieve`, `get`, `read`, `recall`. Changing: `update`, `delete`, `remove`, `edit`, `forget`, `archive`,
`replace`, `insert`, `rename`. An id has at least three characters, or is a number. Tokens are those of the result.

Where the store is a memory (a word of its name begins with `memor`) confidence is high and all is avoidable; else it is
low and nothing is: of an issue tracker, the agent has to ask.

## Why it matters
What a memory holds is put into the prompt at the start of a session. If the entries stand there without their ids, the
model has to fetch them again before it can change one.

## Known problems
A model that reads the result also to decide what to change has used it for more than the id; the log doesn't tell.

## Example
```python
[
    *call("toolu_1", "memory_search", {"query": "editor"}, '[{"id": "mem_17", "text": "The user works in vim."}]'),
    *call("toolu_2", "memory_update", {"id": "mem_17", "text": "The user works in Helix."}, "updated"),
]
```
Flagged: 24 tokens; avoidable: 24.

## Fix
Put the ids into the memory block that is injected: `[mem_17] The user works in vim.`

## References
- https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/memory-tool
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from headroom_cli.model import Block, Waste
from headroom_cli.waste.access import tool_words
from headroom_cli.waste.base import whole_block
from headroom_cli.waste.given import Given
from headroom_cli.waste.history import History

NAME = "id_lookup"

_LOOKING = frozenset({"search", "list", "view", "find", "query", "retrieve", "get", "read", "recall"})
_CHANGING = frozenset({"update", "delete", "remove", "edit", "forget", "archive", "replace", "insert", "rename"})
_COMMAND_KEYS = ("command", "action", "operation")
_FILLERS = frozenset({"all", "by", "id", "ids", "str", "tool"})
_ID_KEY = re.compile(r"(?:.*_)?(?:ids?|keys?|uuids?|path)|.*I[dD]s?")
_COMMAND = re.compile(r"[a-z]+(?:_[a-z]+)*")
_MIN_ID = 3


class _Access(NamedTuple):
    """Looking into or changing a store."""

    store: tuple[str | None, frozenset[str]]
    does: Literal["look", "change"]


def find(history: History) -> list[Waste]:
    """One finding for each look that served the calls after it."""
    accesses = {
        call.index: access
        for call in history.calls
        if (access := _access(history.given(call), call.server)) is not None
    }
    stores = {does: {a.store for a in accesses.values() if a.does == does} for does in ("look", "change")}
    if stores["look"].isdisjoint(stores["change"]):
        return []
    findings = []
    for calls, after in pairwise(_turns(history)):
        changes = {accesses.get(call.index) for call in after}
        (change,) = changes if len(changes) == 1 else (None,)
        if change is None or change.does != "change":
            continue
        for look in calls:
            result = history.result(look.index)
            if (
                accesses.get(look.index) != _Access(change.store, "look")
                or result is None
                or history.failed(look.index)
            ):
                continue
            known = set(_ids(history.given(look)))
            if any(
                _stands_in(value, result.text)
                for call in after
                for value in _ids(history.given(call))
                if value not in known
            ):
                is_memory = any(word.startswith("memor") for word in change.store[1])
                findings.append(whole_block(NAME, result, after[0].index, look.request, doubtful=not is_memory))
    return findings


def _turns(history: History) -> list[list[Block]]:
    """The calls of each response that has any; a turn of a human parts them as an empty list."""
    turns: list[list[Block]] = []
    step: int | None = None
    for block in history.blocks:
        if block.kind == "tool_call":
            if block.step != step:
                turns.append([])
                step = block.step
            turns[-1].append(block)
        elif block.kind in ("user", "rag"):
            turns.append([])
    return turns


def _access(given: Given, server: str | None) -> _Access | None:
    """What a call does to which store: told by the name of the tool, or by the command of a tool of one word."""
    does, nouns = _told_by(given.tool)
    if does is None and len(nouns) == 1:
        command = next((value for key in _COMMAND_KEYS if isinstance(value := given.fields.get(key), str)), "")
        does = _told_by(command)[0] if _COMMAND.fullmatch(command) else None
    return _Access((server, nouns), does) if does and nouns else None


@lru_cache(maxsize=1024)
def _told_by(name: str) -> tuple[Literal["look", "change"] | None, frozenset[str]]:
    words = tool_words(name)
    nouns = frozenset(map(_singular, words)) - _LOOKING - _CHANGING - _FILLERS
    if not _CHANGING.isdisjoint(words):
        return "change", nouns
    return None if _LOOKING.isdisjoint(words) else "look", nouns


def _singular(word: str) -> str:
    return f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("s")


def _ids(given: Given) -> Iterator[str]:
    """The values that name an entry of a store."""
    for key, value in given.fields.items():
        if _ID_KEY.fullmatch(key):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, int) and not isinstance(each, bool):
                    yield str(each)
                elif isinstance(each, str) and len(each) >= _MIN_ID:
                    yield each


def _stands_in(value: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value.rpartition('/')[2] or value)}(?!\w)", text) is not None
