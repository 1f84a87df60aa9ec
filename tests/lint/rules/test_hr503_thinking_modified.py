from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.lint.support import assistant, findings_in, of, text, user

Raw = dict[str, Any]


def thought(value: str, signature: str = "EqQBCkYIBRgC") -> Raw:
    return {"type": "thinking", "thinking": value, "signature": signature}


def log_of(path: Path, given: list[Raw], echoed: list[Raw]) -> Path:
    """Two requests: the model gives `given`, and `echoed` comes back."""
    first = [user("x"), assistant("y"), user("x")]
    second = [*first, assistant(*echoed), user("z")]
    answer = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4-8", "content": given}
    rows = [
        {"request": {"model": "claude-opus-4-8", "max_tokens": 9, "messages": first}, "response": answer},
        {"request": {"model": "claude-opus-4-8", "max_tokens": 9, "messages": second}, "response": answer},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def faults(path: Path, given: list[Raw], echoed: list[Raw]) -> list[tuple[str, str]]:
    found = findings_in(log_of(path, given, echoed), "anthropic")
    return [(f.severity, f.message) for f in found if f.rule.code == "HR503"]


def test_what_the_next_request_changed_is_found(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    one, two, answer = thought("a"), thought("b", "EqQBCkYIBRgD"), text("y")
    since = "since the response to line 1"
    assert faults(log, [one, answer], [thought("EDITED"), answer]) == [
        ("error", f"the text of the thinking changed {since}")
    ]
    assert faults(log, [one, answer], [thought("a", "EqQBXXXX"), answer]) == [
        ("error", f"a signature of the thinking changed {since}")
    ]
    assert faults(log, [one, two, answer], [two, one, answer]) == [("error", f"the order of thinking changed {since}")]
    assert faults(log, [one, two, answer], [two, answer]) == [
        ("error", f"thinking was removed, but not all of it {since}")
    ]


def test_what_comes_back_as_it_was_is_healthy(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    one, answer = thought("a"), text("y")
    assert faults(log, [one, answer], [one, answer]) == []
    assert faults(log, [one, answer], [answer]) == []
    assert faults(log, [one, answer], [thought(""), answer]) == []


def test_one_signature_with_two_texts() -> None:
    messages = [user("x"), assistant(thought("a"), text("y")), user("x"), assistant(thought("b"), text("y")), user("z")]
    assert [(f.severity, f.refs) for f in of("HR503", messages)] == [("error", ("A28",))]
    assert [f.severity for f in of("HR503", messages, as_="history")] == ["warning"]
    messages[3] = assistant(thought(""), text("y"))
    assert not of("HR503", messages)
