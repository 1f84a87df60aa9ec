"""A report as sections, and sections as text of a given width, or as Markdown.

A section is a title, a table and sentences below it. Texts give way to the width, figures never: a column of texts is
cut or wrapped, a column of figures always stands whole. Texts from logs must have gone through `words.plain`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import zip_longest

from rich.cells import cell_len, set_cell_size
from rich.text import Text

_INDENT = 2
_GAP = 2
_LEAST_TEXT = 10
_WIDE = 100
_UNIT_BEHIND = re.compile(r"(?<=\d) (?=(?:[MG%sh]|min|[kKMGT]?B)\b|%)")
_SPECIAL_IN_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~&])")


class Kind(Enum):
    """What a column holds.

    Figures stand right and are never cut; texts are cut at their end, paths at their beginning; prose is wrapped.
    """

    FIGURE = "figure"
    TEXT = "text"
    PATH = "path"
    PROSE = "prose"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; `name` heads it."""

    name: str = ""
    kind: Kind = Kind.FIGURE


@dataclass(slots=True)
class Section:
    """A part of a report. A newline in a cell of prose starts a new line there.

    `lines` are sentences below the table; `commands` are lines that stand whole or, where they don't fit, not at all.
    `beside` may stand to the right, where there is room. `tight` leaves no blank line above.
    """

    title: str = ""
    remark: str = ""
    columns: Sequence[Column] = ()
    rows: list[tuple[str, ...]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    beside: Section | None = None
    tight: bool = False


def most(limit: int | None, default: int) -> int:
    """How many rows to show (0: all), as asked for or as fits a screen."""
    return default if limit is None else limit


def shown(rows: int, limit: int) -> int:
    """How many of `rows` to show at a limit (0: all): one row alone is never summed up as others."""
    return rows if limit == 0 or rows <= limit + 1 else limit


def text_column(name: str = "") -> Column:
    """A column of texts that are cut where they do not fit."""
    return Column(name, Kind.TEXT)


def prose_column(name: str = "") -> Column:
    """A column of texts that are wrapped."""
    return Column(name, Kind.PROSE)


def path_column(name: str = "") -> Column:
    """A column of paths: where they do not fit, their end is kept."""
    return Column(name, Kind.PATH)


def cut(text: str, width: int) -> str:
    """`text` in at most `width` terminal cells."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)).rstrip() + "…" if width > 0 else ""


def cut_left(text: str, width: int) -> str:
    """The end of `text` in at most `width` cells: of a path, what tells it from others."""
    if cell_len(text) <= width:
        return text
    kept = text[-width:]
    while cell_len(kept) > width - 1:
        kept = kept[1:]
    return "…" + kept


def wrap(text: str, width: int) -> list[str]:
    """`text` in lines of at most `width` cells; a figure stays with its unit, a word that is too long keeps its end."""
    held = _UNIT_BEHIND.sub("\N{NO-BREAK SPACE}", text)
    words = [cut_left(word, width) for word in held.split(" ")]
    lines: list[str] = []
    for word in words:
        if lines and cell_len(lines[-1]) + 1 + cell_len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines] or [""]


def to_text(sections: Iterable[Section], width: int) -> Text:
    """The report as lines of at most `width` cells."""
    lines: list[Text] = []
    for section in sections:
        if lines and not section.tight:
            lines.append(Text())
        lines += _section_lines(section, width)
    return Text("\n").join(lines)


def _section_lines(section: Section, width: int) -> list[Text]:
    if section.beside is None:
        return _own_lines(section, width)
    left, right = _own_lines(section, width), _own_lines(section.beside, width)
    start = max(cell_len(line.plain) for line in left) + 3 * _GAP
    if width < _WIDE or start + max(cell_len(line.plain) for line in right) > width:
        return [*left, Text(), *right]
    pairs = zip_longest(left, right, fillvalue=Text())
    return [_joined(a, b, start) if b else a for a, b in pairs]


def _joined(left: Text, right: Text, start: int) -> Text:
    joined = left.copy()
    joined.append(" " * (start - cell_len(left.plain)))
    return joined.append_text(right)


def _own_lines(section: Section, width: int) -> list[Text]:
    lines: list[Text] = []
    headed = section.title and not section.remark and section.columns and not section.columns[0].name
    if section.title and not headed:
        for number, line in enumerate(wrap(f"{section.title}  {section.remark}".rstrip(), width)):
            lines.append(Text(line))
            if number == 0:
                lines[0].stylize("bold", 0, len(section.title))
    if section.columns:
        lines += _table_lines(section, width, section.title if headed else "")
    for sentence in section.lines:
        indent = _INDENT if section.title else 0
        lines += [Text(" " * indent + line) for line in wrap(sentence, width - indent)]
    return lines + [Text(command) for command in section.commands if cell_len(command) <= width]


def _table_lines(section: Section, width: int, title: str) -> list[Text]:
    columns = section.columns
    names = [title or columns[0].name, *(column.name for column in columns[1:])]
    widths = _widths(section, names, width)
    lines = []
    if any(names):
        heading = Text()
        for number, (column, name, size) in enumerate(zip(columns, names, widths, strict=True)):
            if number == 0 and title:
                heading.append(title, "bold")
                heading.append(" " * max(size + _INDENT - cell_len(title), 0))
            else:
                heading.append(" " * (_INDENT if number == 0 else _GAP))
                heading.append(_aligned(cut(name, size), size, column.kind), "dim")
        heading.rstrip()
        lines.append(heading)
    for row in section.rows:
        cells = [_cell_lines(cell, c.kind, size) for cell, c, size in zip(row, columns, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=""):
            padded = [_aligned(part, size, c.kind) for part, c, size in zip(parts, columns, widths, strict=True)]
            lines.append(Text((" " * _INDENT + (" " * _GAP).join(padded)).rstrip()))
    return lines


def _widths(section: Section, names: Sequence[str], width: int) -> list[int]:
    wanted = []
    for number in range(len(section.columns)):
        cells = [row[number] for row in section.rows]
        heading = max(cell_len(names[number]) - (_INDENT if number == 0 and section.title == names[0] else 0), 0)
        longest = max((cell_len(line) for cell in cells for line in cell.split("\n")), default=0)
        wanted.append(max(heading, longest))
    excess = sum(wanted) + _INDENT + _GAP * (len(wanted) - 1) - width
    for kinds in ((Kind.PROSE,), (Kind.TEXT, Kind.PATH)):
        texts = [number for number, column in enumerate(section.columns) if column.kind in kinds]
        while excess > 0 and texts:
            widest = max(texts, key=lambda number: wanted[number])
            others = [wanted[number] for number in texts if number != widest]
            floor = max(_LEAST_TEXT, min(max(others, default=0), wanted[widest] - 1))
            step = min(excess, max(wanted[widest] - floor, 0))
            if step == 0:
                break
            wanted[widest] -= step
            excess -= step
    return wanted


def _cell_lines(cell: str, kind: Kind, width: int) -> list[str]:
    if kind is Kind.PROSE:
        return [line for paragraph in cell.split("\n") for line in wrap(paragraph, width)]
    if kind is Kind.PATH:
        return [cut_left(cell, width)]
    return [cut(cell, width) if kind is Kind.TEXT else cell]


def _aligned(cell: str, width: int, kind: Kind) -> str:
    blanks = " " * max(width - cell_len(cell), 0)
    return blanks + cell if kind is Kind.FIGURE else cell + blanks


def to_markdown(sections: Iterable[Section]) -> str:
    """The report as Markdown: a heading, a table and paragraphs for each section."""
    parts: list[str] = []
    for section in sections:
        parts += _markdown_parts(section)
        if section.beside is not None:
            parts += _markdown_parts(section.beside)
    return "\n\n".join(parts) + "\n"


def _markdown_parts(section: Section) -> list[str]:
    parts = []
    if section.title:
        parts.append(f"## {escape_markdown(section.title)}")
    if section.remark:
        parts.append(escape_markdown(section.remark))
    if section.columns and section.rows:
        parts.append(markdown_table(section.columns, section.rows))
    parts += [escape_markdown(line) for line in section.lines]
    return parts + [f"`{command.replace('`', ' ')}`" for command in section.commands]


def markdown_table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; figures stand right."""
    lines = [
        _markdown_row([column.name for column in columns]),
        "|" + "|".join("---:" if column.kind is Kind.FIGURE else "---" for column in columns) + "|",
        *(_markdown_row(row) for row in rows),
    ]
    return "\n".join(lines)


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(escape_markdown(cell.strip()).replace("\n", "<br>") for cell in cells) + " |"


def escape_markdown(text: str) -> str:
    """Text in which nothing is markup."""
    return _SPECIAL_IN_MARKDOWN.sub(r"\\\1", text)
