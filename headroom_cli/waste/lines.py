"""The lines of a file that a result shows, free of what tools put in front and around."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import orjson

_NUMBERED = re.compile(r"\n *+(\d{1,9})(?:→|\t)([^\n]*+)")
_MATCHED = re.compile(r"\n(\d{1,9})[:-]([^\n]*+)")
_NUMBER = re.compile(r"\d{1,9}[→\t:-]")
_REMINDER = "<system-reminder>"
_REMINDER_END = "</system-reminder>"
_JSON_OUTPUT = '{"output":'
_OUTPUT = "\nOutput:\n"
_MAX_HEADER = 500
MIN_CHARACTERS = 200


class Lines(NamedTuple):
    """Lines without the blanks around them, and without empty ones; `by_number` where each line's number is known.

    `numbered` says that the numbers stand in the text.
    """

    texts: list[str]
    by_number: dict[int, str] | None = None
    numbered: bool = False

    def within(self, other: Lines) -> bool:
        """Whether `other` has all of these lines: by number where both know them, else wherever they stand.

        Fewer than 200 characters are in nothing: closing brackets stand everywhere.
        """
        if sum(map(len, self.texts)) < MIN_CHARACTERS:
            return False
        if self.by_number is not None and other.by_number is not None:
            known = other.by_number
            return all(known.get(number) == line for number, line in self.by_number.items())
        return set(self.texts).issubset(other.texts)


def some_lines(text: str) -> list[str]:
    """Up to three lines of the file that a result shows, longest first: a cheap sample for `may_hold`."""
    text = shown_text(text)
    is_numbered: bool | None = None
    sample = []
    for quarter in (1, 2, 3):
        middle = len(text) * quarter // 4
        end = text.find("\n", middle)
        line = text[text.rfind("\n", 0, middle) + 1 : end if end >= 0 else len(text)].strip()
        number = _NUMBER.match(line)
        if number is None and is_numbered is None:
            is_numbered = _NUMBERED.search(text) is not None
        if (number or not is_numbered) and line != "--":
            sample.append(line[number.end() if number else 0 :].strip())
    return sorted(sample, key=len, reverse=True)


def may_hold(text: str, sample: list[str]) -> bool:
    """Whether a text has these lines, as far as one can see without taking it apart."""
    if text.startswith(_JSON_OUTPUT):
        plain = (line for line in sample if line.isascii() and line.isprintable())
        return all(orjson.dumps(line)[1:-1].decode() in text for line in plain)
    return all(line in text for line in sample)


def plain_lines(text: str) -> Lines:
    """The lines of a text that has nothing in front of them."""
    return Lines(_stripped(text.split("\n")))


def shown_lines(text: str, first: int | None, *, matches: bool = False) -> Lines:
    """The lines of a result that shows a file from line `first` on, or lines that a pattern picked.

    Numbers in front of the lines tell more than `first`: what stands there without one is no line of the file.
    """
    text = shown_text(text)
    numbered = _NUMBERED.findall(f"\n{text}") or (_MATCHED.findall(f"\n{text}") if matches else [])
    if numbered:
        by_number = {int(number): line.strip() for number, line in numbered if line and not line.isspace()}
        return Lines(list(by_number.values()), by_number, numbered=True)
    lines = text.split("\n")
    if first is None:
        return Lines(_stripped(line for line in lines if line != "--"))
    by_number = {number: line.strip() for number, line in enumerate(lines, first) if line and not line.isspace()}
    return Lines(list(by_number.values()), by_number)


def shown_text(text: str) -> str:
    """What the tool printed, without what the client put around it."""
    if text.startswith(_JSON_OUTPUT):
        try:
            output = orjson.loads(text).get("output")
        except orjson.JSONDecodeError:
            return text
        return output if isinstance(output, str) else text
    if text.endswith(_REMINDER_END) or text.rstrip().endswith(_REMINDER_END):
        return text[: text.rfind(_REMINDER)]
    header, found, output = text[:_MAX_HEADER].partition(_OUTPUT)
    return (
        text[len(header) + len(found) :]
        if found and header.startswith(("Chunk ID:", "Wall time:", "Exit code:"))
        else text
    )


def _stripped(lines: Iterable[str]) -> list[str]:
    return [line.strip() for line in lines if line and not line.isspace()]
