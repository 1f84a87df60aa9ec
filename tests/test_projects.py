from __future__ import annotations

import pytest

from headroom_cli.projects import project_of


@pytest.mark.parametrize(
    ("cwd", "repo_url", "name"),
    [
        ("/work/acme/shop", None, "shop"),
        ("/work/acme/shop/", None, "shop"),
        ("C:\\work\\acme\\shop", None, "shop"),
        ("/work/shop/.claude/worktrees/fix-7/src", None, "shop"),
        ("/work/shop/.worktrees/2", None, "shop"),
        ("/work/anything", "https://git.example/acme/shop.git", "shop"),
        ("/work/anything", "git@git.example:acme/shop.git", "shop"),
        ("/work/anything", "git@git.example:shop", "shop"),
        ("/", None, "/"),
        ("", None, None),
        (None, None, None),
    ],
)
def test_project_names(cwd: str | None, repo_url: str | None, name: str | None) -> None:
    assert project_of(cwd, repo_url) == name
