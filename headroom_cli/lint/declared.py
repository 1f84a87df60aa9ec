"""The tools that a request declares, by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from headroom_cli.lint.history import History, Pointer

_ENVELOPE = ("model", "max_tokens", "modelId", "inferenceConfig")
_GROUPS = ("functionDeclarations", "function_declarations")


@dataclass(slots=True, eq=False)
class Declared:
    """`names` with the place of each declaration in the request; `types` are those of tools that the provider runs.

    `open`: a toolset is among them whose tools the request does not name.
    """

    names: list[tuple[str, Pointer]] = field(default_factory=list)
    types: set[str] = field(default_factory=set)
    open: bool = False

    @property
    def known(self) -> set[str]:
        """The names alone."""
        return {name for name, _ in self.names}


def declared_tools(history: History) -> Declared | None:
    """What the request declares; None where its tools are not known (session logs, bare messages)."""
    tools = history.tools
    if tools is None:
        whole = history.judged_as == "request" and not history.body.keys().isdisjoint(_ENVELOPE)
        if not whole or _may_hide_tools(history.body):
            return None
        tools = []
    found = Declared()
    nested = "tools" not in history.body and isinstance(history.body.get("toolConfig"), dict)
    for i, tool in enumerate(tools):
        _add(found, tool, (("toolConfig", "tools", i) if nested else ("tools", i)))
    for entry in history.entries:
        if entry.side == "system":
            for block in entry.blocks:
                if block.type == "tool_addition" and isinstance(block.raw, dict):
                    _add_addition(found, block.raw)
    return found


def _may_hide_tools(body: dict[str, Any]) -> bool:
    """Whether tools may come from elsewhere: servers of the MCP connector, a stored prompt, an earlier response."""
    return any(body.get(key) for key in ("mcp_servers", "prompt", "previous_response_id", "conversation"))


def _add(found: Declared, tool: Any, path: Pointer) -> None:
    if not isinstance(tool, dict):
        return
    kind = tool.get("type")
    if isinstance(kind, str):
        found.types.add(kind)
        found.open = found.open or kind in ("mcp_toolset", "mcp", "namespace")
    for key in _GROUPS:
        group = tool.get(key)
        if isinstance(group, list):
            for i, inner in enumerate(group):
                _add(found, inner, (*path, key, i))
    for key in ("function", "custom", "toolSpec"):
        inner = tool.get(key)
        if isinstance(inner, dict):
            tool, path = inner, (*path, key)
            break
    name = tool.get("name")
    if isinstance(name, str):
        found.names.append((name, (*path, "name")))


def _add_addition(found: Declared, raw: dict[str, Any]) -> None:
    tool = raw.get("tool")
    if isinstance(tool, dict):
        for key in ("name", "tool_name"):
            if isinstance(tool.get(key), str):
                found.names.append((tool[key], ()))
    else:
        found.open = True
