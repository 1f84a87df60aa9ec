from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from headroom_cli.report.layout import (
    Column,
    Section,
    cut,
    cut_left,
    path_column,
    prose_column,
    shown,
    text_column,
    to_markdown,
    to_text,
    wrap,
)
from headroom_cli.report.words import plain


def test_a_table_is_headed_by_its_title() -> None:
    section = Section("PAID FOR", columns=[text_column(), Column("tokens")], rows=[("output", "96,210"), ("all", "7")])
    assert to_text([section], 80).plain == "PAID FOR  tokens\n  output  96,210\n  all          7"


def test_texts_give_way_and_figures_do_not() -> None:
    columns = [text_column("name"), Column("tokens"), path_column("where"), prose_column("what")]
    row = ("a name that is long", "1,234,567,890", "/some/where/deep/down/file.jsonl", "many words that are wrapped")
    lines = to_text([Section(columns=columns, rows=[row])], 60).plain.splitlines()
    assert all(len(line) <= 60 for line in lines)
    assert "1,234,567,890" in lines[1]
    assert "file.jsonl" in lines[1]
    assert lines[1].split()[-1] != "wrapped"


def test_a_figure_stays_with_its_unit() -> None:
    assert wrap("in all 3.70 M tokens", 10) == ["in all", "3.70 M", "tokens"]
    assert wrap("a share of 41 %", 13) == ["a share of", "41 %"]


def test_cut_counts_cells_not_characters() -> None:
    assert cut("漢字漢字", 5) == "漢字…"
    assert cut_left("/a/漢字.md", 6) == "…字.md"
    assert cut("abc", 3) == "abc"


def test_sections_stand_beside_each_other_where_there_is_room() -> None:
    right = Section("RIGHT", columns=[text_column(), Column("n")], rows=[("b", "2")])
    left = Section("LEFT", columns=[text_column(), Column("n")], rows=[("a", "1")], beside=right)
    assert to_text([left], 100).plain == "LEFT  n      RIGHT  n\n  a   1        b    2"
    assert to_text([left], 99).plain == "LEFT  n\n  a   1\n\nRIGHT  n\n  b    2"


def test_commands_stand_whole_or_not_at_all() -> None:
    section = Section(lines=["x"], commands=["next: " + "y" * 60, "short"])
    assert to_text([section], 60).plain == "x\nshort"


def test_one_row_alone_is_never_others() -> None:
    assert [shown(rows, 5) for rows in (4, 5, 6, 7)] == [4, 5, 6, 5]
    assert shown(100, 0) == 100


def test_markdown_has_no_markup_from_texts() -> None:
    section = Section("A_B", "<b>", [text_column("c|d"), Column("n")], [("`x`\n[y](z)", "1")])
    assert to_markdown([section]) == (
        "## A\\_B\n\n\\<b\\>\n\n| c\\|d | n |\n|---|---:|\n| \\`x\\`<br>\\[y\\](z) | 1 |\n"
    )


@given(st.lists(st.tuples(st.text(max_size=120), st.integers(0, 10**9), st.text(max_size=200)), max_size=5))
def test_no_text_breaks_the_width(rows: list[tuple[str, int, str]]) -> None:
    columns = [text_column("name"), Column("n"), prose_column("what")]
    cells: list[tuple[str, ...]] = [(plain(a), f"{n:,}", plain(b)) for a, n, b in rows]
    lines = to_text([Section("T", "r", columns, cells, [plain(b) for _, _, b in rows])], 60).plain.split("\n")
    assert all(cell_len(line) <= 60 for line in lines)
