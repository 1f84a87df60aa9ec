from __future__ import annotations

from typing import Any

import pytest

from tests.lint.support import assistant, of, text, user

CODE = "HR303"
NEW, OLD = "claude-opus-4-8", "claude-sonnet-4-6"


def system(content: Any = "be terse", **more: Any) -> dict[str, Any]:
    return {"role": "system", "content": content, **more}


def messages_of(found: list[Any]) -> list[tuple[str, str]]:
    return [(f.severity, f.message) for f in found]


@pytest.mark.parametrize("model", [NEW, OLD, None])
def test_no_list_begins_with_the_system_prompt(model: str | None) -> None:
    found = of(CODE, [system(), user("a")], model=model)
    assert messages_of(found) == [("error", "the system prompt is a message")]


@pytest.mark.parametrize("model", [NEW, "claude-opus-5-5", "claude-fable-5", "us.anthropic.claude-opus-4-8-v1:0"])
def test_new_models_take_it_after_the_user_and_before_an_answer(model: str) -> None:
    assert not of(CODE, [user("a"), system(), assistant("b"), user("c"), system()], model=model)
    assert not of(CODE, [user("a"), system(), system("more"), assistant("b")], model=model)


def test_old_models_do_not() -> None:
    found = of(CODE, [user("a"), system(), assistant("b")], model=OLD)
    assert messages_of(found) == [("error", "this model takes no system messages")]


@pytest.mark.parametrize("model", [None, "claude-sonnet-5", "my-deployment"])
def test_of_others_it_is_not_known(model: str | None) -> None:
    found = of(CODE, [user("a"), system(), assistant("b")], model=model)
    assert [f.severity for f in found] == ["warning"]
    assert "may" in found[0].message


@pytest.mark.parametrize("model", [NEW, None])
def test_before_the_user_only_the_last_of_a_run_is_at_fault(model: str | None) -> None:
    found = of(CODE, [user("a"), system(), system(), user("b")], model=model)
    errors = [f for f in found if f.severity == "error"]
    assert [f.entry.index for f in errors] == [2]  # type: ignore[union-attr]
    assert errors[0].api_error is not None
    assert errors[0].api_error.startswith("messages.2: role 'system' must precede an 'assistant' message")


def test_after_the_assistant_only_behind_a_server_tool() -> None:
    assert of(CODE, [user("a"), assistant("b"), system()], model=NEW)
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    done = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    assert not of(CODE, [user("a"), assistant(search, done), system(), assistant("b")], model=NEW)


def test_what_it_may_hold() -> None:
    def found(content: Any, **more: Any) -> list[str]:
        return [f.message for f in of(CODE, [user("a"), system(content, **more), assistant("b")], model=NEW)]

    assert found([{"type": "tool_addition", "tool": {"name": "f"}}, text("x")]) == []
    assert found([]) == ["a system message is empty"]
    assert found([{"type": "image", "source": {}}]) == ["a system message holds more than text"]
    assert found(" \n") == ["a system message is blank"]
    assert found([], output_config={"effort": "low"}) == []


def test_effort_alone_may_stand_anywhere() -> None:
    effort = system([], output_config={"effort": "low"})
    assert not of(CODE, [effort, user("a"), effort, user("b"), assistant("c"), effort], model=OLD)


@pytest.mark.parametrize(("model", "count"), [("o1-mini", 1), ("o1-preview-2024-09-12", 1), ("o1", 0), ("gpt-5", 0)])
def test_first_reasoning_models_take_none(model: str, count: int) -> None:
    found = of(CODE, [system(), user("a")], "openai", model=model)
    assert [f.severity for f in found] == ["error"] * count


def test_developer_is_openais_alone() -> None:
    told = [{"role": "developer", "content": "s"}, user("a")]
    assert not of(CODE, told, "openai", model="gpt-5")
    assert [f.severity for f in of(CODE, told, "openai", model="deepseek-v4")] == ["warning"]
    assert [f.severity for f in of(CODE, told, "strict", dialect="openai")] == ["warning"]


def test_chat_histories_are_converted_for_anthropic() -> None:
    assert not of(CODE, [system(), user("a"), system(), user("b")], dialect="openai")
