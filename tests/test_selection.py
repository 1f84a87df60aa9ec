from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from headroom_cli.selection import Selection

CONVERSATIONS = pl.DataFrame(
    {
        "project": ["acme/api", "acme/web", None],
        "client": ["claude-code", "codex", "codex"],
        "kind": ["main", "subagent", "main"],
    }
)
REQUESTS = pl.DataFrame(
    {
        "timestamp": [10, 20, 30, None],
        "model": ["claude-opus-4-1-20250805", "gpt-5.1-codex-max", None, "gpt-5.1"],
    }
)


def chosen(frame: pl.DataFrame, expression: pl.Expr) -> list[int]:
    return frame.with_row_index().filter(expression)["index"].to_list()


@pytest.mark.parametrize(
    ("filters", "rows"),
    [
        ({}, [0, 1, 2]),
        ({"projects": ("acme/api",)}, [0]),
        ({"projects": ("ACME/*",)}, [0, 1]),
        ({"projects": ("acme",)}, []),
        ({"clients": ("codex",)}, [1, 2]),
        ({"clients": ("codex",), "kinds": ("main",)}, [2]),
        ({"kinds": ("main", "subagent")}, [0, 1, 2]),
        ({"kinds": ("[", "x")}, []),
    ],
)
def test_conversations(filters: dict[str, Any], rows: list[int]) -> None:
    assert chosen(CONVERSATIONS, Selection(**filters).conversations()) == rows


@pytest.mark.parametrize(
    ("filters", "rows"),
    [
        ({}, [0, 1, 2, 3]),
        ({"since": 20}, [1, 2, 3]),
        ({"until": 20}, [0, 3]),
        ({"since": 20, "until": 30}, [1, 3]),
        ({"models": ("claude-opus-4-1",)}, [0]),
        ({"models": ("gpt-5.1",)}, [1, 3]),
        ({"models": ("*codex*", "claude*")}, [0, 1]),
        ({"models": ("gpt-5.1",), "since": 25}, [3]),
    ],
)
def test_requests(filters: dict[str, Any], rows: list[int]) -> None:
    assert chosen(REQUESTS, Selection(**filters).requests()) == rows


def test_everything() -> None:
    assert Selection().is_everything
    assert not Selection(since=0).is_everything


def test_nothing_to_select_from() -> None:
    assert chosen(CONVERSATIONS.clear(), Selection(projects=("a",)).conversations()) == []
