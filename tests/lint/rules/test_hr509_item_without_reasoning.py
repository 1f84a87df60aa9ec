from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.lint.support import findings_in, function_call, function_output, item, of

REASONING = {"type": "reasoning", "id": "rs_1", "summary": []}
CALL = function_call("c", id="fc_1")
LATER = ({**REASONING, "id": "rs_9"}, item("assistant"), item("user"))


def test_a_request_without_any_reasoning_may_be_refused() -> None:
    items = [item("user"), CALL, function_output("c")]
    found = of("HR509", items, "openai-responses", model="gpt-5.2")
    assert [(f.severity, f.refs, f.confidence) for f in found] == [("warning", ("R08",), "low")]
    assert of("HR509", items, "openai-responses")
    two = [*items, function_call("d", id="fc_2"), function_output("d")]
    assert [f.message[:15] for f in of("HR509", two, "openai-responses")] == ["fc_1, and 1 mor"]


def test_healthy_twins() -> None:
    items = [item("user"), CALL, function_output("c")]
    for model in ("gpt-4o", "gpt-4.1-mini", "deepseek-v4"):
        assert not of("HR509", items, "openai-responses", model=model)
    assert not of("HR509", items, "openai-responses", previous_response_id="resp_1")
    assert not of("HR509", items, "openai-responses", as_="history")
    assert not of("HR509", [item("user"), REASONING, CALL, function_output("c")], "openai-responses")
    assert not of("HR509", [item("user"), function_call("c"), function_output("c")], "openai-responses")
    assert not of("HR509", [item("user"), function_call("c", id="c"), function_output("c")], "openai-responses")


def test_the_response_shows_what_is_missing(tmp_path: Path) -> None:
    def severities(*echoed: Any, later: Sequence[Any] = LATER) -> list[tuple[str, str]]:
        first = [item("user", "a"), item("assistant", "b"), item("user", "c")]
        response = {"id": "resp_1", "object": "response", "model": "gpt-5.2", "output": [REASONING, CALL]}
        second = [*first, *echoed, function_output("c"), *later]
        rows = [
            {"request": {"model": "gpt-5.2", "input": first}, "response": response},
            {"request": {"model": "gpt-5.2", "input": second}, "response": response},
        ]
        log = tmp_path / "log.jsonl"
        log.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return [(f.severity, f.message) for f in findings_in(log, "openai-responses") if f.rule.code == "HR509"]

    assert severities(CALL) == [("error", "fc_1 came with the reasoning rs_1, which is not sent back")]
    assert severities(CALL, later=()) == severities(CALL)  # not also a warning, for want of any reasoning
    assert severities(REASONING, CALL) == []
    assert severities({"type": "item_reference", "id": "rs_1"}, CALL) == []
    assert severities(function_call("c")) == []
