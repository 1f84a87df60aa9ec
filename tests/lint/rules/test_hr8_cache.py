"""HR801 to HR819: what keeps a provider from reading its cache, and what only looks like it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headroom_cli.lint.base import Finding
from headroom_cli.lint.engine import Selection, known_rules, rule_page
from tests.lint.support import Raw, assistant, findings_in, of, text, tool_result, tool_use, user

MODEL = "claude-opus-4-8"
SYSTEM = "You are a careful assistant of the acme shop. " * 20
A, B, C = {"name": "a", "description": "Reads", "input_schema": {}}, {"name": "b"}, {"name": "c"}
Q1, A1, Q2, A2, Q3 = user("one"), assistant("1"), user("two"), assistant("2"), user("three")
HISTORIES = [[Q1], [Q1, A1, Q2], [Q1, A1, Q2, A2, Q3]]


def request(messages: list[Raw], **body: Any) -> Raw:
    return {"model": MODEL, "max_tokens": 9, "system": SYSTEM, "tools": [A, B], "messages": messages, **body}


def pair(body: Raw, minute: float, read: int, write: int, **more: Any) -> Raw:
    seconds = int(minute * 60)
    usage = {
        "input_tokens": 4,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": write,
        "output_tokens": 1,
        **more.pop("usage", {}),
    }
    answer = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": str(len(body["messages"]) // 2 + 1)}],
        "usage": usage,
        **more,
    }
    stamp = f"2026-11-01T{10 + seconds // 3600}:{seconds % 3600 // 60:02}:{seconds % 60:02}Z"
    return {"request": body, "response": answer, "timestamp": stamp}


def log(tmp_path: Path, *rows: Raw, provider: str = "anthropic") -> list[Finding]:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [finding for finding in findings_in(path, provider) if finding.rule.code.startswith("HR8")]


def codes(found: list[Finding]) -> list[str]:
    return [finding.rule.code for finding in found]


def three(**bodies: Any) -> list[Raw]:
    """Three requests; each keyword is a list with the value of that field for each of them."""
    return [
        request(messages, **{name: values[number] for name, values in bodies.items()})
        for number, messages in enumerate(HISTORIES)
    ]


def test_all_are_off_unless_selected() -> None:
    assert [rule.code for rule in Selection().rules() if rule.code.startswith("HR8")] == []
    assert len([rule for rule in Selection(extend=("HR8",)).rules() if rule.off]) == 19


@pytest.mark.parametrize("code", [f"HR8{number:02}" for number in range(1, 20)])
def test_example_of_each_page(tmp_path: Path, code: str) -> None:
    block = rule_page(known_rules()[code]).split("```json\n")[1].split("```")[0]
    decoder, rows = json.JSONDecoder(), []
    while block.strip():
        value, end = decoder.raw_decode(block.lstrip())
        rows.append(value)
        block = block.lstrip()[end:]
    dialect = "openai-responses" if code == "HR815" else "anthropic"
    assert code in codes(log(tmp_path, *rows, provider=dialect))


def test_a_conversation_that_only_appends_is_silent(tmp_path: Path) -> None:
    marked = {"type": "text", "text": "two", "cache_control": {"type": "ephemeral"}}
    rows = three()
    rows[1]["messages"] = [Q1, A1, user(marked)]
    assert log(tmp_path, *rows) == []


# HR801 to HR803


def test_tools_that_come_and_go(tmp_path: Path) -> None:
    (found,) = log(tmp_path, *three(tools=[[A, B], [A, B], [A, C]]))
    assert (found.rule.code, found.line, found.severity) == ("HR801", 3, "info")
    assert "line 2: added c; gone b;" in found.message


def test_tools_that_change_each_time_are_one_finding(tmp_path: Path) -> None:
    (found,) = log(tmp_path, *three(tools=[[A], [A, B], [A, B, C]]))
    assert found.message.endswith("so in 2 requests")


def test_tools_in_another_order(tmp_path: Path) -> None:
    (found,) = log(tmp_path, *three(tools=[[A, B], [B, A], [B, A]]))
    assert found.rule.code == "HR802" and "from b on" in found.message


def test_other_bytes_of_the_same_tools(tmp_path: Path) -> None:
    turned = dict(reversed(list(A.items())))
    (found,) = log(tmp_path, *three(tools=[[A], [turned], [turned]]))
    assert found.rule.code == "HR803" and "keys of a are written in another order" in found.message
    assert found.confidence == "medium"
    (found,) = log(tmp_path, *three(tools=[[A], [A], [{**A, "description": "Reads 3"}]]))
    assert found.rule.code == "HR803" and '"Reads' in found.message


def test_tools_of_gemini_and_bedrock_are_compared_one_by_one(tmp_path: Path) -> None:
    def gemini(*names: str) -> Raw:
        contents = [{"role": "user", "parts": [{"text": "one"}]}]
        contents += [{"role": "model", "parts": [{"text": "1"}]}, {"role": "user", "parts": [{"text": "two"}]}]
        declared = [{"functionDeclarations": [{"name": name} for name in names]}]
        return {"contents": contents[: 3 if "b" in names else 1], "tools": declared, "generationConfig": {}}

    (found,) = log(tmp_path, gemini("a"), gemini("a", "b"), provider="gemini")
    assert found.rule.code == "HR801" and found.refs == ("K01",)

    def bedrock(*names: str) -> Raw:
        messages = [{"role": "user", "content": [{"text": "one"}]}]
        messages += [{"role": "assistant", "content": [{"text": "1"}]}, {"role": "user", "content": [{"text": "2"}]}]
        specs = [{"toolSpec": {"name": name, "inputSchema": {"json": {}}}} for name in names]
        kept = messages[: 3 if names[0] == "b" else 1]
        return {"modelId": "x", "messages": kept, "toolConfig": {"tools": specs}, "inferenceConfig": {}}

    (found,) = log(tmp_path, bedrock("a", "b"), bedrock("b", "a"), provider="bedrock")
    assert found.rule.code == "HR802"


# HR804, HR805


def test_system_prompt_that_changes(tmp_path: Path) -> None:
    (found,) = log(tmp_path, *three(system=[SYSTEM + "Mode: plan.", SYSTEM + "Mode: act.", SYSTEM + "Mode: act."]))
    assert found.rule.code == "HR804" and found.line == 2
    assert '"plan." became "act."' in found.message


def test_system_message_of_chat_that_changes(tmp_path: Path) -> None:
    def chat(mode: str, count: int) -> Raw:
        history = [{"role": "system", "content": SYSTEM + mode}, Q1, A1, Q2]
        return {"model": "gpt-4o", "messages": history[:count]}

    (found,) = log(tmp_path, chat("plan", 2), chat("act", 4), provider="openai")
    assert found.rule.code == "HR804" and '"plan" became "act"' in found.message


def test_billing_header_of_claude_code_is_left_out(tmp_path: Path) -> None:
    def blocks(header: str) -> list[Raw]:
        return [text(f"x-anthropic-billing-header: cch={header}"), text(SYSTEM)]

    assert log(tmp_path, *three(system=[blocks("1a"), blocks("2b"), blocks("3c")])) == []


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("a time", ["2026-11-30T10:00:00Z", "2026-11-30T10:02:11Z", "2026-11-30T10:05:00Z"]),
        ("a time", ["10:00", "10:01", "10:02"]),
        ("a date", ["2026-11-30", "2026-12-01", "2026-12-01"]),
        ("a date", ["November 30, 2026", "December 1, 2026", "December 1, 2026"]),
        ("a Unix time", ["1795000000", "1795000060", "1795000120"]),
        ("a UUID", [f"0b6c7a52-1111-4222-8333-44445555666{n}" for n in range(3)]),
        ("a process id", ["pid 411", "pid 1299", "pid 2000"]),
        ("a count of tokens", ["11,200 tokens", "12,100 tokens", "12,300 tokens"]),
    ],
)
def test_values_that_change_by_themselves(tmp_path: Path, kind: str, values: list[str]) -> None:
    (found,) = log(tmp_path, *three(system=[f"{SYSTEM}Now: {value}. Be brief." for value in values]))
    assert found.rule.code == "HR805"
    assert found.message.startswith(f'{kind} in the system prompt changes with the request: "{values[0]}" became')


def test_a_value_in_the_first_message(tmp_path: Path) -> None:
    rows = [request([user(f"It is 10:0{n}. Help."), A1, Q2, A2, Q3][: 3 + 2 * (n > 0)]) for n in range(2)]
    (found,) = log(tmp_path, *rows)
    assert found.rule.code == "HR805" and "the first message" in found.message


def test_a_value_that_stays_is_silent(tmp_path: Path) -> None:
    assert log(tmp_path, *three(system=[SYSTEM + "Session 2026-11-30T10:00:00Z"] * 3)) == []


def test_a_clock_in_a_lone_request(tmp_path: Path) -> None:
    (found,) = log(tmp_path, request([Q1], system="It is 2026-11-30 10:00:07."))
    assert (found.rule.code, found.confidence) == ("HR805", "low")
    assert log(tmp_path, request([Q1], system="Today is 2026-11-30.")) == []


# HR806, HR814


def test_model_that_switches(tmp_path: Path) -> None:
    (found,) = log(tmp_path, *three(model=[MODEL, "claude-sonnet-5", MODEL]))
    assert found.rule.code == "HR806" and found.message.endswith("; 2 switches in all")


def test_dated_name_of_the_same_model_is_no_switch(tmp_path: Path) -> None:
    assert log(tmp_path, *three(model=["claude-sonnet-4-5", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5"])) == []


def test_a_summary_under_another_prompt_is_a_fork_and_no_change(tmp_path: Path) -> None:
    asked = [*HISTORIES[1], A2, user("Summarise.")]
    side = {**request(asked, system="You write summaries."), "tools": [], "model": "claude-haiku-4-5"}
    (found,) = log(tmp_path, request(HISTORIES[0]), request(HISTORIES[1]), side, request(HISTORIES[2]))
    assert (found.rule.code, found.line) == ("HR814", 3)


# HR807, HR817


def long_history(*first: Raw) -> list[Raw]:
    return [*first, A1, Q2, A2, Q3]


def test_a_rewritten_message(tmp_path: Path) -> None:
    (found,) = log(tmp_path, request([user("one long"), A1, Q2]), request(long_history(user("one"))))
    assert found.rule.code == "HR807" and found.message.startswith("message 0 of the request on line 1 was rewritten")


def test_a_window_that_slides(tmp_path: Path) -> None:
    rows = [[user(str(n)) if n % 2 == 0 else assistant(str(n)) for n in range(start, 21 + start)] for start in (0, 2)]
    (found,) = log(tmp_path, *({**request(messages), "metadata": {"session_id": "s"}} for messages in rows))
    assert found.rule.code == "HR807" and "message 0 of the request on line 1 is gone or moved" in found.message


def test_the_last_message_may_grow_or_be_replaced(tmp_path: Path) -> None:
    grown = user(text("two"), text("<system-reminder>x</system-reminder>"))
    assert log(tmp_path, request([Q1, A1, user(text("two"))]), request([Q1, A1, grown, A2, Q3])) == []
    assert log(tmp_path, request([Q1, A1, user("two")]), request([Q1, A1, user("two, or three")])) == []


def test_going_back_and_compaction_are_no_rewriting(tmp_path: Path) -> None:
    session = {"metadata": {"session_id": "s"}}
    whole = [user(str(n)) if n % 2 == 0 else assistant(str(n)) for n in range(21)]
    assert log(tmp_path, request(whole, **session), request(whole[:9], **session)) == []
    summary = [user("This session is being continued from a previous conversation."), *whole[-2:]]
    assert log(tmp_path, request(whole, **session), request(summary, **session)) == []


def test_a_made_up_result_that_changes(tmp_path: Path) -> None:
    def history(stamp: str) -> list[Raw]:
        result = tool_result("toolu_1", f"[Tool execution was interrupted] {stamp}")
        return [Q1, assistant(tool_use("toolu_1")), user(result), A1, Q2]

    found = log(tmp_path, request(history("10:00")), request([*history("10:01"), A2, Q3]))
    assert "HR817" in codes(found)
    (one,) = [finding for finding in found if finding.rule.code == "HR817"]
    assert one.call_ids == ("toolu_1",)
    real = [Q1, assistant(tool_use("toolu_1")), user(tool_result("toolu_1", "real")), A1, Q2]
    edited = [Q1, assistant(tool_use("toolu_1")), user(tool_result("toolu_1", "cut")), A1, Q2, A2, Q3]
    assert codes(log(tmp_path, request(real), request(edited))) == ["HR807"]


# HR808 to HR810, HR812


def test_no_marker_though_there_is_much_to_cache(tmp_path: Path) -> None:
    big = SYSTEM * 30  # 27 kB: more than 4,096 tokens by any count
    (found,) = log(tmp_path, *three(system=[big] * 3))
    assert (found.rule.code, found.line) == ("HR808", 1)
    marked = [{**text(big), "cache_control": {"type": "ephemeral"}}]
    assert log(tmp_path, *three(system=[marked] * 3)) == []
    assert log(tmp_path, *three(system=[big] * 3, cache_control=[{"type": "ephemeral"}] * 3)) == []
    assert log(tmp_path, *three(system=[big] * 3, model=["kimi-k2"] * 3)) == []


def test_markers_too_far_apart(tmp_path: Path) -> None:
    def marked(value: str) -> Raw:
        return {**text(value), "cache_control": {"type": "ephemeral"}}

    def second(count: int, *more: Raw) -> list[Raw]:
        return [user(text("one")), A1, user(*more, *(text(str(n)) for n in range(count)), marked("end"))]

    first = request([user(marked("one"))], system=[marked(SYSTEM * 30)])
    assert log(tmp_path, first, request(second(18), system=[marked(SYSTEM * 30)])) == []
    (found,) = log(tmp_path, first, request(second(19), system=[marked(SYSTEM * 30)]))
    assert found.rule.code == "HR809" and found.message.startswith("21 blocks lie between")
    between = request(second(19, marked("between")), system=[marked(SYSTEM * 30)])
    assert log(tmp_path, first, between) == []


def test_prefix_too_short_to_cache(tmp_path: Path) -> None:
    marked = [{**text("You help."), "cache_control": {"type": "ephemeral"}}]
    (found,) = log(tmp_path, *three(system=[marked] * 3))
    assert found.rule.code == "HR810" and "below 4,096 tokens" in found.message
    long = [{**text(SYSTEM * 30), "cache_control": {"type": "ephemeral"}}]
    assert log(tmp_path, *three(system=[long] * 3)) == []


def test_writes_that_nobody_reads(tmp_path: Path) -> None:
    def rows(*systems: str) -> list[Raw]:
        marked = [[{**text(system * 900), "cache_control": {"type": "ephemeral"}}] for system in systems]
        return [pair(body, number, 0, 9000) for number, body in enumerate(three(system=marked))]

    found = log(tmp_path, *rows("You are one. ", "You are two. ", "You are six. "))
    assert codes(found) == ["HR804", "HR812"]
    assert "18,000 tokens were written for nothing" in found[1].message
    assert "HR812" not in codes(log(tmp_path, *rows("You are one. ", "You are one. ", "You are one. ")))


# HR811, HR816, HR819


def paused(minutes: float, **more: Any) -> list[Raw]:
    first, second, third = three()
    return [pair(first, 0, 0, 20_000), pair(second, 1, 20_000, 100), pair(third, 1 + minutes, 0, 20_500, **more)]


def test_a_pause_after_which_the_cache_is_gone(tmp_path: Path) -> None:
    (found,) = log(tmp_path, *paused(20))
    assert (found.rule.code, found.line) == ("HR811", 3)
    assert found.message.startswith(
        "20 minutes after the request before (line 2), the cache had expired: 20,100 tokens"
    )


def test_entries_for_an_hour_live_longer(tmp_path: Path) -> None:
    rows = paused(20)
    rows[0] = pair(rows[0]["request"], 0, 0, 20_000, usage={"cache_creation": {"ephemeral_1h_input_tokens": 20_000}})
    assert codes(log(tmp_path, *rows)) == ["HR816"]
    rows[2]["timestamp"] = "2026-11-01T12:00:00Z"
    assert codes(log(tmp_path, *rows)) == ["HR811"]


def test_a_drop_without_a_reason(tmp_path: Path) -> None:
    (found,) = log(tmp_path, *paused(1))
    assert found.rule.code == "HR816" and "only 0 tokens were read from the cache, and 20,100" in found.message


def test_a_drop_that_a_change_explains_is_told_once(tmp_path: Path) -> None:
    rows = paused(1)
    rows[2]["request"]["tools"] = [A]
    assert codes(log(tmp_path, *rows)) == ["HR801"]


def test_a_drop_that_the_provider_explains(tmp_path: Path) -> None:
    reason = {"cache_miss_reason": {"type": "tools_changed", "cache_missed_input_tokens": 20_100}}
    (found,) = log(tmp_path, *paused(1, diagnostics=reason))
    assert found.rule.code == "HR819"
    assert found.message == "the provider missed its cache for tools_changed: 20,100 tokens were computed anew"


@pytest.mark.parametrize("reason", [None, 3, {"type": 3}, {"type": "none"}, {"type": "unavailable"}, []])
def test_reasons_that_say_nothing(tmp_path: Path, reason: Any) -> None:
    assert codes(log(tmp_path, *paused(1, diagnostics={"cache_miss_reason": reason}))) in (["HR816"], [])


def test_a_log_that_never_read_from_a_cache_is_silent(tmp_path: Path) -> None:
    first, second, third = three()
    assert log(tmp_path, pair(first, 0, 0, 20_000), pair(second, 1, 0, 20_000), pair(third, 2, 0, 20_000)) == []


# HR813, HR815, HR818


def test_parameters_that_toggle(tmp_path: Path) -> None:
    rows = three(tool_choice=[{"type": "auto"}, {"type": "any"}, {"type": "auto"}])
    (found,) = log(tmp_path, *rows)
    assert found.rule.code == "HR813" and found.message.endswith("so in 2 requests")
    del rows[1]["tool_choice"]
    assert log(tmp_path, *rows) == []
    assert log(tmp_path, *three(temperature=[0, 1, 0], max_tokens=[1, 2, 3])) == []


def test_cache_key_that_changes(tmp_path: Path) -> None:
    def rows(*keys: str | None) -> list[Raw]:
        made = [{"model": "gpt-4o", "messages": messages} for messages in HISTORIES]
        return [row if key is None else {**row, "prompt_cache_key": key} for row, key in zip(made, keys, strict=True)]

    (found,) = log(tmp_path, *rows("1", "2", "3"), provider="openai")
    assert found.rule.code == "HR815" and found.message.endswith("so in 2 requests")
    assert log(tmp_path, *rows("s", "s", "s"), provider="openai") == []
    assert log(tmp_path, *rows(None, None, None), provider="openai") == []


def test_a_result_that_stands_twice() -> None:
    big, other = "x" * 500, "y" * 500

    def history(*second: str) -> list[Raw]:
        asked = [assistant(tool_use("toolu_2")), user(tool_result("toolu_2", second[0]))]
        return [Q1, assistant(tool_use("toolu_1")), user(tool_result("toolu_1", big)), A1, Q2, *asked]

    (found,) = of("HR818", history(big))
    assert found.call_ids == ("toolu_2", "toolu_1") and "stand in message 2" in found.message
    assert of("HR818", history(other)) == []
    near = [Q1, *history(big)[1:3], *history(big)[5:]]
    assert of("HR818", near) == []


@pytest.mark.parametrize("junk", [None, 3, "x", [], {}, [None, 3, "x"], [{"name": 3}], {"tools": 3}, [[]]])
def test_wrong_types_never_raise(tmp_path: Path, junk: Any) -> None:
    names = ("tools", "system", "model", "toolConfig", "tool_choice", "prompt_cache_key", "cache_control")
    for name in names:
        log(tmp_path, *three(**{name: [junk, [A], junk]}))
    weird = {"type": "text", "text": junk, "cache_control": junk}
    log(tmp_path, request([user(weird), A1, user(junk)]), request([user(weird, weird), A1, user(junk, 3), A2, Q3]))
