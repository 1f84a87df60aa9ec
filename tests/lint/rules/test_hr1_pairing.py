"""Rules HR101 to HR114: what is broken, and what only looks so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headroom_cli.lint.base import Finding
from tests.lint.support import (
    assistant,
    bedrock_result,
    bedrock_use,
    calls,
    content,
    error_codes,
    findings,
    findings_in,
    function_call,
    function_output,
    gemini_call,
    gemini_response,
    item,
    of,
    text,
    tool,
    tool_result,
    tool_use,
    user,
)

ASK = user("x")
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}


def told(found: list[Finding]) -> list[tuple[str, str]]:
    return [(f.rule.code, f.severity) for f in found if f.rule.code < "HR2"]


# HR101 unanswered-call, HR113 pending-call


def test_only_missing_ids_are_named() -> None:
    asked = assistant(tool_use("t1"), tool_use("t2"), tool_use("t3"))
    found = of("HR101", [ASK, asked, user(tool_result("t2")), assistant("a"), user("b")])
    assert [f.call_ids for f in found] == [("t1",), ("t3",)]
    assert found[0].api_error is not None and "immediately after: t1." in found[0].api_error


def test_the_end_of_a_log_is_open_that_of_a_request_is_not() -> None:
    open_end = [ASK, assistant(text("I look"), tool_use("t1"), tool_use("t2"))]
    assert told(findings(open_end, as_="history")) == [("HR113", "info")]
    assert told(findings([*open_end, user(tool_result("t1"))], as_="history")) == [("HR113", "info")]
    assert told(findings(open_end)) == [("HR101", "error"), ("HR101", "error")]


def test_the_end_is_closed_once_a_human_spoke_unless_to_interrupt() -> None:
    asked = [ASK, assistant(tool_use("t1"))]
    assert told(findings([*asked, user("never mind")], as_="history")) == [("HR101", "error")]
    assert told(findings([*asked, user("[Request interrupted by user]")], as_="history")) == [("HR113", "info")]
    said = [ASK, calls("c1"), user("y")]
    assert told(findings(said, "openai", as_="history")) == [("HR101", "error")]


def test_tools_of_the_provider_want_no_result_of_the_client() -> None:
    items = [item("user"), {"type": "web_search_call", "id": "ws_1", "status": "completed"}, item("assistant")]
    assert error_codes(items, "openai-responses") == []
    assert error_codes([ASK, assistant(SEARCH, FOUND, text("a")), user("b")]) == []


def test_a_call_that_a_request_to_gemini_ends_with_is_only_warned_about() -> None:
    asked = [content("user", {"text": "x"}), content("model", gemini_call())]
    assert told(findings(asked, "gemini")) == [("HR101", "warning")]
    assert told(findings([*asked, content("user", {"text": "y"})], "gemini")) == [("HR101", "error")]


def test_no_text_of_the_provider_names_what_is_not_known() -> None:
    (found,) = of("HR101", [item("user"), {**function_call("c"), "call_id": None}, item("user")], "openai-responses")
    assert (found.message, found.api_error) == ("f (no id) has no result", None)
    nameless = {"role": "tool", "content": "r"}
    (found,) = of("HR107", [ASK, calls("c1"), nameless], "openai")
    assert found.api_error is None


# HR102 orphan-result


def test_a_log_that_begins_in_the_middle_is_only_warned_about(tmp_path: Path) -> None:
    line = {"type": "user", "uuid": "2", "sessionId": "s", "message": user(tool_result("toolu_1"))}
    log = tmp_path / "session.jsonl"
    log.write_text(json.dumps({**line, "parentUuid": "1"}) + "\n")
    (found,) = [f for f in findings_in(log, "anthropic") if f.rule.code == "HR102"]
    assert found.severity == "warning"
    assert found.api_error is not None and found.api_error.startswith("messages.0.content.0: unexpected `tool_use_id`")
    log.write_text(json.dumps({**line, "parentUuid": None}) + "\n")
    assert [f.severity for f in findings_in(log, "anthropic") if f.rule.code == "HR102"] == ["error"]


def test_a_stored_response_may_hold_the_call() -> None:
    output = [item("user"), function_output("c1")]
    assert [f.severity for f in of("HR102", output, "openai-responses")] == ["error"]
    for key in ("previous_response_id", "conversation"):
        assert error_codes(output, "openai-responses", **{key: "x_1"}) == []
    assert error_codes([{"type": "item_reference", "id": "fc_1"}, function_output("c1")], "openai-responses") == []


# HR103 result-not-adjacent, HR106 results-split


def test_anthropic_merges_what_the_assistant_says_after_its_call_others_do_not() -> None:
    raw = [ASK, assistant(tool_use("t1")), assistant("I wait"), user(tool_result("t1"))]
    assert told(findings(raw)) == []
    assert told(findings(raw, "strict", dialect="anthropic")) == [("HR103", "error")]
    use, result = bedrock_use("t1"), bedrock_result("t1")
    bedrock = [user({"text": "x"}), assistant(use), assistant({"text": "I wait"}), user(result)]
    assert told(findings(bedrock, "bedrock")) == [("HR103", "error")]


def test_a_displaced_result_is_one_finding_with_both_places() -> None:
    late = [ASK, calls("c1"), user("image follows"), tool("c1"), assistant("a")]
    (found,) = [f for f in findings(late, "openai", as_="history") if f.severity == "error"]
    assert (found.rule.code, found.call_ids, found.entry.index) == ("HR103", ("c1",), 3)  # type: ignore[union-attr]
    assert [related.note for related in found.related] == ["its call"]


def test_results_of_one_run_come_in_any_order() -> None:
    assert error_codes([ASK, calls("a", "b", "c"), tool("c"), tool("a"), tool("b")], "openai") == []


def test_responses_take_an_output_anywhere_after_its_call() -> None:
    between = [item("user"), function_call("a"), item("developer"), function_call("b"), function_output("b")]
    assert told(findings([*between, function_output("a")], "openai-responses")) == [("HR103", "warning")]
    in_a_log = findings([*between, function_output("a"), assistant("b")], "openai-responses", as_="history")
    assert told(in_a_log) == [("HR103", "info")]
    parallel = [item("user"), function_call("a"), function_call("b"), function_output("b"), function_output("a")]
    assert told(findings(parallel, "openai-responses")) == []


def test_mistral_waits_until_the_next_assistant_message() -> None:
    calm = [ASK, calls("abcdefghi"), tool("abcdefghi"), user("and?"), assistant("z"), user("w")]
    assert told(findings(calm, "mistral")) == []
    late = [ASK, calls("abcdefghi"), user("and?"), assistant("z"), tool("abcdefghi"), user("w")]
    assert told(findings(late, "mistral")) == [("HR103", "error")]


def test_split_results_are_tolerated_by_anthropic_alone() -> None:
    def split(use: Any, result: Any) -> list[Any]:
        return [assistant(use("a"), use("b")), user(result("a")), user(result("b"))]

    assert told(findings([ASK, *split(tool_use, tool_result)])) == [("HR106", "warning")]
    bedrock = [user({"text": "x"}), *split(bedrock_use, bedrock_result)]
    assert told(findings(bedrock, "bedrock")) == [("HR106", "error")]
    parts = [content("user", gemini_response("f")), content("user", gemini_response("g"))]
    gemini = [content("user", {"text": "x"}), content("model", gemini_call("f"), gemini_call("g")), *parts]
    assert told(findings(gemini, "gemini")) == [("HR106", "error")]


# HR104 duplicate-result


@pytest.mark.parametrize("placeholder", ["aborted", "Tool execution aborted", ""])
def test_of_two_results_the_placeholder_is_to_be_dropped(placeholder: str) -> None:
    made_up, real = tool_result("t1", placeholder), tool_result("t1", "No files found")
    for results in ([made_up, real], [real, made_up]):
        (found,) = of("HR104", [ASK, assistant(tool_use("t1")), user(*results)])
        assert found.target is not None and found.target.raw == made_up
        assert found.fix is not None and found.fix.safe


def test_of_two_real_results_the_later_is_to_be_dropped_which_is_not_safe() -> None:
    (found,) = of("HR104", [ASK, assistant(tool_use("t1")), user(tool_result("t1", "a"), tool_result("t1", "b"))])
    assert found.target is not None and found.target.raw["content"] == "b"
    assert found.fix is not None and not found.fix.safe


def test_parts_of_one_result_are_no_duplicates() -> None:
    result = tool_result("t1", [text("a"), text("b")])
    assert error_codes([ASK, assistant(tool_use("t1")), user(result)]) == []


# HR105 result-not-first


def test_text_after_the_results_is_fine_before_or_between_them_it_is_not() -> None:
    asked = assistant(tool_use("a"), tool_use("b"))
    one, two, said = tool_result("a"), tool_result("b"), text("reminder")
    assert error_codes([ASK, asked, user(one, two, said)]) == []
    assert error_codes([ASK, asked, user(one, said, two)]) == ["HR105"]
    assert error_codes([ASK, asked, user(said, one, two)]) == ["HR105"]
    assert error_codes([ASK, asked, user("queued"), user(one, two)]) == ["HR105"]


# HR107 call-id-mismatch


def test_one_call_and_one_result_left_over_belong_together() -> None:
    (found,) = of("HR107", [ASK, calls("c1", "c2"), tool("c2"), tool("zzz")], "openai")
    assert found.call_ids == ("zzz", "c1")
    assert found.fix is not None and found.fix.kind == "rename"
    two = of("HR107", [ASK, calls("c1", "c2"), tool("y"), tool("z")], "openai")
    assert [(f.call_ids, f.fix.kind if f.fix else None) for f in two] == [
        (("y",), "neutralize"),
        (("z",), "neutralize"),
    ]


# HR108 result-type-mismatch


def test_kinds_that_fit() -> None:
    shell = {"type": "local_shell_call", "id": "lsh_1", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}}
    own = {"type": "local_shell_call_output", "id": "c", "call_id": "c", "output": "a"}
    for output in (own, function_output("c")):
        assert not of("HR108", [item("user"), shell, output], "openai-responses")
    custom = {"type": "custom_tool_call_output", "call_id": "c", "output": "a"}
    (found,) = of("HR108", [item("user"), function_call("c"), custom], "openai-responses")
    assert (found.at, found.api_error) == (("type",), "No tool output found for function call c.")


# HR110 server-call-unresolved, HR111 server-result-orphan


def test_three_states_in_which_a_server_tool_has_no_result_yet() -> None:
    paused = [ASK, assistant(text("I search"), SEARCH)]
    assert error_codes(paused) == []
    mixed = [ASK, assistant(SEARCH, tool_use("t1")), user(tool_result("t1"))]
    assert error_codes(mixed) == []
    assert error_codes([*mixed, assistant(FOUND, text("a")), user("b")]) == []
    code = {"type": "server_tool_use", "id": "srvtoolu_c", "name": "code_execution", "input": {}}
    caller = {"type": "code_execution_20260120", "tool_id": "srvtoolu_c"}
    rounds = [
        message
        for n in range(3)
        for message in (assistant({**tool_use(f"t{n}"), "caller": caller}), user(tool_result(f"t{n}")))
    ]
    rounds[0]["content"].insert(0, code)
    assert error_codes([ASK, *rounds]) == []


def test_a_text_beside_the_results_ends_the_waiting() -> None:
    mixed = [ASK, assistant(SEARCH, tool_use("t1")), user(tool_result("t1"), text("and?"))]
    (found,) = of("HR110", mixed)
    assert found.refs == ("A13",) and [related.note for related in found.related] == ["closes the turn"]
    assert [f.refs for f in of("HR110", [ASK, assistant({**SEARCH, "type": "mcp_tool_use"}), ASK])] == [("A16",)]


def test_the_result_of_a_server_tool_comes_anywhere_after_its_call_but_not_before() -> None:
    later = [ASK, assistant(SEARCH, tool_use("t1")), user(tool_result("t1")), assistant(FOUND, text("a")), ASK]
    assert not of("HR111", later)
    assert [f.call_ids for f in of("HR111", [ASK, assistant(FOUND, SEARCH, text("a")), ASK])] == [("srvtoolu_1",)]


# HR112 continues-pending-response


def test_a_request_that_brings_the_outputs_or_begins_anew_is_healthy(tmp_path: Path) -> None:
    response = {"object": "response", "id": "resp_1", "model": "gpt-5", "output": [function_call("c1")]}
    first = {"request": {"model": "gpt-5", "input": "list the files"}, "response": response}

    def missing(**second: Any) -> list[tuple[str, ...]]:
        log = tmp_path / "log.jsonl"
        log.write_text(json.dumps(first) + "\n" + json.dumps({"request": {"model": "gpt-5", **second}, "response": {}}))
        return [f.call_ids for f in findings_in(log, "openai-responses") if f.rule.code == "HR112"]

    assert missing(previous_response_id="resp_1", input="never mind") == [("c1",)]
    assert missing(previous_response_id="resp_1", input=[function_output("c1")]) == []
    assert missing(input="never mind") == []
    assert missing(previous_response_id="resp_of_another_log", input="never mind") == []


# HR114 synthesized-result


@pytest.mark.parametrize(
    ("said", "made_up"),
    [
        ("[Tool result missing due to internal error]", True),
        ("aborted", True),
        ("aborted by the test runner: 3 failed", False),
        ("(no output)", False),
        ("The user doesn't want to proceed with this tool use.", False),
        ("Tool call f with id t1 was cancelled - another message came in before it could be completed.", True),
        ([text("[Tool execution was interrupted]")], True),
        ([text("a"), {"type": "image"}], False),
    ],
)
def test_placeholders(said: Any, made_up: bool) -> None:
    assert bool(of("HR114", [ASK, assistant(tool_use("t1")), user(tool_result("t1", said))])) is made_up
