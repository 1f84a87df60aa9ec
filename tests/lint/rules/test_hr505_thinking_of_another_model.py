from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.lint.support import assistant, findings_in, text, user

THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "EqQBCkYIBRgC"}


def found(path: Path, *models: str, block: dict[str, Any] = THOUGHT) -> list[tuple[str, str]]:
    """A log whose requests go to these models in turn, each over the answers before it."""
    rows: list[Any] = []
    messages: list[Any] = []
    for model in models:
        messages = [*messages, user("x")]
        answer = {"id": f"msg_{len(rows)}", "type": "message", "role": "assistant", "model": model}
        content = [block, text("y")]
        rows.append(
            {
                "request": {"model": model, "max_tokens": 9, "messages": messages},
                "response": {**answer, "content": content},
            }
        )
        messages = [*messages, assistant(*content)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [(f.severity, f.message) for f in findings_in(path, "anthropic") if f.rule.code == "HR505"]


def test_thinking_goes_to_another_model(tmp_path: Path) -> None:
    assert found(tmp_path / "log.jsonl", "claude-opus-4-8", "claude-opus-4-8", "claude-fable-5-1") == [
        (
            "warning",
            "2 thinking blocks of claude-opus-4-8 went to claude-fable-5-1, which may not be able to read them",
        )
    ]


def test_one_model_by_two_names_is_healthy(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    assert found(log, "claude-haiku-4-5", "claude-haiku-4-5-20251001") == []
    assert found(log, "claude-opus-4-8", "gpt-5.2") == []
    assert found(log, "claude-opus-4-8", "claude-fable-5-1", block=text("no thinking")) == []
