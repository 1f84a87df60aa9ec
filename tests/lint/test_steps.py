from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from headroom_cli.lint.sent import sessions
from headroom_cli.lint.steps import steps
from headroom_cli.logs import read_log
from tests.lint.support import assistant, user


def kept(path: Path, *requests: list[Any]) -> list[tuple[int, bool, int]]:
    body = {"model": "claude-opus-4-8", "max_tokens": 9, "system": "s"}
    path.write_text("".join(json.dumps({**body, "messages": messages}) + "\n" for messages in requests))
    return [
        (step.kept, step.appends, len(list(step.blocks())))
        for session in sessions(read_log(path, keeps_sent=True))
        for step in steps(session)
    ]


def test_requests_that_append_and_one_that_rewrites(tmp_path: Path) -> None:
    one = [user("a")]
    two = [*one, assistant("b"), user("c")]
    three = [*two, assistant("d"), user("e")]
    four = [three[0], three[1], user("c, compressed"), three[3], three[4], assistant("f"), user("g")]
    assert kept(tmp_path / "log.jsonl", one, two, three, four) == [(1, True, 3), (3, True, 5), (2, False, 7)]


def test_one_request_has_no_step(tmp_path: Path) -> None:
    assert kept(tmp_path / "log.jsonl", [user("a")]) == []
