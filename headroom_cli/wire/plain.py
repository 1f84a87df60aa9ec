"""SDK objects to plain data: what the wire formats read are dicts, lists and strings.

Only the library boundary needs this: what comes from a file is plain already.
"""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Iterable, Mapping, Set
from datetime import date, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any
from uuid import UUID

_ATOMS = frozenset({str, int, float, bool, type(None), bytes})
_CODE = (type, FunctionType, MethodType, BuiltinFunctionType, ModuleType)
_MAX_DEPTH = 200
_MAX_OBJECT_DEPTH = 8
_PROBE = "headroom_no_such_field"
# Fields of messages, blocks and calls in every wire format: what can't be listed (class attributes, properties,
# `__getattr__`) is asked for by name.
_FIELDS = (
    *("role", "content", "parts", "tool_calls", "function_call", "function", "custom", "id", "type", "name"),
    *("arguments", "args", "input", "tool_call_id", "call_id", "output", "text", "refusal", "tool_use_id", "is_error"),
    *("thinking", "signature", "data", "source", "media_type", "url", "image_url", "reasoning_content", "summary"),
    *("encrypted_content", "server_name", "status", "toolUseId", "toolUse", "toolResult", "reasoningContent"),
    *("reasoningText", "functionCall", "functionResponse", "function_response", "response", "inlineData"),
    *("inline_data", "thought", "message"),
)


def as_plain(value: Any) -> Any:
    """The value as dicts, lists and scalars; the same object if it is that already.

    Pydantic models, dataclasses, named tuples, mappings and objects that only have attributes become dicts. Fields of
    an object that are None or code are left out, unless a pydantic model was given that None. Cycles, and objects
    that have nothing to read, become None.
    """
    return value if type(value) in _ATOMS else _Plainer().plain(value, 0, 0)


class _Plainer:
    """One conversion: each object once. `done` maps an id to the object (so that the id stays its own) and its form."""

    def __init__(self) -> None:
        self.done: dict[int, tuple[Any, Any]] = {}

    def plain(self, value: Any, depth: int, object_depth: int) -> Any:
        if type(value) in _ATOMS:
            return value
        key = id(value)
        found = self.done.get(key)
        if found is not None:
            return found[1]
        if depth > _MAX_DEPTH:
            return value if isinstance(value, (dict, list)) else None
        self.done[key] = (value, None)
        result: Any
        if isinstance(value, dict):
            result = self._dict(value, depth + 1, object_depth)
        elif isinstance(value, list):
            result = self._list(value, depth + 1, object_depth)
        else:
            result = self._foreign(value, depth + 1, object_depth)
        self.done[key] = (value, result)
        return result

    def _dict(self, value: dict[Any, Any], depth: int, object_depth: int) -> dict[Any, Any]:
        changed: dict[Any, Any] | None = None
        for name, item in value.items():
            if type(item) not in _ATOMS:
                new = self.plain(item, depth, object_depth)
                if new is not item:
                    changed = dict(value) if changed is None else changed
                    changed[name] = new
        return value if changed is None else changed

    def _list(self, value: list[Any], depth: int, object_depth: int) -> list[Any]:
        changed: list[Any] | None = None
        for index, item in enumerate(value):
            if type(item) not in _ATOMS:
                new = self.plain(item, depth, object_depth)
                if new is not item:
                    changed = list(value) if changed is None else changed
                    changed[index] = new
        return value if changed is None else changed

    def _foreign(self, value: Any, depth: int, object_depth: int) -> Any:
        if isinstance(value, Enum):
            return self.plain(value.value, depth, object_depth)
        if isinstance(value, (str, int, float, bytes)):
            return value
        if isinstance(value, (bytearray, memoryview)):
            return bytes(value)
        if isinstance(value, (date, time)):
            return value.isoformat()
        if isinstance(value, (Decimal, UUID, PurePath)):
            return str(value)
        if isinstance(value, numbers.Real):
            return int(value) if isinstance(value, numbers.Integral) else float(value)
        if isinstance(value, Mapping):
            return self._dict(dict(value), depth, object_depth)
        if isinstance(value, (tuple, Set)) and not hasattr(value, "_fields"):
            return self._list(list(value), depth, object_depth)
        if isinstance(value, _CODE) or object_depth >= _MAX_OBJECT_DEPTH:
            return None
        fields = _read(value)
        if set(fields) == {"root"} and isinstance(getattr(type(value), "model_fields", None), dict):
            return self.plain(fields["root"], depth, object_depth)
        return self._dict(fields, depth, object_depth + 1) if fields else None


def _read(value: Any) -> dict[str, Any]:
    """The fields of an object, by the names that they have on the wire."""
    kind = type(value)
    models = getattr(kind, "model_fields", None) or getattr(kind, "__fields__", None)
    if isinstance(models, dict):
        return _read_model(value, models)
    if dataclasses.is_dataclass(kind):
        names: Iterable[str] = [field.name for field in dataclasses.fields(kind)]
    elif isinstance(value, tuple):
        names = getattr(kind, "_fields", ())
    else:
        names = _listed(value)
        if _get(value, _PROBE) is None:  # else it makes up whatever is asked for, as mocks do
            names = dict.fromkeys([*names, *_FIELDS])
    return {name: item for name in names if (item := _get(value, name)) is not None and not isinstance(item, _CODE)}


def _read_model(value: Any, models: dict[str, Any]) -> dict[str, Any]:
    """A pydantic model (2 or 1): its fields by alias, and what else it was given."""
    given = _get(value, "model_fields_set") or _get(value, "__fields_set__") or ()
    fields: dict[str, Any] = {}
    for name, field in models.items():
        item = _get(value, name)
        if item is not None or name in given:
            alias = getattr(field, "serialization_alias", None) or getattr(field, "alias", None)
            fields[alias if isinstance(alias, str) else name] = item
    extra = _get(value, "model_extra")
    if extra is None:
        extra = {k: v for k, v in getattr(value, "__dict__", {}).items() if k not in models and not k.startswith("_")}
    return {**extra, **fields} if isinstance(extra, dict) else fields


def _listed(value: Any) -> list[str]:
    """The public attributes that an object itself lists: those in `__dict__` and in `__slots__`."""
    names = [name for name in getattr(value, "__dict__", ()) if isinstance(name, str)]
    for base in type(value).__mro__:
        slots = base.__dict__.get("__slots__", ())
        names += [slots] if isinstance(slots, str) else [name for name in slots if isinstance(name, str)]
    return [name for name in names if not name.startswith("_")]


def _get(value: Any, name: str) -> Any:
    try:
        return getattr(value, name, None)
    except Exception:  # noqa: BLE001  a property of a foreign object may raise anything: then it has no value
        return None
