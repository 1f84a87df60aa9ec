"""What a request begins with, and what of it changed between two requests of a conversation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import orjson

from headroom_cli.lint.base import SessionCheck
from headroom_cli.lint.steps import Step
from headroom_cli.model import Sent

T = TypeVar("T")

_SYSTEM_KEYS = ("system", "instructions", "systemInstruction", "system_instruction")
_BYTES_A_TOKEN = 4
_SHOWN = 60  # characters of a text that a message shows
_MARGIN = 40
_LONGEST_WINDOW = 50_000
_BILLING = "x-anthropic-billing-header"  # Claude Code's own block: differs in each request, and is not cached

_MONTHS = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "a time",
        re.compile(
            r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?"
            r"|(?<![\d:.])[0-2]?\d:[0-5]\d(?::[0-5]\d)?(?:\s?[AaPp]\.?[Mm]\b)?(?![\d:])"
        ),
    ),
    (
        "a date",
        re.compile(
            rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}/\d{{1,2}}/\d{{4}}\b|\b{_MONTHS}\.? \d{{1,2}},? \d{{4}}\b"
            rf"|\b\d{{1,2}} {_MONTHS} \d{{4}}\b"
        ),
    ),
    ("a UUID", re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")),
    ("a Unix time", re.compile(r"(?<![\w.])1[5-9]\d{8}(?:\d{3}|\d{6})?(?![\w])")),
    ("a commit", re.compile(r"\b[0-9a-f]{40}\b")),
    ("a process id", re.compile(r"\b[Pp][Ii][Dd][ =:]{1,3}\d{1,8}\b")),
    ("a count of tokens", re.compile(r"\b\d[\d,.]{0,12}k? (?:of \d[\d,.]{0,12}k? )?tokens\b")),
)
_CLOCK = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b[0-2]?\d:[0-5]\d:[0-5]\d\b")


def about_tokens(size: int) -> str:
    """A size in bytes as an estimate of tokens, in words."""
    tokens = size // _BYTES_A_TOKEN
    return f"about {round(tokens, -3 if tokens >= 10_000 else -2 if tokens >= 1000 else -1):,} tokens"


def size_of(value: Any) -> int:
    """The size of a value as JSON, in bytes."""
    return len(dumped(value))


def dumped(value: Any, option: int = 0) -> bytes:
    """A value as JSON; empty where it cannot be written."""
    try:
        return orjson.dumps(value, option=option)
    except (TypeError, RecursionError):
        return b""


def tools_of(body: dict[str, Any]) -> list[Any]:
    """The tools of a request as they stand, groups of Gemini's and Bedrock's configuration taken apart."""
    config = body.get("toolConfig")
    found = body.get("tools", config.get("tools") if isinstance(config, dict) else None)
    tools: list[Any] = []
    for tool in found if isinstance(found, list) else ():
        group = tool.get("functionDeclarations", tool.get("function_declarations")) if isinstance(tool, dict) else None
        if isinstance(group, list):
            tools += group
        else:
            tools.append(tool)
    return tools


def tool_name(tool: Any) -> str:
    """The name of a declared tool; of one that the provider runs, its type."""
    if not isinstance(tool, dict):
        return ""
    for key in ("function", "custom", "toolSpec"):
        if isinstance(tool.get(key), dict):
            tool = tool[key]
            break
    return next((tool[key] for key in ("name", "type") if isinstance(tool.get(key), str)), "")


def system_of(sent: Sent, messages: list[Any]) -> list[str]:
    """The texts of the system prompt, beside the messages or at their head."""
    given = next((sent.body[name] for name in _SYSTEM_KEYS if sent.body.get(name)), None)
    if given is not None:
        return texts_in(given)
    texts: list[str] = []
    for raw in messages:
        if not isinstance(raw, dict) or raw.get("role") not in ("system", "developer"):
            break
        texts += texts_in(raw.get("content"))
    return texts


def texts_in(value: Any) -> list[str]:
    """The texts of a content: itself, or those of its blocks, without what a client sends for accounting."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = value.get("parts", [value])
    found = []
    for block in value if isinstance(value, list) else ():
        text = block.get("text") if isinstance(block, dict) else block
        if isinstance(text, str) and not text.startswith(_BILLING):
            found.append(text)
    return found


def system_changes(steps: Iterable[Step]) -> Iterator[tuple[Step, str, str]]:
    """The steps at which the system prompt changed, with the first of its texts that did, before and after."""
    for step in steps:
        before, after = step.before, step.after
        if same(_outside(before.body), _outside(after.body)) and (_outside(after.body) or before.messages is None):
            continue
        old = system_of(before, before.messages if before.messages is not None else step.messages)
        new = system_of(after, step.messages)
        if old != new:
            count = max(len(old), len(new))
            old, new = old + [""] * (count - len(old)), new + [""] * (count - len(new))
            yield (step, *next((a, b) for a, b in zip(old, new, strict=True) if a != b))


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two texts differ first: the words there, and those that stand before them."""

    before: str
    old: str
    new: str

    def __str__(self) -> str:
        lead = f"after {quoted(self.before)}, " if self.before.strip() else ""
        return f"{lead}{quoted(self.old)} became {quoted(self.new)}"


def first_difference(old: str, new: str) -> Difference:
    """The first words that differ."""
    start = _word_start(old, _common(old, new))
    return Difference(old[max(0, start - _MARGIN) : start], old[start : start + _SHOWN], new[start : start + _SHOWN])


def _word_start(text: str, at: int) -> int:
    """Where the word begins that holds a position, if that is near."""
    for position in range(at, max(0, at - _MARGIN), -1):
        if text[position - 1].isspace():
            return position
    return 0 if at <= _MARGIN else at


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def quoted(text: str) -> str:
    """Text from a log for a message: on one line, and cut."""
    line = " ".join(text.split())
    return '"' + (line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…") + '"'


@dataclass(frozen=True, slots=True)
class Dynamic:
    """A value that changes by itself: its kind in words, and what it was and became."""

    kind: str
    old: str
    new: str


def dynamic(old: str, new: str) -> Dynamic | None:
    """The value that changed, if nothing but times, ids and counters differs between two texts."""
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    left = max(0, start - _MARGIN)
    before, after = old[left : len(old) - max(0, end - _MARGIN)], new[left : len(new) - max(0, end - _MARGIN)]
    if before == after or max(len(before), len(after)) > _LONGEST_WINDOW:
        return None
    first: Dynamic | None = None
    for kind, pattern in _KINDS:
        was, now = pattern.findall(before), pattern.findall(after)
        if was != now and len(was) == len(now) and first is None:
            first = next(Dynamic(kind, a, b) for a, b in zip(was, now, strict=True) if a != b)
        before, after = pattern.sub("\0", before), pattern.sub("\0", after)
    return first if before == after else None


def clock_in(text: str) -> str | None:
    """A time of day in a text."""
    found = _CLOCK.search(text)
    return found.group() if found else None


def same(one: Any, other: Any) -> bool:
    """Whether two values of bodies are exactly alike; those that are were kept as one object."""
    return one is other or (one == other and dumped(one) == dumped(other))


def forks(check: SessionCheck) -> list[Step]:
    """Requests that repeat the history under another system prompt and other tools or another model, and lead nowhere.

    Summaries, titles, evaluators: the request after them goes back to what stood before.
    """
    found: list[Step] = []
    steps = check.steps
    for number, step in enumerate(steps):
        if found and found[-1].after is step.before:
            continue
        following = steps[number + 1].after if number + 1 < len(steps) else None
        if _is_fork(step, following):
            found.append(step)
    return found


def _is_fork(step: Step, following: Sent | None) -> bool:
    if step.kept < max(2, 0.6 * step.before.length):
        return False
    old, new = step.before.body, step.after.body
    if same(_outside(old), _outside(new)):
        return False
    if same(_tools(old), _tools(new)) and step.before.model == step.after.model:
        return False
    return following is None or same(_outside(old), _outside(following.body))


def _outside(body: dict[str, Any]) -> Any:
    return next((body[name] for name in _SYSTEM_KEYS if body.get(name)), None)


def _tools(body: dict[str, Any]) -> Any:
    return body.get("tools", body.get("toolConfig"))


def main_line(check: SessionCheck) -> list[Step]:
    """The steps between requests that continue the conversation: none to or from a fork."""
    aside = {id(step.after) for step in forks(check)}
    return [step for step in check.steps if id(step.after) not in aside and id(step.before) not in aside]


def block_count(raw: Any) -> int:
    """How many content blocks a message has; a text is one."""
    content = raw.get("content") if isinstance(raw, dict) else None
    return len(content) if isinstance(content, list) else 1


def prefix_size(sent: Sent, messages: list[Any], kept: int) -> int:
    """The size in bytes of tools, system prompt and the first `kept` messages."""
    size = sum(map(size_of, messages[:kept])) + size_of(tools_of(sent.body))
    return size + sum(len(text.encode("utf-8", "replace")) for text in system_of(sent, []))


def recomputed(step: Step, *, tools: bool = True, system: bool = True, kept: int | None = None) -> str:
    """How much of the request has to be computed anew although it was sent before, in words."""
    number = step.kept if kept is None else kept
    size = sum(map(size_of, step.messages[:number]))
    if tools:
        size += size_of(tools_of(step.after.body))
    if system:
        size += sum(len(text.encode("utf-8", "replace")) for text in system_of(step.after, step.messages))
    return about_tokens(size)


@dataclass(slots=True, eq=False)
class Change(Generic[T]):
    """The first change of its kind, what is known of it, and in how many requests there is one."""

    step: Step
    value: T
    times: int = 1

    @property
    def again(self) -> str:
        """How often, for the end of a message."""
        return f"; so in {self.times} requests" if self.times > 1 else ""


def by_kind(found: Iterable[tuple[str, Step, T]]) -> Iterable[Change[T]]:
    """The first change of each kind, with how often it happens."""
    first: dict[str, Change[T]] = {}
    for kind, step, value in found:
        if kind in first:
            first[kind].times += 1
        else:
            first[kind] = Change(step, value)
    return first.values()
