"""Rules HR201 to HR209: what is broken, and what only looks so."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lint.support import (
    assistant,
    bedrock_result,
    bedrock_use,
    calls,
    error_codes,
    function_call,
    function_output,
    item,
    of,
    tool,
    tool_result,
    tool_use,
    user,
)

ASK = user("x")


def asked(call_id: str, name: str = "f") -> list[Any]:
    return [ASK, calls(call_id, name=name), tool(call_id)]


def severities(code: str, messages: list[Any], provider: str, **more: Any) -> list[str]:
    return [f.severity for f in of(code, messages, provider, **more)]


# HR201 duplicate-call-id


def test_ids_that_each_turn_numbers_anew() -> None:
    twice = [*asked("call_0"), assistant("a"), *asked("call_0")]
    assert severities("HR201", twice, "openai") == ["info"]
    assert severities("HR201", twice, "strict") == ["error"]
    mistral = [*asked("abcdefghi"), assistant("a"), *asked("abcdefghi")]
    assert severities("HR201", mistral, "mistral") == ["info"]
    raw = [ASK, assistant(tool_use("t1")), user(tool_result("t1"))] * 2
    assert severities("HR201", raw, "anthropic") == ["error"]
    bedrock = [user({"text": "x"}), assistant(bedrock_use("t1")), user(bedrock_result("t1")), assistant({"text": "a"})]
    assert severities("HR201", bedrock * 2, "bedrock") == ["warning"]


def test_of_a_copied_call_it_is_said_that_it_is_one() -> None:
    same = assistant(tool_use("t1", path="a"), tool_use("t1", path="a"))
    (found,) = of("HR201", [ASK, same, user(tool_result("t1"))])
    assert "copy" in found.message and found.fix is not None and found.fix.kind == "drop"
    assert error_codes([ASK, same, user(tool_result("t1"))]) == ["HR201"]
    other = assistant(tool_use("t1", path="a"), tool_use("t1", path="b"))
    (found,) = of("HR201", [ASK, other, user(tool_result("t1"))])
    assert found.fix is not None and found.fix.kind == "rename"


def test_gemini_and_calls_without_ids_have_none_to_repeat() -> None:
    nameless = [ASK, {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}] * 2
    assert not of("HR201", nameless, "openai")


# HR202 call-id-pattern, HR203 call-id-too-long


@pytest.mark.parametrize(
    ("call_id", "anthropic", "mistral"),
    [
        ("call_1", True, False),
        ("toolu-01", True, False),
        ("abcDEF123", True, True),
        ("functions.f:0", False, False),
        ("", False, False),
    ],
)
def test_ids_by_provider(call_id: str, anthropic: bool, mistral: bool) -> None:
    raw = [ASK, assistant(tool_use(call_id)), user(tool_result(call_id))]
    assert (error_codes(raw) == []) is anthropic
    assert (error_codes(asked(call_id), "mistral") == []) is mistral
    assert error_codes(asked(call_id), "openai") == []


@pytest.mark.parametrize(("provider", "most"), [("openai", 40), ("strict", 40), ("openai-responses", 64)])
def test_the_longest_id(provider: str, most: int) -> None:
    def history(call_id: str) -> list[Any]:
        if provider == "openai-responses":
            return [item("user"), function_call(call_id), function_output(call_id)]
        return asked(call_id)

    assert error_codes(history(most * "c"), provider) == []
    (found,) = of("HR203", history((most + 1) * "c"), provider)
    assert (
        found.api_error is not None
        and f"maximum length {most}, but got a string with length {most + 1}" in found.api_error
    )
    assert [related.note for related in found.related] == ["the same id"]


def test_anthropic_has_no_longest_id() -> None:
    assert error_codes([ASK, assistant(tool_use(200 * "c")), user(tool_result(200 * "c"))]) == []


# HR204 tool-name-invalid


@pytest.mark.parametrize(
    ("name", "anthropic", "openai"),
    [
        ("mcp__server__do_it", None, None),
        ("n" * 64, None, None),
        ("n" * 65, "info", "error"),
        ("n" * 128, "info", "error"),
        ("n" * 129, "error", "error"),
        ("get.weather", "error", "error"),
    ],
)
def test_names_of_declared_tools(name: str, anthropic: str | None, openai: str | None) -> None:
    schema = {"type": "object"}
    raw = severities("HR204", [ASK], "anthropic", tools=[{"name": name, "input_schema": schema}])
    assert raw == ([anthropic] if anthropic else [])
    function = {"type": "function", "function": {"name": name, "parameters": schema}}
    assert severities("HR204", [ASK], "openai", tools=[function]) == ([openai] if openai else [])


def test_an_empty_name_of_a_call_is_refused() -> None:
    (found,) = of("HR204", [ASK, assistant(tool_use("t1", name="")), user(tool_result("t1"))])
    assert found.api_error == "messages.1.content.0.tool_use.name: String should have at least 1 character"


# HR205 arguments-not-object, HR206 arguments-not-json


@pytest.mark.parametrize(
    ("value", "safe"),
    [('{"a": 1}', True), ("", True), (None, True), ([], True), ('{"a":', False), ([1], False), (3, False)],
)
def test_what_is_no_object_for_anthropic(value: Any, safe: bool) -> None:
    call = {**tool_use("t1"), "input": value}
    (found,) = of("HR205", [ASK, assistant(call), user(tool_result("t1"))])
    assert found.fix is not None and found.fix.safe is safe
    assert found.api_error == "messages.1.content.0.tool_use.input: Input should be a valid dictionary"


def test_objects_where_openai_wants_text() -> None:
    def history(call: Any) -> list[Any]:
        made = {"role": "assistant", "content": None, "tool_calls": [call]}
        return [ASK, made, {"role": "tool", "content": "r", **({"tool_call_id": call["id"]} if "id" in call else {})}]

    call = {"id": "abcdefghi", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}
    assert severities("HR205", history(call), "openai") == ["error"]
    assert severities("HR205", history(call), "openai", as_="training") == ["warning"]
    assert severities("HR205", history(call), "mistral") == []
    ollama = {"function": {"name": "f", "arguments": {"a": 1}}}
    assert severities("HR205", history(ollama), "openai") == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("{}", False),
        (' {"a": 1}\n', False),
        ("", True),
        ('{"a":', True),
        ("[1]", True),
        ("NaN", True),
        ('{"a": "\\ud83d"}', False),
    ],
)
def test_arguments_that_hold_no_object(arguments: str, told: bool) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    made = {"role": "assistant", "content": None, "tool_calls": [call]}
    assert severities("HR206", [ASK, made, tool("c1")], "openai") == (["warning"] if told else [])


def test_custom_tools_take_free_text() -> None:
    custom = {"type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": "*** Begin Patch"}
    output = {"type": "custom_tool_call_output", "call_id": "c", "output": "ok"}
    assert not of("HR206", [item("user"), custom, output], "openai-responses")


# HR207 duplicate-item-id, HR208 item-id-prefix, HR209 item-id-too-long


def test_items_may_repeat_without_an_id_and_an_output_has_the_id_of_its_call() -> None:
    items = [item("user"), item("user"), function_call("c", id="fc_1"), function_output("c")]
    assert not of("HR207", items, "openai-responses")
    answer = {**item("assistant"), "id": "msg_1"}
    fixes = [f.fix.kind for f in of("HR207", [answer, item("user"), answer], "openai-responses") if f.fix]
    assert fixes == ["drop"]
    other = {**item("assistant", "y"), "id": "msg_1"}
    fixes = [f.fix.kind for f in of("HR207", [answer, item("user"), other], "openai-responses") if f.fix]
    assert fixes == ["set"]


@pytest.mark.parametrize(
    ("raw", "taken"),
    [
        (function_call("c", id="fc_68af"), True),
        (function_call("c", id="call_68af"), False),
        ({"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "", "id": "fc_1"}, False),
        ({"type": "reasoning", "summary": [], "id": "rs_1", "content": []}, True),
        ({**item("assistant"), "id": "chatcmpl-1"}, False),
        ({"role": "assistant", "content": "a", "id": "chatcmpl-1"}, False),
        ({"type": "mcp_call", "id": "anything", "name": "f", "arguments": "{}", "server_label": "s"}, True),
    ],
)
def test_beginnings_of_item_ids(raw: Any, taken: bool) -> None:
    assert (not of("HR208", [item("user"), raw], "openai-responses")) is taken


def test_the_longest_item_id() -> None:
    for length, found in ((64, 0), (65, 1)):
        answer = {**item("assistant"), "id": "msg_".ljust(length, "0")}
        assert len(of("HR209", [item("user"), answer], "openai-responses")) == found
