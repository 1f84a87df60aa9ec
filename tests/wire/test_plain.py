from __future__ import annotations

import time
from collections import OrderedDict, UserDict
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import MagicMock
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, RootModel

from headroom_cli.wire import openai_chat
from headroom_cli.wire.plain import as_plain

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)
CALL: dict[str, Any] = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "read_file", "arguments": '{"path": "a.py"}'},
}


@given(JSON)
def test_plain_values_come_back_untouched(value: Any) -> None:
    assert as_plain(value) is value


def test_only_what_holds_an_object_is_copied() -> None:
    kept = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    history = [kept, SimpleNamespace(role="assistant", content="hello")]
    converted = as_plain(history)
    assert converted == [kept, {"role": "assistant", "content": "hello"}]
    assert converted[0] is kept
    assert isinstance(history[1], SimpleNamespace)


class FunctionModel(BaseModel):
    name: str | None = None
    arguments: str | None = None


class CallModel(BaseModel):
    id: str | None = None
    type: str = "function"
    function: FunctionModel | None = None


class MessageModel(BaseModel):
    model_config = ConfigDict(extra="allow")
    role: str
    content: str | None
    refusal: str | None = None
    tool_calls: list[CallModel] | None = None


def test_a_pydantic_message_is_what_its_api_sent() -> None:
    sent: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [CALL], "reasoning_content": "hm"}
    model = MessageModel.model_validate(sent)
    assert as_plain(model) == sent
    assert openai_chat.parse_message(as_plain(model), 0).parts == openai_chat.parse_message(sent, 0).parts


class BlockModel(BaseModel):
    kind: str = Field(alias="type")
    input: dict[str, Any]


class Items(RootModel[list[BlockModel]]):
    pass


def test_aliases_and_nulls_inside_arguments_are_kept() -> None:
    sent = {"type": "tool_use", "input": {"path": "a.py", "limit": None}}
    assert as_plain(BlockModel.model_validate(sent)) == sent
    assert as_plain(Items.model_validate([sent])) == [sent]


@dataclass
class CallData:
    id: str
    function: FunctionModel
    index: int | None = None
    history: list[int] = field(default_factory=list)


class Pair(NamedTuple):
    role: str
    content: str


class Color(Enum):
    RED = "red"


def test_dataclasses_tuples_mappings_and_scalars() -> None:
    data = CallData("call_1", FunctionModel(name="f", arguments="{}"))
    assert as_plain(data) == {"id": "call_1", "function": {"name": "f", "arguments": "{}"}, "history": []}
    assert as_plain((Pair("user", "hi"), ("a", 1))) == [{"role": "user", "content": "hi"}, ["a", 1]]
    assert as_plain(MappingProxyType({"a": (1,)})) == {"a": [1]}
    assert as_plain(UserDict({"role": "user"})) == {"role": "user"}
    ordered = OrderedDict(a=1)
    assert as_plain(ordered) is ordered
    assert as_plain([Color.RED, Decimal("1.5"), UUID(int=1), bytearray(b"x")]) == [
        "red",
        "1.5",
        "00000000-0000-0000-0000-000000000001",
        b"x",
    ]


class Slotted:
    __slots__ = ("content", "role")

    def __init__(self) -> None:
        self.role = "assistant"
        self.content = [SimpleNamespace(type="text", text="hi")]


class ClassAttributes:
    id = "call_1"
    type = "function"
    function = SimpleNamespace(name="read_file", arguments='{"path": "a.py"}')

    def copy(self) -> None:
        """A method, and so no field."""


class Lazy:
    """Fields that exist only when asked for."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields_by_name = fields

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_fields_by_name"][name]
        except KeyError:
            raise AttributeError(name) from None


class Failing:
    role = "user"

    @property
    def content(self) -> str:
        raise RuntimeError("the session is closed")


class AlwaysNone:
    def __init__(self) -> None:
        self.name = "f"

    def __getattr__(self, name: str) -> None:
        return None


def test_objects_that_only_have_attributes() -> None:
    assert as_plain(Slotted()) == {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}
    assert as_plain(ClassAttributes()) == CALL
    assert as_plain(Lazy({"id": "call_1", "type": "function", "function": Lazy(dict(CALL["function"]))})) == CALL
    assert as_plain(Failing()) == {"role": "user"}
    assert as_plain(AlwaysNone()) == {"name": "f"}


@pytest.mark.parametrize("function", [CALL["function"], SimpleNamespace(**CALL["function"])])
def test_a_nested_function_may_be_a_dict_or_an_object(function: Any) -> None:
    assert as_plain(SimpleNamespace(id="call_1", type="function", function=function, index=None)) == CALL


def test_mocks_give_only_what_they_were_given() -> None:
    started = time.perf_counter()
    mock = MagicMock(role="assistant", content="hi", tool_calls=[MagicMock(id="call_1", type="function")])
    plain = as_plain(mock)
    assert (plain["role"], plain["content"]) == ("assistant", "hi")
    assert (plain["tool_calls"][0]["id"], plain["tool_calls"][0]["type"]) == ("call_1", "function")
    openai_chat.parse_message(plain, 0)
    openai_chat.parse_message(as_plain(MagicMock()), 0)
    assert time.perf_counter() - started < 2


class Endless:
    """Each answer is a new object with the same questions."""

    @property
    def content(self) -> Endless:
        return Endless()

    @property
    def message(self) -> Endless:
        return Endless()


def test_cycles_and_endless_objects_end() -> None:
    loop: dict[str, Any] = {"role": "user"}
    loop["content"] = loop
    assert as_plain(loop) == {"role": "user", "content": None}
    tangle: list[Any] = []
    tangle += [tangle, tangle, {"a": tangle}]
    assert as_plain(tangle) == [None, None, {"a": None}]
    node = SimpleNamespace(role="user")
    node.parent = node
    assert as_plain(node) == {"role": "user"} or as_plain(node) == {"role": "user", "parent": None}
    as_plain(Endless())


def test_shared_values_are_converted_once() -> None:
    shared: Any = SimpleNamespace(text="x")
    for _ in range(60):  # 2**60 paths lead to the text
        shared = [shared, shared]
    converted = as_plain(shared)
    assert converted[0] is converted[1]


def test_deep_values_do_not_raise() -> None:
    deep: Any = SimpleNamespace(text="x")
    for _ in range(5000):
        deep = {"a": deep}
    assert as_plain(deep)["a"]["a"] is not None


@pytest.mark.parametrize("value", [object(), len, int, test_cycles_and_endless_objects_end, time, (x for x in "ab")])
def test_what_has_nothing_to_read_is_none(value: Any) -> None:
    assert as_plain(value) is None
    assert as_plain([value]) == [None]
