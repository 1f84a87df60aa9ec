from __future__ import annotations

from tests.lint.support import function_call, function_output, item, of

REASONING = {"type": "reasoning", "id": "rs_1", "summary": []}


def test_items_known_by_id_only() -> None:
    items = [item("user"), REASONING, item("assistant"), {"type": "item_reference", "id": "msg_1"}, item("user")]
    found = of("HR510", items, "openai-responses", store=False)
    assert [(f.severity, f.refs) for f in found] == [("error", ("R12",)), ("error", ("R12",))]
    assert "Item with id 'rs_1' not found." in (found[0].api_error or "")


def test_healthy_twins() -> None:
    items = [item("user"), REASONING, item("assistant"), item("user")]
    assert not of("HR510", items, "openai-responses")
    assert not of("HR510", items, "openai-responses", store=True)
    assert not of("HR510", items, "openai-responses", as_="history", store=False)
    carried = [item("user"), {**REASONING, "encrypted_content": "gAAA"}, item("assistant"), item("user")]
    assert not of("HR510", carried, "openai-responses", store=False)
    called = [item("user"), function_call("c", id="fc_1"), function_output("c")]
    assert not of("HR510", called, "openai-responses", store=False)
