"""`cases/waste`: every figure exact, from the library and the command line, in every dialect, of dicts and objects."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from headroom_cli import ParsedHistory, find_tool_units, parse_messages
from headroom_cli.cli.app import app

CASES = Path(__file__).parent / "cases" / "waste"
EXPECTED: dict[str, Any] = json.loads((CASES / "expected.json").read_text(encoding="utf-8"))
NAMES = sorted(EXPECTED)
DIALECTS = ("openai", "openai-responses", "anthropic", "bedrock")


class Turn(NamedTuple):
    """A message in no dialect: text, calls `(id, name, arguments as JSON)` or results `(id, text)`."""

    role: str
    text: str = ""
    calls: tuple[tuple[str, str, str], ...] = ()
    results: tuple[tuple[str, str], ...] = ()


def load(name: str) -> list[dict[str, Any]]:
    (line,) = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    messages: list[dict[str, Any]] = json.loads(line)["messages"]
    return messages


def turns_of(messages: list[dict[str, Any]]) -> list[Turn]:
    turns: list[Turn] = []
    for message in messages:
        role, content = message["role"], message["content"]
        if role == "tool":
            result = (message["tool_call_id"], content)
            if turns[-1].results:
                turns[-1] = turns[-1]._replace(results=(*turns[-1].results, result))
            else:
                turns.append(Turn("results", results=(result,)))
        elif "tool_calls" in message:
            functions = [(call["id"], call["function"]) for call in message["tool_calls"]]
            turns.append(Turn(role, calls=tuple((i, f["name"], f["arguments"]) for i, f in functions)))
        elif isinstance(content, str):
            turns.append(Turn(role, content))
        else:
            blocks = [block.get("toolUse") or block.get("toolResult") or block for block in content]
            if role == "assistant":
                calls = [(b.get("id") or b["toolUseId"], b["name"], json.dumps(b["input"])) for b in blocks]
                turns.append(Turn(role, calls=tuple(calls)))
            else:
                results = [
                    (b.get("tool_use_id") or b["toolUseId"], c if isinstance(c := b["content"], str) else c[0]["text"])
                    for b in blocks
                ]
                turns.append(Turn("results", results=tuple(results)))
    return turns


def write(turns: list[Turn], dialect: str) -> list[dict[str, Any]]:
    """The history in a dialect. A turn may hold text and calls, or results and then text."""
    return [message for turn in turns for message in WRITERS[dialect](turn)]


def _chat(turn: Turn) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "tool", "tool_call_id": i, "content": text} for i, text in turn.results]
    calls = [
        {"id": i, "type": "function", "function": {"name": name, "arguments": arguments}}
        for i, name, arguments in turn.calls
    ]
    if calls:
        messages.append({"role": "assistant", "content": turn.text or None, "tool_calls": calls})
    elif turn.text:
        messages.append({"role": _speaker(turn), "content": turn.text})
    return messages


def _responses(turn: Turn) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = [
        {"type": "function_call_output", "call_id": i, "output": text} for i, text in turn.results
    ]
    if turn.text:
        kind = "output_text" if turn.role == "assistant" else "input_text"
        content = [{"type": kind, "text": turn.text}]
        items.append({"type": "message", "role": _speaker(turn), "content": content})
    items += [
        {"type": "function_call", "id": f"fc_{i}", "call_id": i, "name": name, "arguments": arguments}
        for i, name, arguments in turn.calls
    ]
    return items


def _anthropic(turn: Turn) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = [
        {"type": "tool_result", "tool_use_id": i, "content": [{"type": "text", "text": text}]}
        for i, text in turn.results
    ]
    content += [{"type": "text", "text": turn.text}] if turn.text else []
    content += [
        {"type": "tool_use", "id": i, "name": name, "input": json.loads(arguments)} for i, name, arguments in turn.calls
    ]
    return [{"role": _speaker(turn), "content": content}]


def _strands(turn: Turn) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = [
        {"toolResult": {"toolUseId": i, "status": "success", "content": [{"text": text}]}} for i, text in turn.results
    ]
    content += [{"text": turn.text}] if turn.text else []
    content += [
        {"toolUse": {"toolUseId": i, "name": name, "input": json.loads(arguments)}} for i, name, arguments in turn.calls
    ]
    return [{"role": _speaker(turn), "content": content}]


def _speaker(turn: Turn) -> str:
    return "user" if turn.role == "results" else turn.role


WRITERS = {"openai": _chat, "openai-responses": _responses, "anthropic": _anthropic, "bedrock": _strands}


def objects_of(value: Any, key: str = "") -> Any:
    """The same values as objects with attributes and no `.get`; `input` is a plain object in every SDK."""
    if isinstance(value, list):
        return [objects_of(item) for item in value]
    if isinstance(value, dict) and key != "input":
        return SimpleNamespace(**{name: objects_of(item, name) for name, item in value.items()})
    return value


def said(history: ParsedHistory) -> list[tuple[str, int, str]]:
    """Blocks without their place. Where arguments were recorded as a string, the text of a call may differ."""
    return [
        (b.kind, b.tokens, b.content_hash) if b.kind != "tool_call" else (b.kind, 0, b.call_key or "")
        for b in history.blocks
    ]


def report_of(path: Path) -> dict[str, Any]:
    outcome = CliRunner().invoke(app, ["analyze", str(path), "--format", "json", "--quiet"])
    assert outcome.exit_code == 0, outcome.output
    document: dict[str, Any] = json.loads(outcome.stdout)
    return document


def test_every_case_is_there() -> None:
    assert {path.stem for path in CASES.glob("*.jsonl")} == set(NAMES)
    assert len(NAMES) == 30


@pytest.mark.parametrize("name", NAMES)
def test_library(name: str) -> None:
    expected = EXPECTED[name]
    blocks, tokens_by_kind, waste = parse_messages(load(name))
    assert [[b.kind, b.message_index, b.tokens, b.content_hash] for b in blocks] == expected["blocks"]
    assert tokens_by_kind == expected["tokens_by_kind"]
    assert {signal: waste[signal] for signal in expected["waste"]} == expected["waste"]
    assert [[call, results] for call, results in find_tool_units(load(name))] == expected["tool_units"]


@pytest.mark.parametrize("name", NAMES)
def test_command_line(name: str) -> None:
    expected = EXPECTED[name]
    (conversation,) = report_of(CASES / f"{name}.jsonl")["conversations"]
    assert conversation["messages"] == expected["messages"]
    assert conversation["tokens"]["by_kind"] == expected["tokens_by_kind"]
    assert conversation["tokens"]["total"] == sum(expected["tokens_by_kind"].values())
    by_signal = conversation["waste"]["by_signal"]
    assert {s: by_signal.get(s, {}).get("tokens", 0) for s in expected["waste"]} == expected["waste"]
    assert conversation["tool_units"] == expected["tool_units"]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", NAMES)
def test_converted(name: str, dialect: str, tmp_path: Path) -> None:
    original = parse_messages(load(name))
    messages = write(turns_of(load(name)), dialect)
    converted = parse_messages(messages)
    assert said(converted) == said(original)
    assert converted.waste == original.waste
    assert converted.waste.flagged == original.waste.flagged
    path = tmp_path / "history.jsonl"
    path.write_text(json.dumps({"messages": messages}) + "\n", encoding="utf-8")
    (conversation,) = report_of(path)["conversations"]
    if EXPECTED[name]["tool_units"]:
        assert conversation["dialect"] == dialect
    assert conversation["tokens"]["by_kind"] == converted.tokens_by_kind
    assert conversation["waste"]["flagged"] == original.waste.flagged


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", NAMES)
def test_sdk_objects(name: str, dialect: str) -> None:
    messages = write(turns_of(load(name)), dialect)
    objects = objects_of(messages)
    assert parse_messages(objects) == parse_messages(messages)
    assert find_tool_units(objects) == find_tool_units(messages)


NOUNS = ("orders", "carts", "users", "prices", "stock", "refunds", "tokens", "mails", "vouchers", "taxes", "returns")
LISTING = "\n".join(f"def load_{noun}(session):\n    return session.query(Table.{noun}).all()" for noun in NOUNS * 3)


def read_twice(between: int, results: tuple[str, ...], again: tuple[str, ...]) -> list[Turn]:
    """Files are read in parallel, `between` messages later once more."""
    paths = [f"pkg/handlers_{n}.py" for n in range(len(results))]
    turns = [Turn("user", "Look at the handlers.")]
    for prefix, texts in (("a", results), ("b", again)):
        arguments = [json.dumps({"path": path}) for path in paths]
        turns.append(Turn("assistant", calls=tuple((f"{prefix}{n}", "read_file", a) for n, a in enumerate(arguments))))
        turns.append(Turn("results", results=tuple((f"{prefix}{n}", text) for n, text in enumerate(texts))))
        if prefix == "a":
            turns += [Turn("assistant" if n % 2 == 0 else "user", f"Step {n}.") for n in range(between)]
    return [*turns, Turn("assistant", "Done.")]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_only_a_time_of_change_differs_seven_messages_apart(dialect: str) -> None:
    first, second = (f"mtime: 2026-03-01T10:0{n}:00Z\n{LISTING}" for n in (1, 2))
    history = parse_messages(write(read_twice(5, (first,), (second,)), dialect))
    results = [block for block in history.blocks if block.kind == "tool_result"]
    assert results[1].message_index - results[0].message_index == 7
    assert results[0].content_hash != results[1].content_hash
    assert history.waste.reread == results[1].tokens > 300
    assert history.waste.total() == history.waste.reread
    # All but the line that differs, by characters.
    unchanged = len(LISTING.replace("\n", "")) / len(second.replace("\n", ""))
    assert history.waste.avoidable == int(results[1].tokens * unchanged)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("changed", [False, True])
def test_five_parallel_results(dialect: str, changed: bool) -> None:
    first = tuple(f"# module {n}\n{LISTING}" for n in range(5))
    second = tuple(f"# module {n}, again\n{LISTING}" for n in range(5)) if changed else first
    history = parse_messages(write(read_twice(4, first, second), dialect))
    results = [block for block in history.blocks if block.kind == "tool_result"]
    assert len(results) == 10
    assert history.waste.reread == sum(block.tokens for block in results[5:])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_five_parallel_results_of_one_content(dialect: str) -> None:
    history = parse_messages(write(read_twice(4, (LISTING,) * 5, (LISTING,) * 5), dialect))
    results = [block for block in history.blocks if block.kind == "tool_result"]
    # The same content counts once in the second batch, for the others share its step; they count as repeated calls.
    assert history.waste.reread == results[5].tokens * 5


TEXTS = (LISTING, LISTING.replace("all", "first"), "ok", "<p>" * 60, json.dumps([{"id": n} for n in range(200)]))
rounds = st.lists(
    st.tuples(
        st.sampled_from(["", "I look.", "<context>all</context>"]),
        st.lists(st.tuples(st.sampled_from(["a.py", "b.py"]), st.sampled_from(TEXTS)), max_size=3),
        st.sampled_from(["", "", "Go on."]),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(rounds)
def test_any_history_gives_the_same_figures_in_every_dialect(played: list[tuple[str, list[Any], str]]) -> None:
    turns = [Turn("user", "Look at the tables.")]
    for number, (said_first, reads, then) in enumerate(played):
        ids = [f"k{number}_{n}" for n in range(len(reads))]
        arguments = [json.dumps({"path": path}) for path, _ in reads]
        calls = tuple((i, "read_file", a) for i, a in zip(ids, arguments, strict=True))
        turns.append(Turn("assistant", said_first or ("" if calls else "Done."), calls))
        results = tuple((i, text) for i, (_, text) in zip(ids, reads, strict=True))
        turns.append(Turn("results" if results else "user", then or ("" if results else "And?"), results=results))
    first, *others = (parse_messages(write(turns, dialect)) for dialect in DIALECTS)
    for other in others:
        assert said(other) == said(first)
        assert other.tokens_by_kind == first.tokens_by_kind
        assert other.waste == first.waste
        assert (other.waste.flagged, other.waste.avoidable) == (first.waste.flagged, first.waste.avoidable)
