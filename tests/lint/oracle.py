"""What each provider refuses, written down a second time from the catalogue: True refused, False taken, None not known.

It reads the abstract form of tests/lint/mutations.py, and knows nothing of blocks, turns or keys.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby, pairwise

from tests.lint.mutations import History, Item, Message


def mispaired(provider: str, history: History) -> bool | None:
    """Whether calls and results do not belong together as the provider wants them to."""
    if provider == "openai-responses":
        return _refused_anywhere(history)
    if provider in ("openai", "strict"):
        return _refused_in_run(history, unique=provider == "strict")
    if provider == "mistral":
        return _refused_before_assistant(history)
    if provider.startswith("gemini"):
        return _refused_by_number(history, ids=provider == "gemini-ids")
    if provider == "anthropic":
        merged = [
            Message(role, [item for message in group for item in message.items])
            for role, group in groupby(history, key=lambda message: message.role)
        ]
        return _refused_next(merged, first=True, unique=True)
    return _refused_next(history, first=provider == "strict-anthropic", unique=provider == "strict-anthropic")


def misordered(provider: str, history: History) -> bool | None:
    """Whether a message stands where the provider wants none of its role."""
    first, last = history[0], history[-1]
    if provider == "mistral":  # M03, M04
        return last.role == "assistant" or any(a.role == "user" and b.role == "tool" for a, b in pairwise(history))
    if provider.startswith("gemini"):  # G02
        calls = [message for before, message in pairwise(history) if before.role == message.role == "assistant"]
        calls += [first] if first.role == "assistant" else []
        return any(message.of("call") for message in calls)
    if provider in ("bedrock", "strict", "strict-anthropic"):  # B05, D03; results in a row are split: that is pairing
        if any(
            a.role == b.role != "tool" and not (a.of("result") and b.of("result")) for a, b in pairwise(history)
        ) or (provider == "strict" and last.role == "assistant"):
            return True
        if first.role == "assistant":
            return None if provider == "bedrock" else True
    return False


def _ids(items: list[Item]) -> Counter[str]:
    return Counter(item.id for item in items)


def _refused_anywhere(history: History) -> bool:
    """R01, R02, R04, R06: an output somewhere after its call, and ids of their own."""
    called: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    for message in history:
        called += _ids(message.of("call"))
        answered += _ids(message.of("result"))
        if answered - called:
            return True
    return called != answered or any(count > 1 for count in called.values())


def _refused_next(history: History, *, first: bool, unique: bool) -> bool:
    """A01 to A06, B01, B02: each message's results answer exactly the calls of the message before."""
    everything: Counter[str] = Counter()
    before: Counter[str] = Counter()
    for message in [*history, Message("user")]:
        results, calls = _ids(message.of("result")), _ids(message.of("call"))
        everything += calls
        if results != before or any(count > 1 for count in calls.values()):
            return True
        if first and any(item.kind != "result" for item in message.items[: results.total()]):
            return True
        before = calls
    return unique and any(count > 1 for count in everything.values())


def _refused_by_number(history: History, *, ids: bool) -> bool | None:
    """G01, G03: as many responses as calls in the content before.

    It is not known that equally many must fit, nor that the last content must not call.
    """
    doubtful = False
    before: list[Item] = []
    for message in history:
        results = message.of("result")
        if len(results) != len(before):
            return True
        fitting = Counter((item.id if ids else "", item.name) for item in before)
        doubtful = doubtful or fitting != Counter((item.id if ids else "", item.name) for item in results)
        before = message.of("call")
    return None if doubtful or before else False


def _refused_in_run(history: History, *, unique: bool) -> bool | None:
    """O01 to O06: the tool messages right after the calls answer them, in any order."""
    everything: Counter[str] = Counter()
    awaited: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    doubtful = False
    for message in [*history, Message("user")]:
        if message.role == "tool":
            seen += _ids(message.items)
            continue
        if seen - awaited or set(seen) != set(awaited):
            return True
        doubtful = doubtful or seen != awaited  # of two calls with one id, one result may do
        awaited, seen = _ids(message.of("call")), Counter()
        everything += awaited
    if unique and any(count > 1 for count in everything.values()):
        return True
    return None if doubtful else False


def _refused_before_assistant(history: History) -> bool:
    """M01, M06: between two messages of the assistant, the results of the first's calls."""
    awaited: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for message in [*history, Message("assistant")]:
        if message.role == "assistant":
            if seen != awaited or any(count > 1 for count in awaited.values()):
                return True
            awaited, seen = _ids(message.of("call")), Counter()
        else:
            seen += _ids(message.of("result"))
    return False
