from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headroom_cli import wire
from headroom_cli.blocks import (
    call_key,
    compute_hash,
    conversation_blocks,
    count_tokens,
    is_rag_content,
    message_blocks,
)
from headroom_cli.model import Block, Conversation, Declaration, Interval, Message, Text, ToolCall, ToolResult
from headroom_cli.tokens import get_tokenizer
from headroom_cli.wire.results import call_text

EMPTY = "d41d8cd98f00b204"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAAC0lEQVR4nGNgQAcAABIAAXPxP9wAAAAASUVORK5CYII="


def blocks_of(*messages: Any, dialect: str | None = None) -> list[Block]:
    blocks = message_blocks(wire.parse_history(list(messages), dialect)[1])
    count_tokens([blocks], get_tokenizer(), {})
    return blocks


def kinds(blocks: list[Block]) -> list[str]:
    return [block.kind for block in blocks]


def tokens(text: str) -> int:
    return get_tokenizer().count_text(text)


def deep(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels):
        value = {"a": value}
    return value


class TestKeys:
    def test_hash_is_the_head_of_md5(self) -> None:
        assert compute_hash("") == EMPTY
        assert compute_hash("ok") == hashlib.md5(b"ok").hexdigest()[:16] == "444bcb3a3fcf8389"
        assert compute_hash("\ud800") == compute_hash("?")

    def test_text_of_a_call(self) -> None:
        assert call_text("f", '{"b":1}') == 'f({"b":1})'
        assert call_text("f", {"b": "é", "a": [1, None]}) == 'f({"a": [1, null], "b": "\\u00e9"})'
        assert call_text("f", None) == "f()"
        assert call_text("f", "") == "f()"

    def test_one_call_has_one_key_in_every_wire_format(self) -> None:
        expected = hashlib.md5(b'read\0{"lines":100,"path":"a.py"}').hexdigest()[:16]
        assert call_key("read", '{"path": "a.py", "lines": 100}') == expected
        assert call_key("read", {"lines": 100, "path": "a.py"}) == expected
        assert call_key("read", ' \n{"lines":100,"path":"a.py"}') == expected

    def test_what_is_no_object_or_list_is_itself(self) -> None:
        assert call_key("sh", "ls -la") == hashlib.md5(b"sh\0ls -la").hexdigest()[:16]
        assert call_key("sh", "{broken") == hashlib.md5(b"sh\0{broken").hexdigest()[:16]
        assert call_key("sh", "5") == hashlib.md5(b"sh\x005").hexdigest()[:16]
        assert call_key("sh", None) == hashlib.md5(b"sh\0").hexdigest()[:16]
        assert call_key("sh", "[1, 2]") == call_key("sh", [1, 2]) != call_key("sh", "1, 2")

    @pytest.mark.parametrize("levels", [900, 3_000, 100_000])
    def test_arguments_that_are_nested_too_deep_do_not_raise(self, levels: int) -> None:
        assert len(call_key("f", deep(levels))) == 16
        assert len(call_key("f", '{"a":' * levels + "{}" + "}" * levels)) == 16
        assert call_text("f", deep(levels)).startswith("f(")


class TestRetrieved:
    @pytest.mark.parametrize(
        "text",
        [
            "see [Document 3] for it",
            "[SOURCE: wiki]",
            "<context>x</context>",
            "<Document>x",
            "retrieved FROM: index",
            "From the knowledge base: x",
        ],
    )
    def test_marker(self, text: str) -> None:
        assert is_rag_content(text)
        assert kinds(blocks_of({"role": "user", "content": text})) == ["rag"]

    @pytest.mark.parametrize("text", ["", "[Document]", "[document x]", "my context", "documents"])
    def test_no_marker(self, text: str) -> None:
        assert not is_rag_content(text)

    def test_only_users_bring_documents(self) -> None:
        marked = "<context>x</context>"
        assert kinds(blocks_of({"role": "assistant", "content": marked}, {"role": "system", "content": marked})) == [
            "assistant",
            "system",
        ]

    @pytest.mark.parametrize(
        "document",
        [
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Tariffs."}},
            {"type": "search_result", "title": "T", "source": "s", "content": [{"type": "text", "text": "Tariffs."}]},
            {"document": {"format": "txt", "name": "d", "source": {"text": "Tariffs."}}},
            {"searchResult": {"title": "T", "source": "s", "content": [{"text": "Tariffs."}]}},
        ],
    )
    def test_documents_that_are_text(self, document: dict[str, Any]) -> None:
        question = {"type": "text", "text": "What is due?"} if "type" in document else {"text": "What is due?"}
        (block,) = blocks_of({"role": "user", "content": [question, document]})
        assert block.kind == "rag"
        assert block.text.startswith("What is due?\n")
        assert block.text.endswith("Tariffs.")


class TestMessages:
    def test_text_parts_make_one_block(self) -> None:
        (block,) = blocks_of({"role": "user", "content": [{"type": "text", "text": t} for t in ("Hello", "", "you")]})
        assert (block.kind, block.text, block.tokens) == ("user", "Hello\nyou", tokens("Hello\nyou") + 4)
        assert block.bytes == 9

    @pytest.mark.parametrize(
        "message",
        [
            {"role": "user", "content": ""},
            {"role": "assistant", "content": None},
            {"role": "user", "content": [{"type": "text", "text": ""}]},
            {"role": "user", "content": [{"type": "no_such_block"}]},
            {"role": "tool", "tool_call_id": "k", "content": ""},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "k", "content": []}]},
            {},
            None,
            7,
        ],
    )
    def test_nothing_readable(self, message: Any) -> None:
        (block,) = blocks_of(message)
        assert (block.kind, block.tokens, block.content_hash) == ("unknown", 4, EMPTY)

    def test_an_empty_result_beside_others_gives_no_block(self) -> None:
        content = [
            {"type": "tool_result", "tool_use_id": "a", "content": ""},
            {"type": "tool_result", "tool_use_id": "b", "content": "fine", "is_error": True},
        ]
        (block,) = blocks_of({"role": "user", "content": content})
        assert (block.kind, block.call_id, block.is_error, block.tokens) == ("tool_result", "b", True, 5)

    def test_wire_order(self) -> None:
        content = [
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "k", "name": "ls", "input": {}},
            {"type": "text", "text": "Wait."},
        ]
        blocks = blocks_of({"role": "assistant", "content": content})
        assert [(b.kind, b.text) for b in blocks] == [
            ("thinking", "Hm."),
            ("assistant", "I look.\nWait."),
            ("tool_call", "ls({})"),
        ]
        assert blocks[2].tokens == tokens("ls({})") + 10

    def test_ciphertext_costs_nothing(self) -> None:
        (block,) = blocks_of({"role": "assistant", "content": [{"type": "redacted_thinking", "data": "EuYB"}]})
        assert (block.kind, block.tokens) == ("thinking", 0)

    def test_images_keep_size_and_pixels(self) -> None:
        image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
        blocks = blocks_of(
            {"role": "user", "content": [{"type": "text", "text": "See:"}, image]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "k", "content": [image]}]},
        )
        assert kinds(blocks) == ["user", "image", "image"]
        assert [(b.tokens, b.bytes, len(b.content_hash)) for b in blocks[1:]] == [(0, 68, 16)] * 2
        assert blocks[2].call_id == "k"

    def test_schemas_among_the_messages_are_system_text(self) -> None:
        tool = {"name": "lookup", "input_schema": {"type": "object"}}
        (block,) = blocks_of({"type": "mcp_list_tools", "server_label": "crm", "tools": [tool]})
        assert (block.kind, block.tool_name) == ("system", "lookup")
        assert block.tokens == tokens(json.dumps(tool)) + 4

    def test_a_summary_in_the_assistants_name_is_system_text(self) -> None:
        content = [{"type": "compaction", "content": "So far: X."}, {"type": "text", "text": "On we go."}]
        blocks = blocks_of({"role": "assistant", "content": content})
        assert [(b.kind, b.text) for b in blocks] == [("system", "So far: X."), ("assistant", "On we go.")]

    @pytest.mark.parametrize("origin", ["harness", "command", "hook"])
    def test_injected_text_is_system_text(self, origin: Any) -> None:
        (block,) = message_blocks([Message(0, "user", [Text("<reminder>")], origin=origin)])
        assert (block.kind, block.origin) == ("system", origin)

    def test_a_result_without_id(self) -> None:
        (block,) = blocks_of({"role": "tool", "content": "data"}, dialect="openai")
        assert (block.kind, block.call_id) == ("tool_result", None)


class TestResults:
    @pytest.mark.parametrize(
        ("content", "text"),
        [
            ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
            ([{"text": "a"}, {"json": {"k": [1, 2]}}], 'a\n{"k": [1, 2]}'),
            ([{"type": "tool_reference", "tool_name": "x"}, {"type": "text", "text": "a"}], "a"),
            ("plain", "plain"),
        ],
    )
    def test_text_of_a_result(self, content: Any, text: str) -> None:
        (block,) = blocks_of({"role": "tool", "tool_call_id": "k", "content": content})
        assert (block.text, block.tokens) == (text, tokens(text) + 4)


class TestSteps:
    def steps(self, *messages: Message) -> list[int]:
        return [block.step for block in message_blocks(messages)]

    def call(self, index: int, call_id: str, request: int) -> Message:
        return Message(index, "assistant", [ToolCall(call_id, "f", "{}")], request=request)

    def result(self, index: int, call_id: str) -> Message:
        return Message(index, "tool", [ToolResult(call_id, "r")], origin="tool")

    def test_one_response_and_its_results_are_two_steps(self) -> None:
        assert self.steps(
            Message(0, "user", [Text("go")]),
            self.call(1, "a", 0),
            self.call(2, "b", 0),
            self.result(3, "a"),
            self.result(4, "b"),
            Message(5, "assistant", [Text("done")], request=1),
        ) == [0, 1, 1, 2, 2, 3]

    def test_results_written_between_the_calls_of_a_response(self) -> None:
        messages = [self.call(0, "a", 0), self.result(1, "a"), self.call(2, "b", 0), self.result(3, "b")]
        assert self.steps(*messages, self.call(4, "c", 1), self.result(5, "c")) == [0, 1, 0, 1, 2, 3]

    def test_text_behind_results_is_a_step_as_where_it_is_a_message(self) -> None:
        anthropic = Message(1, "user", [ToolResult("a", "r"), ToolResult("b", "r"), Text("And now?")])
        assert self.steps(self.call(0, "a", 0), anthropic, self.call(2, "c", 1)) == [0, 1, 1, 2, 3]
        chat = [self.result(1, "a"), self.result(2, "b"), Message(3, "user", [Text("And now?")])]
        assert self.steps(self.call(0, "a", 0), *chat, self.call(4, "c", 1)) == [0, 1, 1, 2, 3]

    def test_every_other_message_is_a_step(self) -> None:
        assert self.steps(*(Message(i, "user", [Text("x")]) for i in range(3))) == [0, 1, 2]

    def test_results_that_are_pictures_or_empty_are_results(self) -> None:
        call = self.call(0, "a", 0)
        assert self.steps(call, self.result(1, "a"), Message(2, "tool", [ToolResult("b", "")])) == [0, 1, 1]
        assert self.steps(call, self.result(1, "a"), Message(2, "user", [ToolResult("b", "")])) == [0, 1, 1]


def test_what_stands_outside_the_messages_comes_first() -> None:
    conversation = Conversation("c", None, "anthropic", "anthropic", "x.jsonl")
    conversation.system = [Text("Be brief.", context=(Interval(0),), line=4)]
    conversation.tools = [Declaration("ls", '{"name": "ls"}', line=4)]
    conversation.messages = [Message(0, "user", [Text("Hi")], line=5)]
    blocks = conversation_blocks(conversation)
    count_tokens([blocks], get_tokenizer(), {})
    assert [(b.index, b.kind, b.message_index, b.tool_name, b.line) for b in blocks] == [
        (0, "system", -1, None, 4),
        (1, "system", -1, "ls", 4),
        (2, "user", 0, None, 5),
    ]
    assert blocks[0].context == (Interval(0),)
    assert [b.origin for b in blocks] == ["harness", "harness", "human"]


def test_each_text_is_counted_once() -> None:
    class Counter:
        seen: list[str] = []  # noqa: RUF012

        def count_text(self, text: str, /) -> int:
            self.seen.append(text)
            return 1

    memo: dict[str, int] = {}
    for _ in range(2):
        blocks = message_blocks([Message(i, "user", [Text("same")]) for i in range(3)])
        count_tokens([blocks], Counter(), memo)
        assert [b.tokens for b in blocks] == [5, 5, 5]
    assert Counter.seen == ["same"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.text(max_size=8), json_values)
def test_a_call_has_the_same_key_as_an_object_or_as_a_string(name: str, arguments: Any) -> None:
    if isinstance(arguments, dict | list):
        assert call_key(name, json.dumps(arguments)) == call_key(name, arguments)
    assert len(call_key(name, arguments)) == 16
