from __future__ import annotations

import pytest

from headroom_cli.projects import project_of


@pytest.mark.parametrize(
    ("cwd", "repo_url", "name"),
    [
        ("/code/acme/shop", None, "shop"),
        ("/code/acme/shop/", None, "shop"),
        ("C:\\code\\acme\\shop", None, "shop"),
        ("/code/shop/.claude/worktrees/fix-7/src", None, "shop"),
        ("/code/shop/.worktrees/2", None, "shop"),
        ("/code/anything", "https://git.example/acme/shop.git", "shop"),
        ("/code/anything", "git@git.example:acme/shop.git", "shop"),
        ("/code/anything", "git@git.example:shop", "shop"),
        ("/", None, "/"),
        ("", None, None),
        (None, None, None),
    ],
)
def test_project_names(cwd: str | None, repo_url: str | None, name: str | None) -> None:
    assert project_of(cwd, repo_url) == name
