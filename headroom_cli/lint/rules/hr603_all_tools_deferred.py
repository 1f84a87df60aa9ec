"""# HR603 all-tools-deferred

Tools are deferred, and nothing is left that could find them.

## Why it is refused

Anthropic demands at least one tool without `defer_loading`, and that the tool search is not deferred itself. OpenAI's
Responses API demands a `tool_search` tool beside tools that are deferred.

Healthy look-alikes: no tools at all; deferred tools beside a search.

## Example

```json
{"tools": [{"name": "a", "input_schema": {"type": "object"}, "defer_loading": true}], "messages": [
  {"role": "user", "content": "x"}]}
```

## What to do

Declare the tool search, or stop deferring. Which tools matter is for the host to decide; there is no repair.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Rule


def check(check: Check) -> Iterator[Finding]:
    """The tools of a request in which only deferred ones are left."""
    history = check.history
    if history.judged_as != "request" or not history.tools:
        return
    tools = [tool for tool in history.tools if isinstance(tool, dict)]
    deferred = [tool for tool in tools if _is_deferred(tool)]
    if not deferred:
        return
    if check.profile.name == "openai-responses":
        if not any(tool.get("type") == "tool_search" for tool in tools):
            yield check.finding(
                f"{_count(len(deferred))} deferred, and there is no tool_search to find them",
                at=("tools",),
                line=history.line,
                api_error="Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.",
            )
        return
    search = next((tool for tool in deferred if _is_search(tool)), None)
    if len(deferred) == len(tools) or search is not None:
        yield check.finding(
            "the tool search itself is deferred" if search is not None else "all tools are deferred",
            at=("tools",),
            line=history.line,
            api_error="All tools have defer_loading set",
        )


def _count(tools: int) -> str:
    return "1 tool is" if tools == 1 else f"{tools} tools are"


def _is_deferred(tool: dict[str, Any]) -> bool:
    return tool.get("defer_loading") is True


def _is_search(tool: dict[str, Any]) -> bool:
    kind = tool.get("type")
    return isinstance(kind, str) and kind.startswith("tool_search_tool")


RULE = Rule(
    code="HR603",
    name="all-tools-deferred",
    summary="Deferred tools that nothing can find.",
    refs={"anthropic": ("A44",), "openai-responses": ("R14",)},
    check=check,
)
