"""The verbs of repair: synthesize, neutralize, drop, reorder, merge, rename. What else stands in a message stays."""

from __future__ import annotations

import hashlib
from typing import Any

from headroom_cli.lint.history import Block, Entry
from headroom_cli.lint.placeholders import says_nothing
from headroom_cli.repair import shapes
from headroom_cli.repair.shapes import ENTRY_RESULTS
from headroom_cli.repair.work import CannotRepair, Work

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SEPARATES = "-_"


def synthesize(work: Work, call: Block) -> None:
    """Add an error result for a call that has none, where the provider looks for it."""
    if call.id is None and not (work.dialect == "gemini" or call.type == "function_call"):
        raise CannotRepair("the call has no id that a result could name")
    place_result(work, call, shapes.result(work.dialect, call))


def answers_of(work: Work, call: Block) -> list[Entry]:
    """The message that the result of this call belongs into, if there is one: else it becomes a message of its own."""
    if work.dialect in ENTRY_RESULTS:
        return []
    following = work.neighbour(turn_end(work, call.entry), 1)
    if following is None or following.side != "user" or not isinstance(_content(following, work.dialect), list | str):
        return []
    return [following]


def place_result(work: Work, call: Block, made: Any) -> None:
    """Put a result where the provider looks for that of this call; `answers_of` must be free for it."""
    if work.dialect == "openai-responses":
        work.draft.after(call.entry.path, made)
        return
    if work.dialect in ENTRY_RESULTS:
        work.draft.after(run_end(work, call.entry).path, made)
        return
    answers = next(iter(answers_of(work, call)), None)
    if answers is None:
        _add_to_new_message(work, turn_end(work, call.entry), made)
        return
    path = shapes.content_path(answers, work.dialect)
    content = work.draft.get(path)
    if isinstance(content, str):
        work.draft.set(path, [shapes.text(work.dialect, content)] if content else [made])
        if not content:
            return
        content = work.draft.get(path)
    if not content:
        work.draft.set(path, [made])
        return
    behind = _earlier_result(work, call, answers)
    if behind is None:
        work.draft.before((*path, 0), made)
    else:
        work.draft.after(work.place(behind), made)


def neutralize(work: Work, result: Block, *, call: Block | None = None, keep: bool = False) -> str:
    """Turn a result into text in the same place, behind the results it stands among.

    One that says nothing goes, unless `keep`. `call` is the call that it answers, if the history has it.
    """
    if says_nothing(result) and not keep:
        work.take_out(result)
        return "dropped the result, which says nothing"
    words = shapes.neutral(result, call)
    draft, entry, dialect = work.draft, result.entry, work.dialect
    if dialect in ENTRY_RESULTS:
        role = "developer" if work.history.log_format == "codex" else "user"
        made = shapes.message(dialect, role, [shapes.text(dialect, words)])
        end = run_end(work, entry) if dialect == "openai" else entry
        draft.drop(entry.path)
        draft.after(end.path, made)
    else:
        blocks = [shapes.text(dialect, words, role=entry.role), *shapes.result_media(result)]
        draft.drop(work.place(result))
        draft.after(work.place(entry.of_kind("result")[-1]), *blocks)
    return "turned the result into text"


def neutralize_calls(work: Work, calls: list[Block]) -> None:
    """Turn calls into text in their places: who was called, with what."""
    by_entry: dict[int, list[Block]] = {}
    for call in calls:
        by_entry.setdefault(id(call.entry), []).append(call)
    for group in by_entry.values():
        entry = group[0].entry
        if work.dialect == "openai-responses":
            words = shapes.text(work.dialect, shapes.call_words(group[0]), role="assistant")
            work.draft.replace(entry.path, [shapes.message(work.dialect, "assistant", [words])])
        elif work.dialect == "openai":
            _chat_calls_to_text(work, entry, group)
        else:
            for call in group:
                words = shapes.text(work.dialect, shapes.call_words(call), role="assistant")
                work.draft.replace(work.place(call), [words])


def _chat_calls_to_text(work: Work, entry: Entry, calls: list[Block]) -> None:
    said = [shapes.call_words(call) for call in calls]
    content = entry.raw.get("content")
    if isinstance(content, list):
        made: Any = [*content, *(shapes.text("openai", words) for words in said)]
    else:
        made = "\n".join([*([content] if isinstance(content, str) and content else []), *said])
    work.draft.set((*entry.path, "content"), made)
    if len(calls) == len(entry.of_kind("call")):
        for key in ("tool_calls", "function_call"):
            if key in entry.raw:
                work.draft.drop((*entry.path, key))
    else:
        for call in calls:
            work.draft.drop(work.place(call))


def move(work: Work, call: Block, result: Block) -> None:
    """Move a result to the place of its call's results."""
    raw = work.draft.get(work.place(result))
    work.take_out(result)
    place_result(work, call, raw)


def merge(work: Work, first: Entry, others: list[Entry]) -> None:
    """Put the contents of messages into the first of them."""
    for entry in (first, *others):
        if not isinstance(entry.raw, dict) or not isinstance(_content(entry, work.dialect), list | str | None):
            raise CannotRepair("the content is neither text nor a list")
    for other in others:
        if strange := set(other.raw) - {"role", "content", "parts", "tool_calls", "type", "id", "status", "message"}:
            raise CannotRepair(f"the second message has members of its own ({', '.join(sorted(strange)[:3])})")
    if work.dialect == "openai":
        _merge_chat(work, first, others)
        return
    if first.blocks and isinstance(_content(first, work.dialect), list):
        last = (*shapes.content_path(first, work.dialect), len(_content(first, work.dialect)) - 1)
        for other in others:
            work.draft.after(last, *_items(work, other))
    else:
        items = [item for entry in (first, *others) for item in _items(work, entry)]
        work.draft.set(shapes.content_path(first, work.dialect), items)
    for other in others:
        work.draft.drop(other.path)


def rename(work: Work, block: Block, call_id: str) -> None:
    """Give a call, or a result, another call id."""
    place = work.place(block)
    work.draft.set((*place, *_id_key(work.dialect, block)), call_id)


def new_id(work: Work, call_id: str, occurrence: int = 0) -> str:
    """A call id that the provider accepts and the history does not have: the old one as far as possible.

    `occurrence` tells apart calls that share an id. Derived from the id alone, so that every run gives the same.
    """
    profile = work.profile
    pattern, length = profile.call_id, profile.call_id_length
    taken = work.draft.taken_ids
    if not taken:
        taken.update(block.id for block in work.history.blocks if block.id is not None)
    base = "".join(c if c.isascii() and (c.isalnum() or c in _SEPARATES) else "_" for c in call_id)
    for attempt in range(1000):
        seed = f"{call_id}\0{occurrence}\0{attempt}"
        number = occurrence + attempt
        wished = f"{base}_{number + 1}" if number else base
        fits = bool(base) and (length is None or len(wished) <= length)
        if not fits or (pattern is not None and not pattern.fullmatch(wished)):
            wished = "call_" + _base62(seed, 20)
            if pattern is not None and not pattern.fullmatch(wished):
                wished = _base62(seed, 9)
        if wished not in taken:
            taken.add(wished)
            return wished
    raise CannotRepair("no id is free")


def _base62(seed: str, length: int) -> str:
    number = int.from_bytes(hashlib.sha256(seed.encode("utf-8", "replace")).digest())
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        digits.append(_BASE62[digit])
    return "".join(digits)


def _id_key(dialect: str, block: Block) -> tuple[str, ...]:
    call = block.kind == "call"
    if dialect == "anthropic":
        return ("id",) if call else ("tool_use_id",)
    if dialect == "bedrock":
        return (block.type, "toolUseId")
    if dialect == "gemini":
        return (block.type, "id")
    if dialect == "openai-responses":
        return ("call_id",)
    return ("id",) if call else ("tool_call_id",)


def turn_end(work: Work, entry: Entry) -> Entry:
    """The last message of the turn that an assistant message belongs to."""
    if not work.profile.merges_turns:
        return entry
    while (following := work.neighbour(entry, 1)) is not None and following.side == entry.side:
        entry = following
    return entry


def run_end(work: Work, entry: Entry) -> Entry:
    """The last of the result messages that follow a chat message without anything between."""
    while (following := work.neighbour(entry, 1)) is not None and following.role in ("tool", "function"):
        entry = following
    return entry


def _earlier_result(work: Work, call: Block, answers: Entry) -> Block | None:
    """The last of the results that a message begins with whose call comes before this one."""
    found = None
    for block in answers.blocks:
        if block.kind != "result":
            break
        caller = work.callers.get(id(block))
        if caller is not None and work.order[id(caller)] < work.order[id(call)]:
            found = block
    return found


def _add_to_new_message(work: Work, last: Entry, made: Any) -> None:
    blocks = work.added.get(id(last))
    if blocks is None:
        blocks = work.added[id(last)] = []
        work.draft.after(last.path, shapes.message(work.dialect, "user", blocks))
    blocks.append(made)


def _content(entry: Entry, dialect: str) -> Any:
    """Where the blocks of a message are, as they were given; None where there is no such place."""
    return entry.raw.get(shapes.content_key(dialect)) if isinstance(entry.raw, dict) else None


def _items(work: Work, entry: Entry) -> list[Any]:
    content = _content(entry, work.dialect)
    if isinstance(content, str):
        return [shapes.text(work.dialect, content, role=entry.role)] if content else []
    return list(content) if isinstance(content, list) else []


def _merge_chat(work: Work, first: Entry, others: list[Entry]) -> None:
    every = [first, *others]
    contents = [entry.raw.get("content") for entry in every]
    calls = [call for entry in every for call in entry.raw.get("tool_calls") or []]
    if any(entry.raw.get("tool_calls") for entry in every[:-1]):
        raise CannotRepair("the first message calls tools")
    if all(isinstance(content, str | None) for content in contents):
        words = [content for content in contents if content]
        merged: Any = "\n".join(words) if words or not calls else contents[0]
    else:
        merged = [item for entry in every for item in _items(work, entry)]
    work.draft.set((*first.path, "content"), merged)
    if calls:
        work.draft.set((*first.path, "tool_calls"), calls)
    for other in others:
        work.draft.drop(other.path)
