"""# HR602 server-tool-undeclared

The history holds a call that the provider has to run, or advice, and the request lacks the tool.

## Why it is refused

Anthropic runs server tools itself. A call that is still open (`pause_turn`) needs its tool in the request that goes on;
results of the advisor need it in every request.

Healthy look-alikes: searches that are done, in a request without the search tool; session logs, which do not tell what
was declared.

## Example

```json
{"tools": [], "messages": [
  {"role": "user", "content": "q"},
  {"role": "assistant", "content": [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "advisor", "input": {}},
    {"type": "advisor_tool_result", "tool_use_id": "srvtoolu_1", "content": {"type": "advisor_result", "text": "…"}},
    {"type": "text", "text": "ok"}]},
  {"role": "user", "content": "go"}]}
```

## What to do

Declare the tool, or drop the call and its result (`--fix` does the latter).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.declared import Declared
from headroom_cli.lint.history import Block

_FIX = Fix("drop", "drop the call and its result")
_ADVISOR = "advisor"
_FAMILIES = {
    "bash_code_execution": "code_execution",
    "text_editor_code_execution": "code_execution",
    "tool_search_tool_regex": "tool_search_tool",
    "tool_search_tool_bm25": "tool_search_tool",
}


def check(check: Check) -> Iterator[Finding]:
    """Calls of server tools that are open at the end, and those of the advisor, whose tool is not declared."""
    history, declared = check.history, check.declared
    calls = [call for call in history.of_kind("server_call") if call.type == "server_tool_use"]
    if declared is None or not calls:
        return
    done = {block.id for block in history.of_kind("server_result")}
    last = history.entries[-1]
    for call in calls:
        pending = call.entry is last and call.id not in done
        if not call.name or not (pending or call.name == _ADVISOR) or _declares(declared, call):
            continue
        state = "still to be run" if pending else "in the history"
        yield check.finding(
            f"{call.name} is {state}, but this request does not declare it",
            call,
            call_ids=(call.id,) if call.id else (),
            api_error=f"messages.{call.entry.index}: `{call.name}` tool use with id `{call.id}` was found, but no "
            f"`{call.name}` tool was provided",
            fix=_FIX,
        )


def _declares(declared: Declared, call: Block) -> bool:
    family = _FAMILIES.get(call.name, call.name)
    return any(name in (call.name, family) for name in declared.known) or any(
        kind.startswith(family) for kind in declared.types
    )


RULE = Rule(
    code="HR602",
    name="server-tool-undeclared",
    summary="A server tool that the history needs is not declared.",
    refs={"anthropic": ("A15",)},
    check=check,
)
