from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headroom_cli
from headroom_cli import (
    ParsedHistory,
    analyze,
    compute_hash,
    detect_waste_signals,
    find_tool_units,
    get_message_content_text,
    is_rag_content,
    parse_message_to_blocks,
    parse_messages,
    read,
)
from headroom_cli.tokens import get_tokenizer

SOURCE = "\n".join(f"def {name}(self):\n    return self._{name}.copy()" for name in ("left", "right", "up", "down") * 3)


class Words:
    """The least that a tokenizer is."""

    def count_text(self, text: str, /) -> int:
        return len(text.split())


class ChoiceDeltaToolCall:
    """A call as the OpenAI SDK streams it: attributes only, no `.get`."""

    def __init__(self, call_id: Any, function: Any) -> None:
        self.index = 0
        self.id = call_id
        self.function = function
        self.type = "function"


def chat(*reads: tuple[str, str]) -> list[dict[str, Any]]:
    """A chat in which a tool returns each text, two remarks apart."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Look around."}]
    for number, (path, text) in enumerate(reads):
        function = {"name": "read_file", "arguments": json.dumps({"path": path})}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [{"id": f"k{number}", "function": function}]},
            {"role": "tool", "tool_call_id": f"k{number}", "content": text},
            {"role": "assistant", "content": "Seen."},
            {"role": "user", "content": "Next."},
        ]
    return messages


class TestParseMessages:
    def test_unpacks_into_three_and_has_names(self) -> None:
        history = parse_messages(chat(("a.py", SOURCE), ("a.py", SOURCE)))
        blocks, tokens_by_kind, waste = history
        assert isinstance(history, ParsedHistory)
        assert (history.blocks, history.tokens_by_kind, history.waste) == (blocks, tokens_by_kind, waste)
        assert sum(tokens_by_kind.values()) == sum(block.tokens for block in blocks)
        result = blocks[2]
        assert (result.kind, result.text, result.message_index) == ("tool_result", SOURCE, 2)
        assert (result.tool_call_id, result.tool_name, result.is_error) == ("k0", "read_file", None)
        assert result.content_hash == compute_hash(SOURCE)
        assert result.call_key == blocks[1].call_key == blocks[6].call_key
        assert waste.reread == waste.reread_tokens == waste["reread"] == result.tokens
        assert waste.total() == waste.flagged == waste.avoidable == result.tokens
        assert waste.to_dict() == dict(waste)

    def test_every_signal_has_a_figure(self) -> None:
        waste = parse_messages([]).waste
        assert set(waste) >= {"reread", "reread_compressed", "json_bloat", "html_noise", "base64", "whitespace"}
        assert set(waste.values()) == {0}
        with pytest.raises(AttributeError, match="no waste signal is called 'rereads'"):
            _ = waste.rereads

    def test_any_tokenizer(self) -> None:
        blocks, tokens_by_kind, _ = parse_messages(chat(("a.py", "one two")), Words())
        assert [block.tokens for block in blocks] == [6, 12, 6, 5, 5]
        assert tokens_by_kind == {"user": 11, "tool_call": 12, "tool_result": 6, "assistant": 5}

    def test_a_tokenizer_is_never_given_what_none_can_take(self) -> None:
        seen: list[str] = []

        class Strict:
            def count_text(self, text: str, /) -> int:
                text.encode()
                seen.append(text)
                return 1

        parse_messages([{"role": "user", "content": "a\ud800b"}, {"role": "user", "content": " " * 250_000}], Strict())
        assert "a\ufffdb" in seen
        assert max(map(len, seen)) <= 100_000

    def test_waste_in_text(self) -> None:
        page = "<div class='x'><!-- menu -->" * 20 + "\n\n\n\n" + " " * 4_000 + "text"
        history = parse_messages([{"role": "user", "content": page}])
        assert history.waste.html_noise > 100
        assert history.waste.whitespace > 0
        assert history.waste.total() <= history.blocks[0].tokens

    @pytest.mark.parametrize(
        "garbage", [None, 5, "text", {"role": "user"}, [None], [[]], [5, "x"], [{}], [{"role": []}]]
    )
    def test_garbage(self, garbage: Any) -> None:
        blocks, tokens_by_kind, waste = parse_messages(garbage)
        assert all(block.kind in ("unknown", "user") for block in blocks)
        assert sum(tokens_by_kind.values()) == sum(block.tokens for block in blocks)
        assert waste.total() == 0
        assert find_tool_units(garbage) == []

    @pytest.mark.parametrize("levels", [500, 5_000, 100_000])
    def test_values_that_are_nested_too_deep(self, levels: int) -> None:
        value: Any = {}
        for _ in range(levels):
            value = {"content": [value]}
        results = {"type": "tool_result", "tool_use_id": "k", "content": value}
        messages = [
            {"role": "assistant", "tool_calls": [{"id": "k", "function": {"name": "f", "arguments": value}}]},
            {"role": "tool", "tool_call_id": "k", "content": value},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "k", "name": "f", "input": value}]},
            {"role": "user", "content": [results, {"toolResult": {"toolUseId": "x", "content": [{"json": value}]}}]},
            {"role": "user", "content": value},
            value,
        ]
        assert {block.message_index for block in parse_messages(messages).blocks} == set(range(6))
        assert find_tool_units(messages) == [(0, [1]), (2, [3])]

    def test_figures_can_be_copied(self) -> None:
        waste = parse_messages(chat(("a.py", SOURCE), ("a.py", SOURCE))).waste
        copied = pickle.loads(pickle.dumps(waste))
        assert (copied, copied.flagged, copied.reread) == (waste, waste.flagged, waste.reread)


class TestCompressed:
    MARKED = "[16 lines compressed to 2. Retrieve more: hash=3fa9c1]"

    def compressed(self, text: str, reads: int = 2) -> Any:
        messages = chat(*[("a.py", SOURCE)] * reads)
        after = chat(("a.py", text), *[("a.py", SOURCE)] * (reads - 1))
        return parse_messages(messages, None, after).waste

    @pytest.mark.parametrize("marker", [MARKED, "Retrieve original: hash=1", "<<ccr:3fa9c1,string,4.5KB>>"])
    def test_replaced_by_a_marker(self, marker: str) -> None:
        waste = self.compressed(marker, reads=3)
        assert waste.reread_compressed == waste.reread == 2 * parse_messages(chat(("a.py", SOURCE))).blocks[2].tokens

    @pytest.mark.parametrize("text", [SOURCE, "shorter", SOURCE + MARKED])
    def test_not_replaced(self, text: str) -> None:
        waste = self.compressed(text)
        assert (waste.reread > 0, waste.reread_compressed) == (True, 0)

    def test_only_the_first_serve_tells(self) -> None:
        messages = chat(("a.py", SOURCE), ("a.py", SOURCE))
        waste = parse_messages(messages, None, chat(("a.py", SOURCE), ("a.py", self.MARKED))).waste
        assert waste.reread_compressed == 0

    def test_only_the_first_pass_tells(self) -> None:
        messages = chat(("a.py", SOURCE), ("a.py", SOURCE.replace("copy", "clone")))
        waste = parse_messages(messages, None, chat(("a.py", self.MARKED), ("a.py", SOURCE))).waste
        assert (waste.reread > 0, waste.reread_compressed) == (True, 0)

    @pytest.mark.parametrize("after", [[], [None] * 3, None, 5])
    def test_another_length_tells_nothing(self, after: Any) -> None:
        assert parse_messages(chat(("a.py", SOURCE), ("a.py", SOURCE)), None, after).waste.reread_compressed == 0

    def test_one_of_several_results_of_a_message(self) -> None:
        def history(first: str, second: str) -> list[dict[str, Any]]:
            calls = [{"type": "tool_use", "id": i, "name": "read", "input": {"p": i}} for i in "ab"]
            results = [
                {"type": "tool_result", "tool_use_id": i, "content": text} for i, text in (("a", first), ("b", second))
            ]
            again = {"type": "tool_result", "tool_use_id": "c", "content": SOURCE}
            return [
                {"role": "assistant", "content": calls},
                {"role": "user", "content": results},
                {"role": "assistant", "content": "Hm."},
                {"role": "user", "content": "And?"},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "x", "input": {}}]},
                {"role": "user", "content": [again]},
            ]

        other = "something else"
        for after, expected in ((history(SOURCE, self.MARKED), False), (history(self.MARKED, other), True)):
            waste = parse_messages(history(SOURCE, other), None, after).waste
            assert (waste.reread_compressed == waste.reread) == expected
            assert waste.reread > 0


class TestOneMessage:
    def test_blocks(self) -> None:
        (block,) = parse_message_to_blocks({"role": "user", "content": "Hello there"}, 7, get_tokenizer())
        assert (block.kind, block.message_index, block.tokens) == ("user", 7, 6)

    def test_nothing_readable(self) -> None:
        (block,) = parse_message_to_blocks(None, 3, Words())
        assert (block.kind, block.tokens, block.message_index) == ("unknown", 4, 3)

    @pytest.mark.parametrize(
        "function",
        [
            {"name": "ls", "arguments": '{"path": "."}'},
            SimpleNamespace(name="ls", arguments='{"path": "."}'),
        ],
    )
    @pytest.mark.parametrize("wrapped", [True, False])
    def test_calls_that_are_objects(self, function: Any, wrapped: bool) -> None:
        call = ChoiceDeltaToolCall("k", function)
        message: Any = {"role": "assistant", "content": None, "tool_calls": [call]}
        if wrapped:
            message = SimpleNamespace(**message)
        (block,) = parse_message_to_blocks(message, 0, Words())
        assert (block.kind, block.text, block.tool_call_id) == ("tool_call", 'ls({"path": "."})', "k")

    @pytest.mark.parametrize(
        "call", [None, 5, "call", [], {}, object(), ChoiceDeltaToolCall(None, None), ChoiceDeltaToolCall(5, ["x"])]
    )
    def test_calls_that_are_nothing(self, call: Any) -> None:
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        (block,) = parse_message_to_blocks(message, 0, Words())
        assert (block.kind, block.text, block.tool_call_id) == ("tool_call", "()", None)
        assert find_tool_units([message]) == []


class TestToolUnits:
    CALL = ChoiceDeltaToolCall("k", SimpleNamespace(name="ls", arguments="{}"))

    @pytest.mark.parametrize(
        ("call", "result"),
        [
            ({"role": "assistant", "tool_calls": [CALL]}, {"role": "tool", "tool_call_id": "k", "content": "x"}),
            (
                {"type": "function_call", "call_id": "k", "name": "ls", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "k", "output": "x"},
            ),
            (
                {"role": "assistant", "content": [{"type": "tool_use", "id": "k", "name": "ls", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "k", "content": "x"}]},
            ),
            (
                {"role": "assistant", "content": [{"toolUse": {"toolUseId": "k", "name": "ls", "input": {}}}]},
                {"role": "user", "content": [{"toolResult": {"toolUseId": "k", "content": [{"text": "x"}]}}]},
            ),
            (
                {"role": "model", "parts": [{"functionCall": {"id": "k", "name": "ls", "args": {}}}]},
                {"role": "user", "parts": [{"functionResponse": {"id": "k", "name": "ls", "response": {"x": 1}}}]},
            ),
        ],
    )
    def test_in_every_dialect_whatever_stands_between(self, call: Any, result: Any) -> None:
        remark = {"role": "user", "content": "Still there?"}
        assert find_tool_units([call, remark, result]) == [(0, [2])]
        assert find_tool_units([call, result, call, remark, result]) == [(0, [1]), (2, [4])]
        assert find_tool_units([call, remark]) == find_tool_units([result]) == []


class TestText:
    def test_waste_signals(self) -> None:
        figures = detect_waste_signals("<p>" * 30 + "x", get_tokenizer())
        assert figures.html_noise == get_tokenizer().count_text("<p>" * 30)
        assert figures.total() == figures.html_noise
        assert detect_waste_signals("plain words", Words()).total() == 0
        assert detect_waste_signals("", Words()) == detect_waste_signals("fine")

    def test_dates_matter_in_system_text(self) -> None:
        text = "Today is 2026-03-01T10:00:00Z."
        assert detect_waste_signals(text).dynamic_date == 0
        assert detect_waste_signals(text, kind="system").dynamic_date > 0

    @pytest.mark.parametrize(
        ("message", "text"),
        [
            ({"role": "user", "content": "a"}, "a"),
            ({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb"),
            ({"role": "user", "content": [{"text": "a"}]}, "a"),
            ({"role": "assistant", "content": None}, ""),
            ({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}, "a"),
            (SimpleNamespace(role="user", content="a"), "a"),
            (None, ""),
        ],
    )
    def test_text_of_a_message(self, message: Any, text: str) -> None:
        assert get_message_content_text(message) == text

    def test_retrieved(self) -> None:
        assert is_rag_content("<CONTEXT>") and not is_rag_content("context")


class TestFiles:
    def test_read_and_analyze(self, tmp_path: Path) -> None:
        path = tmp_path / "chat.jsonl"
        path.write_text(json.dumps({"messages": chat(("a.py", SOURCE), ("a.py", SOURCE))}) + "\n{broken\n")
        reading = read(path)
        assert [len(c.messages) for c in reading.conversations] == [9]
        assert [damage.line for damage in reading.damaged] == [2]
        for given_paths in (path, str(path), [path], [tmp_path]):
            document = analyze(given_paths)
            assert document["schema_version"] == "1"
            (conversation,) = document["conversations"]
            assert conversation["waste"]["by_signal"]["reread"]["findings"] == 1
            assert conversation["tool_units"] == [[1, [2]], [5, [6]]]
            assert document["damaged"][0]["line"] == 2

    def test_longer_lines_are_read_when_told_to(self, tmp_path: Path) -> None:
        path = tmp_path / "chat.jsonl"
        path.write_text(json.dumps({"messages": chat(("a.py", "x" * 1_000))}) + "\n")
        for limit, number in ((1_000, 0), (2_000, 1)):
            assert len(read(path, max_line=limit).conversations) == number
            assert len(analyze(path, max_line=limit)["conversations"]) == number

    def test_nothing_there(self, tmp_path: Path) -> None:
        assert read(tmp_path / "none.jsonl").skipped
        assert analyze([])["conversations"] == []
        with pytest.raises(ValueError, match="none"):
            analyze(tmp_path / "none.jsonl")


SAMPLES = Path(__file__).parents[1] / "sample_transcripts"


@pytest.mark.parametrize("family", ["claude-code", "codex", "openai-chat", "openai-responses", "anthropic", "strands"])
def test_growing_snapshots_of_a_sample_are_that_sample_once(family: str, tmp_path: Path) -> None:
    sample = max((SAMPLES / family).rglob("*.jsonl"), key=lambda path: path.stat().st_size)
    lines = sample.read_bytes().splitlines(keepends=True)
    for end in {*range(len(lines), 0, -3), 1}:
        snapshot = tmp_path / f"{end:03}" / sample.name
        snapshot.parent.mkdir()
        snapshot.write_bytes(b"".join(lines[:end]))
    once, together = analyze(sample)["totals"], analyze(tmp_path)["totals"]
    for name in ("conversations", "messages", "requests", "tokens", "usage", "cost_usd_micros", "waste"):
        assert together[name] == once[name], name


def test_import_is_light() -> None:
    code = (
        "import sys, headroom_cli; assert not {'polars', 'tiktoken', 'quicktok'} & set(sys.modules);"
        "headroom_cli.parse_messages; assert not {'tiktoken', 'quicktok'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert set(headroom_cli.__all__) <= set(dir(headroom_cli))
    with pytest.raises(AttributeError):
        _ = headroom_cli.no_such_name


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
NAMES = (
    *("role", "content", "type", "text", "tool_calls", "function", "name", "arguments", "id", "tool_call_id", "parts"),
    *(
        "toolUse",
        "toolResult",
        "toolUseId",
        "input",
        "tool_use_id",
        "call_id",
        "output",
        "thinking",
        "summary",
        "source",
    ),
)
VALUES = (
    *(
        "user",
        "assistant",
        "system",
        "tool",
        "function_call",
        "function_call_output",
        "tool_use",
        "tool_result",
        "text",
    ),
    *("image", "document", "message", "reasoning", "mcp_call", "compaction", "k"),
)
like_messages = st.recursive(
    st.sampled_from(VALUES) | json_values,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=25,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(like_messages, max_size=6))
def test_no_messages_raise_and_tokens_add_up(messages: list[Any]) -> None:
    history = parse_messages(messages, Words())
    assert sum(history.tokens_by_kind.values()) == sum(block.tokens for block in history.blocks)
    assert {block.message_index for block in history.blocks} == set(range(len(messages)))
    assert 0 <= history.waste.avoidable <= history.waste.flagged <= sum(history.tokens_by_kind.values())
    assert all(call < len(messages) and results for call, results in find_tool_units(messages))
    for index, message in enumerate(messages):
        assert parse_message_to_blocks(message, index, Words())
        assert isinstance(get_message_content_text(message), str)


pieces = st.sampled_from(
    [
        "<div class='a'>",
        "<!-- note -->",
        "\n\n\n\n",
        " " * 12,
        "aGVsbG8gd29ybGQsIHRoaXMgaXMgYSBiYXNlNjQgdGV4dCBvZiBzb21lIGxlbmd0aCE=",
        "\x1b[31mred\x1b[0m",
        json.dumps([{"id": n, "level": "INFO", "message": f"step {n} done"} for n in range(40)]),
        "plain words here ",
        "2026-03-01 10:00:00 downloading package 17\n" * 5,
        "     1\timport os\n",
    ]
)
texts = st.lists(pieces, min_size=1, max_size=8).map("".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["a.py", "b.py"]), texts), min_size=1, max_size=5))
def test_no_token_is_claimed_twice(reads: list[tuple[str, str]]) -> None:
    blocks, tokens_by_kind, waste = parse_messages(chat(*reads))
    assert waste.avoidable <= waste.flagged <= sum(tokens_by_kind.values())
    assert waste.flagged <= sum(waste.values())
    assert waste.reread <= sum(block.tokens for block in blocks if block.kind == "tool_result")
