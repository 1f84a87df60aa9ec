"""Who reads a file alone gets the same, without what tells its copies in other files."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom_cli.logs import read_log

_SAMPLES = Path(__file__).parents[2] / "sample_transcripts"
_LOGS = sorted(_SAMPLES.rglob("*.jsonl"))


@pytest.mark.parametrize("path", _LOGS, ids=lambda path: path.parent.name + "/" + path.stem[:20])
def test_what_is_left_out_changes_nothing_else(path: Path) -> None:
    whole, alone = read_log(path), read_log(path, alone=True)
    for conversation in (*whole.conversations, *alone.conversations):
        conversation.nested_usage = []
        for message in conversation.messages:
            message.key = ""
        for request in conversation.requests:
            request.key = ""
    assert alone.conversations == whole.conversations


def test_keys_that_only_copies_need() -> None:
    (chat,) = [path for path in _LOGS if path.stem == "support-4411"]
    (rollout,) = [path for path in _LOGS if path.stem.startswith("rollout-2026-11-13")]
    (keyed,), (alone,) = read_log(chat).conversations, read_log(chat, alone=True).conversations
    assert all(message.key for message in keyed.messages)
    assert [message.key for message in alone.messages] == [keyed.messages[0].key] + [""] * (len(keyed.messages) - 1)
    assert any(message.key for message in read_log(rollout).conversations[0].messages)
    assert not any(message.key for message in read_log(rollout, alone=True).conversations[0].messages)
