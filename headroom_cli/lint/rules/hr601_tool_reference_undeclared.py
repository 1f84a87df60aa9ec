"""# HR601 tool-reference-undeclared

The history refers to a tool that this request does not declare.

## Why it is refused

Anthropic looks up each `tool_reference` (what a tool search found) in the request's own `tools`. When the same history
is replayed with other tools, by a hook that runs at the end, by a compaction, or after an MCP server is gone, the
reference dangles: `Tool reference '<name>' not found in available tools`. Calls of a retrieval tool that a proxy had
added to the request (`headroom_retrieve`) are reported likewise once the tool is gone, although that was not always
reproduced.

Other calls of tools that are not declared any more are tolerated (HR606 warns). Session logs do not tell which tools a
request declared, and nothing is said of them. With a toolset whose tools the request does not name, neither.

## Example

```json
{"tools": [{"name": "bash", "input_schema": {"type": "object"}}], "messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "bash", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [
    {"type": "tool_reference", "tool_name": "mcp__gone__x"}]}]}]}
```

## What to do

Declare the tool again, or turn the call and its result into text in the same place: roles still alternate, and the text
that was found stays (`--fix` does).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Fix, Related, Rule
from headroom_cli.lint.history import Block, Pointer

_RETRIEVAL = "headroom_retrieve"
_FIX = Fix("neutralize", "turn the call and its result into text in the same place")
_FIX_SEARCH = Fix("drop", "drop the search and what it found")


def check(check: Check) -> Iterator[Finding]:
    """References to tools, and calls of a retrieval tool, that are not declared."""
    history, declared = check.history, check.declared
    if declared is None or declared.open:
        return
    known = declared.known
    retrievals = [call for call in history.of_kind("call") if call.type == "tool_use" and _retrieves(call, known)]
    results = {id(call): result for call, result in check.matching.answered} if retrievals else {}
    for call in retrievals:
        yield _retrieval(check, call, results.get(id(call)))
    for block in (*history.of_kind("result"), *history.of_kind("server_result"), *history.of_kind("reference")):
        for at, name in _references(block):
            if name in known:
                continue
            yield check.finding(
                f"the tool {name} is referred to, but this request does not declare it",
                block,
                at=at,
                call_ids=(block.id,) if block.id else (),
                api_error=f"Tool reference '{name}' not found in available tools",
                fix=_FIX_SEARCH if block.kind == "server_result" else _FIX,
            )


def _retrieves(call: Block, known: set[str]) -> bool:
    return call.name.endswith(_RETRIEVAL) and call.name not in known


def _retrieval(check: Check, call: Block, result: Block | None) -> Finding:
    return check.finding(
        f"the retrieval tool {call.name} was called, but this request does not declare it",
        call,
        at=("name",),
        confidence="medium",
        call_ids=(call.id,) if call.id else (),
        api_error=f"Tool reference '{call.name}' not found in available tools",
        related=[Related(result, "what it retrieved")] if result is not None else [],
        fix=_FIX,
    )


def _references(block: Block) -> Iterator[tuple[Pointer, str]]:
    """The references in a block: of a tool search of the client's, of the provider's, or standing alone."""
    if block.kind == "reference":
        yield from _named(block.raw, ())
        return
    content: Any = block.value
    path: Pointer = ("content",)
    if isinstance(content, dict) and isinstance(content.get("tool_references"), list):
        content, path = content["tool_references"], ("content", "tool_references")
    if isinstance(content, list):
        for i, item in enumerate(content):
            yield from _named(item, (*path, i))


def _named(raw: Any, path: Pointer) -> Iterator[tuple[Pointer, str]]:
    if isinstance(raw, dict) and raw.get("type") == "tool_reference":
        name = raw.get("tool_name")
        if isinstance(name, str):
            yield (*path, "tool_name"), name


RULE = Rule(
    code="HR601",
    name="tool-reference-undeclared",
    summary="The history refers to a tool that the request does not declare.",
    refs={"anthropic": ("A12",)},
    check=check,
)
