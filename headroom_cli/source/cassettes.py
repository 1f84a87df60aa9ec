"""YAML cassettes of VCR and vcrpy as records: one for each interaction, at the line of its request's body.

Each record has the shape of a JSON cassette with one interaction. Nodes are turned into plain values here, not by a
YAML constructor: no tag makes an object, and what aliases repeat is bounded.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headroom_cli.model import Damage
from headroom_cli.source.decode import MAX_NESTING, NESTED, scrub
from headroom_cli.source.records import Record
from headroom_cli.source.stream import DEFAULT_LIMITS, Limits, Unreadable, open_source, over_limit, rest_of
from headroom_cli.source.walk import COMPRESSED_SUFFIXES, YAML_SUFFIXES

if TYPE_CHECKING:
    from yaml import Node

INTERACTION_KEYS = ("interactions", "http_interactions")
"""Where cassettes keep what they recorded: vcrpy's name, and VCR's."""

NOT_YAML = "not valid YAML"
NO_CASSETTE = "no cassette"

_BODIES = ("body", "parsed_body")
_MOST_NODES = 2_000_000
_PLAIN = {
    "tag:yaml.org,2002:int": int,
    "tag:yaml.org,2002:float": float,
}
_TRUE = frozenset({"true", "yes", "on"})


def is_yaml(path: object) -> bool:
    """Whether a file's name says that it is YAML."""
    if not isinstance(path, str | Path):
        return False
    name = str(path)
    for suffix in COMPRESSED_SUFFIXES:
        name = name.removesuffix(suffix)
    return name.endswith(YAML_SUFFIXES)


class Cassette:
    """The records of a YAML file, with the attributes of `Records`. Raises `Unreadable` where it is no cassette."""

    def __init__(self, path: str | Path, *, limits: Limits = DEFAULT_LIMITS) -> None:
        self.path = path
        self.limits = limits
        self.damaged: list[Damage] = []
        self.replaced: dict[int, list[str]] = {}
        self.records = 0
        self.bytes = 0
        self._left = _MOST_NODES

    def __iter__(self) -> Iterator[Record]:
        self.damaged.clear()
        self.records, self._left = 0, _MOST_NODES
        opened = open_source(self.path, self.limits)
        longest = self.limits.line_bytes  # nodes of YAML take forty times their text
        try:
            data = opened.lines.read(longest)
            size = len(data) + rest_of(opened.lines)
            self.bytes = opened.bytes
            if opened.stream.failure:
                raise Unreadable(opened.stream.failure)
        finally:
            opened.close()
        if size > longest:
            raise Unreadable(over_limit("YAML document", size, longest))
        if b"interactions" not in data or b"request" not in data:
            raise Unreadable(NO_CASSETTE)
        yield from self._documents(data.decode("utf-8", "replace"))

    def _documents(self, text: str) -> Iterator[Record]:
        import yaml

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            for root in yaml.compose_all(text, loader):
                if root is not None:
                    yield from self._interactions(root)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            self.damaged.append(Damage(mark.line + 1 if mark is not None else 1, NOT_YAML))
        except RecursionError:
            self.damaged.append(Damage(1, NESTED))

    def _interactions(self, root: Node) -> Iterator[Record]:
        found = next((node for key in INTERACTION_KEYS if (node := _member(root, key)) is not None), None)
        if found is None or not isinstance(found.value, list):
            return
        for node in found.value:
            if not hasattr(node, "start_mark"):
                return  # a mapping, not a list
            request = _member(node, "request")
            body = next((b for key in _BODIES if (b := _member(request, key)) is not None), None)
            inner = next((b for key in ("string", "base64_string") if (b := _member(body, key)) is not None), body)
            line = (inner or node).start_mark.line + 1
            try:
                value = self._plain(node, 0)
            except OverflowError:
                self.damaged.append(Damage(line, NESTED))
                return
            self.records += 1
            yield Record(line, {INTERACTION_KEYS[0]: [value]})

    def _plain(self, node: Node, depth: int) -> Any:
        """A node as plain data; raises OverflowError where it is too deep, or repeats too much by aliases."""
        self._left -= 1
        if depth > MAX_NESTING or self._left < 0:
            raise OverflowError
        value = node.value
        if isinstance(value, str):
            return _scalar(node.tag, value)
        if getattr(node, "id", "") == "mapping":
            pairs = [pair for pair in value if isinstance(pair, tuple)]
            return {str(self._plain(key, depth + 1)): self._plain(item, depth + 1) for key, item in pairs}
        return [self._plain(item, depth + 1) for item in value]


def _scalar(tag: str, value: str) -> Any:
    if tag == "tag:yaml.org,2002:null":
        return None
    if tag == "tag:yaml.org,2002:bool":
        return value.lower() in _TRUE
    if tag == "tag:yaml.org,2002:binary":
        try:
            return base64.b64decode(value).decode("utf-8")
        except (binascii.Error, ValueError):
            return value
    convert = _PLAIN.get(tag)
    if convert is not None and len(value) < 400:
        try:
            return convert(value.replace("_", ""))
        except ValueError:
            return value
    return scrub(value)


def _member(node: Node | None, name: str) -> Node | None:
    """The value of a key of a mapping."""
    for pair in node.value if node is not None and isinstance(node.value, list) else ():
        if isinstance(pair, tuple) and pair[0].value == name:
            return pair[1]  # type: ignore[no-any-return]
    return None
