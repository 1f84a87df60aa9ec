from __future__ import annotations

from typing import Any

from tests.lint.support import function_call, function_output, item, of


def reasoning(item_id: str | None = "rs_1", **more: Any) -> dict[str, Any]:
    return {"type": "reasoning", "summary": [], **({} if item_id is None else {"id": item_id}), **more}


def found(*items: Any, **more: Any) -> list[str]:
    return [f.message for f in of("HR508", items, "openai-responses", **more)]


def test_reasoning_before_a_prompt_or_an_output_is_found() -> None:
    assert found(item("user"), reasoning(), item("user")) == ["nothing that the model gave follows the reasoning rs_1"]
    assert found(item("user"), function_call("c"), reasoning(), function_output("c")) == [
        "nothing that the model gave follows the reasoning rs_1"
    ]


def test_all_of_several_are_found_in_order() -> None:
    items = [item("user"), reasoning("rs_1"), item("user"), reasoning("rs_2"), reasoning("rs_3"), item("user")]
    assert [m[-4:] for m in found(*items)] == ["rs_1", "rs_2", "rs_3"]


def test_followers() -> None:
    for follower in (
        item("assistant"),
        function_call("c"),
        {"type": "web_search_call", "id": "ws_1"},
        {"type": "item_reference", "id": "msg_1"},
        {"type": "some_new_item"},
    ):
        assert found(item("user"), reasoning("rs_1"), reasoning("rs_2"), follower) == []


def test_items_without_id_are_not_checked() -> None:
    assert found(item("user"), reasoning(None, encrypted_content="gAAA"), item("user")) == []
    assert found(item("user"), reasoning(7), item("user")) == []  # type: ignore[arg-type]


def test_the_end() -> None:
    assert found(item("user"), reasoning(), as_="history") == []
    assert found(item("user"), reasoning(), as_="request") != []
